#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace marchland::client {

/// Where the server expects a client's own entity by now: on with the velocity of its last Move, for a while. A Move
/// is needed when that is wrong by more than the zone's bound, and before the while is over. Others then see the
/// entity within the sum of that bound and the server's own.
///
/// Ticks  The client's own count, of the length of the zone's: the server's may begin anywhere within one.
class OwnWay {
public:
    OwnWay() = default;
    /// `error_mm` and `ticks_max`: as the Welcome says; with a bound of 0 every Move is needed, and has no velocity.
    OwnWay(std::int32_t error_mm, engine::Tick ticks_max)
        : error_mm_(error_mm), ticks_max_(ticks_max) {}

    /// It is there in that tick. The velocity of the Move that is to say so; nothing: none is needed.
    std::optional<engine::Step> step(engine::Position at, engine::Tick tick) {
        if (error_mm_ == 0) {
            return engine::Step{};
        }
        const bool is_expected =
            is_said_ && tick >= said_tick_ && tick - said_tick_ < ends_after() &&
            engine::is_within(expected(tick), at, error_mm_, engine::Dimensions::three);
        const engine::Step velocity = has_place_ ? way_of_a_tick(at, tick) : engine::Step{};
        at_ = at;
        tick_ = tick;
        has_place_ = true;
        if (is_expected) {
            return std::nullopt;
        }
        said_at_ = at;
        said_tick_ = tick;
        velocity_ = velocity;
        is_said_ = true;
        return velocity;
    }
    /// The Move was not sent.
    void forget() { is_said_ = false; }
    /// It is there in that tick, without step(): the next step begins there.
    void begin_at(engine::Position at, engine::Tick tick) {
        *this = OwnWay(error_mm_, ticks_max_);
        at_ = at;
        tick_ = tick;
        has_place_ = true;
    }
    /// The server put the entity elsewhere: the way there is none that it goes on with.
    void begin_anywhere() { *this = OwnWay(error_mm_, ticks_max_); }

private:
    /// Since the last step; none after a pause.
    [[nodiscard]] engine::Step way_of_a_tick(engine::Position at, engine::Tick tick) const {
        constexpr engine::Tick kPauseTicks = 4;
        const engine::Tick ticks = tick > tick_ ? tick - tick_ : 1;
        const auto way = engine::step_between(at_, at);
        if (!way || ticks >= kPauseTicks) {
            return {};
        }
        const auto each = [ticks](std::int16_t mm) {
            return static_cast<std::int16_t>(mm / static_cast<std::int16_t>(ticks));
        };
        return {each(way->x), each(way->y), each(way->z)};
    }
    [[nodiscard]] engine::Position expected(engine::Tick tick) const {
        return engine::after_steps(said_at_, velocity_, tick - said_tick_);
    }
    /// One that stands needs no other; one that goes on needs it a tick before the server ends that.
    [[nodiscard]] engine::Tick ends_after() const {
        return velocity_ == engine::Step{} ? ~engine::Tick{0}
                                           : std::max<engine::Tick>(ticks_max_, 2) - 1;
    }

    std::int32_t error_mm_ = 0;
    engine::Tick ticks_max_ = 0;
    engine::Position at_;
    engine::Tick tick_ = engine::kNever;
    bool has_place_ = false;
    engine::Position said_at_;
    engine::Tick said_tick_ = engine::kNever;
    engine::Step velocity_;
    bool is_said_ = false;
};

}  // namespace marchland::client
