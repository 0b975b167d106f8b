#pragma once

#include "engine/columns.h"
#include "engine/former_beacons.h"
#include "engine/ids.h"
#include "engine/rows.h"
#include "engine/scene.h"
#include "engine/sightings.h"
#include "engine/vicinities.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// All that may be seen from one cell, in columns for the scans of those who watch there:
///
///    entry   0 1 2 3 ...                     | ...
///            members of the vicinity, and    | who is to be found nowhere: its departed, then
///            beacons from beyond, by id      | former beacons
///
/// No scan can tell who sees a beacon. Those outside the vicinity whose range reaches into the cell stand
/// among the members, so that what is settled of them has its place among what the scan finds.
///
///    open, find_beacons, then load once or twice
///
/// Threads  One at a time. What it is given is only read.
class SweptCell {
public:
    enum class Load {
        all,      ///< for a watcher that moved
        changed,  ///< enough for one that did not: only what changed can change what it sees
    };
    /// Which cell comes next; until the vicinities change.
    void open(const Vicinities& vicinities, Vicinities::Number number);
    /// The beacons outside the vicinity that may be seen from the cell are loaded from here on, too.
    void find_beacons(const Scene& scene, const Rows& rows, const FormerBeacons& former);
    /// In this tick, those that were found or that were to be found before.
    [[nodiscard]] bool have_beacons_changed() const { return have_beacons_changed_; }
    void load(const Scene& scene, const Rows& rows, Load what);

    [[nodiscard]] const Columns& columns() const { return columns_; }
    [[nodiscard]] bool is_all_loaded() const { return is_all_loaded_; }
    /// Of the entries before the departed.
    [[nodiscard]] std::span<const Slot> slots() const { return slots_; }
    /// Of the entries behind them.
    [[nodiscard]] EntityId departed_at(std::size_t place) const;
    /// Is it a member, or a beacon seen from the cell?
    [[nodiscard]] bool holds(const Sighting& sighting) const;
    /// Nobody kept the vicinity in the last tick: who departed from it is not known.
    [[nodiscard]] bool is_new(Tick now) const { return vicinity_->built_tick == now; }

private:
    void put_beacons_among(std::span<const Slot> members, const Scene& scene);

    const Vicinities* vicinities_ = nullptr;
    const Vicinities::Vicinity* vicinity_ = nullptr;
    std::int64_t origin_x_ = 0;  ///< of the columns
    std::int64_t origin_y_ = 0;
    Columns columns_;
    std::span<const Slot> slots_;     ///< points at the members
    std::vector<Slot> with_beacons_;  ///< or here if there are beacons from beyond
    std::vector<Slot> changed_;       ///< or here if not all are loaded
    struct Beacon {
        EntityId id{};
        Slot slot{};

        friend auto operator<=>(const Beacon&, const Beacon&) = default;
    };
    std::vector<Beacon> beacons_;  ///< those found, in ascending id
    std::vector<EntityId> former_beacons_;
    bool have_beacons_changed_ = false;
    bool is_all_loaded_ = false;
};

}  // namespace marchland::engine
