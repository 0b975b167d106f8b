#include "engine/index/quadtree.h"

#include "engine/assert.h"

namespace marchland::engine {
namespace {

std::int64_t middle_of(std::int64_t min, std::int64_t max) {
    return min + (max - min) / 2;
}

/// Numbered 0 to 3: bit 0 for the upper half in x, bit 1 in y.
std::uint32_t quarter_of(const Rect& region, Position at) {
    const bool is_right = at.x > middle_of(region.min_x, region.max_x);
    const bool is_upper = at.y > middle_of(region.min_y, region.max_y);
    return (is_right ? 1U : 0U) | (is_upper ? 2U : 0U);
}

Rect quarter(const Rect& region, std::uint32_t number) {
    const std::int64_t middle_x = middle_of(region.min_x, region.max_x);
    const std::int64_t middle_y = middle_of(region.min_y, region.max_y);
    const bool is_right = (number & 1U) != 0;
    const bool is_upper = (number & 2U) != 0;
    return {is_right ? middle_x + 1 : region.min_x, is_upper ? middle_y + 1 : region.min_y,
            is_right ? region.max_x : middle_x, is_upper ? region.max_y : middle_y};
}

}  // namespace

Quadtree::Quadtree(const IndexOptions& options)
    : PositionedIndex(options.bounds), options_(options), nodes_(1), lists_(1) {
    MARCHLAND_ASSERT(options.quadtree_node_capacity >= 1);
    MARCHLAND_ASSERT(options.quadtree_depth_max <= kDepthMax);
    nodes_[kRoot].region = bounds();
}

void Quadtree::insert_extent(Slot slot, Position at, HalfExtents half) {
    MARCHLAND_ASSERT(half.x >= 0 && half.y >= 0);
    const std::size_t number = to_number(slot);
    if (number >= halves_.size()) {
        halves_.resize(number + 1);
    }
    halves_[number] = half;
    insert(slot, at);
}

void Quadtree::put(Slot slot, Position at) {
    add(node_for(slot, at), slot);
}

void Quadtree::take(Slot slot, Position /*at*/) {
    remove(slot);
    if (to_number(slot) < halves_.size()) {
        halves_[to_number(slot)] = {};
    }
}

/// Most steps end in the node where they began.
void Quadtree::shift(Slot slot, Position /*from*/, Position to) {
    if (node_for(slot, to) == lists_.list_of(slot)) {
        return;
    }
    remove(slot);
    add(node_for(slot, to), slot);  // asked again: remove may have merged it away
}

void Quadtree::query(const Rect& area, std::vector<Slot>& out) const {
    if (area.is_empty()) {
        return;  // touches() would find an extent that lies around both of its ends
    }
    visit_nodes(kRoot, area, [&](NodeId node) {
        lists_.for_each(node, [&](Slot slot) {
            if (extent_of(slot, position_of(slot)).touches(area)) {
                out.push_back(slot);
            }
        });
    });
}

void Quadtree::retrieve(const Rect& area, std::vector<Slot>& out) const {
    visit_nodes(kRoot, area, [&](NodeId node) {
        lists_.for_each(node, [&out](Slot slot) { out.push_back(slot); });
    });
}

Rect Quadtree::extent_of(Slot slot, Position at) const {
    const std::size_t number = to_number(slot);
    const HalfExtents half = number < halves_.size() ? halves_[number] : HalfExtents{};
    return rect_around(at, half.x, half.y);
}

/// What an entity's extent may cover and still be in this node.
Rect Quadtree::reach_of(const Node& node) const {
    if (!options_.quadtree_is_loose) {
        return node.region;
    }
    const Rect& region = node.region;
    const std::int64_t margin_x = (region.max_x - region.min_x + 1) / 2;
    const std::int64_t margin_y = (region.max_y - region.min_y + 1) / 2;
    return {region.min_x - margin_x, region.min_y - margin_y, region.max_x + margin_x,
            region.max_y + margin_y};
}

/// Of an inner node: the child that takes the entity, or kNone, and it stays.
Quadtree::NodeId Quadtree::child_for(const Node& node, Slot slot, Position at) const {
    const NodeId child = node.first_child + quarter_of(node.region, at);
    const Rect extent = extent_of(slot, at);
    return reach_of(nodes_[child]).common_part(extent) == extent ? child : kNone;
}

/// The deepest node there is that takes the entity.
Quadtree::NodeId Quadtree::node_for(Slot slot, Position at) const {
    NodeId node = kRoot;
    while (!nodes_[node].is_leaf()) {
        const NodeId child = child_for(nodes_[node], slot, at);
        if (child == kNone) {
            break;
        }
        node = child;
    }
    return node;
}

bool Quadtree::can_split(NodeId node) const {
    const Rect& region = nodes_[node].region;
    const bool has_two_halves = region.max_x > region.min_x || region.max_y > region.min_y;
    return nodes_[node].is_leaf() && nodes_[node].depth < options_.quadtree_depth_max &&
           has_two_halves;
}

void Quadtree::add(NodeId node, Slot slot) {
    lists_.push(node, slot);
    for (NodeId above = node; above != kNone; above = nodes_[above].parent) {
        ++nodes_[above].size;
    }
    split(node);
}

/// From the node upwards, merges what has become too small to be worth four children.
void Quadtree::remove(Slot slot) {
    NodeId above = lists_.list_of(slot);
    lists_.remove(slot);
    for (; above != kNone; above = nodes_[above].parent) {
        --nodes_[above].size;
        merge(above);
    }
}

/// While it holds too many: also its children, when all went into one of them.
void Quadtree::split(NodeId node) {
    if (nodes_[node].size <= options_.quadtree_node_capacity || !can_split(node)) {
        return;
    }
    const NodeId first = new_children();
    nodes_[node].first_child = first;
    for (std::uint32_t number = 0; number < 4; ++number) {
        nodes_[first + number] = {quarter(nodes_[node].region, number), node, kNone, 0,
                                  nodes_[node].depth + 1};
    }
    lists_.for_each(node, [&](Slot slot) {
        const NodeId child = child_for(nodes_[node], slot, position_of(slot));
        if (child != kNone) {
            lists_.remove(slot);
            lists_.push(child, slot);
            ++nodes_[child].size;
        }
    });
    for (std::uint32_t number = 0; number < 4; ++number) {
        split(first + number);
    }
}

/// Only at half the capacity, so that one entity that comes and goes does not split and merge in
/// turn. A child holds no more than its parent: an inner one was merged before.
void Quadtree::merge(NodeId node) {
    if (nodes_[node].is_leaf() || nodes_[node].size > options_.quadtree_node_capacity / 2) {
        return;
    }
    const NodeId first = nodes_[node].first_child;
    for (NodeId child = first; child < first + 4; ++child) {
        MARCHLAND_ASSERT(nodes_[child].is_leaf());
        lists_.for_each(child, [&](Slot slot) {
            lists_.remove(slot);
            lists_.push(node, slot);
        });
    }
    nodes_[node].first_child = kNone;
    free_.push_back(first);
}

Quadtree::NodeId Quadtree::new_children() {
    if (free_.empty()) {
        free_.push_back(static_cast<NodeId>(nodes_.size()));
        nodes_.resize(nodes_.size() + 4);
        lists_.grow_to(nodes_.size());
    }
    const NodeId first = free_.back();
    free_.pop_back();
    return first;
}

/// The root is always visited: an extent may stick out over the bounds.
template <typename Visit>
void Quadtree::visit_nodes(NodeId node, const Rect& area, Visit&& visit) const {
    visit(node);
    if (nodes_[node].is_leaf()) {
        return;
    }
    const NodeId first = nodes_[node].first_child;
    for (NodeId child = first; child < first + 4; ++child) {
        if (nodes_[child].size > 0 && reach_of(nodes_[child]).touches(area)) {
            visit_nodes(child, area, visit);
        }
    }
}

}  // namespace marchland::engine
