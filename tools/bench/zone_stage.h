#pragma once

#include "shards/entity_port.h"
#include "shards/lockstep.h"
#include "shards/zone.h"
#include "tools/bench/statistics.h"
#include "tools/bench/workload.h"
#include "tools/trace/event_log.h"
#include "tools/trace/trace_run.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <cstdint>
#include <memory>
#include <vector>

/// A zone with its players, without sockets and clock.
namespace marchland::bench {

/// The map, cut into so many columns and rows, which must be possible.
shards::Layout grid_layout(const engine::Rect& map, std::uint32_t columns, std::uint32_t rows);

/// A player without a socket: it moves in every tick, and has its frame written as for a client,
/// into a buffer of its own, where the next one overwrites it.
///
/// It always counts its bytes; while `is_read` it reads them, too, so that two runs can be
/// compared: outside the timed part, for reading costs as much as writing.
class ZonePlayer final : public shards::EntityPort {
public:
    /// `is_read` outlives it, and only changes between ticks.
    ZonePlayer(const Walker& walker, const bool& is_read);

    void take_inputs(shards::Inputs& into) override { into.move = walker_.step(); }
    [[nodiscard]] bool can_take_frame() const override { return true; }
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameFlags& flags) override;
    [[nodiscard]] std::uint32_t io_thread() const override { return 0; }
    void on_removed() override {}

    [[nodiscard]] std::uint64_t bytes_total() const { return bytes_total_; }
    /// Of the bytes of all frames that it read.
    [[nodiscard]] std::uint64_t digest() const { return digest_.value(); }

private:
    Walker walker_;
    const bool& is_read_;
    flatbuffers::FlatBufferBuilder builder_;
    std::uint64_t bytes_total_ = 0;
    trace::Fnv1a64 digest_;
};

/// Who is in the zone. Everybody watches in a circle of 50 m, with a leave radius of 55 m.
struct Crowd {
    std::uint32_t entities = 0;
    std::int32_t side_mm = 0;  ///< the map's edge, an even number
    Gait gait = Gait::walk;
    std::uint64_t seed = 1;
    bool is_limited = false;  ///< by the budgets that a server has by default; else by none
};

/// How the zone is cut and run.
struct Cut {
    std::uint32_t columns = 1;
    std::uint32_t rows = 1;
    std::uint32_t executor_threads = 1;
    std::uint32_t tick_rate_hz = 20;

    [[nodiscard]] std::uint32_t shards() const { return columns * rows; }
};

/// A map on which each of so many sees 20 others: the usual open world.
Crowd open_world(std::uint32_t entities, std::uint64_t seed);

/// A zone with its crowd, driven tick by tick on the calling thread; or, when step() is not called,
/// by ZoneThreads.
///
/// Two stages of one crowd that took the same steps have sent everybody the same bytes, however
/// they are cut: then their digests are equal.
class ZoneStage {
public:
    /// The zone is empty. The outlet outlives it.
    ZoneStage(const Crowd& crowd, const Cut& cut, shards::FrameOutlet& outlet);

    /// Everybody joins, in the next tick.
    void populate();

    /// One tick of all shards, and what it took.
    Clocks step();
    /// As step(), but the bytes of all frames count for the digest.
    void step_and_read();
    void change_layout(std::uint32_t columns, std::uint32_t rows);

    /// Of every frame that was read, and of the bytes' number in all others.
    [[nodiscard]] std::uint64_t digest() const;
    [[nodiscard]] std::uint64_t handoffs_total() const {
        return zone_.total(&shards::ShardMetrics::handoffs_total);
    }
    [[nodiscard]] std::uint64_t ghosts() const {
        return zone_.total(&shards::ShardMetrics::ghosts);
    }
    [[nodiscard]] shards::Zone& zone() { return zone_; }
    [[nodiscard]] const Cut& cut() const { return cut_; }

private:
    const Crowd crowd_;
    const Cut cut_;
    bool is_read_ = false;
    shards::Zone zone_;
    shards::Lockstep lockstep_;
    std::vector<std::shared_ptr<ZonePlayer>> players_;
};

}  // namespace marchland::bench
