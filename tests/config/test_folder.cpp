#include "tests/config/test_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdlib.h>  // mkdtemp is POSIX: <cstdlib> need not have it
#include <utility>
#include <variant>

namespace marchland::config {

namespace {

constexpr engine::Rect kGridWorld{0, 0, 100'000, 100'000};

std::filesystem::path make_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "marchland-XXXXXX").string();
    return mkdtemp(name.data()) == nullptr ? std::filesystem::path() : std::filesystem::path(name);
}

}  // namespace

TestFolder::TestFolder() : path_(make_folder()) {
    EXPECT_FALSE(path_.empty()) << "no temporary folder";
}

TestFolder::~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TestFolder::write(std::string_view name, std::string_view text) const {
    std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
}

std::optional<ServerConfig> TestFolder::load(const std::filesystem::path& file) const {
    auto result = load_server_config(file, std::nullopt);
    if (auto* config = std::get_if<ServerConfig>(&result)) {
        return std::move(*config);
    }
    for (const std::string& error : texts_of(std::get<Diagnostics>(result))) {
        ADD_FAILURE() << error;
    }
    return std::nullopt;
}

std::optional<shards::Layout> TestFolder::load_layout_file(
    std::string_view text, const std::optional<engine::Rect>& world) const {
    auto result = load_layout(write("layout.toml", text), world, kGridWorld);
    if (auto* layout = std::get_if<shards::Layout>(&result)) {
        return std::move(*layout);
    }
    for (const std::string& error : texts_of(std::get<Diagnostics>(result))) {
        ADD_FAILURE() << error;
    }
    return std::nullopt;
}

std::vector<std::string> TestFolder::errors_of(
    std::string_view text, const std::optional<std::filesystem::path>& layout) const {
    const auto result = load_server_config(write("zone.toml", text), layout);
    const auto* diagnostics = std::get_if<Diagnostics>(&result);
    return diagnostics == nullptr ? std::vector<std::string>() : texts_of(*diagnostics);
}

std::vector<std::string> TestFolder::layout_errors_of(
    std::string_view text, const std::optional<engine::Rect>& world) const {
    const auto result = load_layout(write("layout.toml", text), world, kGridWorld);
    const auto* diagnostics = std::get_if<Diagnostics>(&result);
    return diagnostics == nullptr ? std::vector<std::string>() : texts_of(*diagnostics);
}

std::vector<std::string> TestFolder::texts_of(const Diagnostics& diagnostics) const {
    const std::string folder = path_.string() + '/';
    std::vector<std::string> texts;
    for (const Diagnostic& diagnostic : diagnostics) {
        std::string text = to_text(diagnostic);
        for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
            text.erase(at, folder.size());
        }
        texts.push_back(std::move(text));
    }
    return texts;
}

// The bindings name every member: one more in a struct, and this no longer compiles.

void expect_same(const ServerConfig& a, const ServerConfig& b) {
    const auto& [world, dimensions, quantum, rate, scale, leave_max, notify_max, hysteresis, wait,
                 stall, gap, index, executor, executor_pairs, pin, cell, crowd, prediction,
                 client_bytes, tick_bytes, slots, entities, departures] = a.zone;
    EXPECT_EQ(world, b.zone.world);
    EXPECT_EQ(dimensions, b.zone.dimensions);
    EXPECT_EQ(quantum, b.zone.quantum_mm);
    EXPECT_EQ(rate, b.zone.tick_rate_hz);
    EXPECT_EQ(scale, b.zone.time_scale_percent_min);
    EXPECT_EQ(leave_max, b.zone.leave_radius_mm_max);
    EXPECT_EQ(notify_max, b.zone.notify_leave_radius_mm_max);
    EXPECT_EQ(hysteresis, b.zone.border_hysteresis_mm);
    EXPECT_EQ(wait, b.zone.border_wait_ms_max);
    EXPECT_EQ(stall, b.zone.shard_stall_ms_max);
    EXPECT_GT(gap, 0U);
    EXPECT_EQ(index, b.zone.index);
    EXPECT_EQ(executor, b.zone.executor_threads);
    EXPECT_EQ(executor_pairs, b.zone.executor_pairs_min);
    EXPECT_EQ(pin, b.zone.pin_cores);
    EXPECT_EQ(cell, b.zone.cell_mm);
    EXPECT_EQ(crowd, b.zone.crowd);
    EXPECT_EQ(prediction, b.zone.prediction_error_mm);
    EXPECT_EQ(client_bytes, b.zone.client_bytes_per_second_max);
    EXPECT_EQ(tick_bytes, b.zone.tick_bytes_max);
    EXPECT_EQ(slots, b.zone.slots);
    EXPECT_EQ(entities, b.zone.entities_max);
    EXPECT_EQ(departures, b.zone.departures_max);

    const auto& [interval, gain, step, side] = a.balancer;
    EXPECT_EQ(interval, b.balancer.interval_ms_min);
    EXPECT_EQ(gain, b.balancer.gain_percent_min);
    EXPECT_EQ(step, b.balancer.step_mm_max);
    EXPECT_EQ(side, b.balancer.side_mm_min);

    const auto& [address, port, is_tls, is_behind_proxy, proxies, web_socket, tls, auth, admin,
                 services, io_threads, io, batch, connections, handshakes, address_limits,
                 message_bytes, messages, bytes, handshake, idle, slow, linger, unsent, idle_buffer,
                 memory, speed, edge, grace, waiting, states, said, frames, predicted, view, spawn,
                 by_client] = a.server;
    EXPECT_EQ(is_tls, b.server.is_tls);
    EXPECT_EQ(is_behind_proxy, b.server.is_behind_proxy);
    EXPECT_EQ(proxies, b.server.trusted_proxies);
    EXPECT_EQ(web_socket, b.server.web_socket);
    EXPECT_EQ(tls, b.server.tls);
    EXPECT_EQ(auth, b.server.auth);
    EXPECT_EQ(admin, b.server.admin);
    EXPECT_EQ(services, b.server.services);
    EXPECT_EQ(handshakes, b.server.handshakes_max);
    EXPECT_EQ(address_limits, b.server.address_limits);
    EXPECT_EQ(memory, b.server.memory_bytes_max);
    EXPECT_EQ(address, b.server.address);
    EXPECT_EQ(port, b.server.port);
    EXPECT_EQ(io_threads, b.server.io_threads);
    EXPECT_EQ(connections, b.server.connections_max);
    EXPECT_EQ(message_bytes, b.server.message_bytes_max);
    EXPECT_EQ(messages, b.server.messages_per_second_max);
    EXPECT_EQ(bytes, b.server.bytes_per_second_max);
    EXPECT_EQ(handshake, b.server.handshake_timeout_ms);
    EXPECT_EQ(idle, b.server.idle_timeout_ms);
    EXPECT_EQ(slow, b.server.slow_timeout_ms);
    EXPECT_EQ(linger, b.server.linger_timeout_ms);
    EXPECT_EQ(idle_buffer, b.server.idle_buffer_bytes_max);
    EXPECT_EQ(io, b.server.io);
    EXPECT_EQ(batch, b.server.batch_us);
    EXPECT_EQ(unsent, b.server.unsent_bytes_max);
    EXPECT_EQ(speed, b.server.speed_max_mm_per_s);
    EXPECT_EQ(edge, b.server.edge);
    EXPECT_EQ(grace, b.server.resume_grace_ms);
    EXPECT_EQ(waiting, b.server.resume_waiting_max);
    EXPECT_EQ(states, b.server.player_states_per_second_max);
    EXPECT_EQ(said, b.server.player_messages);
    EXPECT_EQ(frames, b.server.frames_hz);
    EXPECT_EQ(predicted, b.server.prediction_ms_max);
    EXPECT_EQ(view, b.server.default_view);
    EXPECT_EQ(spawn, b.server.default_spawn);
    EXPECT_EQ(by_client, b.server.spawn_by_client);

    EXPECT_EQ(a.state, b.state);
    EXPECT_EQ(a.log_format, b.log_format);
    EXPECT_EQ(a.log_level, b.log_level);
    EXPECT_EQ(a.log_queue_lines_max, b.log_queue_lines_max);
    expect_same(a.layout, b.layout);
}

void expect_same(const shards::Layout& a, const shards::Layout& b) {
    EXPECT_EQ(a.world(), b.world());
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto shard = static_cast<shards::ShardId>(i);
        EXPECT_EQ(a.region(shard), b.region(shard)) << "shard " << i;
    }
}

}  // namespace marchland::config
