#include "shards/lockstep.h"
#include "shards/zone_query.h"
#include "net/connection.h"
#include "net/decode_server.h"
#include "net/directory.h"
#include "net/encode_server.h"
#include "net/player_notices.h"
#include "net/player_port.h"
#include "tests/properties/dice.h"
#include "tests/sanitizer.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

// The game's rules of how players' entities move, under any layout: the same histories, of clients
// that move, read slowly, have fewer frames than ticks and come back, and of a service that rules
// over them, played through players' ports.

namespace marchland::tests {

namespace {

using engine::EntityId;
using engine::Position;
using engine::Tick;

constexpr engine::Rect kWorld{-20'000, -20'000, 19'999, 19'999};
constexpr std::uint32_t kSpeed = 20'000;
constexpr std::uint32_t kRate = 20;
constexpr std::size_t kPlayers = 12;
constexpr Tick kTicks = 120;
constexpr std::uint64_t kGames = kIsSanitized ? 20 : 100;

shards::ZoneOptions zone_options() {
    shards::ZoneOptions options;
    options.world = kWorld;
    options.tick_rate_hz = kRate;
    options.leave_radius_mm_max = 9'000;
    options.notify_leave_radius_mm_max = 9'000;
    options.border_hysteresis_mm = 500;
    options.cell_mm = 2'500;
    return options;
}

shards::Layout grid(std::uint32_t columns, std::uint32_t rows) {
    return std::get<shards::Layout>(shards::Layout::grid(kWorld, columns, rows));
}

class Outlet final : public shards::FrameOutlet {
public:
    [[nodiscard]] std::uint32_t io_thread_count() const override { return 1; }
    void post(std::uint32_t, std::span<const std::shared_ptr<shards::EntityPort>> ports) override {
        for (const auto& port : ports) {
            waiting.insert(port.get());
        }
    }
    [[nodiscard]] bool wants_players(Tick) const override { return true; }
    void post_players(shards::OwnPlayers&& own) override { positions_.post(std::move(own)); }

    std::vector<std::shared_ptr<const net::PlayersOfTick>> ticks;
    std::set<const shards::EntityPort*> waiting;  ///< with a frame in flight

private:
    net::PlayerPositions positions_{[this](const auto& tick) { ticks.push_back(tick); }};
};

net::FrameMessage decoded(std::span<const std::byte> bytes) {
    const std::vector<std::byte> message(bytes.begin(), bytes.end());
    net::ServerMessage decoded;
    EXPECT_FALSE(net::decode_server(message, decoded));
    return std::get<net::FrameMessage>(decoded);
}

/// One history, played under layouts that it does not depend on.
class Game {
public:
    /// `layouts`: the first, and then another one of them every 15 ticks.
    Game(std::uint64_t seed, std::vector<shards::Layout> layouts)
        : layouts_(std::move(layouts)),
          dice_(seed),
          zone_(zone_options(), layouts_.front(), outlet_),
          lockstep_(zone_) {
        for (std::size_t i = 0; i < kPlayers; ++i) {
            players_.push_back(std::make_unique<Player>());
            Player& player = *players_.back();
            engine::Entity entity;
            entity.id = EntityId{i + 1};
            entity.position = anywhere();
            entity.view = engine::View::circle(6'000, 7'000);
            player.entity = entity.id;
            player.at = player.was_at = entity.position;
            const net::SpeedLimit speed(kSpeed, kRate, engine::Dimensions::two, entity.position);
            player.port =
                std::make_shared<net::PlayerPort>(options({}), speed, mailbox_, counters_);
            const auto join = [&] { return zone_.join({entity, player.port}); };
            EXPECT_TRUE(directory_.enter(entity.id, {player.port, net::kPlayers},
                                         net::PlayerNotices::Player{}, join));
        }
        EXPECT_TRUE(directory_.notices().open_queue(box_, 1));
        directory_.notices().subscribe(*box_, {{}, false, {}, true}, engine::Dimensions::two, 1);
    }

    /// What each client was sent, and then what a service would be of where players are.
    std::vector<std::vector<std::byte>> play() {
        for (Tick tick = 1; tick <= kTicks; ++tick) {
            if (layouts_.size() > 1 && tick % 15 == 0) {
                lockstep_.change_layout(layouts_[tick / 15 % layouts_.size()]);
            }
            for (auto& player : players_) {
                act(*player);
            }
            lockstep_.step();
            for (auto& player : players_) {
                judge(*player);
                read(*player);
            }
            receive();
        }
        std::vector<std::vector<std::byte>> received;
        for (auto& player : players_) {
            received.push_back(std::move(player->received));
        }
        std::vector<std::byte> positions;
        flatbuffers::FlatBufferBuilder builder;
        EXPECT_EQ(outlet_.ticks.size(), kTicks);
        for (const auto& tick : outlet_.ticks) {
            net::Positions all{tick->tick, {}, false, tick->border_stale, 0};
            for (const shards::Counted& one : tick->players) {
                all.players.push_back({one.id, one.position});
            }
            const auto bytes = net::encode(builder, all);
            positions.insert(positions.end(), bytes.begin(), bytes.end());
        }
        received.push_back(std::move(positions));
        return received;
    }
    /// So that what is proved was tried.
    std::size_t frozen_moves = 0;
    std::size_t corrections = 0;
    std::size_t answers = 0;
    std::size_t answers_as_asked = 0;

private:
    struct Player {
        EntityId entity{};
        std::shared_ptr<net::PlayerPort> port;
        Position at;  ///< as its client has it
        std::uint32_t correction = 0;
        std::uint32_t seq = 0;
        Tick applied = engine::kNever;
        int reads_again_in = 0;  ///< ticks
        bool has_asked = false;  ///< to go somewhere else, in this tick
        bool is_put = false;     ///< by the service, in this tick
        // What holds, by the test's own count.
        std::uint16_t percent = 100;
        net::Authority authority = net::Authority::client;
        /// What its client asks for, as the service received it, and when the service answers.
        std::optional<net::PlayerMove> asked;
        int answers_in = 0;  ///< ticks
        double budget = kSpeed;
        Position was_at;
        std::vector<std::byte> received;
    };

    static net::PlayerPort::Options options(std::optional<Tick> resumes_after) {
        net::PlayerPort::Options options;
        options.heartbeat_ticks = kRate;
        options.resumes_after = resumes_after;
        return options;
    }
    Position anywhere() {
        return {static_cast<std::int32_t>(dice_.between(kWorld.min_x, kWorld.max_x)),
                static_cast<std::int32_t>(dice_.between(kWorld.min_y, kWorld.max_y)), 0};
    }
    static std::int32_t inside(std::int64_t value) {
        return static_cast<std::int32_t>(
            std::clamp<std::int64_t>(value, kWorld.min_x, kWorld.max_x));
    }

    void act(Player& player) {
        player.has_asked = player.is_put = false;
        const bool resumes = dice_.chance(3);
        if (resumes) {
            resume(player);
        }
        if (dice_.chance(80)) {
            const std::int64_t furthest = dice_.chance(10) ? 9'000 : 1'100;
            player.at = {inside(player.at.x + dice_.between(-furthest, furthest)),
                         inside(player.at.y + dice_.between(-furthest, furthest)), 0};
            player.port->ask_move({++player.seq, player.at, {}, player.correction});
            player.has_asked = true;
        }
        shards::Inputs commands;
        std::optional<std::uint16_t> percent;
        if (dice_.chance(4)) {
            commands.move = anywhere();
            player.is_put = true;
        }
        if (!resumes &&
            dice_.chance(6)) {  // the port before may have begun the tick at the old speed
            percent = dice_.pick(
                std::vector<std::uint16_t>{0, 0, 10, 100, 100, 300, net::SpeedLimit::kUnchecked});
            player.percent = *percent;
        }
        net::MoveRules rules{percent};
        if (!resumes && dice_.chance(5)) {
            rules.authority = dice_.chance(60) ? net::Authority::service : net::Authority::zone;
            player.authority = rules.authority;
        }
        if (commands.move || rules.speed_percent || rules.authority != net::Authority::unchanged) {
            player.port->inputs().put_commands(std::move(commands), rules);
        }
        if (player.asked && player.answers_in-- == 0) {
            answer(player);
        }
        if (dice_.chance(3)) {
            player.port->inputs().put_commands(
                {}, {.frames_hz = static_cast<std::uint16_t>(dice_.between(1, kRate))});
        }
        if (dice_.chance(5)) {
            player.reads_again_in = static_cast<int>(dice_.between(1, 12));
        }
    }

    /// As the client asks, or half-way.
    void answer(Player& player) {
        const net::PlayerMove asked = *std::exchange(player.asked, std::nullopt);
        shards::Inputs commands;
        commands.move = asked.position;
        const bool is_as_asked = dice_.chance(70);
        if (!is_as_asked) {
            commands.move->x = asked.position.x / 2;
            commands.move->y = asked.position.y / 2;
        }
        player.is_put = true;
        player.port->inputs().put_commands(std::move(commands),
                                           {{}, net::Authority::unchanged, asked.seq});
        ++answers;
        answers_as_asked += is_as_asked ? 1U : 0U;
    }

    /// A service answers two to four ticks after it receives; meanwhile the client asks for more.
    void receive() {
        while (const auto notice = directory_.notices().take(*box_)) {
            if (const auto* const move = std::get_if<net::PlayerMove>(&*notice)) {
                Player& player = *players_[to_number(move->entity) - 1];
                if (!player.asked) {
                    player.asked = *move;
                    player.answers_in = static_cast<int>(to_number(move->entity) % 3 + 1);
                }
            }
        }
    }

    void resume(Player& player) {
        auto next = std::make_shared<net::PlayerPort>(
            options(player.applied), net::SpeedLimit(0, kRate, engine::Dimensions::two, {}),
            mailbox_, counters_);
        outlet_.waiting.erase(player.port.get());
        player.port->park();
        EXPECT_TRUE(directory_.hand_over(player.entity, next,
                                         [&] { return player.port->hand_over_to(next); }));
        player.port = std::move(next);
        player.correction = 0;
        player.reads_again_in = 0;
    }

    /// Nobody goes further than the rule allows, by a bucket in floating point, but for where a
    /// service puts it.
    void judge(Player& player) {
        const Position now = outlet_.ticks.back()->players[to_number(player.entity) - 1].position;
        const double way = std::hypot(now.x - player.was_at.x, now.y - player.was_at.y);
        player.was_at = now;
        const bool is_unchecked = player.percent == net::SpeedLimit::kUnchecked;
        const double speed = is_unchecked ? kSpeed : kSpeed * player.percent / 100.0;
        player.budget = std::min(std::min(player.budget, speed) + speed / kRate, speed);
        if (player.is_put || (is_unchecked && player.authority != net::Authority::service)) {
            return;
        }
        if (player.authority == net::Authority::service) {
            EXPECT_EQ(way, 0);
        }
        EXPECT_LE(way, player.budget + 1) << player.percent;
        player.budget -= way;
        frozen_moves += player.percent == 0 && player.has_asked ? 1U : 0U;
    }

    /// A slow client's frame stays in flight.
    void read(Player& player) {
        if (player.reads_again_in > 0) {
            --player.reads_again_in;
        } else if (outlet_.waiting.erase(player.port.get()) != 0) {
            const auto bytes = player.port->frame();
            player.received.insert(player.received.end(), bytes.begin(), bytes.end());
            const net::FrameMessage frame = decoded(bytes);
            if (frame.correction && frame.correction->number != player.correction) {
                player.correction = frame.correction->number;
                player.at = frame.correction->position;
                ++corrections;
            }
            player.applied = frame.tick;
            player.port->frame_sent();
        }
    }

    std::vector<shards::Layout> layouts_;
    Dice dice_;
    boost::asio::io_context io_;
    net::Mailbox mailbox_{io_};
    net::IoThreadCounters counters_;
    net::Directory directory_;
    /// The box hands its connection on, and nobody here asks for it.
    alignas(net::Connection) std::byte nobody_[sizeof(net::Connection)]{};
    std::shared_ptr<net::NoticeQueue> box_ = std::make_shared<net::NoticeQueue>(
        mailbox_, reinterpret_cast<net::Connection&>(nobody_), false);
    Outlet outlet_;
    shards::Zone zone_;
    shards::Lockstep lockstep_;
    std::vector<std::unique_ptr<Player>> players_;
};

}  // namespace

TEST(Authority, TellsTheSameBytesUnderAnyLayout) {
    for (std::uint64_t seed = 1; seed <= kGames; ++seed) {
        SCOPED_TRACE(seed);
        Game one_shard(seed, {grid(1, 1)});
        const auto received = one_shard.play();
        ASSERT_TRUE(Game(seed, {grid(4, 4)}).play() == received);
        ASSERT_TRUE(Game(seed, {grid(2, 2), grid(1, 7), grid(1, 1), grid(4, 4)}).play() ==
                    received);
        ASSERT_GT(one_shard.frozen_moves, 0U);
        ASSERT_GT(one_shard.corrections, kPlayers);
        ASSERT_GT(one_shard.answers_as_asked, 0U);
        ASSERT_GT(one_shard.answers, one_shard.answers_as_asked);
    }
}

}  // namespace marchland::tests
