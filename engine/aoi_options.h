#pragma once

#include "engine/frame/crowd_limits.h"
#include "engine/ids.h"
#include "engine/index/index_factory.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace marchland::engine {

/// How an Aoi is made. All but the bounds may stay as it is.
struct AoiOptions {
    static constexpr std::size_t kEntitiesMax = std::size_t{1} << 27U;
    static_assert(kEntitiesMax <= kSlotsMax);
    static constexpr std::size_t kCellsMax = std::size_t{1} << 24U;

    std::string index_name = "grid_cross_list";  ///< one of index_names()
    IndexOptions index;                          ///< bounds, dimensions, and what suits the index
    std::size_t entities_max = 1'000'000;        ///< from 1 to kEntitiesMax; more are refused
    CrowdLimits crowd;                           ///< of each watcher; none are set by default
};

/// The first option that is wrong and what it may be; empty where all is well.
std::string_view what_is_wrong_with(const AoiOptions& options);

}  // namespace marchland::engine
