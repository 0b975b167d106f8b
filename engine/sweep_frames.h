#pragma once

#include "engine/angle.h"
#include "engine/frame.h"
#include "engine/frame_news.h"
#include "engine/ids.h"
#include "engine/outlook.h"
#include "engine/rows.h"
#include "engine/scan.h"
#include "engine/scene.h"
#include "engine/sights.h"
#include "engine/swept_cell.h"
#include "engine/watcher.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace marchland::engine {

/// One who looks around in a tick: all that its scan asks, in one cache line.
struct Looker {
    Slot slot{};
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t x_before = 0;
    std::int32_t y_before = 0;
    Sight sight;
    Angle facing_before = 0;  ///< where it faced when the last tick ended, if it turned since
    bool has_turned = false;
    /// The departed of its vicinity do not tell all that left it: it came from another one.
    bool has_crossed = false;
    /// Was not told everything in the last tick, or not through this sight: see Sweep.
    bool is_unusual = false;
    bool follows = false;  ///< Frame::follows_last_tick
};

/// The frames of the watchers in one cell, one after another: what is around the cell is put into
/// columns once (SweptCell), and each watcher scans them.
///
///    in the enter range before and now     it was known: told if it moved
///    outside the leave range both times    it was not known and is not now: nothing
///    anything else                         few; settled in integers
///
/// Whether one between the ranges was known follows from no distance. A watcher's *band* says so: those
/// that it knows and that are between the ranges, which are few, from one tick to the next.
///
/// Beacons are few as well, and each is settled for each watcher (SweptCell).
///
/// Right for a watcher that was told everything when the last tick ended, through the same view
/// and in the same layers; Sweep sees to that.
///
/// Threads  One at a time. What it is given is only read, but for the watcher: several may work side
///          by side, each on watchers of its own.
class SweepFrames {
public:
    /// The frame is scratch memory: valid until the next call.
    Frame build(const Scene& scene, const Rows& rows, const SweptCell& cell, const Looker& looker,
                Watcher& watcher);

    /// For a watcher whose frame is built elsewhere: all that is in its leave range and more, in
    /// ascending id. Scratch memory, too.
    std::span<const Slot> near(const SweptCell& cell, const Looker& looker);

    /// The frame of the one that moved, when nobody else did. `unsure`: those of whom a scan of all
    /// that it sees or saw by its view is not sure, each once.
    Frame build_of_mover(const Scene& scene, const Rows& rows, const Looker& looker,
                         Watcher& watcher, std::span<const Slot> unsure);
    /// The frame of one that sees or saw it.
    Frame build_of_one(const Scene& scene, const Rows& rows, const Looker& looker, Watcher& watcher,
                       Slot mover);
    /// The same through a view of any shape, of a mover to which anything may have happened but that
    /// it told something.
    Frame build_of_any(const Scene& scene, const Rows& rows, const Looker& looker, Watcher& watcher,
                       Slot mover);

private:
    /// What one watcher's frame is made from.
    struct Look {
        const Scene& scene;
        const Rows& rows;
        const Looker& looker;
        Watcher& watcher;
        bool settles_band;  ///< everybody who may be in it; else who did not change stays there

        [[nodiscard]] Outlook outlook() const {
            return {scene.entities.at(looker.slot), scene.dimensions};
        }
    };

    /// One watcher's view as this tick ends, and as the last one did.
    struct Eyes {
        Outlook now;
        Outlook before;
    };
    void open_eyes(const Look& look);
    void scan_through_lens(const Look& look, const Columns& columns);
    void scan_around(const Look& look, const Columns& columns);
    [[nodiscard]] std::span<const Slot> moves();
    void begin_one();
    void put_in_order();
    Frame end_one(const Look& look);

    // sweep_settle.cpp
    void settle(const Look& look, const SweptCell& cell, bool checks_known);
    /// One of whom two places say all, and of a beacon how far it shows itself.
    struct Plain {
        Slot slot{};
        NotifyRange notify;
    };
    void settle_plain(const Look& look, const Plain& plain, std::uint32_t moved_before);
    void settle_member(const Look& look, Slot member, std::uint32_t moved_before);
    void settle_beacon(const Look& look, Slot beacon, std::uint32_t moved_before);
    void settle_beacons_of_mover(const Look& look);
    void settle_departed(const Look& look, const SweptCell& cell, EntityId id);
    void check_known(const Look& look, const SweptCell& cell);
    void enter(const Look& look, Slot member);
    void let_go_of(const Look& look, const Known& known, const Entity* entity);
    void let_go(const Look& look, const Known& known, LeaveReason reason);
    void take_up_band(const Look& look);
    void put_down_band(const Look& look);
    enum class Range { enter, leave };
    enum class When { before, now };
    [[nodiscard]] bool is_in(Range range, When when, const Look& look, const Plain& plain) const;
    [[nodiscard]] bool was_known(const Look& look, const Plain& plain,
                                 std::uint32_t moved_before) const;
    [[nodiscard]] static bool begins_to_see(const Look& look, const Entity& entity);

    Scanned scanned_;

    std::optional<Eyes> eyes_;  ///< of who looks through anything but a circle in the plane

    // The frame that is being built.
    std::vector<Leave> leaves_;
    std::vector<Slot> enters_;
    std::vector<Slot> moves_;  ///< only if some were settled
    struct SettledMove {
        Slot slot{};
        std::uint32_t moved_before = 0;
    };
    std::vector<SettledMove> settled_moves_;
    std::vector<Sighting> entered_;
    std::vector<Slot> band_;                 ///< after this tick
    std::vector<std::uint8_t> was_in_band_;  ///< by slot; all 0 between frames
    FrameNews news_;

    std::vector<Slot> near_;
    std::vector<Slot> beacons_;  ///< near a mover, before or after; ascending, each once
};

}  // namespace marchland::engine
