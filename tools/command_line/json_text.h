#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>

namespace marchland::tools {

/// As a string of JSON, quotes and all: for what programs print with --json.
inline std::string json_text(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

/// The JSON of each, with `between` in between.
template <typename Items, typename ToJson>
std::string json_list(const Items& items, ToJson&& to_json, std::string_view between = ",") {
    std::string list;
    for (const auto& item : items) {
        if (!list.empty()) list += between;
        list += std::invoke(to_json, item);
    }
    return list;
}

}  // namespace marchland::tools
