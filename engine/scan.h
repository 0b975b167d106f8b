#pragma once

#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace marchland::engine {

/// Where many entities are and were, a column for each thing that the scan asks. Places are in
/// float, relative to some point near by; columns are padded with entities that nobody can see.
///
/// Exact: a coordinate below 2^24 mm is a float without loss, so is a difference of two.
class Columns {
public:
    void clear() { size_ = 0; }
    /// Grows the columns for `size_max` entities and the padding.
    void reserve(std::size_t size_max);
    struct Entry {
        float x = 0;
        float y = 0;
        float x_before = 0;
        float y_before = 0;
        LayerMask layers = kNoLayers;
        LayerMask layers_if_moved = kNoLayers;  ///< layers, or none: it has not moved
    };
    void add(const Entry& entry) { put(size_++, entry); }
    /// One for which the scan cannot answer, wherever it is.
    void add_unsure();
    /// Call after the last entry and before a scan.
    void pad();

    [[nodiscard]] std::size_t size() const { return size_; }
    void set_layers(std::size_t entry, LayerMask layers, LayerMask layers_if_moved) {
        layers_[entry] = layers;
        layers_if_moved_[entry] = layers_if_moved;
    }
    [[nodiscard]] LayerMask layers(std::size_t entry) const { return layers_[entry]; }
    [[nodiscard]] LayerMask layers_if_moved(std::size_t entry) const {
        return layers_if_moved_[entry];
    }

    /// As many entities as the widest SIMD register has lanes.
    static constexpr std::size_t kLanesMax = 16;

private:
    friend struct ScanAccess;

    void put(std::size_t entry, const Entry& values) {
        x_[entry] = values.x;
        y_[entry] = values.y;
        x_before_[entry] = values.x_before;
        y_before_[entry] = values.y_before;
        layers_[entry] = values.layers;
        layers_if_moved_[entry] = values.layers_if_moved;
    }

    std::size_t size_ = 0;
    std::vector<float> x_;
    std::vector<float> y_;
    std::vector<float> x_before_;
    std::vector<float> y_before_;
    std::vector<LayerMask> layers_;
    std::vector<LayerMask> layers_if_moved_;
};

/// One who looks: from where, from where a tick ago, and how far. `enter_max` and `leave_min` are
/// squares with a guard band between them and the true bounds: see enter_bound and leave_bound.
struct Gaze {
    float x = 0;
    float y = 0;
    float x_before = 0;
    float y_before = 0;
    float enter_max = 0;  ///< a squared distance up to this one is in the enter range for certain
    float leave_min = 0;  ///< one above this is outside the leave range for certain
    LayerMask layers_seen = kNoLayers;
};

float enter_bound(std::int32_t radius_mm);
float leave_bound(std::int32_t leave_radius_mm);

/// What a scan finds. Both lists are in the order of the columns and hold entries of the columns.
struct Scanned {
    /// In the enter range a tick ago and now, and moved.
    std::vector<std::uint32_t> moved;
    /// Neither surely seen at both times nor surely unseen at both: to be settled in integers.
    struct Unsure {
        std::uint32_t entry = 0;
        std::uint32_t moved_before = 0;  ///< how many of `moved` come before it in the columns
    };
    std::vector<Unsure> unsure;
    std::size_t moved_count = 0;   ///< `moved` is longer than what it holds
    std::size_t unsure_count = 0;  ///< so is `unsure`
};

/// Looks at every entry. The result does not depend on the machine: whatever depends on a rounding
/// is unsure.
///
/// Cost     About 20 instructions for as many entries as a SIMD register has lanes: 16 with AVX-512,
///          8 with AVX2, chosen when the program runs; 4 or 1 elsewhere.
/// Source   An event is in(before) XOR in(now): two distance tests and no set operations.
void scan(const Columns& columns, const Gaze& gaze, Scanned& out);

/// Which instructions scan() uses here: "AVX2", "AVX3", "SSE4" ...
std::string_view scan_target();

}  // namespace marchland::engine
