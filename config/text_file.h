#pragma once

#include "config/place.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace marchland::config {

/// Far above any honest file: 256 shards with a comment each come to about 50 KB.
inline constexpr std::size_t kFileBytesMax = std::size_t{256} * 1024;

/// The parser makes one level of nesting of every dot in a key and takes a level apart by
/// recursion. Nested values are limited by the parser itself; this limits the dots.
inline constexpr std::size_t kLineBytesMax = 240;

/// What is wrong with a text that is to be parsed: that it has more than it may.
std::optional<FileProblem> check_text(std::string_view text);

/// The bytes of a text file, which must be a regular one: nobody knows when a pipe ends.
std::variant<std::string, FileProblem> read_text_file(const std::filesystem::path& path);

}  // namespace marchland::config
