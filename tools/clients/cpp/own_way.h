#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace marchland::client {

/// Where the server expects a client's own entity by now: on with the velocity of its last Move,
/// for a while. A Move is needed when that is wrong by more than the zone's bound, and before the
/// while is over. Others then see the entity within the sum of that bound and the server's own.
class OwnWay {
public:
    OwnWay() = default;
    /// `error_mm` and `ticks_max`: as the Welcome says; with a bound of 0 every Move is needed, and
    /// has no velocity.
    OwnWay(std::int32_t error_mm, engine::Tick ticks_max)
        : error_mm_(error_mm), ticks_max_(ticks_max) {}

    /// A tick later it is there. The velocity of the Move that is to say so; nothing: none is
    /// needed.
    std::optional<engine::Step> step(engine::Position at) {
        if (error_mm_ == 0) {
            return engine::Step{};
        }
        const auto way = before_ ? engine::step_between(*before_, at) : std::nullopt;
        before_ = at;
        if (said_) {
            ++said_->ticks;
        }
        if (is_expected(at)) {
            return std::nullopt;
        }
        said_ = Said{at, way.value_or(engine::Step{}), 0};
        return said_->velocity;
    }
    /// The Move was not sent.
    void forget() { said_.reset(); }
    /// It is there, and did not walk there: no velocity leads there. Nothing: somewhere else.
    void put(std::optional<engine::Position> at) {
        forget();
        before_ = at;
    }

private:
    /// The last Move, and how many ticks ago.
    struct Said {
        engine::Position at;
        engine::Step velocity;
        engine::Tick ticks;
    };

    /// One that stands needs no other; one that goes on needs it a tick before the server ends
    /// that.
    [[nodiscard]] bool is_expected(engine::Position at) const {
        if (!said_) {
            return false;
        }
        const auto& [from, velocity, ticks] = *said_;
        const bool is_over =
            velocity != engine::Step{} && ticks >= std::max<engine::Tick>(ticks_max_, 2) - 1;
        return !is_over && engine::is_within(engine::after_steps(from, velocity, ticks), at,
                                             error_mm_, engine::Dimensions::three);
    }

    std::int32_t error_mm_ = 0;
    engine::Tick ticks_max_ = 0;
    std::optional<engine::Position> before_;
    std::optional<Said> said_;
};

}  // namespace marchland::client
