#pragma once

#include <functional>
#include <string>

namespace marchland::bench {

/// The JSON of each, with commas in between.
template <typename Results, typename ToJson>
std::string json_list(const Results& results, ToJson to_json) {
    std::string list;
    for (const auto& result : results) {
        if (!list.empty()) list += ',';
        list += std::invoke(to_json, result);
    }
    return list;
}

}  // namespace marchland::bench
