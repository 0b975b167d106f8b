#include "config/document.h"

#include "config/text_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
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

std::variant<Node, FileProblem> parse_document(std::string_view text) {
    if (auto problem = check_text(text)) {
        return *std::move(problem);
    }
    return parse_toml(text);
}

std::variant<Node, FileProblem> read_document(const std::filesystem::path& path) {
    auto text = read_text_file(path);
    if (auto* problem = std::get_if<FileProblem>(&text)) {
        return std::move(*problem);
    }
    return parse_toml(std::get<std::string>(text));
}

}  // namespace marchland::config
