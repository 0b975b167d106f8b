#pragma once

#include "engine/assert.h"
#include "engine/index/index.h"

#include <functional>
#include <map>
#include <vector>

namespace marchland::engine::testing {

/// Looks at every entity in every query: slow, obvious, and what all indexes are compared with.
class BruteForceIndex final : public Index {
public:
    explicit BruteForceIndex(const Rect& bounds) : bounds_(bounds) {}

    void insert(Slot slot, Position at) override {
        MARCHLAND_ASSERT(bounds_.contains(at));
        const bool is_new = positions_.emplace(slot, at).second;
        MARCHLAND_ASSERT(is_new);
    }
    void erase(Slot slot, Position at) override {
        expect_at(slot, at);
        positions_.erase(slot);
    }
    void move(Slot slot, Position from, Position to) override {
        MARCHLAND_ASSERT(bounds_.contains(to));
        expect_at(slot, from);
        positions_[slot] = to;
    }
    void query(const Rect& area, std::vector<Slot>& out) const override {
        for (const auto& [slot, at] : positions_) {
            if (area.contains(at)) {
                out.push_back(slot);
            }
        }
    }
    void walk(const std::function<void(Slot, Position)>& visit) const override {
        for (const auto& [slot, at] : positions_) {
            visit(slot, at);
        }
    }
    [[nodiscard]] std::size_t size() const override { return positions_.size(); }

private:
    void expect_at(Slot slot, Position at) const {
        const auto found = positions_.find(slot);
        MARCHLAND_ASSERT(found != positions_.end());
        MARCHLAND_ASSERT(found->second.x == at.x && found->second.y == at.y);
    }

    const Rect bounds_;
    std::map<Slot, Position> positions_;
};

}  // namespace marchland::engine::testing
