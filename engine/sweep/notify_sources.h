#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <set>
#include <utility>

namespace marchland::engine {

/// Which entities with a notification range may show themselves here? They are few and seen from
/// afar: so they are kept apart, and nobody's query grows to find them.
///
///        |       |   .---|---.   |     A level of cells for each size of range: at a notify
///        |       |  (   B|    )  |     source's level a cell is at least as wide as its range
///        | w     |   `---|---'   |     across, so its square touches four cells at most. A
///                                      watcher asks one cell of each level in use.
///
/// Shapes   Level and cell with slot, in order: a service may put all of its entities into one
///          cell. No bounds of a map, no number of cells to choose.
/// Units    Millimetres; ranges are leave radii, 1 to 2^31 - 1.
/// Threads  One at a time for writes; reads may run side by side while nobody writes.
/// Order    None promised.
/// Cost     insert, erase and a move into other cells O(log n), a move within them nothing; a visit
///          O(log n) for each level in use, and for whom it finds; a comparison when there is no
///          notify source at all. Allocates only when there are more notify sources than ever
///          before.
/// Errors   Erasing or moving what is not where it is said to be asserts.
class NotifySources {
public:
    void insert(Slot slot, Position at, std::int32_t leave_radius_mm);
    void erase(Slot slot, Position at, std::int32_t leave_radius_mm);
    void move(Slot slot, Position from, Position to, std::int32_t leave_radius_mm);

    [[nodiscard]] bool is_empty() const { return levels_in_use_ == 0; }

    /// Calls `visit(Slot)` once for every notify source whose leave range may hold `at`: for all
    /// that do, and for some that do not.
    template <typename Visit>
    void visit_near(Position at, Visit&& visit) const {
        for (std::uint64_t levels = levels_in_use_; levels != 0; levels &= levels - 1) {
            const auto level = static_cast<unsigned>(std::countr_zero(levels));
            const std::uint64_t key = key_of(level, at.x, at.y);
            for (auto found = in_cells_.lower_bound({key, Slot{0}});
                 found != in_cells_.end() && found->first == key; ++found) {
                visit(found->second);
            }
        }
    }

private:
    static constexpr unsigned kLevelMin = 6;  ///< cells of 64 mm: a cell's two numbers fit 52 bits
    static constexpr unsigned kLevelCount = 33;

    struct Cells {
        std::array<std::uint64_t, 4> keys{};
        std::size_t count = 0;

        friend bool operator==(const Cells&, const Cells&) = default;
    };

    static unsigned level_of(std::int32_t leave_radius_mm);
    static std::uint64_t key_of(unsigned level, std::int64_t x, std::int64_t y);
    static Cells cells_of(Position at, std::int32_t leave_radius_mm);
    static Cells cells_touched(unsigned level, const Rect& square);

    /// What is freed is used again.
    std::pmr::unsynchronized_pool_resource blocks_;
    std::pmr::set<std::pair<std::uint64_t, Slot>> in_cells_{&blocks_};  ///< by key_of
    std::array<std::uint32_t, kLevelCount> at_level_{};                 ///< notify sources
    std::uint64_t levels_in_use_ = 0;                                   ///< a bit each
};

}  // namespace marchland::engine
