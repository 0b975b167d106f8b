#pragma once

#include "shards/layout/layout.h"
#include "shards/state/database.h"
#include "shards/state/fold.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace marchland::shards {

/// The tables of a zone's state in a database, and their rows: docs/state.md has them for those who
/// read it with something else. Each row has a checksum, and the zone's row the sum of all others:
/// so rows that are damaged, missing or from another time are noticed.
///
/// A change of the tables is a step from one version to the next (tables.cpp), and the newest
/// version counts them.
///
/// Threads  One at a time.
/// Errors   Throws DatabaseError.
class StateTables {
public:
    /// Values that are left out: of which slot, why, and how many.
    using LeftOut = std::map<std::pair<std::string, std::string>, std::size_t>;

    static const std::int64_t kVersion;

    /// Makes them in a database that is empty, for a zone that begins.
    static void make(sqlite3* database);
    /// Of an older version: what they hold is what it was, in this version's tables. All or
    /// nothing.
    static void migrate(sqlite3* database);
    /// Which version they are of. Throws where there are none.
    [[nodiscard]] static std::int64_t version_in(sqlite3* database);
    /// next_id and next_owner of those of any version, whatever else is damaged.
    [[nodiscard]] static KeptHead given_in(sqlite3* database);

    /// Those of kVersion in there, which outlives this. `slots`: of the zone. Rows name the slots
    /// of a state: what the zone's slots do not take any more is left out.
    explicit StateTables(sqlite3* database, engine::StateSlots slots = {})
        : database_(database), slots_(std::move(slots)) {}

    [[nodiscard]] KeptZone load();
    /// All of it or nothing, in one transaction. load() came before.
    void write(const KeptChanges& changes, std::uint64_t next_id);
    void configure(const std::vector<Region>& layout);

    [[nodiscard]] std::uint64_t number() const { return number_; }
    [[nodiscard]] const std::vector<Region>& configured() const { return configured_; }
    /// By load().
    [[nodiscard]] const LeftOut& left_out() const { return left_out_; }

private:
    template <typename Change>
    void change(Change&& act);
    void put_zone(const KeptHead& zone);
    void put_regions(bool is_configured, const std::vector<Region>& regions);

    sqlite3* database_;
    const engine::StateSlots slots_;
    bool is_loaded_ = false;
    std::uint64_t number_ = 0;
    std::vector<Region> configured_;
    LeftOut left_out_;
    KeptHead newest_;
    std::uint64_t rows_sum_ = 0;  ///< of all rows' checksums but the zone's own
};

}  // namespace marchland::shards
