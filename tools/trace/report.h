#pragma once

#include "tools/trace/event_log.h"
#include "tools/trace/replay_run.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace marchland::trace {

/// What marchland-trace tells at its end.
struct Report {
    std::size_t entities = 0;  ///< of a recording: joins
    std::size_t samples = 0;   ///< of a recording: ticks of entities that asked for something
    std::size_t ticks = 0;
    std::size_t shards = 0;
    std::uint64_t handoffs = 0;
    double read_seconds = 0;  ///< reading the file; a recording is read while it is run
    double seconds = 0;       ///< running the ticks, the digest and the events' lines included
    std::optional<ReplayVerdict> verdict;  ///< of a recording
};

std::string to_json(const Report& report, const EventLog& log);
/// Some lines, the last without its end. `file`: what was run.
std::string to_text(const Report& report, const EventLog& log, const std::filesystem::path& file);

}  // namespace marchland::trace
