#include "config/document.h"

#include "net/regular_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace marchland::config {

namespace {

/// The deepest that any key of ours is nested is 3: shard, rect_m, min_x.
constexpr int kDepthMax = 8;

Place place_at(const toml::source_position& position) {
    return {position.line, position.column};
}

Node convert(const toml::node& node, int depth);

NodeList convert_array(const toml::array& array, int depth) {
    NodeList nodes;
    for (const toml::node& element : array) {
        nodes.push_back(convert(element, depth + 1));
    }
    return nodes;
}

Table convert_table(const toml::table& table, int depth) {
    Table members;
    for (const auto& [key, value] : table) {
        members.push_back(
            {std::string(key.str()), place_at(key.source().begin), convert(value, depth + 1)});
    }
    // The parser keeps them by name.
    std::ranges::sort(members, {}, &Member::key_place);
    return members;
}

Node convert(const toml::node& node, int depth) {
    const Place place = place_at(node.source().begin);
    if (depth > kDepthMax) {
        return {place, Unsupported{"a value nested too deeply"}};
    }
    switch (node.type()) {
        case toml::node_type::table:
            return {place, convert_table(*node.as_table(), depth)};
        case toml::node_type::array:
            return {place, convert_array(*node.as_array(), depth)};
        case toml::node_type::string:
            return {place, node.as_string()->get()};
        case toml::node_type::integer:
            return {place, node.as_integer()->get()};
        case toml::node_type::floating_point:
            return {place, node.as_floating_point()->get()};
        case toml::node_type::boolean:
            return {place, node.as_boolean()->get()};
        default:
            return {place, Unsupported{"a date or a time"}};
    }
}

std::variant<Node, FileProblem> parse_toml(std::string_view text) {
    try {
        return convert(toml::parse(text), 0);
    } catch (const toml::parse_error& error) {
        std::string_view what = error.description();
        constexpr std::string_view kLead = "Error while ";
        what.remove_prefix(what.starts_with(kLead) ? kLead.size() : 0);
        return FileProblem{place_at(error.source().begin), "not valid TOML: " + std::string(what),
                           "what stands after this place has not been looked at"};
    }
}

std::optional<FileProblem> find_long_line(std::string_view text) {
    std::uint32_t line = 1;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find('\n'), text.size());
        if (length > kLineBytesMax) {
            return FileProblem{{line, 1},
                               "the line has " + std::to_string(length) + " bytes, the limit is " +
                                   std::to_string(kLineBytesMax),
                               "break it up: a long comment over several lines"};
        }
        text.remove_prefix(std::min(length + 1, text.size()));
        ++line;
    }
    return std::nullopt;
}

/// What is wrong with a text that is to be parsed: that it has more than it may.
std::optional<FileProblem> check_text(std::string_view text) {
    if (text.size() > kFileBytesMax) {
        return FileProblem{
            {}, "is larger than the limit of " + std::to_string(kFileBytesMax) + " bytes", ""};
    }
    return find_long_line(text);
}

}  // namespace

std::string_view kind_of(const Node& node) {
    if (const auto* unsupported = std::get_if<Unsupported>(&node.value)) {
        return unsupported->kind;
    }
    static constexpr std::array<std::string_view, 7> kKinds = {
        "",         "true or false", "a whole number", "a decimal number",
        "a string", "an array",      "a table"};
    return kKinds.at(node.value.index());
}

std::variant<Node, FileProblem> read_document(const std::filesystem::path& path) {
    auto text = net::read_regular_file(path, kFileBytesMax + 1);
    if (auto* const flaw = std::get_if<net::FileFlaw>(&text)) {
        return FileProblem{{}, std::move(flaw->reason), ""};
    }
    return parse_document(std::get<std::string>(text));
}

std::variant<Node, FileProblem> parse_document(std::string_view text) {
    if (auto problem = check_text(text)) {
        return *std::move(problem);
    }
    return parse_toml(text);
}

}  // namespace marchland::config
