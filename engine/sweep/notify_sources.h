#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace marchland::engine {

/// Which entities with a notification range may show themselves here? They are few and seen from
/// afar: so they are kept apart, and nobody's query grows to find them.
///
///        |       |   .---|---.   |     A level of cells for each size of range: at a notify source's level
///        |       |  (   B|    )  |     a cell is at least as wide as its range across, so its
///        | w     |   `---|---'   |     square touches four cells at most, however far it reaches.
///                                      A watcher asks one cell of each level in use.
///
/// Shapes   Registrations (a slot in a cell) in chains, by a hash of level and cell; no bounds of a
///          map, no number of cells to choose.
/// Units    Millimetres; ranges are leave radii, 1 to 2^31 - 1.
/// Threads  One at a time for writes; reads may run side by side while nobody writes.
/// Order    None promised.
/// Cost     insert, erase and a move into other cells O(1), a move within them nothing; a visit
///          O(levels in use + found), and a comparison when there is no notify source at all. Allocates
///          only when there are more notify sources than ever before.
/// Errors   Erasing or moving what is not where it is said to be asserts.
class NotifySources {
public:
    void insert(Slot slot, Position at, std::int32_t leave_radius_mm);
    void erase(Slot slot, Position at, std::int32_t leave_radius_mm);
    /// True: it is in other cells now.
    bool move(Slot slot, Position from, Position to, std::int32_t leave_radius_mm);

    [[nodiscard]] bool is_empty() const { return levels_in_use_ == 0; }

    /// Calls `visit(Slot)` once for every notify source whose leave range may hold `at`: for all that do,
    /// and for some that do not.
    template <typename Visit>
    void visit_near(Position at, Visit&& visit) const {
        for (std::uint64_t levels = levels_in_use_; levels != 0; levels &= levels - 1) {
            visit_cell(key_of(lowest_level(levels), at.x, at.y), visit);
        }
    }

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr unsigned kLevelMin = 6;  ///< cells of 64 mm: a cell's two numbers fit 52 bits
    static constexpr unsigned kLevelCount = 33;

    struct Registration {
        std::uint64_t key = 0;
        Slot slot{};
        std::uint32_t next = kNone;
    };
    struct Cells {
        std::array<std::uint64_t, 4> keys{};
        std::size_t count = 0;

        friend bool operator==(const Cells&, const Cells&) = default;
    };

    static unsigned lowest_level(std::uint64_t levels);
    static unsigned level_of(std::int32_t leave_radius_mm);
    static std::uint64_t key_of(unsigned level, std::int64_t x, std::int64_t y);
    static Cells cells_of(Position at, std::int32_t leave_radius_mm);
    static Cells cells_touched(unsigned level, const Rect& square);

    template <typename Visit>
    void visit_cell(std::uint64_t key, Visit&& visit) const {
        for (std::uint32_t i = buckets_[bucket_of(key)]; i != kNone; i = chained_[i].next) {
            if (chained_[i].key == key) {
                visit(chained_[i].slot);
            }
        }
    }

    [[nodiscard]] std::size_t bucket_of(std::uint64_t key) const;
    void add(std::uint64_t key, Slot slot);
    void remove(std::uint64_t key, Slot slot);
    void grow();

    std::vector<std::uint32_t> buckets_;  ///< heads of chains; a power of two, or none yet
    std::vector<Registration> chained_;
    std::uint32_t free_ = kNone;  ///< head of the chain of registrations that are free
    std::array<std::uint32_t, kLevelCount> at_level_{};  ///< notify sources
    std::uint64_t levels_in_use_ = 0;                    ///< a bit each
};

}  // namespace marchland::engine
