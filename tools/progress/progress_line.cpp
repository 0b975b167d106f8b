#include "tools/progress/progress_line.h"

#include <ostream>
#include <unistd.h>

namespace marchland::tools {
namespace {

/// Carriage return, then ECMA-48's "erase in line": to the end of it.
constexpr std::string_view kRewind = "\r\x1b[K";

}  // namespace

void ProgressLine::show(std::string_view what, std::size_t done, std::size_t of) {
    if (!is_terminal_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    is_shown_ = true;
    out_ << kRewind << what << ' ' << done;
    if (of != 0) out_ << '/' << of;
    out_ << std::flush;
}

void ProgressLine::clear() {
    if (!is_shown_) return;
    out_ << kRewind << std::flush;
    is_shown_ = false;
}

bool stderr_is_terminal() {
    return isatty(STDERR_FILENO) == 1;
}

}  // namespace marchland::tools
