#pragma once

#include "shards/recording/recording_file.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <variant>

namespace marchland::server {

struct CommandLine {
    std::filesystem::path config;
    std::optional<std::filesystem::path> layout;
    std::optional<std::uint16_t> port;
    std::optional<std::uint16_t> admin_port;
    std::optional<std::uint16_t> web_socket_port;
    std::optional<std::filesystem::path> record;
    shards::RecordingLimits recording;
    bool is_fresh = false;                         ///< whatever the state holds, begin with nothing
    std::optional<std::filesystem::path> restore;  ///< instead: with this backup of it
    bool is_check = false;
};

/// What was asked for; or, when there is nothing left to do (help, version, bad arguments), the code
/// to exit with: what was to be said has been said.
std::variant<CommandLine, int> parse_command_line(int argc, const char* const* argv);

}  // namespace marchland::server
