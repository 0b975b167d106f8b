#include "config/values.h"

#include "config/metres.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace marchland::config {

namespace {

constexpr std::string_view kDistance = "a distance in metres";

/// "\u001B"
std::string escaped(unsigned char control) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    return std::string("\\u00") + kDigits[control / 16U] + kDigits[control % 16U];
}

/// Of a key that had another name in a version before.
std::optional<std::string_view> new_name_of(std::string_view key) {
    constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
        {"shards.arena_threads", "shards.executor_threads"},
        {"shards.arena_moves_min", "shards.executor_pairs_min"},
    };
    const auto* const found =
        std::ranges::find(kRenamed, key, &std::pair<std::string_view, std::string_view>::first);
    return found == std::end(kRenamed) ? std::nullopt : std::optional(found->second);
}

std::string outside(const std::string& value, const std::string& min, const std::string& max) {
    return value + " is not between " + min + " and " + max;
}

/// The millimetres of a number, in range or not; refused when they are not whole, or so many that
/// the range need not be asked.
std::optional<std::int64_t> millimetres_of(double metres, const Node& node, const std::string& key,
                                           const std::string& text, WholeRange range_mm,
                                           Reading& reading) {
    // Written so that a NaN is outside.
    if (!(metres >= static_cast<double>(range_mm.min) / 1000.0 &&
          metres <= static_cast<double>(range_mm.max) / 1000.0)) {
        reading.refuse(node.place, key,
                       outside(text, metres_text(range_mm.min), metres_text(range_mm.max)));
        return std::nullopt;
    }
    const auto mm = whole_millimetres(metres);
    if (!mm) {
        reading.refuse(node.place, key, text + " m is not a whole number of millimetres",
                       "distances have at most three digits after the point");
    }
    return mm;
}

/// The optimal string alignment distance: single letters changed, added or left out, neighbours
/// swapped. O(a * b) in time, three rows in memory; words come from lines of limited length.
std::size_t steps_between(std::string_view a, std::string_view b) {
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

std::optional<std::int64_t> read_whole(WholeRange range, const Node& node, const std::string& key,
                                       Reading& reading) {
    const auto* number = std::get_if<std::int64_t>(&node.value);
    if (number == nullptr) {
        refuse_kind(node, key, "a whole number", reading);
        return std::nullopt;
    }
    if (*number < range.min || *number > range.max) {
        reading.refuse(
            node.place, key,
            outside(std::to_string(*number), std::to_string(range.min), std::to_string(range.max)));
        return std::nullopt;
    }
    return *number;
}

std::optional<std::int64_t> read_metres(WholeRange range_mm, const Node& node,
                                        const std::string& key, Reading& reading) {
    if (const auto* whole = std::get_if<std::int64_t>(&node.value)) {
        return millimetres_of(static_cast<double>(*whole), node, key, std::to_string(*whole),
                              range_mm, reading);
    }
    if (const auto* decimal = std::get_if<double>(&node.value)) {
        return millimetres_of(*decimal, node, key, decimal_text(*decimal), range_mm, reading);
    }
    refuse_kind(node, key, kDistance, reading);
    return std::nullopt;
}

std::optional<std::string> read_text(const TextCheck& check, const Node& node,
                                     const std::string& key, Reading& reading) {
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) {
        refuse_kind(node, key, "a string", reading);
        return std::nullopt;
    }
    if (std::string reason = check(*text); !reason.empty()) {
        reading.refuse(node.place, key, toml_string(*text) + ' ' + reason);
        return std::nullopt;
    }
    return *text;
}

std::optional<bool> read_flag(const Node& node, const std::string& key, Reading& reading) {
    const auto* flag = std::get_if<bool>(&node.value);
    if (flag == nullptr) {
        refuse_kind(node, key, "true or false", reading);
        return std::nullopt;
    }
    return *flag;
}

const NodeList* read_list(const Node& node, const std::string& key, std::size_t count_max,
                          Reading& reading) {
    const auto* list = std::get_if<NodeList>(&node.value);
    if (list == nullptr) {
        refuse_kind(node, key, "a list", reading);
        return nullptr;
    }
    if (list->size() > count_max) {
        reading.refuse(
            (*list)[count_max].place, key,
            std::to_string(list->size()) + " values, the limit is " + std::to_string(count_max));
        return nullptr;
    }
    return list;
}

const Table* read_members(const Node& node, const std::string& key, Reading& reading) {
    const auto* members = std::get_if<Table>(&node.value);
    if (members == nullptr) {
        refuse_kind(node, key, "a table", reading);
    }
    return members;
}

// A number in quotes is the one wrong kind whose remedy is known.
void refuse_kind(const Node& node, const std::string& key, std::string_view wanted,
                 Reading& reading) {
    std::string hint;
    if (const auto* text = std::get_if<std::string>(&node.value);
        text != nullptr && wanted != "a table" && !text->empty() &&
        text->find_first_not_of("+-.0123456789") == std::string::npos) {
        hint = "write it without quotes";
    }
    reading.refuse(node.place, key,
                   "must be " + std::string(wanted) + ", not " + std::string(kind_of(node)),
                   std::move(hint));
}

void refuse_unknown(const Member& member, const std::string& key,
                    std::span<const std::string_view> known, Reading& reading) {
    std::string hint;
    // A key spelt right in the wrong section is likelier than one spelt wrong in the right section.
    if (const auto home = reading.home_of(member.key)) {
        hint = '\'' + member.key + "' belongs to [" + *home + "]. ";
    } else if (const auto renamed = new_name_of(key)) {
        hint = "it is '" + std::string(*renamed) + "' now. ";
    } else if (const auto meant = closest_to(member.key, known)) {
        hint = "did you mean '" + std::string(*meant) + "'? ";
    }
    reading.refuse(member.key_place, key, "unknown key", hint + "Known keys: " + listing(known));
}

std::string dotted(const std::string& table, std::string_view name) {
    return table.empty() ? std::string(name) : table + '.' + std::string(name);
}

std::string toml_string(std::string_view text) {
    std::string literal = "\"";
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
        if (byte < 0x20 || byte == 0x7F) {
            literal += escaped(byte);
        } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {  // U+0080 to U+009F, in UTF-8
            literal += escaped(next);
            ++i;
        } else {
            literal += byte == '"' || byte == '\\' ? "\\" : "";
            literal += text[i];
        }
    }
    return literal + '"';
}

std::optional<std::string_view> closest_to(std::string_view word,
                                           std::span<const std::string_view> candidates) {
    std::optional<std::string_view> closest;
    std::size_t least = word.size() / 3 + 1;
    for (const std::string_view candidate : candidates) {
        if (const std::size_t steps = steps_between(word, candidate); steps < least) {
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
