#pragma once

#include "engine/index/index.h"
#include "engine/index/index_storage.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace marchland::engine {

/// Which entities, or objects with extents, are in this part of the map? A tree of squares, each
/// cut into four when it holds too many.
///
///        +---+-------+        a stands alone in a quarter; b, c, d had to be parted further; S
///        |   |b|c|   |        straddles an edge: it stays in the node that holds all of it.
///        | a |-+-+ S-|-
///        |   |d| |   |        Loose: the quarter of S's middle reaches out so far (to half its
///        +---+-------+        size on each side) that S fits in.
///
/// Shapes   N entities. Root: the bounds; quarters by halving, rounded down, so that every
///          millimetre is in exactly one of them. The extent of an entity is a rectangle around its
///          position and may stick out over the bounds; a point's is the point.
/// Order    None.
/// Cost     insert, erase, move O(depth), and amortised O(capacity * depth) to split and merge;
///          query and retrieve O(nodes touched + entities in them, straddlers above included). 28
///          bytes an entity, 12 more where some have extents; 52 a node, O(N * depth / capacity)
///          nodes.
/// Choose   for objects with extents, for density that differs much from place to place, for maps
///          with wide empty parts. Not where everybody moves in each tick: a grid does that for
///          less.
/// Source   Finkel and Bentley, "Quad Trees", Acta Informatica 4 (1974), and Samet, "The Quadtree
///          and Related Hierarchical Data Structures", ACM Computing Surveys 16 (1984); straddlers
///          in the parent: Kedem, "The Quad-CIF Tree", DAC (1982); loose: Ulrich, "Loose Octrees",
///          Game Programming Gems (2000).
class Quadtree final : public PositionedIndex {
public:
    /// Of IndexOptions::quadtree_depth_max.
    static constexpr std::uint32_t kDepthMax = 16;

    explicit Quadtree(const IndexOptions& options);

    /// An object that reaches `half` from `at` to each side. It moves and is erased like a point.
    void insert_extent(Slot slot, Position at, HalfExtents half);
    /// Exactly those that touch `area`: of points, those inside.
    void query(const Rect& area, std::vector<Slot>& out) const override;

    /// Appends candidates: all that touch `area`, each once, and others of the nodes it touches.
    void retrieve(const Rect& area, std::vector<Slot>& out) const;

    /// Nodes in use: 1 for a tree that is not split.
    [[nodiscard]] std::size_t node_count() const { return nodes_.size() - free_.size() * 4; }
    /// How deep the node is that holds `slot`; the root's depth is 0.
    [[nodiscard]] std::uint32_t depth_of(Slot slot) const {
        return nodes_[lists_.list_of(slot)].depth;
    }

private:
    using NodeId = std::uint32_t;
    static constexpr NodeId kRoot = 0;
    static constexpr NodeId kNone = std::numeric_limits<NodeId>::max();

    struct Node {
        Rect region;                 ///< may be empty: a quarter of something 1 mm wide
        NodeId parent = kNone;       ///< of the root: kNone
        NodeId first_child = kNone;  ///< of four in a row; kNone: a leaf
        std::uint32_t size = 0;      ///< entities in it and below
        std::uint32_t depth = 0;

        [[nodiscard]] bool is_leaf() const { return first_child == kNone; }
    };

    void put(Slot slot, Position at) override;
    void take(Slot slot, Position at) override;
    void shift(Slot slot, Position from, Position to) override;

    [[nodiscard]] Rect extent_of(Slot slot, Position at) const;
    [[nodiscard]] Rect reach_of(const Node& node) const;
    [[nodiscard]] NodeId child_for(const Node& node, Slot slot, Position at) const;
    [[nodiscard]] NodeId node_for(Slot slot, Position at) const;
    [[nodiscard]] bool can_split(NodeId node) const;

    void add(NodeId node, Slot slot);
    void remove(Slot slot);
    void split(NodeId node);
    void merge(NodeId node);
    [[nodiscard]] NodeId new_children();

    template <typename Visit>
    void visit_nodes(NodeId node, const Rect& area, Visit&& visit) const;

    const IndexOptions options_;
    std::vector<HalfExtents> halves_;  ///< by slot, up to the last that had an extent
    std::vector<Node> nodes_;
    SlotLists lists_;           ///< one a node: what it holds itself
    std::vector<NodeId> free_;  ///< first of four nodes that are not in use
};

}  // namespace marchland::engine
