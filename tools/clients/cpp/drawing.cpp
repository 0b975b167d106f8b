#include "tools/clients/cpp/drawing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace marchland::client {

namespace {

using namespace std::chrono_literals;
using Microseconds = Drawing::Microseconds;

/// A gap in the estimate of the server's time that is no jitter: the clock is set anew.
constexpr Microseconds kClockJump = 1s;
/// The estimate gives way by this part of real time, so that a line that got slower is believed.
constexpr int kDriftPart = 200;
/// What is shown follows what is estimated by this part of real time: that much faster or slower is
/// not seen.
constexpr int kSlewPart = 10;
/// Who is silent for so long may be held back by an update ring or a budget, and is drawn on its
/// way all that time; who is silent for longer stood.
constexpr Microseconds kHeldBackMax = 250ms;
constexpr Microseconds kLongestGap = 250ms;
/// Further than this from one place to the next is drawn as a teleport.
constexpr double kTeleportMm = 20'000;
/// Two for a frame. What is drawn is two frames old, and more for a while after frames have become
/// more frequent.
constexpr std::size_t kSamplesMax = 12;
/// Later than any clock is: so that no server's time makes sums overflow.
constexpr std::uint64_t kServerTimeMaxUs = std::uint64_t{1} << 61U;

Microseconds since_epoch(Drawing::Clock::time_point at) {
    return std::chrono::duration_cast<Microseconds>(at.time_since_epoch());
}

Microseconds elapsed(Drawing::Clock::time_point from, Drawing::Clock::time_point to) {
    return std::max(std::chrono::duration_cast<Microseconds>(to - from), Microseconds::zero());
}

Microseconds slewed(Microseconds shown, Microseconds wanted, Microseconds passed) {
    const Microseconds most = passed / kSlewPart;
    return shown + std::clamp(wanted - shown, -most, most);
}

Drawing::Place place_of_position(engine::Position at) {
    return {double(at.x), double(at.y), double(at.z)};
}

}  // namespace

Drawing::Drawing(std::uint32_t tick_rate_hz, std::optional<Microseconds> fixed_delay)
    : tick_(Microseconds(1s) / std::max(tick_rate_hz, 1U)),
      fixed_delay_(fixed_delay),
      gap_us_(static_cast<double>(tick_.count())),
      shown_delay_(wanted_delay()) {}

void Drawing::apply(const net::FrameMessage& frame, const SeenWorld& world, Clock::time_point now) {
    const Microseconds at(std::min(frame.server_time_us, kServerTimeMaxUs));
    set_clock(at, now);
    for (const engine::Leave& leave : frame.leaves) {
        tracks_.erase(leave.id);
    }
    if (frame.is_keyframe) {  // who is not in it is gone, without a leave
        std::erase_if(tracks_,
                      [&](const auto& track) { return !world.seen().contains(track.first); });
    }
    for (const net::Entered& entered : frame.enters) {
        Track& track = tracks_[entered.entity];
        if (!frame.is_keyframe) {
            track.clear();
        }
        add(track, world.seen().at(entered.entity), at);
    }
    for (const net::Moved& moved : frame.moves) {
        add(tracks_[moved.entity], world.seen().at(moved.entity), at);
    }
    frame_at_ = at;
}

/// Where its way since its last place began.
void Drawing::add(Track& track, const Seen& seen, Microseconds at) const {
    if (!track.empty()) {
        Sample before = track.back();
        const bool is_held_back = at - before.at <= kHeldBackMax;
        const Microseconds until = before.velocity != engine::Step{} ? at - tick_
                                   : is_held_back                    ? before.at
                                                  : std::max(frame_at_, at - tick_);
        if (before.at < until) {
            before.place = gone_on(before, until);
            before.at = until;
            track.push_back(before);
        }
    }
    track.push_back({at, place_of_position(seen.position), seen.velocity});
    while (track.size() > kSamplesMax) {
        track.pop_front();
    }
}

void Drawing::set_clock(Microseconds server_time, Clock::time_point now) {
    const Microseconds offset = server_time - since_epoch(now);
    if (!offset_ || offset > *offset_ + kClockJump || offset < *offset_ - kClockJump) {
        offset_ = shown_offset_ = offset;
    } else {
        shown_offset_ = shown_offset(now);
        shown_delay_ = delay(now);
        // A frame that came sooner than the estimate is right; one that came later was held up on
        // its way.
        offset_ = std::max(offset, *offset_ - elapsed(newest_frame_at_, now) / kDriftPart);
        const Microseconds gap =
            std::clamp(server_time - frame_at_, Microseconds::zero(), kLongestGap);
        gap_us_ += (static_cast<double>(gap.count()) - gap_us_) / 16;
    }
    shown_at_ = newest_frame_at_ = now;
}

Microseconds Drawing::shown_offset(Clock::time_point now) const {
    return slewed(shown_offset_, *offset_, elapsed(shown_at_, now));
}

Microseconds Drawing::server_time(Clock::time_point now) const {
    return offset_ ? since_epoch(now) + shown_offset(now) : Microseconds::zero();
}

Microseconds Drawing::wanted_delay() const {
    return fixed_delay_.value_or(Microseconds(static_cast<std::int64_t>(2 * gap_us_)));
}

Microseconds Drawing::delay(Clock::time_point now) const {
    return slewed(shown_delay_, wanted_delay(), elapsed(shown_at_, now));
}

std::optional<Drawing::Place> Drawing::place_of(engine::EntityId id, Clock::time_point now) const {
    const auto found = tracks_.find(id);
    if (found == tracks_.end()) {
        return std::nullopt;
    }
    const Track& track = found->second;
    const Microseconds at = server_time(now) - delay(now);
    const auto after = std::ranges::upper_bound(track, at, {}, &Sample::at);
    if (after == track.end()) {
        return gone_on(track.back(), at);
    }
    return after == track.begin() ? after->place : between(*std::prev(after), *after, at);
}

Drawing::Place Drawing::gone_on(const Sample& from, Microseconds at) const {
    const double ticks =
        static_cast<double>((at - from.at).count()) / static_cast<double>(tick_.count());
    return {from.place.x + from.velocity.x * ticks, from.place.y + from.velocity.y * ticks,
            from.place.z + from.velocity.z * ticks};
}

Drawing::Place Drawing::between(const Sample& before, const Sample& after, Microseconds at) const {
    const Place& from = before.place;
    const Place& to = after.place;
    if (std::hypot(to.x - from.x, to.y - from.y, to.z - from.z) > kTeleportMm) {
        return from;
    }
    const double part = static_cast<double>((at - before.at).count()) /
                        static_cast<double>((after.at - before.at).count());
    return {std::lerp(from.x, to.x, part), std::lerp(from.y, to.y, part),
            std::lerp(from.z, to.z, part)};
}

}  // namespace marchland::client
