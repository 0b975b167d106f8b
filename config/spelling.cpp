#include "config/spelling.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace marchland::config {

namespace {

/// The optimal string alignment distance: single letters changed, added or left out, neighbours
/// swapped. O(a * b) in time, three rows in memory; words come from lines of limited length.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(before_last, last);
        std::swap(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
    }
    return row[b.size()];
}

}  // namespace

std::optional<std::string_view> closest_to(std::string_view word,
                                           std::span<const std::string_view> candidates) {
    std::optional<std::string_view> closest;
    std::size_t least = word.size() / 3 + 1;
    for (const std::string_view candidate : candidates) {
        if (const std::size_t steps = distance(word, candidate); steps < least) {
            least = steps;
            closest = candidate;
        }
    }
    return closest;
}

std::string listing(std::span<const std::string_view> words) {
    std::string text;
    for (const std::string_view word : words) {
        text += (text.empty() ? "" : ", ") + std::string(word);
    }
    return text;
}

}  // namespace marchland::config
