#include "tests/net/random_messages.h"

#include "engine/frame/game_messages.h"
#include "net/packed_moves.h"
#include "marchland_generated.h"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>

namespace marchland::tests {

namespace {

/// RapidCheck's ranges begin at their least value and grow with the run; these are even in all
/// runs.
constexpr int kFullSize = 100;

std::int64_t evenly_between(std::int64_t min, std::int64_t max) {
    return min == max ? min : *rc::gen::resize(kFullSize, rc::gen::inRange(min, max));
}

int choice(int of) {
    return static_cast<int>(evenly_between(0, of));
}

}  // namespace

std::int64_t any_between(std::int64_t min, std::int64_t max) {
    switch (choice(8)) {
        case 0:
            return min;
        case 1:
            return max;
        case 2:
            return std::clamp<std::int64_t>(0, min, max);
        case 3:
            return evenly_between(min, max);
        default: {
            // Of any length in binary.
            const std::int64_t far = std::int64_t{1} << choice(63);
            const std::int64_t near_zero = evenly_between(-far, far);
            return near_zero >= min && near_zero <= max ? near_zero : evenly_between(min, max);
        }
    }
}

template <>
std::uint64_t any_number<std::uint64_t>() {
    return choice(8) == 0 ? UINT64_MAX : static_cast<std::uint64_t>(any_number<std::int64_t>());
}

bool any_bool() {
    return choice(2) == 1;
}

std::string any_text(std::size_t bytes_max) {
    const std::int64_t longest = static_cast<std::int64_t>(bytes_max);
    std::string text(static_cast<std::size_t>(evenly_between(0, longest + 1)), ' ');
    for (char& letter : text) {
        letter = static_cast<char>(evenly_between(1, 256));
    }
    return text;
}

engine::Position any_position() {
    return {any_number<std::int32_t>(), any_number<std::int32_t>(), any_number<std::int32_t>()};
}

namespace {

std::int16_t any_velocity() {
    constexpr std::int16_t kMax = engine::Step::kMaxMm;
    return static_cast<std::int16_t>(any_bool() ? any_between(-200, 200)
                                                : any_between(-kMax, kMax));
}

template <typename Number>
std::pair<Number, Number> in_order(std::int64_t max) {
    const auto first = static_cast<Number>(any_between(0, max));
    const auto second = static_cast<Number>(any_between(0, max));
    return {std::min(first, second), std::max(first, second)};
}

engine::View any_view() {
    return any_view_in(engine::Dimensions::three);
}

net::Layers any_layers() {
    return {any_number<std::uint32_t>(), any_number<std::uint32_t>()};
}

engine::NotifyRange any_notify() {
    return {any_number<std::int32_t>(), any_number<std::int32_t>()};
}

net::Circle any_circle() {
    return {any_position(), static_cast<std::int32_t>(any_between(0, INT32_MAX))};
}

std::vector<engine::EntityId> any_ids() {
    std::vector<engine::EntityId> ids(static_cast<std::size_t>(any_between(0, 64)));
    for (engine::EntityId& id : ids) {
        id = any_id();
    }
    return ids;
}

net::Hello any_hello() {
    net::Hello hello;
    hello.protocol_minor = any_number<std::uint16_t>();
    hello.kind = any_number<std::uint16_t>();
    hello.spawn = maybe(any_position);
    hello.view = maybe(any_view);
    hello.state = any_state();
    hello.facing = any_number<engine::Angle>();
    hello.token = any_text();
    hello.resume_token = any_blob();
    hello.last_tick = any_number<std::uint64_t>();
    hello.carried = any_blob();
    return hello;
}

net::Moved any_moved() {
    constexpr std::int64_t kFar = INT32_MAX;
    net::Moved moved{any_id(), any_bool(), any_between(-kFar, kFar), any_between(-kFar, kFar), 0};
    moved.z = moved.is_relative && any_bool() ? 0 : any_between(-kFar, kFar);
    return moved;
}

net::MoveMany any_move_many() {
    std::vector<net::Moved> moves = any_few(any_moved);
    std::ranges::sort(moves, {}, &net::Moved::entity);
    const auto again = std::ranges::unique(moves, {}, &net::Moved::entity);
    moves.erase(again.begin(), again.end());
    return {moves};
}

net::SpawnOne any_spawn_one() {
    net::SpawnOne one;
    one.ref = any_number<std::uint32_t>();
    one.kind = any_number<std::uint16_t>();
    one.position = any_position();
    one.facing = any_number<engine::Angle>();
    one.layers = any_layers();
    one.view = any_bool() ? any_view() : engine::View{};
    one.notify = any_notify();
    one.state = any_state();
    one.importance = any_number<std::uint8_t>();
    one.watches = any_bool();
    return one;
}

net::ChangeOne any_change_one() {
    using net::Authority;
    constexpr std::array kAll = {Authority::unchanged, Authority::zone, Authority::client,
                                 Authority::service};
    net::ChangeOne one;
    one.entity = any_id();
    one.position = maybe(any_position);
    one.facing = maybe(any_number<engine::Angle>);
    one.layers = maybe(any_layers);
    one.view = maybe(any_view);
    one.notify = maybe(any_notify);
    one.state = any_state();
    one.frames_hz = maybe(any_number<std::uint16_t>);
    one.speed_percent = maybe(any_number<std::uint16_t>);
    one.authority = kAll.at(static_cast<std::size_t>(choice(4)));
    one.move_ack = maybe(any_number<std::uint32_t>);
    return one;
}

/// To one of the audiences.
net::MessageTo any_message_to() {
    net::MessageTo message;
    message.kind = any_number<std::uint16_t>();
    message.payload = any_blob();
    switch (choice(4)) {
        case 0:
            message.to = any_ids();
            break;
        case 1:
            message.to_everybody = any_bool();
            break;
        case 2:
            message.to_viewers_of = any_id();
            break;
        default:
            message.within = maybe(any_circle);
            message.layers = any_number<std::uint32_t>();
            break;
    }
    return message;
}

net::TransferPlayer any_transfer_player() {
    return {any_id(),
            static_cast<char>(evenly_between(1, 256)) + any_text(net::kAddressBytesMax - 1),
            any_text(), any_blob()};
}

net::AdmitPlayer any_admit_player() {
    net::AdmitPlayer answer;
    answer.request = any_number<std::uint64_t>();
    answer.given = any_change_one();
    if (any_bool()) {
        answer.refusal = any_text(net::kRefusalBytesMax);
    }
    return answer;
}

net::ServiceHello any_service_hello() {
    net::ServiceHello hello;
    hello.protocol_minor = any_number<std::uint16_t>();
    hello.name = any_text(net::kServiceNameBytesMax);
    hello.token = any_text();
    hello.resume_token = any_blob();
    hello.admits = any_bool();
    return hello;
}

net::Subscribe any_subscription() {
    net::Subscribe asked;
    asked.kinds = any_few(any_number<std::uint16_t>);
    asked.moves = any_bool();
    asked.positions = any_bool();
    asked.within = maybe(any_circle);
    return asked;
}

}  // namespace

engine::Step any_step() {
    return {any_velocity(), any_velocity(), any_velocity()};
}

engine::View any_view_in(engine::Dimensions dimensions) {
    engine::View view;
    view.shape = static_cast<engine::Shape>(choice(dimensions == engine::Dimensions::two ? 4 : 5));
    std::tie(view.radius_mm, view.leave_radius_mm) = in_order<std::int32_t>(INT32_MAX);
    std::tie(view.half_y_mm, view.leave_half_y_mm) = in_order<std::int32_t>(INT32_MAX);
    std::tie(view.half_z_mm, view.leave_half_z_mm) = in_order<std::int32_t>(INT32_MAX);
    std::tie(view.half_opening, view.leave_half_opening) =
        in_order<engine::Angle>(engine::kHalfTurn);
    return view;
}

engine::EntityId any_id() {
    return engine::EntityId{static_cast<std::uint64_t>(any_between(0, net::kEntityIdEnd - 1))};
}

std::vector<std::byte> any_blob() {
    const bool is_largest = choice(10) == 9;
    std::vector<std::byte> blob(is_largest ? engine::kBlobBytesMax
                                           : static_cast<std::size_t>(any_between(0, 40)));
    auto random = static_cast<std::uint64_t>(*rc::gen::arbitrary<std::uint32_t>());
    for (std::byte& byte : blob) {  // drawn one by one, they would be most of what is drawn
        random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        byte = static_cast<std::byte>(random >> 56U);
    }
    return blob;
}

std::vector<engine::StateWrite> any_state() {
    std::vector<engine::StateWrite> state;
    for (std::uint8_t number = 0; number < engine::kStateSlotsMax; ++number) {
        switch (choice(6)) {
            case 1:
                state.push_back({number, any_number<std::int64_t>()});
                break;
            case 2:
                state.push_back({number, *rc::gen::arbitrary<float>()});
                break;
            case 3: {
                const auto bytes = any_blob();
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
}

net::Positions any_positions() {
    net::Positions positions{
        any_number<std::uint64_t>(), {}, any_bool(), any_bool(), any_number<std::uint64_t>()};
    std::int64_t id = any_between(0, std::int64_t{1} << 60U);
    for (auto left = any_between(0, 4); left > 0; --left) {
        positions.players.push_back(
            {engine::EntityId{static_cast<std::uint64_t>(id)}, any_position()});
        id += any_between(1, UINT32_MAX - 1);
    }
    return positions;
}

net::ClientMessage any_client_message() {
    switch (choice(18)) {
        case 1:
            return net::Move{any_number<std::uint32_t>(), any_position(),
                             maybe(any_number<engine::Angle>), any_number<std::uint32_t>(),
                             any_step()};
        case 2:
            return net::SetFrameRate{any_number<std::uint16_t>()};
        case 3:
            return net::SetView{any_view()};
        case 4:
            return net::Ping{any_number<std::uint64_t>()};
        case 5:
            return net::LeaveZone{};
        case 6:
            return net::KeyframeRequest{};
        case 7:
            return net::SetState{any_state()};
        case 8:
            return net::SendMessage{any_number<std::uint32_t>(), any_number<std::uint16_t>(),
                                    any_blob()};
        case 9:
            return any_service_hello();
        case 10:
            return net::Spawn{any_few(any_spawn_one)};
        case 11:
            return net::Despawn{any_ids()};
        case 12:
            return any_move_many();
        case 13:
            return net::Change{any_few(any_change_one)};
        case 14:
            return any_subscription();
        case 15:
            return net::SendMessages{any_few(any_message_to)};
        case 16:
            return any_transfer_player();
        case 17:
            return any_admit_player();
        default:
            return any_hello();
    }
}

std::vector<std::byte> message_of_unknown_type(bool is_optional) {
    flatbuffers::FlatBufferBuilder builder;
    const auto body = wire::CreateLeave(builder).Union();
    builder.FinishSizePrefixed(
        wire::CreateMessage(builder, static_cast<wire::Body>(77), body, is_optional));
    const auto bytes = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
    return {bytes.begin(), bytes.end()};
}

}  // namespace marchland::tests
