#pragma once

#include "net/messages.h"

#include <algorithm>
#include <cstdint>
#include <variant>

namespace marchland::net {

/// When the ticks of one connection's frames were due. Both ends work it out from the newest that
/// was sent: since protocol 3.1 a frame says it only where it is otherwise. docs/wire_format.md,
/// Frame, `server_time_us`.
class FrameTimes {
public:
    /// From this minor number of the protocol on.
    static constexpr std::uint16_t kLeftOutFrom = 1;

    explicit FrameTimes(std::uint32_t tick_rate_hz = 1)
        : tick_rate_hz_(std::max(tick_rate_hz, 1U)) {}

    /// Ticks whose length is no whole number of microseconds are a microsecond off.
    [[nodiscard]] bool is_expected(engine::Tick tick, std::uint64_t server_time_us) const {
        return server_time_us_ != 0 && expected(tick) + 1 - server_time_us <= 2;
    }
    void put(engine::Tick tick, std::uint64_t server_time_us) {
        tick_ = tick;
        server_time_us_ = server_time_us;
    }
    /// The client's, for each message: gives a frame the time that it does not say.
    void complete(ServerMessage& message) {
        if (const auto* const welcome = std::get_if<Welcome>(&message)) {
            *this = FrameTimes(welcome->tick_rate_hz);
        } else if (auto* const frame = std::get_if<FrameMessage>(&message)) {
            if (frame->server_time_us != 0) {
                put(frame->tick, frame->server_time_us);
            } else if (server_time_us_ != 0) {
                frame->server_time_us = expected(frame->tick);
            }
        }
    }

private:
    /// A foreign server's ticks may be any: the sum wraps.
    [[nodiscard]] std::uint64_t expected(engine::Tick tick) const {
        return server_time_us_ + (tick - tick_) * 1'000'000 / tick_rate_hz_;
    }

    std::uint32_t tick_rate_hz_;
    engine::Tick tick_ = engine::kNever;
    std::uint64_t server_time_us_ = 0;  ///< 0: none was sent
};

}  // namespace marchland::net
