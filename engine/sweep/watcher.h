#pragma once

#include "engine/entity.h"
#include "engine/frame/known_set.h"
#include "engine/ids.h"

#include <cstdint>
#include <vector>

namespace marchland::engine {

/// One of a known set, and the slot where it stood last.
struct KnownEntity {
    Known known;
    Slot slot{};
};

/// What is kept for a watcher between two frames, beside its known set.
struct Watcher {
    Watcher() = default;
    Watcher(Slot at, const Entity& entity) : slot(at) { look_as(entity); }
    /// The record's view and layers are others now.
    void look_as(const Entity& entity) {
        shape = entity.view.shape;
        radius_mm = entity.view.radius_mm;
        leave_radius_mm = entity.view.leave_radius_mm;
        layers_seen = entity.layers_seen;
    }
    void forget_orphans() {
        orphans.clear();
        if (orphans.capacity() > kKeptOrphansMax) {
            orphans.shrink_to_fit();
        }
    }

    Slot slot{};
    // Of its view, so that most frames need not read its record.
    LayerMask layers_seen = kNoLayers;
    std::int32_t radius_mm = 0;
    std::int32_t leave_radius_mm = 0;
    /// Among the members of its cell, its own place.
    std::uint32_t self = 0;
    float cap_hint = 0;  ///< about where the cap fell in its last frame, as a squared distance
    Tick synced_tick = kNever;  ///< as in KnownSet
    Tick framed_tick = kNever;  ///< of the last frame built here
    /// The first tick of which no frame, complete or not, has sent it anything.
    Tick owed_from = kNever;
    Tick sent_before = kNever;  ///< InterestSystem::all_sent_tick_ when it began to watch
    Shape shape = Shape::none;  ///< of its view, too
    bool is_wanted = false;     ///< a frame of it is to be built; not set where all are wanted
    bool keyframe_due = false;  ///< as in KnownSet
    // Of its KnownSet, the rest of which is kept elsewhere: which lists are not empty.
    bool has_sent_messages = false;     ///< sent_messages
    bool has_waiting_messages = false;  ///< waiting.messages
    bool has_waiting_moves = false;     ///< waiting.moves
    bool is_owed_state = false;         ///< owed
    /// What happened before it came, and it was not sent elsewhere.
    enum class Past : std::uint8_t {
        known,      ///< here: it is sent
        unsent,     ///< until its first frame here
        unsure,     ///< from then on, until all shards' batches came here
        forgotten,  ///< in part; its next frame reports it
    };
    Past past = Past::known;
    /// None of the orphans is a member: they were compared with the members, and none of these came
    /// since.
    bool are_orphans_lost = true;
    /// In ascending id: known to it, and no members of its cell any more. They are leaves that are
    /// to be sent, unless they are members again by then. Empty where it stands in no cell. More
    /// than kKeptOrphansMax there are only after a crowd went.
    static constexpr std::size_t kKeptOrphansMax = 64;
    std::vector<KnownEntity> orphans;
};

/// A watcher that looks further than a cell is wide, or whose zone has an index without cells, and
/// its known set in ascending id. Its candidates are what a query of its own finds.
struct LooseWatcher {
    Watcher watcher;
    std::vector<KnownEntity> known;
};

}  // namespace marchland::engine
