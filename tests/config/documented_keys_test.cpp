#include "config/settings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

namespace marchland::config {

namespace {

using Defaults = std::map<std::string, std::string>;  ///< by key; empty where the page has a dash

/// What stands between backticks in a cell of a table.
std::vector<std::string> quoted(const std::string& cell) {
    static const std::regex pattern("`([^`]*)`");
    std::vector<std::string> texts;
    for (std::sregex_iterator it(cell.begin(), cell.end(), pattern), end; it != end; ++it) {
        texts.push_back((*it)[1]);
    }
    return texts;
}

/// The tables of docs/configuration.md whose first column is "key", by the name of their section.
/// Several keys of one row share its default.
std::map<std::string, Defaults> documented() {
    static const std::regex heading(R"(## \[(\w+)\])");
    static const std::regex row(R"(\| (`[^|]*`) \| ([^|]*) \|.*)");
    std::ifstream page(std::filesystem::path(MARCHLAND_CONFIG_DIR) / "../docs/configuration.md");
    std::map<std::string, Defaults> sections;
    std::string section;
    bool is_of_keys = false;
    std::smatch found;
    for (std::string line; std::getline(page, line);) {
        if (std::regex_match(line, found, heading)) {
            section = found[1];
            sections[section];
        } else if (line.starts_with("| key")) {
            is_of_keys = line.starts_with("| key |");
        } else if (is_of_keys && std::regex_match(line, found, row)) {
            const auto value = quoted(found[2]);
            for (const std::string& key : quoted(found[1])) {
                sections[section][key] = value.empty() ? "" : value.front();
            }
        }
    }
    return sections;
}

Defaults defaults_of(const Section& section) {
    const Settings settings;
    Defaults defaults;
    for (const Field<Settings>& field : section.fields) {
        const std::string value = field.write(settings);
        defaults[std::string(field.name)] = value == "\"\"" ? "" : value;
    }
    return defaults;
}

}  // namespace

TEST(DocumentedKeys, EachKeyIsOnThePageOfItsSectionWithItsDefault) {
    const auto sections = documented();
    EXPECT_EQ(sections.size(), server_sections().size());
    for (const Section& section : server_sections()) {
        const auto found = sections.find(std::string(section.name));
        ASSERT_NE(found, sections.end()) << section.name;
        EXPECT_EQ(found->second, defaults_of(section)) << section.name;
    }
}

}  // namespace marchland::config
