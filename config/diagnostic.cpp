#include "config/config.h"

#include <algorithm>

namespace marchland::config {

namespace {

/// Keys and values are quoted from a file: none of them may steer the terminal.
std::string printable(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
    return text;
}

}  // namespace

std::string to_text(const Diagnostic& diagnostic) {
    std::string text = printable(diagnostic.file);
    if (diagnostic.line != 0) {
        text += ':' + std::to_string(diagnostic.line) + ':' + std::to_string(diagnostic.column);
    }
    if (!diagnostic.key.empty()) {
        text += ": " + printable(diagnostic.key);
    }
    text += ": " + printable(diagnostic.reason);
    if (!diagnostic.hint.empty()) {
        text += "\n  hint: " + printable(diagnostic.hint);
    }
    return text;
}

}  // namespace marchland::config
