#include "tools/server/metrics.h"

#include "shards/state/keeper.h"
#include "tools/command_line/json_text.h"
#include "tools/process/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <utility>

namespace marchland::server {

namespace {

using net::Metrics;
using shards::ShardMetrics;

struct OfShard {
    std::atomic<std::uint64_t> ShardMetrics::*value;
    const char* name;
    const char* help;
    double unit = 1;  ///< of the metric, in each of the value
};

constexpr double kMicrosecond = 1e-6;

constexpr OfShard kOfShards[] = {
    {&ShardMetrics::tick, "tick", "Newest tick of the shard."},
    {&ShardMetrics::time_scale_percent, "time_scale_percent", "Game time against real time."},
    {&ShardMetrics::ring_slowdown, "ring_slowdown", "Update rings against their settings."},
    {&ShardMetrics::frame_bytes_max, "frame_bytes_max",
     "Budget of a frame, lowered by overload; 0: as it is set."},
    {&ShardMetrics::turn_ticks, "turn_ticks", "Every so many ticks a client gets a frame."},
    {&ShardMetrics::entities, "entities", "Entities that the shard owns."},
    {&ShardMetrics::ghosts, "ghosts", "Copies of entities that other shards own."},
    {&ShardMetrics::handoffs_total, "handoffs_total", "Entities handed to another shard."},
    {&ShardMetrics::handoff_ticks_max, "handoff_ticks_max", "Longest way of a hand-over."},
    {&ShardMetrics::messages_dropped_total, "messages_dropped_total",
     "Messages to who sees an entity with several new connections in one tick, beyond 64."},
    {&ShardMetrics::frames_total, "frames_total", "Frames made."},
    {&ShardMetrics::frames_skipped_total, "frames_skipped_total",
     "Frames not made: the client's last one was on its way."},
    {&ShardMetrics::shared_ticks_total, "shared_ticks_total", "Ticks built with the executor."},
    {&ShardMetrics::frames_capped_total, "frames_capped_total", "Frames over crowd.visible_max."},
    {&ShardMetrics::frames_slowed_total, "frames_slowed_total", "Frames in which far moves wait."},
    {&ShardMetrics::frames_over_budget_total, "frames_over_budget_total",
     "Frames in which moves, states or messages wait for room."},
    {&ShardMetrics::frames_filling_total, "frames_filling_total",
     "Frames in which entities that could be seen wait for room."},
    {&ShardMetrics::frame_bytes_total, "frame_bytes_total",
     "Bytes of frames, by the model of crowd.frame_bytes_max."},
    {&ShardMetrics::stale_border_ticks_total, "stale_border_ticks_total",
     "Ticks that went on without some shard's batch."},
    {&ShardMetrics::ticks_late_total, "ticks_late_total",
     "Ticks that ended after the next was due."},
    {&ShardMetrics::ticks_skipped_total, "ticks_skipped_total", "Ticks that were never run."},
    {&ShardMetrics::tick_us_last, "tick_last_seconds", "Work of the newest tick, waits left out.",
     kMicrosecond},
    {&ShardMetrics::tick_us_max, "tick_max_seconds", "Longest tick since the last status line.",
     kMicrosecond},
    {&ShardMetrics::gate_us_max, "gate_wait_max_seconds",
     "Longest wait for other shards since the last status line.", kMicrosecond},
};

void add_of_shards(shards::Zone& zone, const std::vector<shards::ShardId>& running,
                   const OfShard& which, Metrics& metrics) {
    auto& metric = net::add_metric(metrics, which.name, which.help);
    for (const shards::ShardId shard : running) {
        const auto value = (zone.metrics(shard).*which.value).load(std::memory_order_relaxed);
        net::add_sample(metric, static_cast<double>(value) * which.unit,
                        {{"shard", zone.name_of(shard)}});
    }
}

/// One number.
void add(Metrics& metrics, const char* name, const char* help, auto value) {
    net::add_sample(net::add_metric(metrics, name, help), static_cast<double>(value));
}

void add_tick_durations(shards::Zone& zone, const std::vector<shards::ShardId>& running,
                        Metrics& metrics) {
    const auto add_histograms = [&](const char* name, const char* help,
                                    shards::DurationHistogram ShardMetrics::*which) {
        auto& metric = net::add_metric(metrics, name, help);
        for (const shards::ShardId shard : running) {
            net::add_histogram(metric, (zone.metrics(shard).*which).counts(), kMicrosecond,
                               {{"shard", zone.name_of(shard)}});
        }
    };
    add_histograms("tick_duration_seconds", "Work of a tick, waits left out.",
                   &ShardMetrics::tick_duration);
    add_histograms("gate_wait_seconds", "How long a tick waited for other shards.",
                   &ShardMetrics::gate_wait);
    add_histograms(
        "move_latency_seconds",
        "From a player's move's arrival until the frames that tell it are with the I/O threads.",
        &ShardMetrics::move_latency);
    auto& phases =
        net::add_metric(metrics, "tick_phase_duration_seconds", "Work of each phase of a tick.");
    for (const shards::ShardId shard : running) {
        for (std::size_t phase = 0; phase < shards::kPhaseNames.size(); ++phase) {
            net::add_histogram(
                phases, zone.metrics(shard).phase_duration[phase].counts(), kMicrosecond,
                {{"shard", zone.name_of(shard)}, {"phase", shards::kPhaseNames[phase]}});
        }
    }
}

shards::HistogramCounts histogram_of(const shards::UpdateStaleness& moves) {
    shards::HistogramCounts counts{{0, 1, 2, 4, 8, 16, 32, 62}, {}, 0};
    counts.counts.resize(counts.bounds.size() + 1);
    for (std::size_t ticks = 0; ticks < moves.moves.size(); ++ticks) {
        const auto bound = std::ranges::lower_bound(counts.bounds, ticks);
        counts.counts[static_cast<std::size_t>(bound - counts.bounds.begin())] +=
            moves.moves[ticks];
        counts.sum += moves.moves[ticks] * ticks;
    }
    return counts;
}

/// Of all moves that were sent since the start, by every shard that ever ran.
void add_staleness(shards::Zone& zone, Metrics& metrics) {
    const shards::UpdateStaleness moves = zone.moves_sent();
    add(metrics, "staleness_ticks_p50", "Age of moves when they were sent, median since the start.",
        moves.ticks_at(50));
    add(metrics, "staleness_ticks_p99", "Age of moves when they were sent, 99th percentile.",
        moves.ticks_at(99));
    add(metrics, "staleness_ticks_max", "Age of moves when they were sent, the oldest.",
        moves.ticks_at(100));
    // By the ticks' usual length, whatever time they take now.
    net::add_histogram(
        net::add_metric(metrics, "staleness_seconds", "Age of moves when clients were sent them."),
        histogram_of(moves), 1.0 / zone.options().tick_rate_hz);
}

void add_network(const net::ServerMetrics& network, Metrics& metrics) {
    const auto add = [&](const char* name, const char* help, std::uint64_t value) {
        server::add(metrics, name, help, value);
    };
    add("connections", "Connections at once.", network.connections);
    add("short_of_memory", "1 while nobody may join for limits.memory_bytes_max.",
        network.is_short_of_memory ? 1 : 0);
    add("players", "Connections through the handshake as a player.", network.players);
    add("services", "Connections through the handshake as a service.", network.services);
    add("service_entities", "Entities in the zone that are services'.", network.service_entities);
    add("connections_total", "Connections accepted.", network.connections_total);
    add("failed_connections_total", "Connections ended by an exception.",
        network.failed_connections_total);
    add("accept_failures_total", "Times that no connection could be accepted.",
        network.accept_failures_total);
    add("refused_addresses_total", "Connections of an address over its limits.",
        network.refused_addresses_total);
    add("evicted_handshakes_total", "Connections without a Hello closed to make room.",
        network.evicted_handshakes_total);
    add("failed_handshakes_total",
        "Connections whose TLS or WebSocket broke before a Hello, or that sent none in time.",
        network.failed_handshakes_total);
    add("refused_tokens_total", "Hellos without a token that is good for them.",
        network.refused_tokens_total);
    add("resumes_total", "Sessions of players and services that went on over a new connection.",
        network.resumes_total);
    add("replaced_logins_total", "Entities that another login of their subject took over.",
        network.replaced_logins_total);
    add("overloaded_joins_total", "Joins that an overloaded zone refused.",
        network.overloaded_joins_total);
    add("corrections_total", "Corrections sent to players, one for each resume included.",
        network.corrections_total);
    add("frames_over_by_messages_total", "Frames over budget by services' messages alone.",
        network.frames_over_by_messages_total);
    add("closed_with_error_total", "Connections closed with an Error.",
        network.closed_with_error_total);
    add("in_bytes_total", "Bytes from clients, on the wire.", network.bytes_in_total);
    add("out_bytes_total", "Bytes to clients, before TLS and WebSocket.", network.bytes_out_total);
    add("messages_in_total", "Messages from clients.", network.messages_in_total);
    add("sends_total", "Writes to clients.", network.sends_total);
    auto& refusals = net::add_metric(metrics, "refusals_total",
                                     "Connections closed with an Error, by its code.");
    for (std::size_t code = 1; code < network.errors_total.size(); ++code) {
        net::add_sample(refusals, static_cast<double>(network.errors_total[code]),
                        {{"code", std::string(net::name_of(static_cast<net::ErrorCode>(code)))}});
    }
}

void add_io_threads(const net::ServerMetrics& network, Metrics& metrics) {
    using Thread = net::ServerMetrics::IoThread;
    const auto add_of_threads = [&](const char* name, const char* help,
                                    shards::HistogramCounts Thread::*which, double unit) {
        auto& metric = net::add_metric(metrics, name, help);
        for (std::size_t i = 0; i < network.io_threads.size(); ++i) {
            net::add_histogram(metric, network.io_threads[i].*which, unit,
                               {{"io_thread", std::to_string(i)}});
        }
    };
    add_of_threads("io_thread_lag_seconds",
                   "From a shard's frames to the I/O thread that takes them.",
                   &Thread::mail_wait_us, kMicrosecond);
    add_of_threads("io_thread_mailbox_items", "Items that an I/O thread found waiting at once.",
                   &Thread::mail_items, 1);
    add_of_threads("frame_size_bytes", "Frames as they are sent, before TLS and WebSocket.",
                   &Thread::frame_bytes, 1);
}

void add_sheds(const shards::Zone& zone, Metrics& metrics) {
    auto& sheds =
        net::add_metric(metrics, "sheds_total",
                        "Times that the overloaded zone began to save at this, or saved more.");
    for (std::size_t kind = 0; kind < shards::kShedNames.size(); ++kind) {
        net::add_sample(sheds,
                        static_cast<double>(zone.sheds_total(static_cast<shards::Shed>(kind))),
                        {{"kind", shards::kShedNames[kind]}});
    }
}

/// By owner; what nobody counts, shared libraries and stacks among it, is the rest.
void add_memory(shards::Zone& zone, const net::ServerMetrics& network, Metrics& metrics) {
    std::uint64_t entities = 0;
    std::uint64_t known = 0;
    for (const shards::ShardId id : zone.running_shards()) {
        entities += zone.metrics(id).entity_bytes.load(std::memory_order_relaxed);
        known += zone.metrics(id).known_bytes.load(std::memory_order_relaxed);
    }
    const std::uint64_t recorder =
        zone.recorder() != nullptr ? zone.recorder()->waiting_bytes() : 0;
    const std::uint64_t state = zone.keeper() != nullptr ? zone.keeper()->memory_bytes() : 0;
    const std::uint64_t counted =
        entities + known + network.connection_bytes + network.frame_bytes_held + state + recorder;
    const std::uint64_t all = process::resident_bytes();
    auto& memory =
        net::add_metric(metrics, "memory_bytes",
                        "Memory by owner, counted once a second; the rest is what nobody counts.");
    const auto add_owner = [&](const char* owner, std::uint64_t bytes) {
        net::add_sample(memory, static_cast<double>(bytes), {{"owner", owner}});
    };
    add_owner("frames", network.frame_bytes_held);
    add_owner("connections", network.connection_bytes);
    add_owner("entities", entities);
    add_owner("known_sets", known);
    add_owner("state", state);
    add_owner("recorder", recorder);
    add_owner("rest", all - std::min(all, counted));
}

std::string number(double value) {
    return value == std::floor(value) && std::abs(value) < 1e15
               ? fmt::format("{}", static_cast<std::int64_t>(value))
               : fmt::format("{}", value);
}

void add_state(const shards::StateKeeper& keeper, Metrics& metrics) {
    const shards::StoreWriter::Status state = keeper.status();
    add(metrics, "state_is_kept", "0 once too much waited: nothing is kept any more.",
        keeper.is_whole() ? 1 : 0);
    add(metrics, "state_age_seconds", "Since all that there was had been written.",
        std::chrono::duration<double>(state.age).count());
    add(metrics, "state_writes_total", "Transactions of the state.", state.written_total);
    add(metrics, "state_write_failures_total", "Transactions that failed.", state.failed_total);
    add(metrics, "state_log_bytes",
        "SQLite's log: it grows while somebody's transaction does not end.", state.log_bytes);
}

}  // namespace

Metrics metrics_of(shards::Zone& zone, const net::Server& server, const Log& log) {
    Metrics metrics;
    const auto running = zone.running_shards();
    for (const OfShard& which : kOfShards) {
        add_of_shards(zone, running, which, metrics);
    }
    add_tick_durations(zone, running, metrics);
    add_staleness(zone, metrics);
    const net::ServerMetrics network = server.metrics();
    add_network(network, metrics);
    add_io_threads(network, metrics);
    add_sheds(zone, metrics);
    add(metrics, "shards", "Shards that run.", running.size());
    add(metrics, "departures", "Entities that left and are remembered.", zone.departure_count());
    add(metrics, "layout_changes_total", "Layouts put in force after the first.",
        zone.layout_changes_total());
    add(metrics, "resident_bytes", "Memory in use.", process::resident_bytes());
    add_memory(zone, network, metrics);
    add(metrics, "log_lines_dropped_total", "Lines that the log had no room for.",
        log.dropped_total());
    add(metrics, "log_queue_lines", "Lines of the log that wait to be written.", log.queue_lines());
    if (const shards::StateKeeper* const keeper = zone.keeper()) {
        add_state(*keeper, metrics);
    }
    add(metrics, "cpu_seconds_total", "CPU time of the process.", process::consumption().cpu_s);
    return metrics;
}

std::string status_json(const Metrics& metrics) {
    std::string json;
    for (const prometheus::MetricFamily& metric : metrics) {
        if (metric.metric.empty() || metric.type == prometheus::MetricType::Histogram) {
            continue;
        }
        const std::string name = metric.name.substr(metric.name.find('_') + 1);
        json += (json.empty() ? "{" : ", ") + tools::json_text(name) + ": ";
        const bool is_counter = metric.type == prometheus::MetricType::Counter;
        std::string labelled;
        for (const prometheus::ClientMetric& sample : metric.metric) {
            const std::string value =
                number(is_counter ? sample.counter.value : sample.gauge.value);
            if (sample.label.empty()) {
                json += value;
            } else {
                labelled += (labelled.empty() ? "{" : ", ") +
                            tools::json_text(sample.label.front().value) + ": " + value;
            }
        }
        json += labelled.empty() ? "" : labelled + "}";
    }
    return json + "}\n";
}

}  // namespace marchland::server
