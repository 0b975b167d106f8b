#pragma once

#include "tools/bots/clock.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace marchland::bots {

class Swarm;

/// Who is in the world, and where they go: a scenario, or a trace.
class Director {
public:
    Director() = default;
    Director(const Director&) = delete;
    Director& operator=(const Director&) = delete;
    virtual ~Director() = default;

    /// Does what is due. Called every few milliseconds; `now` never goes back.
    virtual void advance(Instant now, Swarm& swarm) = 0;
    /// Will anybody else join? When not, the run is over once all are gone.
    [[nodiscard]] virtual bool has_more_to_join() const = 0;
    /// Is everybody on stage who is to be measured? Figures count from then on.
    [[nodiscard]] virtual bool is_complete(const Swarm& swarm) const = 0;
    /// Has the part not begun yet for which this is played? Its figures are then kept apart.
    [[nodiscard]] virtual bool is_calm() const { return false; }
    /// The part that is played now, where figures of each are kept apart; empty: there are none.
    [[nodiscard]] virtual std::string_view phase() const { return {}; }
    /// How many of the players read badly, and how often one of them stopped reading.
    struct Slow {
        std::size_t players = 0;
        std::uint64_t stalls = 0;
    };
    [[nodiscard]] virtual Slow slow() const { return {}; }
    /// Connections beside the players that behaved badly, and how many of them the server ended.
    struct Abuse {
        std::uint64_t connections = 0;
        std::uint64_t closed_by_server = 0;
    };
    [[nodiscard]] virtual Abuse abuse() const { return {}; }
    /// Steps that were left out because this process came too late for them.
    [[nodiscard]] virtual std::uint64_t late_steps() const = 0;
};

}  // namespace marchland::bots
