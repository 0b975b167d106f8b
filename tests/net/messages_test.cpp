#include "tests/net/test_service.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

// What players say to services, and services to players, through a real server.

namespace marchland::tests {

namespace {

using engine::EntityId;
using engine::Position;
using net::ErrorCode;
using net::PlayerMessage;
using Notices = std::vector<TestService::Notice>;

std::vector<std::byte> bytes(std::size_t count, std::uint8_t value = 7) {
    return std::vector<std::byte>(count, std::byte{value});
}

net::ServerOptions talking_server() {
    net::ServerOptions options = patient_server();
    options.io_threads = 2;  // so that a session goes on in another thread than it began in
    options.resume_grace_ms = 60'000;
    options.player_messages = {1'000, 100};
    return options;
}

net::Hello resume_of(const net::Welcome& welcome, engine::Tick last_tick) {
    net::Hello hello;
    hello.resume_token = welcome.resume_token;
    hello.last_tick = last_tick;
    return hello;
}

/// The kinds of players' messages, in the order in which they came.
std::vector<std::uint16_t> kinds_of(const Notices& notices) {
    std::vector<std::uint16_t> kinds;
    for (const auto& notice : notices) {
        if (const auto* const message = std::get_if<PlayerMessage>(&notice)) {
            kinds.push_back(message->kind);
        }
    }
    return kinds;
}

class Messages : public testing::Test {
protected:
    Messages() {
        service_.join();
        service_.send(net::Subscribe{{3, 500, 4, 5, 6, 7}});
        service_.fence();
        welcome_ = client_.join_at({0, 0, 0});
        service_.notices(1);
    }
    net::FrameMessage tick() { return tests::tick(running_, {&service_}, {&client_})[0]; }

    RunningServer running_{talking_server()};
    TestService service_{running_.port()};
    TestClient client_{running_.port()};
    net::Welcome welcome_;
};

}  // namespace

TEST_F(Messages, ComeToWhoSubscribedToTheirKindWithTickAndPlace) {
    TestService deaf(running_.port());
    deaf.join();
    deaf.notices(1);
    EXPECT_EQ(welcome_.messages, (net::SendLimit{1'000, 100}));
    client_.send(net::SendMessage{1, 500, bytes(100)});
    client_.send(net::SendMessage{2, 501, {}});
    client_.send(net::Move{1, {1, 2, 3}});
    client_.send(net::SendMessage{3, 500, {}});
    const engine::Tick now = tick().tick;
    EXPECT_EQ(service_.notices(2),
              (Notices{PlayerMessage{welcome_.entity, 500, now, {1, 2, 3}, bytes(100)},
                       PlayerMessage{welcome_.entity, 500, now, {1, 2, 3}, {}}}));
    net::ChangeOne teleport;
    teleport.entity = welcome_.entity;
    teleport.position = Position{9, 9, 9};
    service_.send(net::Change{{teleport}});
    tick();
    client_.send(net::SendMessage{4, 500, {}});
    const engine::Tick later = tick().tick;
    EXPECT_EQ(service_.notices(1),
              (Notices{PlayerMessage{welcome_.entity, 500, later, {9, 9, 9}, {}}}));
    deaf.fence();
    EXPECT_TRUE(deaf.notices(0).empty());
}

TEST_F(Messages, ComeEachOnceAndInOrderOverAResume) {
    client_.send(net::SendMessage{1, 3, {}});
    client_.send(net::SendMessage{2, 4, {}});
    client_.fence();
    client_.kill();
    ASSERT_TRUE(eventually([&] { return running_.metrics().players == 0; }));
    TestClient again(running_.port());
    const net::Welcome welcome = again.join(resume_of(welcome_, engine::kNever));
    EXPECT_EQ(welcome.message_number, 2U);
    again.send(net::SendMessage{2, 4, {}});  // one that was taken is passed over
    again.send(net::SendMessage{3, 5, {}});
    tests::tick(running_, {&service_}, {&again});
    Notices received;
    while (kinds_of(received).size() < 3) {
        std::ranges::move(service_.notices(1), std::back_inserter(received));
    }
    EXPECT_EQ(kinds_of(received), (std::vector<std::uint16_t>{3, 4, 5}));
}

TEST_F(Messages, AreTakenFromOneConnectionAtATime) {
    client_.send(net::SendMessage{1, 3, {}});
    client_.fence();
    TestClient again(running_.port());  // while the first connection seems to be there
    EXPECT_EQ(again.join(resume_of(welcome_, engine::kNever)).message_number, 1U);
    client_.send(net::SendMessage{2, 4, {}});
    again.send(net::SendMessage{2, 5, {}});
    tests::tick(running_, {&service_}, {&again});
    Notices received;
    while (kinds_of(received).size() < 2) {
        std::ranges::move(service_.notices(1), std::back_inserter(received));
    }
    EXPECT_EQ(kinds_of(received), (std::vector<std::uint16_t>{3, 5}));
}

TEST_F(Messages, OfWhoeverLeavesOneNumberOutEndTheSession) {
    client_.send(net::SendMessage{1, 3, {}});
    client_.send(net::SendMessage{3, 3, {}});
    expect_error(client_, ErrorCode::out_of_order);
}

TEST_F(Messages, ThatAreTooLargeEndTheSession) {
    client_.send(net::SendMessage{1, 3, bytes(101)});
    expect_error(client_, ErrorCode::too_large);
}

TEST(MessageLimits, EndTheSessionOfWhoSendsMoreOrMayNot) {
    net::ServerOptions options = patient_server();
    RunningServer silent(options);
    TestClient first(silent.port());
    EXPECT_EQ(first.join().messages, net::SendLimit{});
    first.send(net::SendMessage{1, 3, {}});
    expect_error(first, ErrorCode::not_allowed);

    options.player_messages = {2, 10};
    RunningServer terse(options);
    TestClient second(terse.port());
    second.join();
    for (std::uint32_t number = 1; number <= 3; ++number) {
        second.send(net::SendMessage{number, 3, {}});
    }
    expect_error(second, ErrorCode::too_fast);
}

/// More than one tick has room for wait at the connection.
TEST_F(Messages, WaitForATickThatHasRoomAndNoneIsLost) {
    constexpr std::uint32_t kCount = 3 * net::PendingInputs::kClientMessagesMax;
    for (std::uint32_t number = 1; number <= kCount; ++number) {
        client_.send(net::SendMessage{number, static_cast<std::uint16_t>(3 + number % 4), {}});
    }
    Notices received;
    EXPECT_TRUE(eventually([&] {
        running_.step();
        service_.fence();
        std::ranges::move(service_.notices(0), std::back_inserter(received));
        return received.size() == kCount;
    }));
    for (std::uint32_t i = 0; i < received.size(); ++i) {
        EXPECT_EQ(kinds_of(received)[i], 3 + (i + 1) % 4);
    }
}

TEST_F(Messages, OfAPlayerWhoLeavesComeBeforeItsGoing) {
    client_.send(net::SendMessage{1, 3, {}});
    client_.send(net::LeaveZone{});
    while (client_.receive()) {
    }
    const engine::Tick now = running_.step();
    EXPECT_EQ(service_.notices(2),
              (Notices{PlayerMessage{welcome_.entity, 3, now, {0, 0, 0}, {}},
                       net::PlayerLeft{welcome_.entity, net::PlayerLeftReason::left}}));
}

TEST_F(Messages, OfServicesComeToOneToAListAndToEverybodyWithTheFrameOfTheTick) {
    TestClient other(running_.port());
    const EntityId second = other.join_at({400'000, 0, 0}).entity;  // nobody sees it
    TestService stranger(running_.port());
    stranger.join();
    const EntityId wolf = stranger.spawn_at({0, 0, 0});
    service_.send(net::SendMessages{{{{second}, false, 1, bytes(2)},
                                     {{welcome_.entity, second}, false, 2, {}},
                                     {{}, true, 3, bytes(1'024)},
                                     {{EntityId{999}, wolf}, false, 4, {}}}});
    EXPECT_EQ(service_.refused(), (std::vector<net::CommandRefused>{
                                      {29, EntityId{999}, 0, net::RefusalReason::not_there},
                                      {29, wolf, 0, net::RefusalReason::not_yours}}));
    const auto frames = tests::tick(running_, {&service_}, {&client_, &other});
    using Delivered = std::vector<net::MessageDelivered>;
    EXPECT_EQ(frames[0].messages, (Delivered{{2, {}}, {3, bytes(1'024)}}));
    EXPECT_EQ(frames[1].messages, (Delivered{{1, bytes(2)}, {2, {}}, {3, bytes(1'024)}}));
    EXPECT_TRUE(tick().messages.empty());
}

TEST_F(Messages, OfServicesWaitForAPlayerWhoIsAwayUpToALimit) {
    const engine::Tick last = tick().tick;
    client_.kill();
    ASSERT_TRUE(eventually([&] { return running_.metrics().players == 0; }));
    const net::MessageTo one{{welcome_.entity}, false, 1, {}};
    service_.send(net::SendMessages{{one, one}});
    service_.fence();
    running_.step();
    TestClient again(running_.port());
    const net::Welcome second = again.join(resume_of(welcome_, last));
    net::FrameMessage frame = tests::tick(running_, {&service_}, {&again})[0];
    EXPECT_EQ(frame.messages.size(), 2U);
    EXPECT_FALSE(frame.messages_lost);

    again.kill();  // and it says that it never got that frame
    ASSERT_TRUE(eventually([&] { return running_.metrics().players == 0; }));
    TestClient third(running_.port());
    const net::Welcome welcome = third.join(resume_of(second, last));
    frame = tests::tick(running_, {&service_}, {&third})[0];
    EXPECT_TRUE(frame.messages_lost);
    EXPECT_TRUE(frame.messages.empty());

    third.kill();
    ASSERT_TRUE(eventually([&] { return running_.metrics().players == 0; }));
    service_.send(
        net::SendMessages{std::vector<net::MessageTo>(net::SaidToClient::kMessagesMax + 1, one)});
    service_.fence();
    running_.step();
    TestClient fourth(running_.port());
    fourth.join(resume_of(welcome, frame.tick));
    frame = tests::tick(running_, {&service_}, {&fourth})[0];
    EXPECT_TRUE(frame.messages_lost);
    EXPECT_EQ(frame.messages.size(), net::SaidToClient::kMessagesMax);
}

/// What a frame has no room for comes with the next one.
TEST_F(Messages, OfServicesAreSpreadOverFramesByTheirBytes) {
    service_.send(net::SendMessages{std::vector<net::MessageTo>(
        20, net::MessageTo{{welcome_.entity}, false, 1, bytes(1'024)})});
    const std::size_t first = tick().messages.size();
    EXPECT_EQ(first, net::SaidToClient::kFrameBytesMax / (1'024 + 32));
    EXPECT_EQ(tick().messages.size(), 20 - first);
    EXPECT_EQ(running_.metrics().frames_over_by_messages_total, 1U);
}

TEST(MessagesOfServices, TakeWhatTheRestOfTheFrameLeavesOfTheClientsBytes) {
    constexpr std::size_t kBytesPerTick = 2'048;
    constexpr std::size_t kOneMessage = 1'024 + 32;
    shards::ZoneOptions zone = small_zone();
    zone.crowd.frame_bytes_max = 2 * kBytesPerTick;
    zone.client_bytes_per_second_max = kBytesPerTick * zone.tick_rate_hz;
    RunningServer running(talking_server(), zone, 1);
    TestService service(running.port());
    service.join();
    TestClient client(running.port());
    const EntityId reader = client.join_at({0, 0, 0}).entity;
    service.fence();
    tests::tick(running, {&service}, {&client});
    service.send(net::SendMessages{
        std::vector<net::MessageTo>(20, net::MessageTo{{reader}, false, 1, bytes(1'024)})});
    service.fence();
    std::vector<std::size_t> in_each;
    std::size_t sent = 0;
    while (sent < 20 && in_each.size() < 30) {
        in_each.push_back(tests::tick(running, {&service}, {&client})[0].messages.size());
        sent += in_each.back();
        EXPECT_GE(in_each.back(), 1U) << "one in any case";
        EXPECT_LE(sent * kOneMessage, (in_each.size() + 1) * kBytesPerTick + kOneMessage);
    }
    EXPECT_EQ(sent, 20U);
    EXPECT_LE(in_each.front(), zone.crowd.frame_bytes_max / kOneMessage);
}

TEST(MessagesOfServices, AreNotCountedWhereFramesAreNotLimited) {
    shards::ZoneOptions zone = small_zone();
    zone.crowd.frame_bytes_max = 0;
    zone.client_bytes_per_second_max = 262'144;
    RunningServer running(talking_server(), zone, 1);
    TestService service(running.port());
    service.join();
    TestClient client(running.port());
    const EntityId reader = client.join_at({0, 0, 0}).entity;
    service.fence();
    service.send(net::SendMessages{
        std::vector<net::MessageTo>(10, net::MessageTo{{reader}, false, 1, bytes(1'024)})});
    service.fence();
    EXPECT_EQ(tests::tick(running, {&service}, {&client})[0].messages.size(), 10U);
}

TEST_F(Messages, OfOneServiceInOneTickAreLimited) {
    std::vector<EntityId> many(1'024, welcome_.entity);
    const net::MessageTo to_many{many, false, 1, {}};
    for (std::size_t sent = 0; sent < net::kServiceDeliveriesMax; sent += many.size() * 16) {
        service_.send(net::SendMessages{std::vector<net::MessageTo>(16, to_many)});
    }
    EXPECT_TRUE(service_.refused().empty());
    service_.send(net::SendMessages{{{{welcome_.entity}, false, 1, {}}}});
    EXPECT_EQ(
        service_.refused(),
        (std::vector<net::CommandRefused>{{29, EntityId{}, 0, net::RefusalReason::too_many}}));
}

/// Else a service could make every shard busy for as long as it likes where nobody is.
TEST_F(Messages, ToNobodyAreLimitedToo) {
    client_.send(net::LeaveZone{});
    ASSERT_TRUE(eventually([&] {
        running_.step();
        return running_.zone().entity_count() == 0;
    }));
    service_.notices(1);
    constexpr std::size_t kInOneBatch = 1'024;
    const net::MessageTo to_all{{}, true, 1, {}};
    for (std::size_t sent = 0; sent < net::kServiceDeliveriesMax; sent += kInOneBatch) {
        service_.send(net::SendMessages{std::vector<net::MessageTo>(kInOneBatch, to_all)});
    }
    EXPECT_TRUE(service_.refused().empty());
    service_.send(net::SendMessages{{to_all}});
    EXPECT_EQ(
        service_.refused(),
        (std::vector<net::CommandRefused>{{29, EntityId{}, 0, net::RefusalReason::too_many}}));
}

namespace {

constexpr std::uint32_t kTickRateHz = 4;

/// What a frame says of messages.
struct Delivered {
    EntityId to{};
    engine::Tick tick = 0;
    std::vector<net::MessageDelivered> messages;
    bool are_lost = false;
    bool is_over_budget = false;

    friend bool operator==(const Delivered&, const Delivered&) = default;
};

struct SaidAndDelivered {
    std::vector<PlayerMessage> said;  ///< to the service
    std::vector<Delivered> delivered;

    friend bool operator==(const SaidAndDelivered&, const SaidAndDelivered&) = default;
};

std::uint64_t frames_of(shards::Zone& zone) {
    std::uint64_t frames = 0;
    for (std::uint16_t shard = 0; shard < zone.layout().shards().size(); ++shard) {
        frames += zone.metrics(shards::ShardId{shard}).frames_total.load();
    }
    return frames;
}

/// Three players, with frames in each tick, in every second and in every fourth, walk over all
/// borders and lose their lines, in a zone of so many shards. Where budgets are small, messages
/// wait for later frames.
SaidAndDelivered delivered_in(std::uint32_t shards_a_side, std::uint32_t seed,
                              bool are_budgets_small) {
    shards::ZoneOptions zone = small_zone();
    zone.tick_rate_hz = kTickRateHz;
    if (are_budgets_small) {
        zone.crowd.frame_bytes_max = 4'096;
        zone.client_bytes_per_second_max = 512 * kTickRateHz;
    }
    RunningServer running(talking_server(), zone, shards_a_side);
    TestService service(running.port());
    service.join();
    service.send(net::Subscribe{{1, 2, 3}});
    service.fence();
    std::vector<std::unique_ptr<TestClient>> clients;
    std::vector<net::Welcome> welcomes;
    std::vector<EntityId> ids;
    for (int i = 0; i < 3; ++i) {
        clients.push_back(std::make_unique<TestClient>(running.port()));
        welcomes.push_back(clients.back()->join_at({0, 0, 0}));
        ids.push_back(welcomes.back().entity);
    }
    service.notices(3);
    const std::uint16_t rates_hz[3] = {kTickRateHz, kTickRateHz / 2, 1};
    for (int i = 0; i < 3; ++i) {
        clients[i]->send(net::SetFrameRate{rates_hz[i]});
    }
    SaidAndDelivered all;
    std::uint32_t numbers[3] = {};
    std::uint32_t dice = seed;
    const auto next = [&](std::uint32_t below) {
        dice = dice * 1'664'525 + 1'013'904'223;
        return (dice >> 16U) % below;
    };
    for (std::uint32_t tick = 1; tick <= 30; ++tick) {
        std::size_t expected = 0;
        if (const std::uint32_t i = next(8); tick > 1 && i < 3) {
            clients[i]->kill();
            EXPECT_TRUE(eventually([&] { return running.metrics().players == 2; }));
            // Sometimes it says that it never got the last frame.
            const engine::Tick last = running.zone().tick() - next(2);
            clients[i] = std::make_unique<TestClient>(running.port());
            welcomes[i] = clients[i]->join(resume_of(welcomes[i], last));
            clients[i]->send(net::SetFrameRate{rates_hz[i]});
            expected += 2;  // away, and back
        }
        for (std::uint32_t i = 0; i < 3; ++i) {
            const Position to{static_cast<std::int32_t>(next(1'000'000)) - 500'000,
                              static_cast<std::int32_t>(next(1'000'000)) - 500'000, 0};
            clients[i]->send(net::Move{tick, to});
            for (std::uint32_t more = next(4); more > 0; --more, ++expected) {
                const auto kind = static_cast<std::uint16_t>(1 + next(3));
                clients[i]->send(net::SendMessage{++numbers[i], kind, bytes(next(50))});
            }
        }
        net::MessageTo message;
        message.kind = static_cast<std::uint16_t>(next(9));
        const std::uint32_t audience = next(4);
        message.to_everybody = audience == 0;
        if (audience == 1) {
            message.to = {ids[next(3)]};
        } else if (audience == 2) {
            message.to_viewers_of = ids[next(3)];
        } else if (audience == 3) {
            message.within = net::Circle{{0, 0, 0}, static_cast<std::int32_t>(next(600'000))};
        }
        message.payload = bytes(next(900));
        service.send(net::SendMessages{std::vector<net::MessageTo>(3, message)});
        service.fence();
        for (const auto& client : clients) {
            client->fence();
        }
        const std::uint64_t frames_before = frames_of(running.zone());
        running.step();
        // Not all have their turn, and some wait for their next keyframe.
        for (std::size_t left = frames_of(running.zone()) - frames_before; left > 0;) {
            for (std::uint32_t i = 0; i < 3; ++i) {
                for (net::FrameMessage& frame : clients[i]->frames_until_fence()) {
                    all.delivered.push_back({ids[i], frame.tick, std::move(frame.messages),
                                             frame.messages_lost, frame.is_over_budget});
                    --left;
                }
            }
        }
        for (const auto& notice : service.notices(expected)) {
            if (const auto* const from_player = std::get_if<PlayerMessage>(&notice)) {
                all.said.push_back(*from_player);
            }
        }
    }
    // Of different players in one tick no order is promised.
    std::ranges::sort(all.delivered, {}, [](const Delivered& delivered) {
        return std::pair(delivered.tick, delivered.to);
    });
    std::ranges::stable_sort(all.said, {}, [](const PlayerMessage& message) {
        return std::pair(message.tick, message.entity);
    });
    return all;
}

}  // namespace

TEST(MessageLayouts, TellTheSameUnderOneAndSixteenShards) {
    // Each seed starts two servers and waits for 60 ticks' frames, about 0.6 s.
    std::size_t waited = 0;
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
        const bool are_budgets_small = seed % 2 == 0;
        const SaidAndDelivered one = delivered_in(1, seed, are_budgets_small);
        EXPECT_TRUE(one == delivered_in(4, seed, are_budgets_small)) << "seed " << seed;
        waited += static_cast<std::size_t>(
            std::ranges::count(one.delivered, true, &Delivered::is_over_budget));
    }
    EXPECT_GE(waited, 20U) << "messages are to wait for later frames";
}

}  // namespace marchland::tests
