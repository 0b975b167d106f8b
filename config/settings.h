#pragma once

#include "config/config.h"
#include "config/fields.h"
#include "config/layout_draft.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::config {

/// A server's file as it is read, key by key: everything may still contradict everything.
struct Settings : ServerSettings {
    LayoutDraft layout;
    bool is_grid = true;      ///< columns and rows say how the world is divided
    std::string layout_file;  ///< as written: relative to the folder of the file it is in
};

struct Section {
    std::string_view name;
    Fields<Settings> fields;
};

/// Every key of a server's file but [[shard]], in the order in which it is written.
const std::vector<Section>& server_sections();

/// Reads all keys of a server's file, each for itself.
void read_settings(const Node& document, Settings& settings, Reading& reading);

/// Checks what keys ask of one another, with both values in each error. A key that was refused is
/// left out: its value is not what the file says.
void check_relations(const Settings& settings, Reading& reading);

}  // namespace marchland::config
