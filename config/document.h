#pragma once

#include "config/place.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace marchland::config {

struct Member;
struct Node;
using NodeList = std::vector<Node>;
using Table = std::vector<Member>;

/// A value that no key takes, with what to call it: a date, or a table in a table in a table ...
struct Unsupported {
    std::string_view kind;
};

/// A value of a TOML document and where it stands. The parser's own tree stays behind parse_toml:
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

/// The root table of a document. A document that is no TOML is reported at its first error, since a
/// parser cannot know what was meant after it.
std::variant<Node, FileProblem> parse_toml(std::string_view text);

/// check_text and parse_toml: for a text that came another way than from a file.
std::variant<Node, FileProblem> parse_document(std::string_view text);

/// read_text_file and parse_toml.
std::variant<Node, FileProblem> read_document(const std::filesystem::path& path);

}  // namespace marchland::config
