#include "net/encode_client.h"
#include "net/encode_server.h"
#include "tests/net/hex.h"
#include "tests/net/running_server.h"
#include "tests/net/token_maker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>

// A server with limits that a studio would set, and whoever means it harm. Each ends in its
// documented error, and two players beside it are sent, byte for byte, what they are sent without
// it.

namespace marchland::tests {

namespace {

using namespace std::chrono_literals;
using net::ErrorCode;
using Bytes = std::vector<std::byte>;

const std::string kSecret = "0123456789abcdef0123456789abcdef";
constexpr engine::Position kPair{-200'000, 0, 0};
constexpr engine::Position kCrowd{300'000, 0, 0};
constexpr std::uint32_t kHandshakesMax = 100;

std::string claims(const std::string& audience, std::int64_t seconds_left) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto now_s = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    return R"({"aud":")" + audience + R"(","exp":)" + std::to_string(now_s + seconds_left) + '}';
}

net::Hello hello_with(const std::string& token, engine::Position spawn = kCrowd) {
    net::Hello hello;
    hello.spawn = spawn;
    hello.token = token;
    return hello;
}

net::Hello good_hello(engine::Position spawn = kCrowd) {
    return hello_with(hs256_token(claims("zone", 3'600), kSecret), spawn);
}

/// Keys of a zone that asks for tokens of either algorithm, and its limits.
struct Target {
    KeyFolder keys;
    Ed25519Pair pair;

    [[nodiscard]] net::ServerOptions options() const {
        using enum net::TokenAlgorithm;
        net::ServerOptions options;
        options.port = 0;
        options.io_threads = 2;
        options.auth = {net::AuthOptions::Mode::jwt,
                        "zone",
                        0,
                        {{keys.write("secret", kSecret), hs256, "old"},
                         {keys.write("public", pair.public_pem()), eddsa, "new"}}};
        options.handshakes_max = kHandshakesMax;
        options.handshake_timeout_ms = 1'000;
        options.idle_timeout_ms = 2'000;
        options.slow_timeout_ms = 1'000;
        options.linger_timeout_ms = 2'000;
        options.player_messages = {20, 100};
        options.address_limits.is_loopback_exempt = false;
        options.address_limits.connections_max = 10'000;
        options.address_limits.connections_per_second_max = 100'000;
        options.address_limits.handshakes_max = 10'000;
        return options;
    }
};

/// Two players that see each other, 20 ticks a second, as fast as players speak.
class Players {
public:
    explicit Players(RunningServer& running)
        : running_(running), watcher_(running.port()), walker_(running.port()) {
        watcher_.join(good_hello(kPair));
        walker_.join(good_hello(kPair));
        watcher_.write_down(received_);
        walker_.write_down(received_);
    }

    void tick(std::uint32_t number) {
        const auto step = static_cast<std::int32_t>(number % 40);
        walker_.send(net::Move{number, {kPair.x + 700 * step, kPair.y, 0}});
        running_.tick({&watcher_, &walker_});
    }
    [[nodiscard]] const Bytes& received() const { return received_; }

private:
    RunningServer& running_;
    TestClient watcher_;
    TestClient walker_;
    Bytes received_;
};

using Attack = std::function<void(RunningServer&, const Target&)>;

struct Run {
    Bytes received;  ///< by both players
    std::uint32_t ticks = 0;
};

/// Goes on until the attack is over, for `ticks_min` at least.
Run run_beside(const Attack& attack, std::uint32_t ticks_min) {
    const Target target;
    net::ServerOptions options = target.options();
    if (!attack) {
        options.messages_per_second_max = 1'000'000;  // the quiet run goes as fast as it can
    }
    RunningServer running(options);
    Players players(running);
    running.crowd(kCrowd, 100);
    std::atomic<bool> is_over = !attack;
    std::thread attacker;
    if (attack) {
        attacker = std::thread([&] {
            EXPECT_NO_THROW(attack(running, target));
            is_over = true;
        });
    }
    Run run;
    auto due = std::chrono::steady_clock::now();
    while (!is_over || run.ticks < ticks_min) {
        players.tick(++run.ticks);
        if (attack) {
            // How fast players speak is part of the case: faster would be too_fast itself.
            std::this_thread::sleep_until(due += 50ms);
        }
    }
    if (attacker.joinable()) {
        attacker.join();
    }
    run.received = players.received();
    return run;
}

void expect_that_nobody_notices(const Attack& attack) {
    const Run disturbed = run_beside(attack, 5);
    const Run quiet = run_beside(nullptr, disturbed.ticks);
    ASSERT_GT(quiet.received.size(), 0U);
    EXPECT_EQ(disturbed.ticks, quiet.ticks);
    EXPECT_TRUE(disturbed.received == quiet.received);
}

/// A byte now and then, until the server has enough of it: the pauses are the attack.
void dribble(TestClient& client, const net::ClientMessage& message) {
    flatbuffers::FlatBufferBuilder builder;
    const auto bytes = net::encode(builder, message);
    for (std::size_t i = 0; i + 1 < bytes.size() && client.send_bytes(bytes.subspan(i, 1)); ++i) {
        std::this_thread::sleep_for(50ms);
    }
}

void send_many(TestClient& client, const net::ClientMessage& message, int count) {
    flatbuffers::FlatBufferBuilder builder;
    const auto bytes = net::encode(builder, message);
    Bytes flood;
    for (int i = 0; i < count; ++i) {
        flood.insert(flood.end(), bytes.begin(), bytes.end());
    }
    client.send_bytes(flood);
}

/// Each message on a connection of its own, as the first one or behind a good Hello.
void expect_errors(RunningServer& running, bool joins,
                   const std::vector<std::pair<net::ClientMessage, ErrorCode>>& cases) {
    for (const auto& [message, code] : cases) {
        TestClient client(running.port());
        if (joins) {
            client.join(good_hello());
        }
        client.send(message);
        expect_error(client, code);
    }
}

}  // namespace

TEST(Abuse, AByteNowAndThenIsNoHello) {
    expect_that_nobody_notices([](RunningServer& running, const Target&) {
        TestClient slow(running.port());
        dribble(slow, good_hello());
        expect_error(slow, ErrorCode::handshake_timeout);
    });
}

TEST(Abuse, AByteNowAndThenIsNoSignOfLife) {
    expect_that_nobody_notices([](RunningServer& running, const Target&) {
        TestClient slow(running.port());
        slow.join(good_hello({450'000, 450'000, 0}));  // alone: nothing but heartbeats
        dribble(slow, net::Move{1, {450'000, 450'000, 0}});
        expect_error(slow, ErrorCode::idle_timeout);
    });
}

TEST(Abuse, HalfOpenConnectionsAreClosed) {
    expect_that_nobody_notices([](RunningServer& running, const Target&) {
        std::vector<TestClient> clients;
        for (int i = 0; i < 50; ++i) {
            clients.emplace_back(running.port()).send_bytes(bytes_of("64000000 0c000000 0800"));
        }
        for (TestClient& client : clients) {
            expect_error(client, ErrorCode::handshake_timeout);
        }
    });
}

TEST(Abuse, SilentConnectionsMakeRoomForWhoSpeaks) {
    expect_that_nobody_notices([](RunningServer& running, const Target&) {
        std::vector<TestClient> silent;
        for (int i = 0; i < 1'000; ++i) {
            silent.emplace_back(running.port());
            if (i % 250 == 0) {
                TestClient(running.port()).join(good_hello());
            }
        }
        EXPECT_TRUE(eventually([&] {
            return running.metrics().evicted_handshakes_total >= 1'000 - 2 * kHandshakesMax;
        }));
    });
}

TEST(Abuse, FloodsAreTooFast) {
    expect_that_nobody_notices([](RunningServer& running, const Target&) {
        TestClient messages(running.port());
        messages.join(good_hello());
        send_many(messages, net::Move{1, kCrowd}, 2'000);
        expect_error(messages, ErrorCode::too_fast);
        TestClient bytes(running.port());
        bytes.join(good_hello());
        send_many(bytes, net::SendMessage{1, 0, Bytes(100)}, 19);
        send_many(bytes, net::SetView{engine::View::circle(1, 1)}, 2'000);
        expect_error(bytes, ErrorCode::too_fast);
    });
}

TEST(Abuse, APrefixOverTheLimitIsTooLarge) {
    expect_that_nobody_notices([](RunningServer& running, const Target&) {
        for (const char* const prefix : {"ffffffff", "01080000", "47455420"}) {
            TestClient first(running.port());
            first.send_bytes(bytes_of(prefix));
            expect_error(first, ErrorCode::too_large);
            TestClient playing(running.port());
            playing.join(good_hello());
            playing.send_bytes(bytes_of(prefix));
            expect_error(playing, ErrorCode::too_large);
        }
    });
}

TEST(Abuse, MessagesInTheWrongOrderAreRefused) {
    expect_that_nobody_notices([](RunningServer& running, const Target&) {
        expect_errors(running, false,
                      {{net::Move{}, ErrorCode::out_of_order},
                       {net::LeaveZone{}, ErrorCode::out_of_order},
                       {net::KeyframeRequest{}, ErrorCode::out_of_order},
                       {net::SendMessage{}, ErrorCode::out_of_order},
                       {net::Spawn{}, ErrorCode::out_of_order},
                       {net::MoveMany{}, ErrorCode::out_of_order}});
        expect_errors(running, true,
                      {{good_hello(), ErrorCode::out_of_order},
                       {net::SetState{{{1, std::int64_t{1}}}}, ErrorCode::not_allowed}});
        flatbuffers::FlatBufferBuilder builder;
        TestClient client(running.port());
        client.send_bytes(net::encode(builder, net::Pong{1, 2}));
        expect_error(client, ErrorCode::out_of_order);
    });
}

TEST(Abuse, MessagesOverTheirLimitsAreRefused) {
    expect_that_nobody_notices([](RunningServer& running, const Target&) {
        TestClient often(running.port());
        often.join(good_hello());
        send_many(often, net::SendMessage{1, 0, Bytes(10)}, 100);
        expect_error(often, ErrorCode::too_fast);
        expect_errors(running, true,
                      {{net::SendMessage{1, 0, Bytes(101)}, ErrorCode::too_large},
                       {net::SendMessage{1, 0, Bytes(1'025)}, ErrorCode::too_large},
                       {net::SendMessage{2, 0, {}}, ErrorCode::out_of_order}});
    });
}

TEST(Abuse, TokensThatProveNothingLetNobodyIn) {
    expect_that_nobody_notices([](RunningServer& running, const Target& target) {
        const std::string good = claims("zone", 3'600);
        const std::string shown[] = {
            "",
            "a.b.c",
            std::string(1'500, 'a'),
            hs256_token(claims("zone", -1), kSecret),      // expired
            hs256_token(claims("other", 3'600), kSecret),  // for another audience
            hs256_token(good, "another secret of thirty-two bytes"),
            Ed25519Pair().token(good),
            unsigned_token(R"({"alg":"none"})", good) + '.',
            hs256_token(good, target.pair.public_pem()),  // a public key as the secret
            hs256_token(good, kSecret, R"({"alg":"EdDSA","kid":"old"})"),
        };
        for (const std::string& token : shown) {
            TestClient client(running.port());
            client.send(hello_with(token));
            expect_error(client, ErrorCode::unauthorized);
        }
        TestClient honest(running.port());
        honest.join(hello_with(target.pair.token(good)));
    });
}

TEST(Abuse, ResumeTokensThatAreOutOfDateOrGuessedAreGoodForNothing) {
    expect_that_nobody_notices([](RunningServer& running, const Target&) {
        TestClient client(running.port());
        net::Hello hello = good_hello();
        hello.resume_token = client.join(good_hello()).resume_token;
        client.kill();
        TestClient again(running.port());
        EXPECT_TRUE(again.join(hello).resumed);
        again.frames_until_fence();
        TestClient replayed(running.port());
        replayed.send(hello);
        expect_error(replayed, ErrorCode::resume_refused);
        hello.resume_token.back() ^= std::byte{1};
        TestClient forged(running.port());
        forged.send(hello);
        expect_error(forged, ErrorCode::resume_refused);
    });
}

TEST(Abuse, OneThatReadsNothingIsGivenUp) {
    expect_that_nobody_notices([](RunningServer& running, const Target&) {
        TestClient deaf(running.port(), 4096);
        deaf.join(good_hello());
        for (std::uint32_t i = 1; running.metrics().connections == 3; ++i) {
            const engine::Position far{300'000, 300'000, 0};
            deaf.send(net::Move{i, i % 2 == 0 ? kCrowd : far});
            std::this_thread::sleep_for(20ms);  // or it would be sent away for speaking too fast
        }
        EXPECT_EQ(running.metrics().closed_with_error_total, 1U);
    });
}

}  // namespace marchland::tests
