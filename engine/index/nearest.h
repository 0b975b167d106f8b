#pragma once

#include "engine/entity_store.h"
#include "engine/geometry.h"
#include "engine/index/index.h"
#include "engine/squared_distance.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace marchland::engine {

/// The k entities nearest to a point, out of any index: squares around the point, each twice as
/// wide as the one before, until the k-th of those found is as near as the square's edge. What is
/// outside a square is farther away than its edge, so nothing nearer can be missing.
///
///        +-----------+
///        |   +---+   |     k = 2: the small square holds a alone; the large one a, b, c, of which
///        | c | p a   |     a and b are within the circle that fits into it.
///        |   +---+ b |
///        +-----------+
///
/// Order    By distance, then by id: the answer does not depend on the index.
/// Cost     A query for each doubling from 64 mm up (27 for the whole int32 plane), the last of
///          which finds about 16 times what was asked for at most, where density is even;
///          O(found log k).
/// Threads  One at a time: the candidates are kept from search to search, so that none allocates.
class NearestSearch {
public:
    /// Replaces `out` by the ids of the `count` nearest to `from` that are in one of `layers`, or
    /// of all there are.
    void find(const EntityStore& entities, const Index& index, Dimensions dimensions, Position from,
              std::size_t count, LayerMask layers, std::vector<EntityId>& out);

private:
    struct Candidate {
        SquaredDistance distance;
        EntityId id{};

        friend auto operator<=>(const Candidate&, const Candidate&) = default;
    };

    std::vector<Slot> found_;
    std::vector<Candidate> candidates_;
};

}  // namespace marchland::engine
