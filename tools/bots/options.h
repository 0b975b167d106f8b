#pragma once

#include "engine/entity.h"
#include "net/transport/tls_layer.h"
#include "config/config.h"
#include "tools/bots/scenario.h"
#include "tools/clients/cpp/address.h"
#include "tools/command_line/exit_code.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace marchland::bots {

struct TraceOptions {
    std::filesystem::path file;
    std::optional<std::int64_t> hold_ns;  ///< nothing: usual_hold_ns() of the trace
    double speed = 1.0;                   ///< trace seconds per second
};

inline constexpr std::size_t kPlayersMax = 1'000'000;
inline constexpr std::size_t kProcessesMax = 64;
inline constexpr std::int64_t kSpeedMmMax = 1'000'000;

/// A file that says who plays: groups of players, which come and go. docs/operating.md describes
/// it.
struct PlanFile {
    std::chrono::seconds length{0};
    std::vector<Group> groups;
};

/// All errors at once, each at its line.
std::variant<PlanFile, config::Diagnostics> load_plan(const std::filesystem::path& file);

/// The command line of marchland-bots.
struct Options {
    client::HostPort server;
    ScenarioOptions scenario;           ///< means nothing with a trace
    std::optional<TraceOptions> trace;  ///< takes the scenario's place
    std::filesystem::path plan;         ///< likewise, and its length's; empty: there is none
    std::size_t processes = 1;
    std::int64_t duration_ns = 0;      ///< 0: until a signal, or until the trace ends
    std::optional<engine::View> view;  ///< nothing: the zone's default
    std::size_t pairs_per_tick_max = 200'000;
    Clock::duration restart_max{};  ///< see SwarmOptions
    std::uint16_t frames_hz = 0;    ///< that each player asks for; 0: as the server says
    bool is_tls = false;
    net::Trust trust;  ///< means nothing without TLS
    bool is_web_socket = false;
    std::optional<client::HostPort> admin;  ///< the server's admin port; nothing: nobody asks it
    std::filesystem::path token_file;       ///< empty: no token is shown
    /// With it each player shows a token of its own, signed here; empty: they do not.
    struct TokenKey {
        std::filesystem::path file;
        std::string kid;
        std::string audience;
    } token_key;
    /// Scenario siege: clients on one spot; the entrance for browsers, if it is to be attacked,
    /// too.
    std::size_t siege_crowd = 200;
    std::optional<client::HostPort> siege_web_socket;
    bool json = false;
    std::filesystem::path report;  ///< where a page goes, and JSON beside it; empty: nowhere
};

/// `version` is what --version answers. Help goes to `out`, errors of form to `err`: then it throws
/// tools::ExitCode. Throws tools::BadInput for what makes no sense.
Options parse_options(int argc, const char* const* argv, std::string_view version,
                      std::ostream& out, std::ostream& err);

}  // namespace marchland::bots
