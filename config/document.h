#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace marchland::config {

/// Far above any honest file: 256 shards with a comment each come to about 50 KB.
inline constexpr std::size_t kFileBytesMax = std::size_t{256} * 1024;

/// The parser makes one level of nesting of every dot in a key and takes a level apart by
/// recursion. Nested values are limited by the parser itself; this limits the dots.
inline constexpr std::size_t kLineBytesMax = 240;

/// Where something stands in a file: line and column from 1, columns counted in characters. Line 0
/// is the file as a whole.
struct Place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
};

/// Why a file could not be taken in at all.
struct FileProblem {
    Place place;
    std::string reason;
    std::string hint;
};

struct Member;
struct Node;
using NodeList = std::vector<Node>;
using Table = std::vector<Member>;

/// A value that no key takes, with what to call it: a date, or a table in a table in a table ...
struct Unsupported {
    std::string_view kind;
};

/// A value of a TOML document and where it stands. The parser's own tree stays in document.cpp:
/// it is dear to compile.
struct Node {
    Place place;
    std::variant<Unsupported, bool, std::int64_t, double, std::string, NodeList, Table> value;
};

/// One `key = value` of a table. Members are in the order of the file.
struct Member {
    std::string key;
    Place key_place;
    Node node;
};

/// What a value is, with its article: "a string".
std::string_view kind_of(const Node& node);

/// The root table of a document, in a regular file: nobody knows when a pipe ends. A document that
/// is no TOML is reported at its first error, since a parser cannot know what was meant after it.
std::variant<Node, FileProblem> read_document(const std::filesystem::path& path);

/// The same of a text that came another way than from a file.
std::variant<Node, FileProblem> parse_document(std::string_view text);

}  // namespace marchland::config
