#pragma once

#include "shards/lockstep.h"
#include "shards/zone.h"
#include "tools/bench/clocks.h"
#include "tools/bench/zone_player.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace marchland::bench {

/// Who is in the zone. Everybody watches in a circle of 50 m, with a leave radius of 55 m.
struct Crowd {
    std::uint32_t entities = 0;
    std::int32_t side_mm = 0;  ///< the map's edge, an even number
    Gait gait = Gait::walk;
    std::uint64_t seed = 1;
};

/// How the zone is cut and run.
struct Cut {
    std::uint32_t columns = 1;
    std::uint32_t rows = 1;
    std::uint32_t arena_threads = 1;
    std::uint32_t tick_rate_hz = 20;

    [[nodiscard]] std::uint32_t shards() const { return columns * rows; }
};

/// A map on which each of so many sees 20 others: the usual open world.
Crowd open_world(std::uint32_t entities, std::uint64_t seed);

/// A zone with its crowd, driven tick by tick on the calling thread; or, when step() is not called, by
/// ZoneThreads.
///
/// Two stages of one crowd that took the same steps have told everybody the same bytes, however they
/// are cut: then their digests are equal.
class ZoneStage {
public:
    /// The zone is empty. The outlet outlives it.
    ZoneStage(const Crowd& crowd, const Cut& cut, shards::FrameOutlet& outlet);

    /// Everybody joins, in the next tick.
    void populate();

    /// One tick of all shards, and what it took.
    Clocks step();
    /// As step(), but the bytes of all frames count for the digest.
    void step_and_listen();
    void change_layout(std::uint32_t columns, std::uint32_t rows);

    /// Of every frame that was listened to, and of the bytes' number in all others.
    [[nodiscard]] std::uint64_t digest() const;
    [[nodiscard]] std::uint64_t moves_total() const;
    [[nodiscard]] std::uint64_t handoffs_total();
    [[nodiscard]] std::uint64_t ghosts();
    [[nodiscard]] shards::Zone& zone() { return zone_; }
    [[nodiscard]] const Cut& cut() const { return cut_; }

private:
    const Crowd crowd_;
    const Cut cut_;
    bool is_listening_ = false;
    shards::Zone zone_;
    shards::Lockstep lockstep_;
    std::vector<std::shared_ptr<ZonePlayer>> players_;
};

}  // namespace marchland::bench
