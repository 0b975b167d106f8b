#pragma once

#include "engine/frame/game_messages.h"
#include "net/messages.h"

#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// Any valid message, the ends of every range among them.
namespace marchland::tests {

template <typename Number>
rc::Gen<Number> any_number() {
    using Limits = std::numeric_limits<Number>;
    return rc::gen::weightedOneOf<Number>(
        {{4, rc::gen::arbitrary<Number>()},
         {1, rc::gen::element<Number>(Limits::min(), Limits::max(), Number{0})},
         {1, rc::gen::inRange<Number>(Limits::min(), Limits::max())}});
}

template <typename T>
rc::Gen<std::optional<T>> any_optional(rc::Gen<T> gen) {
    return rc::gen::oneOf(
        rc::gen::map(std::move(gen), [](T value) { return std::optional(value); }),
        rc::gen::just(std::optional<T>()));
}

inline rc::Gen<engine::Position> any_position() {
    const auto coordinate = any_number<std::int32_t>();
    return rc::gen::build<engine::Position>(rc::gen::set(&engine::Position::x, coordinate),
                                            rc::gen::set(&engine::Position::y, coordinate),
                                            rc::gen::set(&engine::Position::z, coordinate));
}

inline rc::Gen<engine::Step> any_step() {
    constexpr std::int16_t kMax = engine::Step::kMaxMm;
    const auto along = rc::gen::oneOf(rc::gen::inRange<std::int16_t>(-200, 200),
                                      rc::gen::element(static_cast<std::int16_t>(-kMax), kMax));
    return rc::gen::build<engine::Step>(rc::gen::set(&engine::Step::x, along),
                                        rc::gen::set(&engine::Step::y, along),
                                        rc::gen::set(&engine::Step::z, along));
}

/// Of any shape that a zone of these dimensions has, every size in order.
inline rc::Gen<engine::View> any_view(engine::Dimensions dimensions = engine::Dimensions::three) {
    return rc::gen::exec([dimensions] {
        const auto in_order = [](const auto& gen) {
            const auto first = *gen;
            const auto second = *gen;
            return std::pair(std::min(first, second), std::max(first, second));
        };
        const auto length = rc::gen::nonNegative<std::int32_t>();
        const auto opening = rc::gen::inRange<engine::Angle>(0, engine::kHalfTurn + 1);
        const int shapes = dimensions == engine::Dimensions::two ? 4 : 5;
        engine::View view;
        view.shape = static_cast<engine::Shape>(*rc::gen::inRange(0, shapes));
        std::tie(view.radius_mm, view.leave_radius_mm) = in_order(length);
        std::tie(view.half_y_mm, view.leave_half_y_mm) = in_order(length);
        std::tie(view.half_z_mm, view.leave_half_z_mm) = in_order(length);
        std::tie(view.half_opening, view.leave_half_opening) = in_order(opening);
        return view;
    });
}

inline rc::Gen<std::vector<std::byte>> any_blob() {
    return rc::gen::exec([] {
        const auto size = *rc::gen::weightedOneOf<std::size_t>(
            {{4, rc::gen::inRange<std::size_t>(0, 40)}, {1, rc::gen::just(engine::kBlobBytesMax)}});
        std::vector<std::byte> blob(size);
        for (std::byte& byte : blob) {
            byte = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
        }
        return blob;
    });
}

/// In ascending number, of all types.
inline rc::Gen<std::vector<engine::StateWrite>> any_state() {
    return rc::gen::exec([] {
        std::vector<engine::StateWrite> state;
        for (std::uint8_t number = 0; number < engine::kStateSlotsMax; ++number) {
            switch (*rc::gen::inRange(0, 6)) {
                case 0:
                    state.push_back({number, *rc::gen::arbitrary<std::int64_t>()});
                    break;
                case 1:
                    state.push_back({number, *rc::gen::arbitrary<float>()});
                    break;
                case 2: {
                    const auto bytes = *any_blob();
                    state.push_back(
                        {number, bytes.empty()
                                     ? nullptr
                                     : std::make_shared<const std::vector<std::byte>>(bytes)});
                    break;
                }
                default:
                    break;
            }
        }
        return state;
    });
}

inline rc::Gen<net::Hello> any_hello() {
    return rc::gen::build<net::Hello>(
        rc::gen::set(&net::Hello::protocol_minor, any_number<std::uint16_t>()),
        rc::gen::set(&net::Hello::kind, any_number<std::uint16_t>()),
        rc::gen::set(&net::Hello::spawn, any_optional(any_position())),
        rc::gen::set(&net::Hello::view, any_optional(any_view())),
        rc::gen::set(&net::Hello::state, any_state()),
        rc::gen::set(&net::Hello::facing, any_number<engine::Angle>()),
        rc::gen::set(&net::Hello::token, rc::gen::arbitrary<std::string>()),
        rc::gen::set(&net::Hello::resume_token, any_blob()),
        rc::gen::set(&net::Hello::last_tick, any_number<std::uint64_t>()),
        rc::gen::set(&net::Hello::carried, any_blob()));
}

inline rc::Gen<engine::EntityId> any_id() {
    return rc::gen::map(rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 62U),
                        [](std::uint64_t id) { return engine::EntityId{id}; });
}

inline rc::Gen<std::vector<engine::EntityId>> any_ids() {
    return rc::gen::resize(64, rc::gen::container<std::vector<engine::EntityId>>(any_id()));
}

inline rc::Gen<engine::NotifyRange> any_notify() {
    return rc::gen::build<engine::NotifyRange>(
        rc::gen::set(&engine::NotifyRange::radius_mm, any_number<std::int32_t>()),
        rc::gen::set(&engine::NotifyRange::leave_radius_mm, any_number<std::int32_t>()));
}

inline rc::Gen<net::Circle> any_circle() {
    return rc::gen::build<net::Circle>(
        rc::gen::set(&net::Circle::centre, any_position()),
        rc::gen::set(&net::Circle::radius_mm, rc::gen::inRange<std::int32_t>(0, INT32_MAX)));
}

inline rc::Gen<net::Layers> any_layers() {
    return rc::gen::build<net::Layers>(
        rc::gen::set(&net::Layers::layers, any_number<std::uint32_t>()),
        rc::gen::set(&net::Layers::layers_seen, any_number<std::uint32_t>()));
}

/// Small, so that a list of them stays within the largest message.
template <typename T>
rc::Gen<std::vector<T>> any_few(rc::Gen<T> gen) {
    return rc::gen::resize(5, rc::gen::container<std::vector<T>>(std::move(gen)));
}

inline rc::Gen<net::Moved> any_moved() {
    return rc::gen::exec([] {
        constexpr std::int64_t kFar = INT32_MAX;
        const auto coordinate = rc::gen::inRange<std::int64_t>(-kFar, kFar);
        net::Moved moved{*any_id(), *rc::gen::arbitrary<bool>(), *coordinate, *coordinate, 0};
        moved.z = moved.is_relative && *rc::gen::arbitrary<bool>() ? 0 : *coordinate;
        return moved;
    });
}

inline rc::Gen<net::MoveMany> any_move_many() {
    return rc::gen::map(any_few(any_moved()), [](std::vector<net::Moved> moves) {
        std::ranges::sort(moves, {}, &net::Moved::entity);
        const auto same = [](const net::Moved& a, const net::Moved& b) {
            return a.entity == b.entity;
        };
        moves.erase(std::unique(moves.begin(), moves.end(), same), moves.end());
        return net::MoveMany{moves};
    });
}

inline rc::Gen<net::SpawnOne> any_spawn_one() {
    using net::SpawnOne;
    return rc::gen::build<SpawnOne>(
        rc::gen::set(&SpawnOne::ref, any_number<std::uint32_t>()),
        rc::gen::set(&SpawnOne::kind, any_number<std::uint16_t>()),
        rc::gen::set(&SpawnOne::position, any_position()),
        rc::gen::set(&SpawnOne::facing, any_number<engine::Angle>()),
        rc::gen::set(&SpawnOne::layers, any_layers()),
        rc::gen::set(&SpawnOne::view, rc::gen::oneOf(any_view(), rc::gen::just(engine::View{}))),
        rc::gen::set(&SpawnOne::notify, any_notify()), rc::gen::set(&SpawnOne::state, any_state()),
        rc::gen::set(&SpawnOne::importance, any_number<std::uint8_t>()),
        rc::gen::set(&SpawnOne::watches, rc::gen::arbitrary<bool>()));
}

inline rc::Gen<net::ChangeOne> any_change_one() {
    using net::ChangeOne;
    return rc::gen::build<ChangeOne>(
        rc::gen::set(&ChangeOne::entity, any_id()),
        rc::gen::set(&ChangeOne::position, any_optional(any_position())),
        rc::gen::set(&ChangeOne::facing, any_optional(any_number<engine::Angle>())),
        rc::gen::set(&ChangeOne::layers, any_optional(any_layers())),
        rc::gen::set(&ChangeOne::view, any_optional(any_view())),
        rc::gen::set(&ChangeOne::notify, any_optional(any_notify())),
        rc::gen::set(&ChangeOne::state, any_state()),
        rc::gen::set(&ChangeOne::frames_hz, any_optional(any_number<std::uint16_t>())),
        rc::gen::set(&ChangeOne::speed_percent, any_optional(any_number<std::uint16_t>())),
        rc::gen::set(&ChangeOne::authority,
                     rc::gen::element(net::Authority::unchanged, net::Authority::zone,
                                      net::Authority::client, net::Authority::service)),
        rc::gen::set(&ChangeOne::move_ack, any_optional(any_number<std::uint32_t>())));
}

/// To one of the audiences.
inline rc::Gen<net::MessageTo> any_message_to() {
    using net::MessageTo;
    const auto of = [](auto... audience) {
        return rc::gen::build<MessageTo>(
            rc::gen::set(&MessageTo::kind, any_number<std::uint16_t>()),
            rc::gen::set(&MessageTo::payload, any_blob()), audience...);
    };
    return rc::gen::oneOf(of(rc::gen::set(&MessageTo::to, any_ids())),
                          of(rc::gen::set(&MessageTo::to_everybody, rc::gen::arbitrary<bool>())),
                          of(rc::gen::set(&MessageTo::to_viewers_of, any_id())),
                          of(rc::gen::set(&MessageTo::within, any_optional(any_circle())),
                             rc::gen::set(&MessageTo::layers, any_number<std::uint32_t>())));
}

inline rc::Gen<net::TransferPlayer> any_transfer_player() {
    using net::TransferPlayer;
    const auto address = rc::gen::nonEmpty(
        rc::gen::resize(net::kAddressBytesMax, rc::gen::arbitrary<std::string>()));
    return rc::gen::build<TransferPlayer>(
        rc::gen::set(&TransferPlayer::entity, any_id()),
        rc::gen::set(&TransferPlayer::address, address),
        rc::gen::set(&TransferPlayer::token, rc::gen::arbitrary<std::string>()),
        rc::gen::set(&TransferPlayer::carried, any_blob()));
}

inline rc::Gen<net::Positions> any_positions() {
    return rc::gen::exec([] {
        net::Positions positions{*any_number<std::uint64_t>(),
                                 {},
                                 *rc::gen::arbitrary<bool>(),
                                 *rc::gen::arbitrary<bool>(),
                                 *any_number<std::uint64_t>()};
        std::uint64_t id = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 60U);
        const auto count = *rc::gen::inRange(0, 5);
        for (int i = 0; i < count; ++i) {
            positions.players.push_back({engine::EntityId{id}, *any_position()});
            id += *rc::gen::inRange<std::uint64_t>(1, UINT32_MAX);
        }
        return positions;
    });
}

inline rc::Gen<net::AdmitPlayer> any_admit_player() {
    using net::AdmitPlayer;
    const auto refusal = rc::gen::resize(net::kRefusalBytesMax, rc::gen::arbitrary<std::string>());
    return rc::gen::build<AdmitPlayer>(
        rc::gen::set(&AdmitPlayer::request, any_number<std::uint64_t>()),
        rc::gen::set(&AdmitPlayer::given, any_change_one()),
        rc::gen::set(&AdmitPlayer::refusal, any_optional(refusal)));
}

inline rc::Gen<net::ServiceHello> any_service_hello() {
    using net::ServiceHello;
    const auto name = rc::gen::resize(net::kServiceNameBytesMax, rc::gen::arbitrary<std::string>());
    return rc::gen::build<ServiceHello>(
        rc::gen::set(&ServiceHello::protocol_minor, any_number<std::uint16_t>()),
        rc::gen::set(&ServiceHello::name, name),
        rc::gen::set(&ServiceHello::token, rc::gen::arbitrary<std::string>()),
        rc::gen::set(&ServiceHello::resume_token, any_blob()),
        rc::gen::set(&ServiceHello::admits, rc::gen::arbitrary<bool>()));
}

template <typename T>
rc::Gen<net::ClientMessage> as_client_message(rc::Gen<T> gen) {
    return rc::gen::map(std::move(gen), [](T message) { return net::ClientMessage(message); });
}

inline rc::Gen<net::ClientMessage> any_service_message() {
    return rc::gen::oneOf(
        as_client_message(any_service_hello()),
        as_client_message(rc::gen::build<net::Spawn>(
            rc::gen::set(&net::Spawn::entities, any_few(any_spawn_one())))),
        as_client_message(
            rc::gen::build<net::Despawn>(rc::gen::set(&net::Despawn::entities, any_ids()))),
        as_client_message(any_move_many()),
        as_client_message(rc::gen::build<net::Change>(
            rc::gen::set(&net::Change::entities, any_few(any_change_one())))),
        as_client_message(rc::gen::build<net::Subscribe>(
            rc::gen::set(&net::Subscribe::kinds, any_few(any_number<std::uint16_t>())),
            rc::gen::set(&net::Subscribe::moves, rc::gen::arbitrary<bool>()),
            rc::gen::set(&net::Subscribe::positions, rc::gen::arbitrary<bool>()),
            rc::gen::set(&net::Subscribe::within, any_optional(any_circle())))),
        as_client_message(rc::gen::build<net::SendMessages>(
            rc::gen::set(&net::SendMessages::messages, any_few(any_message_to())))),
        as_client_message(any_transfer_player()), as_client_message(any_admit_player()));
}

inline rc::Gen<net::ClientMessage> any_client_message() {
    return rc::gen::oneOf(
        as_client_message(any_hello()),
        as_client_message(rc::gen::build<net::Move>(
            rc::gen::set(&net::Move::seq, any_number<std::uint32_t>()),
            rc::gen::set(&net::Move::position, any_position()),
            rc::gen::set(&net::Move::facing, any_optional(any_number<engine::Angle>())),
            rc::gen::set(&net::Move::correction_seen, any_number<std::uint32_t>()),
            rc::gen::set(&net::Move::velocity, any_step()))),
        as_client_message(rc::gen::build<net::SetFrameRate>(
            rc::gen::set(&net::SetFrameRate::frames_hz, any_number<std::uint16_t>()))),
        as_client_message(
            rc::gen::build<net::SetView>(rc::gen::set(&net::SetView::view, any_view()))),
        as_client_message(rc::gen::build<net::Ping>(
            rc::gen::set(&net::Ping::nonce, any_number<std::uint64_t>()))),
        as_client_message(rc::gen::just(net::LeaveZone{})),
        as_client_message(rc::gen::just(net::KeyframeRequest{})),
        as_client_message(rc::gen::just(net::SkippedMessage{})),
        as_client_message(
            rc::gen::build<net::SetState>(rc::gen::set(&net::SetState::state, any_state()))),
        as_client_message(rc::gen::build<net::SendMessage>(
            rc::gen::set(&net::SendMessage::number, any_number<std::uint32_t>()),
            rc::gen::set(&net::SendMessage::kind, any_number<std::uint16_t>()),
            rc::gen::set(&net::SendMessage::payload, any_blob()))),
        any_service_message());
}

}  // namespace marchland::tests
