#include "tools/trace/trace_run.h"

#include <algorithm>
#include <limits>

namespace marchland::trace {
namespace {

/// As wide as the view, but not so narrow that one far outlier makes each shard's index hold a
/// million empty cells.
std::int32_t cell_for(std::int32_t radius_mm, const engine::Rect& world) {
    constexpr std::int64_t kCellsAlongMax = 512;
    const std::int64_t side_mm = std::max(world.max_x - world.min_x, world.max_y - world.min_y);
    const std::int64_t cell_mm = std::max<std::int64_t>(radius_mm, side_mm / kCellsAlongMax);
    return static_cast<std::int32_t>(std::max<std::int64_t>(1, cell_mm));
}

shards::ZoneOptions zone_options(const Trace& trace, const RunOptions& run,
                                 const shards::Layout& layout) {
    shards::ZoneOptions options;
    options.world = layout.world();
    options.dimensions = run.dimensions;
    options.leave_radius_mm_max = run.radius_mm;
    // As wide against the view as the server's default: 2 m against 50 m.
    options.border_hysteresis_mm = run.radius_mm / 25;
    options.index = run.index;
    options.cell_mm = cell_for(run.radius_mm, layout.world());
    options.entities_max = trace.entity_count;
    options.departures_max = std::numeric_limits<std::size_t>::max();
    return options;
}

}  // namespace

bool holds(const engine::Rect& outer, const engine::Rect& inner) {
    return outer.min_x <= inner.min_x && outer.min_y <= inner.min_y && outer.max_x >= inner.max_x &&
           outer.max_y >= inner.max_y;
}

TraceRun::TraceRun(const Trace& trace, const RunOptions& options, const shards::Layout& layout,
                   EventLog& log)
    : trace_(trace),
      options_(options),
      log_(log),
      zone_(zone_options(trace, options, layout), layout, outlet_),
      lockstep_(zone_) {
    MARCHLAND_ASSERT(options.radius_mm >= 0);
    MARCHLAND_ASSERT(holds(layout.world(), trace.extent));
}

void TraceRun::step() {
    MARCHLAND_ASSERT(!is_done());
    const std::size_t tick_index = next_tick_++;
    const std::int64_t now_ns = trace_.ticks[tick_index].time_ns;
    for (const TraceSample& sample : trace_.samples_of(tick_index)) {
        apply(sample, now_ns);
    }
    for (const auto& [id, at] : newborn_) {
        begin_life(id, at, now_ns);
    }
    newborn_.clear();
    remove_silent(now_ns);
    lockstep_.step();
    log_events(tick_index);
}

void TraceRun::apply(const TraceSample& sample, std::int64_t now_ns) {
    engine::Position at = sample.at;
    if (options_.dimensions == engine::Dimensions::two) at.z = 0;
    const auto life = lives_.find(sample.id);
    if (life == lives_.end()) {
        newborn_[sample.id] = at;
        return;
    }
    life->second.port->ask_move(at);
    life->second.last_sample_ns = now_ns;
}

void TraceRun::begin_life(engine::EntityId id, engine::Position at, std::int64_t now_ns) {
    shards::Join join;
    join.entity.id = id;
    join.entity.position = at;
    join.entity.view = engine::View::circle(options_.radius_mm, options_.radius_mm);
    auto port = std::make_shared<TracePort>();
    join.port = port;
    lives_.emplace(id, Life{std::move(port), now_ns});
    // One life per id at a time, and the zone holds as many entities as there are ids.
    const bool has_joined = zone_.join(std::move(join));
    MARCHLAND_ASSERT(has_joined);
}

void TraceRun::remove_silent(std::int64_t now_ns) {
    if (!options_.hold_ns) return;
    std::erase_if(lives_, [&](const auto& entry) {
        const Life& life = entry.second;
        // Times are within +-2^63 ns of zero, and so may be further apart than that.
        const auto silent_ns =
            static_cast<std::uint64_t>(now_ns) - static_cast<std::uint64_t>(life.last_sample_ns);
        const bool is_silent = silent_ns > static_cast<std::uint64_t>(*options_.hold_ns);
        if (is_silent) life.port->ask_leave();
        return is_silent;
    });
}

void TraceRun::log_events(std::size_t tick_index) {
    for (auto& [id, life] : lives_) {
        WatcherEvents& events = life.port->events();
        log_.add(tick_index, id, events);
        events.clear();
    }
}

}  // namespace marchland::trace
