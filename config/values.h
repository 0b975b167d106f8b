#pragma once

#include "config/document.h"
#include "config/reading.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Single values out of a document: each function gives the value, or refuses it with its reason
/// and gives nothing. `key` is the dotted key that the value was found at.
namespace marchland::config {

struct WholeRange {
    std::int64_t min = 0;
    std::int64_t max = 0;
};

std::optional<std::int64_t> read_whole(WholeRange range, const Node& node, const std::string& key,
                                       Reading& reading);

/// Metres, whole or decimal, as millimetres; so is the range.
std::optional<std::int64_t> read_metres(WholeRange range_mm, const Node& node,
                                        const std::string& key, Reading& reading);

/// Why this text will not do; empty when it will.
using TextCheck = std::function<std::string(const std::string&)>;

std::optional<std::string> read_text(const TextCheck& check, const Node& node,
                                     const std::string& key, Reading& reading);

std::optional<bool> read_flag(const Node& node, const std::string& key, Reading& reading);

/// At most `count_max` values; null when the node is no list, or too long a one.
const NodeList* read_list(const Node& node, const std::string& key, std::size_t count_max,
                          Reading& reading);

/// Null when the node is no table.
const Table* read_members(const Node& node, const std::string& key, Reading& reading);

void refuse_kind(const Node& node, const std::string& key, std::string_view wanted,
                 Reading& reading);

/// A key that no table of ours has there, with what may have been meant.
void refuse_unknown(const Member& member, const std::string& key,
                    std::span<const std::string_view> known, Reading& reading);

/// "view" and "radius_m" are "view.radius_m".
std::string dotted(const std::string& table, std::string_view name);

/// A TOML string. Control characters are escaped, also those that TOML would take as they are: it
/// goes to terminals and logs.
std::string toml_string(std::string_view text);

/// The candidate that `word` was most likely meant to be, if any is close: at most a third of its
/// letters changed, added, left out or swapped with their neighbour. The first of equals.
std::optional<std::string_view> closest_to(std::string_view word,
                                           std::span<const std::string_view> candidates);

/// "a, b, c"
std::string listing(std::span<const std::string_view> words);

}  // namespace marchland::config
