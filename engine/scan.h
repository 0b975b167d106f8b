#pragma once

#include "engine/columns.h"
#include "engine/geometry.h"
#include "engine/ids.h"
#include "engine/lens.h"
#include "engine/packed_cells.h"
#include "engine/sights.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace marchland::engine {

/// One who looks (and does not see itself), from where, and from where a tick ago: relative to the
/// columns' origin.
struct Gaze {
    Slot self{};
    float x = 0;
    float y = 0;
    float x_before = 0;
    float y_before = 0;
    Sight sight;
};

/// What a scan finds. Both lists are in the order of the columns and hold entries of the columns.
struct Scanned {
    /// The slots of those in the enter range a tick ago and now, and moved.
    std::vector<Slot> moved;
    /// Neither surely seen at both times nor surely unseen at both: to be settled in integers.
    struct Unsure {
        std::uint32_t entry = 0;
        std::uint32_t moved_before = 0;  ///< how many of `moved` come before it in the columns
    };
    std::vector<Unsure> unsure;
    std::size_t moved_count = 0;   ///< `moved` is longer than what it holds
    std::size_t unsure_count = 0;  ///< so is `unsure`

    /// For what a scan of so many entries writes.
    void make_room(std::size_t entries) {
        // A compressing store may write a whole register past the last entry.
        const std::size_t room = entries + 2 * Columns::kLanesMax;
        if (moved.size() < room) {
            moved.resize(2 * room);
            unsure.resize(2 * room);
        }
    }
};

/// Looks at every entry. The result does not depend on the machine: whatever depends on a rounding
/// is unsure.
///
/// Cost     About 20 instructions for as many entries as a SIMD register has lanes: 16 with AVX-512,
///          8 with AVX2, chosen when the program runs; 4 or 1 elsewhere.
/// Source   An event is in(before) XOR in(now): two distance tests and no set operations.
void scan(const Columns& columns, const Gaze& gaze, Scanned& out);

/// The same through a view of any shape, for which the gaze has no sight of its own. Of a zone of three
/// dimensions the heights are in the columns.
struct LensGaze {
    Slot self{};
    float x = 0;
    float y = 0;
    float x_before = 0;
    float y_before = 0;
    std::int32_t z = 0;  ///< Lens::fits
    std::int32_t z_before = 0;
    LayerMask layers_seen = kNoLayers;
};

/// Cost     A half more to twice as much.
void scan(const Columns& columns, const LensGaze& gaze, const Lens& lens, Scanned& out);

/// One that moves while everybody else stands still.
struct Mover {
    Slot self{};
    std::int32_t z = 0;  ///< Lens::fits
    std::int32_t z_before = 0;
    LayerMask layers = kNoLayers;
    Sight sight;
};

/// Whom that one move concerns, in no order.
struct Met {
    std::vector<Slot> seers;         ///< saw it before and see it now
    std::vector<Slot> unsure_seers;  ///< of whom that is to be settled
    std::vector<Slot> unsure_seen;   ///< not surely seen by it, or not seen, both times
    // The lists are longer than what they hold:
    std::size_t seer_count = 0;
    std::size_t unsure_seer_count = 0;
    std::size_t unsure_seen_count = 0;
};

/// Both ways at once: whom does the mover see, and who sees it?
void scan_pieces(std::span<const PackedCells::Piece> pieces, const Mover& mover,
                 Dimensions dimensions, Met& out);

/// Which instructions scan() uses here: "AVX2", "AVX3", "SSE4" ...
std::string_view scan_target();

/// For tests and benchmarks: makes scan() use the instructions that scan_target() calls by this name,
/// or the best ones again when it is empty. False when machine or build lack them; then the best
/// are used. No thread may scan meanwhile.
bool use_scan_target(std::string_view name);

}  // namespace marchland::engine
