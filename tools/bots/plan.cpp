#include "config/fields.h"
#include "tools/bots/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace marchland::bots {
namespace {

constexpr std::size_t kGroupsMax = 64;
constexpr std::size_t kNameBytesMax = 64;
constexpr config::WholeRange kSeconds{0, 7 * 24 * 3'600};
constexpr config::WholeRange kPlayers{1, static_cast<std::int64_t>(kPlayersMax)};
constexpr config::WholeRange kSpeedMm{0, kSpeedMmMax};

/// Those that some players of many may play. The others are about the whole run.
constexpr std::array kOfGroups{
    std::pair{name_of(Scenario::roam), Scenario::roam},
    std::pair{name_of(Scenario::crowd), Scenario::crowd},
    std::pair{name_of(Scenario::market), Scenario::market},
    std::pair{name_of(Scenario::border), Scenario::border},
    std::pair{name_of(Scenario::teleport), Scenario::teleport},
    std::pair{name_of(Scenario::resume), Scenario::resume},
};

std::string check_name(const std::string& name) {
    return name.empty() || name.size() > kNameBytesMax ? "must have 1 to 64 bytes" : "";
}

template <typename Target>
config::Field<Target> seconds(std::string_view name, auto at) {
    const auto unwritten = [](const auto&) { return std::string(); };
    return config::scalar<Target>(name, at, std::bind_front(config::read_whole, kSeconds),
                                  unwritten);
}

config::Fields<Group> group_fields() {
    return {config::text<Group>("name", &Group::name, check_name),
            config::choice<Group>("scenario", &Group::scenario, kOfGroups),
            config::required(config::whole<Group>("players", &Group::players, kPlayers)),
            config::metres<Group>("speed_m_s", &Group::speed_mm_per_s, kSpeedMm),
            seconds<Group>("joins_at_s", &Group::joins_at),
            seconds<Group>("joins_over_s", &Group::joins_over),
            seconds<Group>("leaves_at_s", &Group::leaves_at),
            seconds<Group>("leaves_over_s", &Group::leaves_over)};
}

void read_group(const config::Node& node, const std::string& key, PlanFile& plan,
                config::Reading& reading) {
    Group group;
    const std::size_t refused_before = reading.refused_count();
    config::read_table(node, key, group_fields(), group, reading);
    if (reading.refused_count() != refused_before) {
        return;
    }
    if (group.name.empty()) {
        group.name = name_of(group.scenario);
    }
    if (std::ranges::find(plan.groups, group.name, &Group::name) != plan.groups.end()) {
        reading.refuse(node.place, key, "a second group is called '" + group.name + "'",
                       "give each a name: what it came to is reported by that");
    }
    if (group.leaves_at && *group.leaves_at < group.joins_at + group.joins_over) {
        reading.refuse(
            node.place, key,
            fmt::format("the players of '{}' leave from {} s on, and join until {} s", group.name,
                        group.leaves_at->count(), (group.joins_at + group.joins_over).count()));
    }
    if (!group.leaves_at && group.leaves_over.count() > 0) {
        reading.refuse(node.place, key, "leaves_over_s says nothing without leaves_at_s");
    }
    plan.groups.push_back(std::move(group));
}

config::Fields<PlanFile> plan_fields() {
    const auto read_groups = [](const config::Node& node, const std::string& key, PlanFile& plan,
                                config::Reading& reading) {
        const config::NodeList* const groups = config::read_list(node, key, kGroupsMax, reading);
        for (const config::Node& group : groups == nullptr ? config::NodeList() : *groups) {
            read_group(group, key, plan, reading);
        }
    };
    return {config::required(seconds<PlanFile>("seconds", &PlanFile::length)),
            config::required(config::Field<PlanFile>{"group", read_groups, nullptr})};
}

}  // namespace

std::variant<PlanFile, config::Diagnostics> load_plan(const std::filesystem::path& file) {
    config::Reading reading(file.string());
    PlanFile plan;
    const auto document = config::read_document(file);
    if (const auto* const problem = std::get_if<config::FileProblem>(&document)) {
        reading.refuse(*problem);
    } else {
        const auto& root = std::get<config::Node>(document);
        config::read_table(root, "", plan_fields(), plan, reading);
        std::size_t players = 0;
        for (const Group& group : plan.groups) {
            players += group.players;
        }
        if (players > kPlayersMax) {
            reading.refuse(
                root.place, "group",
                fmt::format("{} players together, the limit is {}", players, kPlayersMax));
        }
    }
    if (reading.refused_count() > 0) {
        return reading.take_diagnostics();
    }
    return plan;
}

}  // namespace marchland::bots
