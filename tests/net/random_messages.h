#pragma once

#include "net/messages.h"

#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <optional>
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

inline rc::Gen<net::Hello> any_hello() {
    return rc::gen::build<net::Hello>(
        rc::gen::set(&net::Hello::protocol_minor, any_number<std::uint16_t>()),
        rc::gen::set(&net::Hello::kind, any_number<std::uint16_t>()),
        rc::gen::set(&net::Hello::spawn, any_optional(any_position())),
        rc::gen::set(&net::Hello::view, any_optional(any_view())),
        rc::gen::set(&net::Hello::blob, any_blob()),
        rc::gen::set(&net::Hello::facing, any_number<engine::Angle>()));
}

template <typename T>
rc::Gen<net::ClientMessage> as_client_message(rc::Gen<T> gen) {
    return rc::gen::map(std::move(gen), [](T message) { return net::ClientMessage(message); });
}

inline rc::Gen<net::ClientMessage> any_client_message() {
    return rc::gen::oneOf(
        as_client_message(any_hello()),
        as_client_message(rc::gen::build<net::Move>(
            rc::gen::set(&net::Move::seq, any_number<std::uint32_t>()),
            rc::gen::set(&net::Move::position, any_position()),
            rc::gen::set(&net::Move::facing, any_optional(any_number<engine::Angle>())))),
        as_client_message(
            rc::gen::build<net::SetView>(rc::gen::set(&net::SetView::view, any_view()))),
        as_client_message(rc::gen::build<net::Ping>(
            rc::gen::set(&net::Ping::nonce, any_number<std::uint64_t>()))),
        as_client_message(rc::gen::just(net::LeaveZone{})));
}

}  // namespace marchland::tests
