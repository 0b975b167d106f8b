#pragma once

#include <fmt/format.h>

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

}  // namespace marchland::tools
