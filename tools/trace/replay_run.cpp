#include "tools/trace/replay_run.h"

#include "engine/view.h"

#include <fmt/core.h>

#include <limits>

namespace marchland::trace {

ReplayRun::ReplayRun(shards::RecordingReader& reader, ReplayOptions options, EventLog& log)
    : reader_(reader), options_(std::move(options)), log_(log), zone_options_(reader.options()) {
    zone_options_.index = options_.index.value_or(zone_options_.index);
    // The live zone has counted who was there; here joins may be counted before leaves.
    zone_options_.entities_max = std::numeric_limits<std::size_t>::max();
    zone_options_.departures_max = std::numeric_limits<std::size_t>::max();
    if (options_.layout) {
        make_zone(*options_.layout);
    }
}

void ReplayRun::make_zone(const shards::Layout& layout) {
    zone_.emplace(zone_options_, layout, outlet_);
    lockstep_.emplace(*zone_);
}

std::variant<bool, shards::RecordingError> ReplayRun::step() {
    const std::uint64_t ticks_before = ticks_done_;
    while (ticks_done_ == ticks_before) {
        auto next = reader_.next();
        if (auto* error = std::get_if<shards::RecordingError>(&next)) {
            return std::move(*error);
        }
        if (auto* end = std::get_if<shards::EndOfRecording>(&next)) {
            verdict_.cut = std::move(end->cut);
            return false;
        }
        auto problem = std::visit([this](const auto& record) { return take(record); },
                                  std::get<shards::Record>(next));
        if (problem) {
            return reader_.error_here(*std::move(problem));
        }
    }
    return true;
}

ReplayRun::Problem ReplayRun::take(const shards::LayoutRecord& record) {
    auto made = shards::Layout::from_regions(zone_options_.world, record.regions);
    if (const auto* errors = std::get_if<std::vector<shards::LayoutError>>(&made)) {
        return "a layout that is none: " + errors->front().message;
    }
    auto& layout = std::get<shards::Layout>(made);
    if (options_.layout) {
        return std::nullopt;
    }
    if (zone_ && !zone_->has_room_for_layout()) {
        return fmt::format("more than {} layouts that wait for their tick", shards::kLayoutsMax);
    }
    if (!zone_) {
        make_zone(layout);
        return std::nullopt;
    }
    if (lockstep_->change_layout(std::move(layout)) > record.from) {
        return fmt::format("a layout from tick {} on, which comes too late", record.from);
    }
    return std::nullopt;
}

ReplayRun::Problem ReplayRun::take(const shards::TickBegin& record) {
    if (!zone_) {
        return "a tick before any layout";
    }
    tick_ = record.tick;
    lockstep_->set_pace({100, record.ring_slowdown, record.frame_bytes_max});
    if (record.is_stale) {
        ++verdict_.stale_ticks;
        verdict_.first_stale = verdict_.first_stale.value_or(tick_);
    }
    return std::nullopt;
}

ReplayRun::Problem ReplayRun::take(const shards::InputsRecord& record) {
    const auto life = lives_.find(record.id);
    if (life == lives_.end() && verdict_.first_stale) {
        return std::nullopt;
    }
    if (life == lives_.end() || life->second.port->has_inputs()) {
        return fmt::format("inputs of entity {}, which {}", to_number(record.id),
                           life == lives_.end() ? "is not there" : "has had some in this tick");
    }
    const shards::Inputs& inputs = record.inputs;
    Problem problem = inputs.move ? problem_of(*inputs.move) : std::nullopt;
    if (!problem && inputs.view) {
        problem = problem_of(*inputs.view);
    }
    if (!problem && inputs.notify) {
        problem = problem_of(*inputs.notify);
    }
    problem = problem ? problem : problem_of(inputs.state);
    if (!problem) {
        life->second.port->ask(inputs);
        if (record.has_successor) {
            life->second.port->succeed_itself();
        }
        ++inputs_done_;
    }
    return problem;
}

ReplayRun::Problem ReplayRun::take(const shards::JoinRecord& record) {
    const engine::Entity& entity = record.entity;
    const auto before = lives_.find(entity.id);
    // An id may come again in the tick in which it leaves, and not twice in one tick.
    if (before != lives_.end() &&
        (!before->second.port->is_leaving() || before->second.joined == tick_)) {
        return fmt::format("entity {} joins, and is there already", to_number(entity.id));
    }
    Problem problem = problem_of(entity.position);
    problem = problem ? problem : problem_of(entity.view);
    problem = problem ? problem : problem_of(entity.notify);
    problem = problem ? problem : problem_of(engine::writes_of(entity.state));
    if (problem) {
        return problem;
    }
    Life life{std::make_shared<ReplayPort>(), tick_, record.takes_frames};
    const bool has_joined = zone_->join({entity, life.port, record.takes_frames});
    MARCHLAND_ASSERT(has_joined);
    lives_.insert_or_assign(entity.id, std::move(life));
    ++joins_done_;
    return std::nullopt;
}

ReplayRun::Problem ReplayRun::take(const shards::Unframed& record) {
    const auto life = lives_.find(record.id);
    if (life == lives_.end() && verdict_.first_stale) {
        return std::nullopt;
    }
    if (life == lives_.end() || !life->second.takes_frames ||
        !life->second.port->can_take_frame()) {
        return fmt::format("no frame for entity {}, which is no watcher or was named before",
                           to_number(record.id));
    }
    life->second.port->set_takes_frame(false);
    unframed_.push_back(life->second.port);
    return std::nullopt;
}

ReplayRun::Problem ReplayRun::take(const shards::TickEnd& record) {
    lockstep_->step_to(tick_);
    ++ticks_done_;
    for (const auto& port : unframed_) {
        port->set_takes_frame(true);
    }
    unframed_.clear();
    if (collect_frames() != record.frames_check) {
        ++verdict_.differing_ticks;
        verdict_.first_difference = verdict_.first_difference.value_or(tick_);
    }
    return std::nullopt;
}

/// The check over all frames of this tick.
std::uint64_t ReplayRun::collect_frames() {
    std::uint64_t frames_check = 0;
    for (auto& [id, life] : lives_) {
        WatcherEvents& events = life.port->events();
        log_.add(tick_ - 1, id, events);
        events.clear();
        frames_check += life.port->take_frame_check();
    }
    std::erase_if(lives_, [](const auto& entry) { return entry.second.port->is_removed(); });
    return frames_check;
}

ReplayRun::Problem ReplayRun::problem_of(engine::Position at) const {
    return zone_options_.world.contains(at) ? std::nullopt : Problem("a place outside the world");
}

ReplayRun::Problem ReplayRun::problem_of(const engine::View& view) const {
    if (const char* flaw = engine::flaw_of(view, zone_options_.dimensions)) {
        return fmt::format("a view that {}", flaw);
    }
    if (engine::leave_reach_mm(view) > zone_options_.leave_radius_mm_max) {
        return "a view that reaches beyond leave_radius_mm_max";
    }
    return std::nullopt;
}

ReplayRun::Problem ReplayRun::problem_of(const engine::NotifyRange& notify) const {
    if (!engine::is_sound(notify) ||
        notify.leave_radius_mm > zone_options_.notify_leave_radius_mm_max) {
        return "a notification range beyond its limit";
    }
    return std::nullopt;
}

ReplayRun::Problem ReplayRun::problem_of(std::span<const engine::StateWrite> state) const {
    for (const engine::StateWrite& write : state) {
        if (const char* flaw = engine::flaw_of(write, zone_options_.slots)) {
            return fmt::format("slot {} {}", write.number, flaw);
        }
    }
    return std::nullopt;
}

}  // namespace marchland::trace
