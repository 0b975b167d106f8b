#pragma once

#include "engine/entity.h"
#include "net/transport/client_tls.h"
#include "tools/bots/scenario_director.h"
#include "tools/clients/cpp/address.h"
#include "tools/command_line/exit_code.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace marchland::bots {

struct TraceOptions {
    std::filesystem::path file;
    std::optional<std::int64_t> hold_ns;  ///< nothing: usual_hold_ns() of the trace
    double speed = 1.0;                   ///< trace seconds per second
};

/// The command line of marchland-bots.
struct Options {
    client::HostPort server;
    ScenarioOptions scenario;           ///< means nothing with a trace
    std::optional<TraceOptions> trace;  ///< takes the scenario's place
    std::int64_t duration_ns = 0;       ///< 0: until a signal, or until the trace ends
    std::optional<engine::View> view;   ///< nothing: the zone's default
    std::size_t pairs_per_tick_max = 0;
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
    /// Scenario siege: clients on one spot; the entrance for browsers, if it is to be attacked, too.
    std::size_t siege_crowd = 0;
    std::optional<client::HostPort> siege_web_socket;
    bool json = false;
};

/// `version` is what --version answers. Help goes to `out`, errors to `err`.
std::variant<Options, tools::ExitCode> parse_options(int argc, const char* const* argv,
                                                     std::string_view version, std::ostream& out,
                                                     std::ostream& err);

}  // namespace marchland::bots
