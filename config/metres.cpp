#include "config/metres.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

namespace marchland::config {

std::string metres_text(std::int64_t mm) {
    const std::int64_t size = std::abs(mm);
    std::string text = (mm < 0 ? "-" : "") + std::to_string(size / 1000);
    if (size % 1000 != 0) {
        text += '.' + std::to_string(1000 + size % 1000).substr(1);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text;
}

std::optional<std::int64_t> whole_millimetres(double metres) {
    constexpr double kBeyondInt32 = 2'147'484.0;
    if (!(std::abs(metres) < kBeyondInt32)) {  // also when it is not a number
        return std::nullopt;
    }
    const std::int64_t mm = std::llround(metres * 1000.0);
    // Reading a decimal and dividing both round to the nearest double: so the quotient is the very
    // number that was read, if and only if the decimal meant this many millimetres (or a number
    // that no double distinguishes from it).
    const bool is_whole = static_cast<double>(mm) / 1000.0 == metres;
    return is_whole && mm >= kMillimetresMin && mm <= kMillimetresMax ? std::optional(mm)
                                                                      : std::nullopt;
}

std::string decimal_text(double number) {
    std::array<char, 32> text{};
    char* const end = text.data() + text.size();
    auto result = std::to_chars(text.data(), end, number, std::chars_format::fixed);
    if (result.ec != std::errc()) {  // too many digits; with an exponent there are 24 at most
        result = std::to_chars(text.data(), end, number, std::chars_format::general);
    }
    return {text.data(), result.ptr};
}

engine::Rect to_inclusive(const engine::Rect& edges, const engine::Rect& world) {
    const auto last = [](std::int64_t edge, std::int64_t world_edge) {
        return edge >= world_edge ? edge : edge - 1;
    };
    return {edges.min_x, edges.min_y, last(edges.max_x, world.max_x),
            last(edges.max_y, world.max_y)};
}

engine::Rect to_edges(const engine::Rect& inclusive, const engine::Rect& world) {
    const auto edge = [](std::int64_t last, std::int64_t world_edge) {
        return last >= world_edge ? last : last + 1;
    };
    return {inclusive.min_x, inclusive.min_y, edge(inclusive.max_x, world.max_x),
            edge(inclusive.max_y, world.max_y)};
}

std::string edges_text(const engine::Rect& edges) {
    return "x " + metres_text(edges.min_x) + " to " + metres_text(edges.max_x) + ", y " +
           metres_text(edges.min_y) + " to " + metres_text(edges.max_y);
}

}  // namespace marchland::config
