#include "tests/engine/small_zone.h"

#include "engine/assert.h"
#include "engine/index/grid_cross_list.h"
#include "tests/engine/brute_force_index.h"
#include "tests/engine/sent_frame.h"

#include <algorithm>
#include <map>
#include <memory>

namespace marchland::engine::testing {
namespace {

constexpr Rect kWorld{-1'000, -1'000, 1'000, 1'000};

std::string line(EntityId watcher, const char* what, EntityId id) {
    return std::to_string(to_number(watcher)) + ' ' + what + ' ' + std::to_string(to_number(id));
}

void append_lines(const SentFrame& frame, Lines& lines) {
    if (frame.is_keyframe) {
        lines.push_back(std::to_string(to_number(frame.watcher)) + " keyframe");
    }
    for (const Leave& leave : frame.leaves) {
        lines.push_back(line(frame.watcher, "leave", leave.id) + ' ' + name_of(leave.reason));
    }
    for (const EntityId id : frame.enters) {
        lines.push_back(line(frame.watcher, "enter", id));
    }
    for (const EntityId id : frame.moves) {
        lines.push_back(line(frame.watcher, "move", id));
    }
    for (const SentState& state : frame.states) {
        lines.push_back(line(frame.watcher, "state", state.id));
    }
    for (const SentMessage& message : frame.messages) {
        lines.push_back(line(frame.watcher, "message", message.source));
    }
    if (frame.messages_lost) {
        lines.push_back(std::to_string(to_number(frame.watcher)) + " lost messages");
    }
}

Lines lines_of(const std::map<EntityId, SentFrame>& frames) {
    Lines lines;
    for (const auto& [watcher, frame] : frames) {
        append_lines(frame, lines);
    }
    return lines;
}

}  // namespace

SmallZone::SmallZone(Dimensions dimensions, const CrowdLimits& limits, bool is_in_cells,
                     std::int32_t prediction_error_mm)
    : interest_(is_in_cells ? make_grid_cross_list({kWorld, 50})
                            : std::make_unique<BruteForceIndex>(kWorld),
                dimensions, limits, {{"state"}}, prediction_error_mm) {
    interest_.begin_tick(1);
}

void SmallZone::add(std::uint64_t id, Position at, View view, std::uint8_t importance) {
    Entity entity;
    entity.id = EntityId{id};
    entity.birth = interest_.now();
    entity.position = at;
    entity.shown = at;
    entity.view = view;
    entity.importance = importance;
    const Slot slot = interest_.insert(entity);
    if (view.shape != Shape::none) {
        interest_.watch(slot, {});
    }
}

void SmallZone::remove(std::uint64_t id) {
    const Entity entity = interest_.erase(slot(id));
    interest_.record_departure({entity.id, entity.birth});
}

void SmallZone::lose(std::uint64_t id) {
    interest_.erase(slot(id));
}

void SmallZone::set_state(std::uint64_t id, std::uint8_t state) {
    interest_.set_state(slot(id), std::vector{StateWrite{0, std::int64_t{state}}});
}

void SmallZone::say(std::uint64_t id) {
    const std::vector<KeptMessage> said{{interest_.now(), events_said_++, 0, nullptr}};
    interest_.send_messages(slot(id), said);
}

void SmallZone::ask_keyframe(std::uint64_t id) {
    interest_.ask_keyframe(slot(id));
}

Lines SmallZone::tick() {
    return build({}, true);
}

Lines SmallZone::tick_without_frames_for(const std::vector<std::uint64_t>& left_out) {
    return build(left_out, true);
}

Lines SmallZone::incomplete_tick() {
    return build({}, false);
}

Lines SmallZone::build(const std::vector<std::uint64_t>& left_out, bool complete) {
    std::vector<EntityId> ids;
    interest_.index().walk([&](Slot slot, Position) {
        const EntityId id = interest_.entities().at(slot).id;
        const bool is_left_out =
            std::find(left_out.begin(), left_out.end(), to_number(id)) != left_out.end();
        if (interest_.is_watched(slot) && !is_left_out) {
            ids.push_back(id);
        }
    });
    std::sort(ids.begin(), ids.end());
    std::vector<Slot> watchers;
    for (const EntityId id : ids) {
        watchers.push_back(slot(to_number(id)));
    }
    std::map<EntityId, SentFrame> frames;  // an InterestSystem builds them in an order of its own
    interest_.build_frames(watchers, complete, [&](const Frame& frame) {
        const SentFrame sent_frame = sent(frame, interest_.entities());
        frames.emplace(sent_frame.watcher, sent_frame);
        last_frame_follows_ = frame.follows_last_tick;
        last_frame_is_capped_ = frame.is_capped;
        last_frame_is_slowed_ = frame.is_slowed;
        last_frame_is_over_budget_ = frame.is_over_budget;
        last_frame_is_filling_ = frame.is_filling;
        last_moves_follow_.clear();
        for (std::size_t place = 0; place < frame.moves.size(); ++place) {
            last_moves_follow_.push_back(frame.follows(place));
        }
    });
    interest_.begin_tick(interest_.now() + 1);
    return lines_of(frames);
}

Lines SmallZone::send_all() {
    std::map<EntityId, SentFrame> frames;
    interest_.send_all([&](const Frame& frame) {
        const SentFrame sent_frame = sent(frame, interest_.entities());
        const bool is_first = frames.emplace(sent_frame.watcher, sent_frame).second;
        MARCHLAND_ASSERT(is_first);
    });
    interest_.begin_tick(interest_.now() + 1);
    return lines_of(frames);
}

Slot SmallZone::slot(std::uint64_t id) const {
    return interest_.entities().find(EntityId{id}).value();
}

const Entity& SmallZone::entity(std::uint64_t id) const {
    return interest_.entities().at(slot(id));
}

}  // namespace marchland::engine::testing
