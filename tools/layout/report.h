#pragma once

#include "shards/layout.h"
#include "config/config.h"
#include "tools/layout/comparison.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace marchland::layout {

// What the commands say: a text for people, without its last newline, and a JSON object in one line.
// Lengths in metres, areas in square metres.

std::string check_text(const std::string& file, const shards::Layout& layout);
std::string check_json(const shards::Layout& layout);
std::string errors_json(const config::Diagnostics& errors);

/// `counts`: of positions, parallel to layout.shards(); or empty.
std::string show_text(const shards::Layout& layout, std::span<const std::size_t> counts);
std::string show_json(const shards::Layout& layout, std::span<const std::size_t> counts);

/// `entities`: how many positions were compared, where there were any to compare.
std::string diff_text(const Comparison& comparison, std::optional<std::size_t> entities);
std::string diff_json(const Comparison& comparison, std::optional<std::size_t> entities);

}  // namespace marchland::layout
