#pragma once

#include "config/config.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::config {

/// A folder of a test's own, gone with it. Loading gives a configuration, or the errors as text
/// with the folder left out: "zone.toml:4:15: world.bounds_m: ...".
class TestFolder {
public:
    TestFolder();
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;
    ~TestFolder();

    std::filesystem::path write(std::string_view name, std::string_view text) const;

    /// Fails the test when the file does not load.
    std::optional<ServerConfig> load(const std::filesystem::path& file) const;
    std::optional<shards::Layout> load_layout_file(std::string_view text,
                                                   const std::optional<engine::Rect>& world) const;

    /// None when the file loads. `text` is written to zone.toml first.
    std::vector<std::string> errors_of(
        std::string_view text, const std::optional<std::filesystem::path>& layout = {}) const;
    std::vector<std::string> layout_errors_of(std::string_view text,
                                              const std::optional<engine::Rect>& world) const;

private:
    std::vector<std::string> texts_of(const Diagnostics& diagnostics) const;

    std::filesystem::path path_;
};

/// Every field but frame_gap_ticks_max, which follows from others.
void expect_same(const ServerConfig& a, const ServerConfig& b);
void expect_same(const shards::Layout& a, const shards::Layout& b);

}  // namespace marchland::config
