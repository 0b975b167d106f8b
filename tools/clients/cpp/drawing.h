#pragma once

#include "engine/ids.h"
#include "net/messages.h"
#include "tools/clients/cpp/seen_world.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace marchland::client {

/// Where to draw others at any moment, say 60 times a second, out of 10 or 20 frames a second.
///
/// Time     What is drawn is a little old, so that there is a newer place to go to: by delay(). In
///          server time, which goes slower than real time while the zone is overloaded.
/// Errors   None: without a newer place an entity goes on with its velocity, and stands where it
///          has none. More than 20 m from one place to the next is a teleport, and drawn as one.
///          The own entity is not drawn.
/// Cost     A frame O(its length * log seen); a keyframe O(seen * log seen). Of each entity the
///          last places, twelve at most.
class Drawing {
public:
    using Clock = std::chrono::steady_clock;
    using Microseconds = std::chrono::microseconds;
    /// In millimetres.
    struct Place {
        double x = 0;
        double y = 0;
        double z = 0;
    };

    /// Without a fixed delay it is as long as two frames take to come, on the average; half a
    /// second at most.
    explicit Drawing(std::uint32_t tick_rate_hz, std::optional<Microseconds> fixed_delay = {});

    /// For each frame, once `world` has it.
    void apply(const net::FrameMessage& frame, const SeenWorld& world,
               Clock::time_point now = Clock::now());

    /// As near as frames let it be known; it goes on smoothly. 0 before the first frame.
    [[nodiscard]] Microseconds server_time(Clock::time_point now = Clock::now()) const;
    [[nodiscard]] Microseconds delay(Clock::time_point now = Clock::now()) const;
    /// Nothing: it is not seen.
    [[nodiscard]] std::optional<Place> place_of(engine::EntityId id,
                                                Clock::time_point now = Clock::now()) const;

private:
    /// It was there at that time of the server's, and goes on with the velocity from tick to tick.
    struct Sample {
        Microseconds at{};
        Place place;
        engine::Step velocity;
    };
    using Track = std::deque<Sample>;  ///< ascending; not empty

    void set_clock(Microseconds server_time, Clock::time_point now);
    void add(Track& track, const Seen& seen, Microseconds at) const;
    [[nodiscard]] Place gone_on(const Sample& from, Microseconds at) const;
    [[nodiscard]] Place between(const Sample& before, const Sample& after, Microseconds at) const;
    [[nodiscard]] Microseconds wanted_delay() const;
    [[nodiscard]] Microseconds shown_offset(Clock::time_point now) const;

    const Microseconds tick_;
    const std::optional<Microseconds> fixed_delay_;
    std::map<engine::EntityId, Track> tracks_;
    Microseconds frame_at_{};             ///< the newest frame's time of the server's
    double gap_us_;                       ///< between frames, on the average
    std::optional<Microseconds> offset_;  ///< the estimate: the server's time minus ours
    Clock::time_point newest_frame_at_;
    // What is shown goes towards what is estimated: at that time they were so.
    Microseconds shown_offset_{};
    Microseconds shown_delay_;
    Clock::time_point shown_at_;
};

}  // namespace marchland::client
