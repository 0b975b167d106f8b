#include "tests/net/running_server.h"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace marchland::tests {

namespace {

class MotionlessPort final : public shards::EntityPort {
public:
    void take_inputs(shards::Inputs&) override {}
    [[nodiscard]] bool can_take_frame() const override { return false; }
    bool put_frame(const engine::Frame&, const engine::EntityStore&,
                   const shards::FrameFlags&) override {
        return false;
    }
    [[nodiscard]] std::uint32_t io_thread() const override { return 0; }
    void on_removed() override {}
};

}  // namespace

net::ServerOptions patient_server() {
    net::ServerOptions options;
    options.port = 0;
    const char* const io = std::getenv("MARCHLAND_TEST_IO");
    options.io = io != nullptr && io == std::string_view("epoll")
                     ? net::ServerOptions::Io::epoll
                     : net::ServerOptions::Io::automatic;
    options.resume_grace_ms = 0;
    options.address_limits.restart_factor = 1;
    options.messages_per_second_max = 1'000'000;
    options.bytes_per_second_max = 1'000'000'000;
    options.handshake_timeout_ms = 60'000;
    options.idle_timeout_ms = 60'000;
    options.slow_timeout_ms = 60'000;
    return options;
}

shards::ZoneOptions small_zone() {
    shards::ZoneOptions options;
    options.world = {-500'000, -500'000, 500'000, 500'000};
    options.tick_rate_hz = 1;
    options.slots = {{"look", engine::StateType::bytes, engine::StateWriter::player},
                     {"health", engine::StateType::integer},
                     {"purse", engine::StateType::integer, engine::StateWriter::service,
                      engine::StateAudience::own}};
    options.slots[0].bytes_max = engine::kBlobBytesMax;
    return options;
}

net::FrameMessage empty_frame(engine::Tick tick, std::uint32_t move_ack) {
    net::FrameMessage frame{tick, move_ack, false, {}, {}, {}};
    frame.server_time_us = tick * 1'000'000;
    return frame;
}

RunningServer::RunningServer(const net::ServerOptions& server_options,
                             const shards::ZoneOptions& zone_options, std::uint32_t shards_a_side)
    : server_(server_options),
      zone_(zone_options,
            std::get<shards::Layout>(
                shards::Layout::grid(zone_options.world, shards_a_side, shards_a_side)),
            server_),
      lockstep_(zone_) {
    spdlog::set_level(spdlog::level::warn);
    for (const std::string& flaw : server_.load_secrets()) {
        throw std::runtime_error(flaw);
    }
    if (const auto failure =
            server_.start(zone_, [this](const std::string&) { io_failures_.fetch_add(1); })) {
        throw std::runtime_error(failure->error.message());
    }
}

RunningServer::~RunningServer() {
    server_.stop();
}

std::vector<net::FrameMessage> RunningServer::tick(std::initializer_list<TestClient*> clients) {
    for (TestClient* const client : clients) {
        client->fence();
    }
    step();
    std::vector<net::FrameMessage> frames;
    for (TestClient* const client : clients) {
        frames.push_back(client->receive_one<net::FrameMessage>());
        client->fence();  // by now its port can take the next frame
    }
    return frames;
}

void RunningServer::crowd(engine::Position at, std::size_t count) {
    const auto state = engine::with(
        nullptr,
        std::vector<engine::StateWrite>{
            {0, std::make_shared<const std::vector<std::byte>>(engine::kBlobBytesMax)}},
        1);
    for (std::size_t i = 0; i < count; ++i) {
        shards::Join join;
        join.entity.id = zone_.new_id();
        join.entity.position = at;
        join.entity.state = state;
        join.port = std::make_shared<MotionlessPort>();
        join.takes_frames = false;
        ASSERT_TRUE(zone_.join(std::move(join)));
    }
}

void expect_error(TestClient& client, net::ErrorCode code) {
    std::optional<net::ServerMessage> last;
    while (std::optional<net::ServerMessage> message = client.receive()) {
        last = std::move(message);
    }
    EXPECT_FALSE(client.was_reset());
    ASSERT_TRUE(last) << "the stream ended without a word";
    const auto* const error = std::get_if<net::ErrorMessage>(&*last);
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(net::name_of(error->code), net::name_of(code)) << error->text;
    EXPECT_FALSE(error->text.empty());
}

}  // namespace marchland::tests
