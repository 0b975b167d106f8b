#pragma once

#include "config/document.h"
#include "config/metres.h"
#include "config/reading.h"
#include "config/values.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// What keys a table has, as data: one Field per key. Reading, writing and every error about a key
/// come from its Field, so a new key is one new line in a table.
namespace marchland::config {

/// One key of a table that fills a Target.
template <typename Target>
struct Field {
    std::string_view name;
    /// Takes the value over, or refuses it and leaves the target as it was.
    std::function<void(const Node&, const std::string& key, Target&, Reading&)> read;
    /// The value as TOML; empty: the key is left out.
    std::function<std::string(const Target&)> write;
    bool is_required = false;
};

template <typename Target>
using Fields = std::vector<Field<Target>>;

template <typename Target>
std::vector<std::string_view> names_of(const Fields<Target>& fields, bool only_required = false) {
    std::vector<std::string_view> names;
    for (const Field<Target>& field : fields) {
        if (field.is_required || !only_required) {
            names.push_back(field.name);
        }
    }
    return names;
}

/// Reads a table, all errors at once: unknown keys, wrong values, missing keys.
template <typename Target>
void read_table(const Node& node, const std::string& key, const Fields<Target>& fields,
                Target& target, Reading& reading) {
    const Table* members = read_members(node, key, reading);
    if (members == nullptr) {
        return;
    }
    for (const Member& member : *members) {
        const std::string member_key = dotted(key, member.key);
        const auto field = std::ranges::find(fields, member.key, &Field<Target>::name);
        if (field == fields.end()) {
            refuse_unknown(member, member_key, names_of(fields), reading);
            continue;
        }
        reading.note(member_key, member.node.place);
        field->read(member.node, member_key, target, reading);
    }
    for (const Field<Target>& field : fields) {
        if (field.is_required &&
            std::ranges::find(*members, field.name, &Member::key) == members->end()) {
            reading.refuse(node.place, dotted(key, field.name), "is missing",
                           "needed here: " + listing(names_of(fields, true)));
        }
    }
}

/// "{ x = 0, y = 0 }"
template <typename Target>
std::string write_inline(const Fields<Target>& fields, const Target& target) {
    std::string text;
    for (const Field<Target>& field : fields) {
        text +=
            (text.empty() ? "{ " : ", ") + std::string(field.name) + " = " + field.write(target);
    }
    return text + " }";
}

// ---- Kinds of fields. `at` finds the value in a target, const or not: a member of it, or
// inside().

/// A member of a member: inside(&Settings::zone, &ZoneOptions::world).
template <typename... Members>
constexpr auto inside(Members... members) {
    return [members...](auto& target) -> auto& {
        return (target.*....*members);
    };
}

/// The same, but for the last member: that is given where the field is made.
template <typename... Members>
constexpr auto under(Members... members) {
    return [members...](auto member) { return inside(members..., member); };
}

/// `read_value` gives the value, or nothing when it has refused it.
template <typename Target>
Field<Target> scalar(std::string_view name, auto at, auto read_value, auto write_value) {
    const auto read = [at, read_value = std::move(read_value)](const Node& node,
                                                               const std::string& key,
                                                               Target& target, Reading& reading) {
        if (auto value = read_value(node, key, reading)) {
            auto& place = std::invoke(at, target);
            place = static_cast<std::remove_reference_t<decltype(place)>>(*std::move(value));
        }
    };
    const auto write = [at, write_value](const Target& target) {
        return write_value(std::invoke(at, target));
    };
    return {name, read, write};
}

template <typename Target>
Field<Target> whole(std::string_view name, auto at, WholeRange range) {
    return scalar<Target>(name, at, std::bind_front(read_whole, range), [](auto number) {
        return std::to_string(static_cast<std::int64_t>(number));
    });
}

template <typename Target>
Field<Target> metres(std::string_view name, auto at, WholeRange range_mm) {
    return scalar<Target>(name, at, std::bind_front(read_metres, range_mm), metres_text);
}

template <typename Target>
Field<Target> text(std::string_view name, auto at, TextCheck check) {
    return scalar<Target>(name, at, std::bind_front(read_text, std::move(check)), toml_string);
}

template <typename Target>
Field<Target> flag(std::string_view name, auto at) {
    return scalar<Target>(name, at, read_flag, [](bool is_on) { return is_on ? "true" : "false"; });
}

/// "[1, 2]"
template <typename Item, typename Write>
std::string write_list(const std::vector<Item>& items, Write&& write) {
    std::string text;
    for (const Item& item : items) {
        text += (text.empty() ? "[" : ", ") + write(item);
    }
    return text.empty() ? "[]" : text + "]";
}

/// A text of a list that stands for a value.
template <typename Target, typename Value, std::size_t kCount>
Field<Target> choice(std::string_view name, auto at,
                     std::array<std::pair<std::string_view, Value>, kCount> choices) {
    const auto read = [at, choices](const Node& node, const std::string& key, Target& target,
                                    Reading& reading) {
        std::vector<std::string_view> names;
        for (const auto& [text, value] : choices) {
            names.push_back(text);
        }
        const auto check = [&](const std::string& text) {
            return std::ranges::find(names, text) != names.end() ? std::string()
                                                                 : "is none of " + listing(names);
        };
        if (const auto text = read_text(check, node, key, reading)) {
            std::invoke(at, target) = std::ranges::find(choices, *text, [](const auto& it) {
                                          return std::string(it.first);
                                      })->second;
        }
    };
    const auto write = [at, choices](const Target& target) {
        const auto found = std::ranges::find(choices, std::invoke(at, target),
                                             [](const auto& it) { return it.second; });
        return toml_string(found->first);
    };
    return {name, read, write};
}

/// A list; taken over when nothing in it was refused. `read_item` fills one item, or refuses it.
template <typename Target, typename Item>
Field<Target> list(std::string_view name, auto at, std::size_t count_max, auto read_item,
                   auto write_item) {
    const auto read = [at, count_max, read_item](const Node& node, const std::string& key,
                                                 Target& target, Reading& reading) {
        const std::size_t refused_before = reading.refused_count();
        const NodeList* const nodes = read_list(node, key, count_max, reading);
        std::vector<Item> items;
        for (const Node& item : nodes == nullptr ? NodeList() : *nodes) {
            read_item(item, key, items.emplace_back(), reading);
        }
        if (reading.refused_count() == refused_before) {
            std::invoke(at, target) = std::move(items);
        }
    };
    return {name, read, [at, write_item](const Target& target) {
                return write_list(std::invoke(at, target), write_item);
            }};
}

template <typename Target>
Field<Target> text_list(std::string_view name, auto at, std::size_t count_max, TextCheck check) {
    const auto read = [check](const Node& node, const std::string& key, std::string& item,
                              Reading& reading) {
        item = read_text(check, node, key, reading).value_or("");
    };
    return list<Target, std::string>(name, at, count_max, read, toml_string);
}

template <typename Target, typename Inner>
Field<Target> table_list(std::string_view name, auto at, std::size_t count_max,
                         Fields<Inner> fields) {
    const auto read = [fields](const Node& node, const std::string& key, Inner& item,
                               Reading& reading) { read_table(node, key, fields, item, reading); };
    const auto write = [fields](const Inner& item) { return write_inline(fields, item); };
    return list<Target, Inner>(name, at, count_max, read, write);
}

/// A table in a table. `check` sees what was read when nothing in it was refused.
template <typename Inner>
using TableCheck = std::function<void(const Inner&, const std::string& key, Place, Reading&)>;

template <typename Target, typename Inner, typename At>
Field<Target> table(std::string_view name, At at, Fields<Inner> fields,
                    TableCheck<std::type_identity_t<Inner>> check = nullptr) {
    const auto read = [at, fields, check](const Node& node, const std::string& key, Target& target,
                                          Reading& reading) {
        const std::size_t refused_before = reading.refused_count();
        Inner value = std::invoke(at, target);
        read_table(node, key, fields, value, reading);
        if (check != nullptr && reading.refused_count() == refused_before) {
            check(value, key, node.place, reading);
        }
        if (reading.refused_count() == refused_before) {
            std::invoke(at, target) = std::move(value);
        }
    };
    const auto write = [at, fields = std::move(fields)](const Target& target) {
        return write_inline(fields, std::invoke(at, target));
    };
    return {name, read, write};
}

/// The same key, but the table is refused without it.
template <typename Target>
Field<Target> required(Field<Target> field) {
    field.is_required = true;
    return field;
}

}  // namespace marchland::config
