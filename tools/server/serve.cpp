#include "tools/server/serve.h"

#include "shards/layout/balancer.h"
#include "shards/zone.h"
#include "shards/zone_threads.h"
#include "net/admin/admin_server.h"
#include "net/server.h"
#include "config/metres.h"
#include "tools/command_line/exit_code.h"
#include "tools/command_line/json_text.h"
#include "tools/process/resources.h"
#include "tools/process/service_manager.h"
#include "tools/server/injected_fault.h"
#include "tools/server/log.h"
#include "tools/server/operations.h"
#include "tools/server/status.h"

#include <boost/asio/ip/tcp.hpp>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>
#include <sys/socket.h>

namespace marchland::server {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

void check_descriptors(const net::ServerOptions& options) {
    // Standard streams, the listeners, connections that are accepted only to be refused as `full`.
    constexpr std::uint64_t kOwn = 32;
    // An event loop: epoll, its wake-up and its timer.
    constexpr std::uint64_t kEachThread = 3;
    const std::uint64_t limit = process::raise_open_files_max();
    // With all the connections that it may have.
    const std::uint64_t needed = options.connections_max + kOwn + options.descriptors_reserved() +
                                 kEachThread * options.io_threads;
    if (limit < needed) {
        spdlog::warn(
            "limits.connections_max = {} needs {} open files, the limit is {}: clients beyond it "
            "will be refused; raise it (ulimit -Hn, LimitNOFILE=) or lower the key",
            options.connections_max, needed, limit);
    }
}

/// Else clients would come to a port that nobody looks at, or from where the configuration lets
/// nobody come: what it allows without tokens, it allows by its addresses.
void require_known(const net::Server::InheritedSockets& inherited,
                   const net::ServerOptions& options) {
    const auto refuse = [](const std::string& what) {
        throw tools::BadInput(what +
                              ": say the same in marchland-server.socket (ListenStream=) and in "
                              "the configuration");
    };
    const net::WebSocketOptions& web = options.web_socket;
    for (const auto& [port, socket] : inherited) {
        const bool is_web = web.is_on && port == web.port;
        if (port != options.port && !is_web) {
            refuse(fmt::format(
                "systemd listens on port {}, which is neither server.port nor websocket.port",
                port));
        }
        boost::asio::ip::tcp::endpoint bound;
        auto size = static_cast<socklen_t>(bound.capacity());
        const bool is_bound = ::getsockname(socket, bound.data(), &size) == 0;
        const auto is = bound.address();
        const std::string& said = port == options.port ? options.address : web.address;
        const auto wanted = boost::asio::ip::make_address(said);
        if (!is_bound || is != wanted) {
            refuse(fmt::format("systemd listens on {}, and {}.address and port are {}",
                               net::endpoint_text(is.to_string(), port),
                               port == options.port ? "server" : "websocket",
                               net::endpoint_text(said, port)));
        }
    }
}

void explain_listen_error(const net::ListenFailure& failure) {
    const std::string where = net::endpoint_text(failure.address, failure.port);
    if (failure.error == std::errc::address_in_use) {
        spdlog::error(
            "cannot listen on {}: another program has the port; stop it (ss -ltnp shows which it "
            "is) or take another with {}.port{}",
            where, failure.key, failure.key == "server" ? " or --port" : "");
    } else if (failure.error == std::errc::permission_denied) {
        spdlog::error(
            "cannot listen on {}: ports below 1024 need rights; take another with {}.port", where,
            failure.key);
    } else if (failure.error == std::errc::address_not_available) {
        spdlog::error("cannot listen on {}: {}.address is none of this machine's", where,
                      failure.key);
    } else {
        spdlog::error("cannot listen on {}: {}", where, failure.error.message());
    }
}

using ConfigOrErrors = std::variant<config::ServerConfig, config::Diagnostics>;

/// The layout as it stands there now, for a world that is in use and cannot change; or every error.
Operations::LayoutOrErrors layout_in(const ConfigOrErrors& loaded, const ConfigSource& source,
                                     const engine::Rect& world) {
    if (source.layout) {  // whatever is wrong with the configuration
        return config::load_layout(*source.layout, world, world);
    }
    if (const auto* errors = std::get_if<config::Diagnostics>(&loaded)) {
        return *errors;
    }
    const auto& config = std::get<config::ServerConfig>(loaded);
    if (config.zone.world != world) {
        return config::Diagnostics{
            {source.config.string(), 0, 0, "world.bounds_m",
             fmt::format("{} is not the world that is in use ({})",
                         config::edges_text(config.zone.world), config::edges_text(world)),
             "only the layout is read again; another world needs a restart"}};
    }
    return config.layout;
}

/// True: it is in force, or was already. Puts the file's layout in force if it is another than at
/// the last reading, `newest`: one that came over the admin port, or that the balancer made, is not
/// lost to who only renews a certificate.
bool reload_layout(const ConfigOrErrors& loaded, const ConfigSource& source, std::string& newest,
                   const shards::Zone& zone, Operations& operations) {
    Operations::LayoutOrErrors read = layout_in(loaded, source, zone.options().world);
    std::string text;
    if (const auto* const layout = std::get_if<shards::Layout>(&read)) {
        text = config::to_toml(*layout);
        if (text == newest) {
            spdlog::info("layout of {} is what it was: the one in force stays", source.name());
            return true;
        }
    }
    const bool is_in_force = operations.put_in_force(std::move(read), source.name()).status == 200;
    if (is_in_force) {
        newest = std::move(text);
    }
    return is_in_force;
}

/// `[section]` and `key = value` of what to_toml wrote, without what is read again.
std::map<std::string, std::string> settings_of(const config::ServerConfig& config) {
    std::map<std::string, std::string> settings;
    std::istringstream lines(config::to_toml(config));
    std::string section;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("[[")) {
            break;  // the layout's shards
        }
        if (line.starts_with('[')) {
            section = line.substr(1, line.find(']') - 1);
        } else if (const auto equals = line.find(" = "); equals != std::string::npos) {
            settings[section + '.' + line.substr(0, equals)] = line.substr(equals + 3);
        }
    }
    for (const char* const again :
         {"shards.columns", "shards.rows", "shards.layout", "auth.keys"}) {
        settings.erase(again);
    }
    return settings;
}

/// What a new start would change: keys that the file has otherwise than when this server was
/// started. Nothing: the file cannot be read, which the log says.
std::optional<std::vector<std::string>> keys_for_a_restart(const ConfigOrErrors& loaded,
                                                           const ConfigSource& source) {
    const auto* const now = std::get_if<config::ServerConfig>(&loaded);
    if (now == nullptr) {
        spdlog::error("{} has errors: a start would fail; --check says where",
                      source.config.string());
        return std::nullopt;
    }
    std::vector<std::string> keys;
    const auto at_start = settings_of(source.as_read);
    for (const auto& [key, value] : settings_of(*now)) {
        const auto before = at_start.find(key);
        if (before == at_start.end() || before->second != value) {
            keys.push_back(fmt::format("{} ({}, in the file {})", key,
                                       before == at_start.end() ? "default" : before->second,
                                       value));
        }
    }
    return keys;
}

/// The token keys that the configuration names now. Nothing, and why is in the log, where it cannot
/// be read or asks for no tokens any more: whether tokens are needed is not read again.
std::optional<std::vector<net::TokenKeyFile>> key_list_in(const ConfigOrErrors& loaded) {
    if (const auto* errors = std::get_if<config::Diagnostics>(&loaded)) {
        for (const config::Diagnostic& error : *errors) {
            spdlog::error("list of token keys refused: {}", config::to_text(error));
        }
        spdlog::error("list of token keys refused, {} error(s): the one in use stays",
                      errors->size());
        return std::nullopt;
    }
    const net::AuthOptions& auth = std::get<config::ServerConfig>(loaded).server.auth;
    if (auth.mode != net::AuthOptions::Mode::jwt) {
        spdlog::error(
            "list of token keys refused: auth.mode needs a restart; the one in use stays");
        return std::nullopt;
    }
    return auth.keys;
}

/// Reads certificate and keys again; who is connected notices nothing. True: all are those of the
/// files.
bool reload_secrets(const ConfigOrErrors& loaded, net::Server& server,
                    const net::AuthOptions& in_use) {
    const auto keys =
        in_use.mode == net::AuthOptions::Mode::jwt ? key_list_in(loaded) : std::nullopt;
    const std::string listed = keys ? fmt::format(": {} token keys are listed", keys->size()) : "";
    const auto flaws = server.load_secrets(keys);
    for (const std::string& flaw : flaws) {
        spdlog::error("certificate or keys refused: {}; those in use stay", flaw);
    }
    if (flaws.empty()) {
        spdlog::info("certificate and keys were read again{}", listed);
    }
    return flaws.empty() && (keys || in_use.mode != net::AuthOptions::Mode::jwt);
}

/// False when its port cannot be had; the log says why.
bool open_admin(net::AdminServer& admin, const net::AdminOptions& options) {
    if (!options.is_on) {
        return true;
    }
    if (const std::error_code error = admin.start()) {
        explain_listen_error({error, options.address, options.port, "admin"});
        return false;
    }
    const std::string where = net::endpoint_text(options.address, admin.port());
    spdlog::info("admin at {}{}", where, options.token_file.empty() ? "" : ", with a token");
    spdlog::info("live map at http://{}/", where);
    return true;
}

void balance(shards::Balancer& balancer, shards::Zone& zone, shards::ZoneThreads& threads) {
    if (!zone.has_room_for_layout()) {
        return;  // some shard is far behind: it tries again later
    }
    auto next = balancer.propose(zone);
    if (!next) {
        return;
    }
    try {
        const engine::Tick from = threads.change_layout(*std::move(next));
        spdlog::info("balancer: an edge moves in tick {}", from);
    } catch (const std::system_error& error) {
        // The shards are those that run, so no thread should be missing; it tries again later.
        spdlog::error("balancer: {}", error.what());
    }
}

/// What ends the server before somebody asks for it.
struct Failures {
    std::atomic<bool> of_shard{false};
    std::atomic<bool> of_io{false};
    std::atomic<bool> of_main{false};

    [[nodiscard]] bool any() const { return of_shard.load() || of_io.load() || of_main.load(); }
};

/// The first seconds, in which everybody joins at once, are left out of the longest tick.
constexpr auto kSettling = 5s;

/// Logs a line a second until it is time to stop; returns why, for the log.
std::string watch(StatusMeter& meter, std::uint64_t& tick_us_max, std::chrono::nanoseconds tick,
                  process::StopSignals& signals, Failures& failures, Operations& operations,
                  const std::function<void()>& rebalance, net::Server& server, Log& log) {
    // Once a tick, so that every tick's time is seen; no more often than worth waking up for.
    const auto interval = std::chrono::ceil<std::chrono::milliseconds>(
        std::clamp<std::chrono::nanoseconds>(tick, 10ms, 1s));
    auto next_line = Clock::now() + 1s;
    const auto settled_at = Clock::now() + kSettling;
    Warnings warnings;
    process::FreedMemory freed_memory;
    while (!failures.any()) {
        const int signal = signals.wait_for(interval);
        if (signal == SIGHUP) {
            operations.reload_for("SIGHUP");
        } else if (signal != 0) {
            signals.let_next_one_kill();
            return signal == SIGINT ? "SIGINT" : "SIGTERM";
        }
        if (auto reason = operations.reason_to_stop(Clock::now())) {
            signals.let_next_one_kill();
            return *std::move(reason);
        }
        meter.look();
        rebalance();
        if (Clock::now() >= next_line) {
            const Status status = meter.take_status();
            spdlog::info(to_line(status));
            server.look_after_memory(status.resident_bytes);
            for (const std::string& line : warnings.lines_for(status, Clock::now())) {
                spdlog::warn(line);
            }
            log.tell_counts();
            freed_memory.look(Clock::now());
            next_line += 1s;
            if (Clock::now() >= settled_at) {
                tick_us_max = std::max(tick_us_max, status.tick_us_max);
            }
        }
    }
    signals.let_next_one_kill();
    return failures.of_shard.load() ? "a shard failed" : "an I/O thread failed";
}

/// How long shards may take to end their tick, at most: far longer than a tick that still helps
/// anybody.
constexpr std::chrono::milliseconds kLastTickWaitMax = 10s;

std::chrono::milliseconds last_tick_wait(const shards::ZoneOptions& zone) {
    const std::chrono::milliseconds three_ticks{3'000 / zone.tick_rate_hz};
    const std::chrono::milliseconds stall_max{zone.shard_stall_ms_max};
    return std::min(std::max(stall_max, three_ticks), kLastTickWaitMax);
}

/// How long each may take that may wait for what a thread holds which never ends.
constexpr auto kLastWordMax = 5s;

/// False: it is not over yet, and may never be.
bool do_within(std::chrono::milliseconds wait_max, std::function<void()> what) {
    std::packaged_task<void()> task(std::move(what));
    const std::future<void> done = task.get_future();
    try {
        std::thread(std::move(task)).detach();
    } catch (const std::system_error&) {  // there are no more threads
        return false;
    }
    return done.wait_for(wait_max) == std::future_status::ready;
}

/// What a thread uses that never ends cannot be taken apart in order: the process ends as it
/// stands, when clients have been sent why, and what the other shards have run is written.
/// `end_sessions`, `end_recording`: what an orderly stop does before the ticks end; again does
/// nothing.
void stop_or_end_process(shards::ZoneThreads& threads, const shards::ZoneOptions& zone,
                         shards::StateKeeper* keeper, Log& log,
                         const std::function<void()>& end_sessions,
                         const std::function<void()>& end_recording) {
    if (threads.stop_within(last_tick_wait(zone))) {
        return;
    }
    if (!do_within(kLastWordMax, end_sessions)) {
        spdlog::error("not all sessions could be ended in order");
    }
    if (!do_within(kLastWordMax, end_recording)) {
        spdlog::error("the recording has no end: its file could not be closed");
    }
    if (keeper != nullptr) {
        static_cast<void>(keeper->finish(shards::StateKeeper::End::while_a_shard_hangs));
    }
    spdlog::critical("a shard never ends its tick; the process ends without it, exit code {}",
                     tools::kExitFailed);
    log.close(kLastLinesWait);
    std::_Exit(tools::kExitFailed);
}

/// Until each shard has run a tick that it began after this call, and one more: what clients asked
/// for before has been taken then, also by whoever an entity was just handed over to, and sent to
/// services.
void run_last_ticks(shards::Zone& zone, const Failures& failures) {
    const engine::Tick last = zone.tick() + 2;
    const auto has_run = [&](shards::ShardId shard) {
        return zone.metrics(shard).tick.load(std::memory_order_acquire) >= last;
    };
    const auto deadline = Clock::now() + last_tick_wait(zone.options());
    while (!std::ranges::all_of(zone.running_shards(), has_run) && !failures.any()) {
        if (Clock::now() > deadline) {
            spdlog::warn("state: a shard is late: what its players asked for last is not kept");
            return;
        }
        std::this_thread::sleep_for(1ms);
    }
}

/// What MARCHLAND_REHEARSE orders, for tests of whoever looks after the server; else nothing.
shards::Zone::MakeTransport read_injected_fault(std::function<void()> fail_io) {
    const char* const text = std::getenv("MARCHLAND_REHEARSE");
    if (text == nullptr) {
        return nullptr;
    }
    const auto injected_fault = parse_injected_fault(text);
    if (!injected_fault) {
        throw tools::BadInput(fmt::format(
            "MARCHLAND_REHEARSE={}: none of throw@TICK, hang@TICK, throw_in_io@TICK", text));
    }
    spdlog::warn("MARCHLAND_REHEARSE={}: it will fail on purpose", text);
    return fail_as_injected(*injected_fault, std::move(fail_io));
}

/// What the signals ask for that came while files were read; of several, the last of these.
enum class Early { nothing, reload, stop };

Early take_all(process::StopSignals& signals) {
    Early asked = Early::nothing;
    while (const int signal = signals.take()) {
        asked = std::max(asked, signal == SIGHUP ? Early::reload : Early::stop);
    }
    return asked;
}

void log_summary(const Totals& totals, const net::ServerMetrics& network, std::uint64_t tick_us_max,
                 Clock::duration ran) {
    const double seconds = std::chrono::duration<double>(ran).count();
    const process::Consumption consumed = process::consumption();
    spdlog::info(
        "stopped after {:.1f} s: cpu_s={:.1f} cpu_percent={:.0f} rss_mib_max={} tick_ms_max={:.2f}",
        seconds, consumed.cpu_s, 100 * consumed.cpu_s / std::max(seconds, 1e-3),
        consumed.resident_bytes_max >> 20U, static_cast<double>(tick_us_max) / 1'000.0);
    spdlog::info(
        "totals: connections={} closed_with_error={} frames={} skipped={} handoffs={} "
        "out_mb={:.1f} "
        "late_ticks={} skipped_ticks={} stale_borders={} layout_changes={} "
        "staleness_ticks_p50={} staleness_ticks_p99={} staleness_ticks_max={} handoff_ticks_max={}",
        network.connections_total, network.closed_with_error_total, totals.frames,
        totals.frames_skipped, totals.handoffs, static_cast<double>(totals.bytes_out) / 1e6,
        totals.ticks_late, totals.ticks_skipped, totals.stale_border_ticks, totals.layout_changes,
        totals.moves_sent.ticks_at(50), totals.moves_sent.ticks_at(99),
        totals.moves_sent.ticks_at(100), totals.handoff_ticks_max);
}

}  // namespace

// Made in the order in which each needs the one before: the zone sends its frames out through the
// server, the threads run the zone, and the server listens last. Stopped in the reverse order: the
// sessions' entities leave a zone that still ticks, the recording ends, then the ticks do. Where a
// shard failed nothing ticks any more, and the ticks end first.
int serve(const config::ServerConfig& config, const ConfigSource& source,
          shards::Recorder* recorder, std::optional<KeptState> state, process::StopSignals& signals,
          Log& log) {
    const auto began = Clock::now();
    net::Server server(config.server);
    std::atomic<bool> io_is_to_fail{false};
    const auto injected_fault =
        read_injected_fault([&io_is_to_fail] { io_is_to_fail.store(true); });
    check_descriptors(config.server);
    require_known(process::inherited_sockets(), config.server);
    shards::Zone zone(config.zone, state ? state->layout : config.layout, server, recorder,
                      state ? state->start : shards::ZoneStart(), injected_fault);
    const Early came_early = take_all(signals);
    if (came_early == Early::stop) {
        spdlog::info("stopped before it listened");
        return 0;
    }
    Failures failures;
    // The shard has logged what failed; here it only ends the watch.
    shards::ZoneThreads threads(zone, [&](const std::string&) { failures.of_shard.store(true); });
    threads.start();
    for (const std::string& flaw : server.load_secrets()) {  // changed since main() looked
        spdlog::error("{}", flaw);
        return tools::kExitFailed;
    }
    std::function<std::string()> reload;
    Operations operations(config, zone, server, threads, log, [&reload] { return reload(); });
    auto admin_tokens = net::read_admin_tokens(config.server.admin);
    if (const auto* const flaw = std::get_if<net::FileFlaw>(&admin_tokens)) {  // likewise
        spdlog::error("{}", flaw->reason);
        return tools::kExitFailed;
    }
    net::AdminServer admin(config.server.admin, std::get<0>(std::move(admin_tokens)),
                           operations.actions());
    if (!open_admin(admin, config.server.admin)) {
        return tools::kExitFailed;
    }
    const auto on_io_failure = [&](const std::string& what) {
        if (!failures.of_io.exchange(true)) {
            spdlog::critical("an I/O thread failed: {}", what);
        }
    };
    if (const auto failure = server.start(
            zone, on_io_failure, state ? std::optional(std::move(state->restored)) : std::nullopt,
            process::inherited_sockets())) {
        explain_listen_error(*failure);
        return tools::kExitFailed;
    }
    operations.open();
    server.log_entrances();
    process::tell_service_manager("READY=1");

    StatusMeter meter(zone, server);
    const std::chrono::nanoseconds tick = 1'000'000'000ns / config.zone.tick_rate_hz;
    std::uint64_t tick_us_max = 0;
    shards::Balancer balancer(config.balancer, config.zone.tick_rate_hz);
    std::string newest_layout = config::to_toml(config.layout);  // of the file
    reload = [&] {
        const auto loaded = config::load_server_config(source.config, source.layout);
        const bool has_layout = reload_layout(loaded, source, newest_layout, zone, operations);
        const bool has_secrets = reload_secrets(loaded, server, config.server.auth);
        const auto restart = keys_for_a_restart(loaded, source);
        if (restart && !restart->empty()) {
            spdlog::warn("changed in {}, and not read again: a restart is needed for {}",
                         source.config.string(), fmt::join(*restart, ", "));
        }
        const std::string keys =
            tools::json_list(restart.value_or(std::vector<std::string>()), tools::json_text, ", ");
        return fmt::format(
            R"({{"layout": {}, "certificate_and_keys": {}, "file": {}, "needs_restart": [{}]}})",
            has_layout, has_secrets, restart.has_value(), keys);
    };
    engine::Tick ticked = zone.tick();  // to the service manager: a zone that ticks is alive
    Clock::time_point tell_at = Clock::now();
    const auto rebalance = [&] {
        if (io_is_to_fail.exchange(false)) {
            server.inject_fault();
        }
        operations.run_background_tasks();
        if (const engine::Tick now = zone.tick(); now != ticked && Clock::now() >= tell_at) {
            process::tell_service_manager("WATCHDOG=1");
            ticked = now;
            tell_at = Clock::now() + 1s;
        }
        balance(balancer, zone, threads);
    };
    std::string reason;
    try {
        if (came_early == Early::reload) {
            operations.reload_for("SIGHUP");
        }
        reason =
            watch(meter, tick_us_max, tick, signals, failures, operations, rebalance, server, log);
    } catch (const std::exception& failure) {  // the server still stops in order
        failures.of_main.store(true);
        spdlog::critical("the main thread failed: {}", failure.what());
        reason = "the main thread failed";
    }
    spdlog::info("stopping: {}", reason);
    operations.close();
    process::tell_service_manager("STOPPING=1");
    bool is_recorded = true;
    const auto end_sessions = [&] { server.stop(); };
    const auto end_recording = [&] { is_recorded = recorder == nullptr || recorder->finish(); };
    const auto end_threads = [&] {
        stop_or_end_process(threads, config.zone, zone.keeper(), log, end_sessions, end_recording);
    };
    if (failures.of_shard.load()) {
        end_threads();
    }
    admin.stop();
    if (state && !failures.of_shard.load()) {
        server.hold_clients();
        run_last_ticks(zone, failures);
    }
    end_sessions();
    end_recording();
    end_threads();
    const bool is_kept = !state || state->keeper->finish();
    log_summary(meter.totals(), server.metrics(), tick_us_max, Clock::now() - began);
    return failures.any() || !is_recorded || !is_kept ? tools::kExitFailed : 0;
}

}  // namespace marchland::server
