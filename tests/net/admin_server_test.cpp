#include "net/admin/admin_server.h"

#include "net/transport/web_socket_frames.h"
#include "tests/net/test_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace marchland::tests {

namespace {

net::AdminActions only_health() {
    net::AdminActions actions;
    actions.routes = {{"GET", "/health", net::AdminRoute::Role::reading, [](const net::AdminCall&) {
                           return net::AdminAnswer{200, "text/plain", "well\n"};
                       }}};
    return actions;
}

/// An admin port on this machine, without a token.
class RunningAdmin {
public:
    explicit RunningAdmin(net::AdminActions actions = only_health(),
                          std::optional<std::string> token = std::nullopt)
        : server_(options(), {std::move(token)}, std::move(actions)) {
        EXPECT_FALSE(server_.start());
    }
    [[nodiscard]] std::uint16_t port() const { return server_.port(); }

private:
    static net::AdminOptions options() {
        net::AdminOptions options;
        options.is_on = true;
        options.port = 0;
        options.viewers_max = 2;
        return options;
    }
    net::AdminServer server_;
};

void ask(TestClient& client) {
    const std::string request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.send_bytes(std::as_bytes(std::span(request)));
}

/// Shows what `next` says, a thousand times a second.
net::AdminActions only_map(std::function<std::string()> next) {
    net::AdminActions actions = only_health();
    actions.map = {{}, std::move(next), std::chrono::milliseconds(1)};
    return actions;
}

/// Looks at the map of an admin port.
class MapViewer {
public:
    explicit MapViewer(std::uint16_t port, int receive_buffer_bytes = 0)
        : client_(port, receive_buffer_bytes) {
        const std::string request =
            "GET /map/stream HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        client_.send_bytes(std::as_bytes(std::span(request)));
    }
    /// The header of the answer, or all of it where that is a refusal.
    std::string answer() {
        std::string all;
        while (all.find("\r\n\r\n") == std::string::npos || !all.starts_with("HTTP/1.1 101")) {
            const auto some = client_.receive_bytes();
            if (!some) {
                return all;
            }
            all += *some;
        }
        const std::size_t end = all.find("\r\n\r\n") + 4;
        take(all.substr(end));
        return all.substr(0, end);
    }
    /// All that the messages held that have come, with some more; of "1,", "2," ... each is one.
    const std::string& read_on() {
        take(client_.receive_bytes().value_or(""));
        return said_;
    }
    /// Do these bytes come, beside messages?
    bool is_sent(const std::string& bytes) {
        std::string all;
        while (all.find(bytes) == std::string::npos) {
            const auto some = client_.receive_bytes();
            if (!some) {
                return false;
            }
            all += *some;
        }
        return true;
    }
    void send(const std::string& bytes) { client_.send_bytes(std::as_bytes(std::span(bytes))); }
    [[nodiscard]] bool is_closed() { return !client_.receive_bytes(); }

private:
    void take(const std::string& bytes) {
        std::vector<std::byte> up;
        std::vector<std::byte> down;
        EXPECT_EQ(frames_.take(std::as_bytes(std::span(bytes)), up, down),
                  net::WebSocketFrames::Result::more);
        for (const std::byte byte : up) {
            said_ += static_cast<char>(byte);
        }
    }

    TestClient client_;
    net::WebSocketFrames frames_{net::WebSocketEnd::server};
    std::string said_;
};

/// Until two more look at the map, of which there are two places.
std::chrono::nanoseconds time_of_two_others(std::uint16_t port) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<MapViewer> others;
    while (others.size() < 2) {
        MapViewer other(port);
        if (other.answer().starts_with("HTTP/1.1 101")) {
            others.push_back(std::move(other));
        }
    }
    return std::chrono::steady_clock::now() - begin;
}

std::string answer_to(TestClient& client) {
    std::string all;
    while (const auto some = client.receive_bytes()) {
        all += *some;
    }
    return all;
}

}  // namespace

TEST(AdminServer, AnswersThoughAllItsPlacesAreTakenByTheSilent) {
    RunningAdmin admin;
    std::vector<TestClient> silent;
    for (std::size_t i = 0; i < 2 * net::AdminServer::kConnectionsMax; ++i) {
        silent.emplace_back(admin.port());
    }
    TestClient client(admin.port());
    ask(client);
    EXPECT_TRUE(answer_to(client).ends_with("well\n"));
}

TEST(AdminServer, AnswersOthersWhileAnAnswerIsWaitedFor) {
    std::atomic<bool> is_there{false};
    net::AdminActions actions = only_health();
    actions.routes.push_back(
        {"GET", "/later", net::AdminRoute::Role::reading, [&](const net::AdminCall&) {
             net::AdminAnswer waits;
             waits.later = [&](net::AdminAnswer& answer) {
                 answer = net::text_answer(200, "at last");
                 return is_there.load();
             };
             return waits;
         }});
    RunningAdmin admin(std::move(actions));
    TestClient waiting(admin.port());
    const std::string request = "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n";
    waiting.send_bytes(std::as_bytes(std::span(request)));
    for (int i = 0; i < 3; ++i) {
        TestClient other(admin.port());
        ask(other);
        EXPECT_TRUE(answer_to(other).ends_with("well\n"));
    }
    is_there.store(true);
    EXPECT_TRUE(answer_to(waiting).ends_with("at last\n"));
}

TEST(AdminServer, TakesPlacesFromTheAddressThatHasMost) {
    RunningAdmin admin;
    TestClient other("127.0.0.2", admin.port());
    std::vector<TestClient> silent;
    for (std::size_t i = 0; i < 3 * net::AdminServer::kConnectionsMax; ++i) {
        silent.emplace_back(admin.port());
    }
    TestClient client(admin.port());
    ask(client);
    EXPECT_TRUE(answer_to(client).ends_with("well\n"));
    ask(other);  // the oldest of all, and still there
    EXPECT_TRUE(answer_to(other).ends_with("well\n"));
}

TEST(AdminMap, IsTheSameForAllThatLookAndMadeOnlyWhileSomebodyDoes) {
    std::atomic<int> made{0};
    RunningAdmin admin(only_map([&] { return std::to_string(++made) + ','; }));
    EXPECT_EQ(made.load(), 0);
    {
        MapViewer first(admin.port());
        EXPECT_NE(first.answer().find("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
                  std::string::npos);
        MapViewer second(admin.port());
        EXPECT_TRUE(second.answer().starts_with("HTTP/1.1 101"));
        while (second.read_on().size() < 40) {
        }
        while (first.read_on().find(second.read_on().substr(0, 40)) == std::string::npos) {
        }
    }
    // Both are gone. The port that answers has seen it, sooner or later.
    const auto answers = [&] {
        for (int i = 0; i < 20; ++i) {
            TestClient client(admin.port());
            ask(client);
            answer_to(client);
        }
        return made.load();
    };
    for (int before = -1; before != made.load(); before = answers()) {
    }
}

TEST(AdminMap, RefusesOneMoreThanMayLookAndCountsThemApart) {
    RunningAdmin admin(only_map([] { return std::string("picture"); }));
    std::vector<MapViewer> viewers;
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(viewers.emplace_back(admin.port()).answer().starts_with("HTTP/1.1 101"));
    }
    const std::string refused = MapViewer(admin.port()).answer();
    EXPECT_TRUE(refused.starts_with("HTTP/1.1 503")) << refused;
    EXPECT_TRUE(refused.ends_with("as many look at the map as may: admin.viewers_max\n"));
    // However many others come: none of these takes a viewer's place.
    std::vector<TestClient> silent;
    for (std::size_t i = 0; i < 2 * net::AdminServer::kConnectionsMax; ++i) {
        silent.emplace_back(admin.port());
    }
    viewers.pop_back();
    while (!MapViewer(admin.port()).answer().starts_with("HTTP/1.1 101")) {
    }
    EXPECT_NE(viewers.front().read_on(), "");
}

TEST(AdminMap, GivesAViewerThatDoesNotReadNewerMessagesAndNoBacklog) {
    std::atomic<std::uint64_t> made{0};
    RunningAdmin admin(only_map([&] {  // a message of 100,000 bytes
        const std::string number = std::to_string(++made);
        return std::string(99'999 - number.size(), ' ') + number + ',';
    }));
    MapViewer slow(admin.port(), 4'096);
    EXPECT_TRUE(slow.answer().starts_with("HTTP/1.1 101"));
    while (made.load() < 200) {
        std::this_thread::yield();
    }
    // What it has now is what was under way when it stopped; then comes the newest.
    const auto newest_of = [](const std::string& said) {
        const std::size_t end = said.rfind(',');
        const std::size_t begin = said.find_last_of(" ,", end - 1) + 1;
        return end == std::string::npos ? 0 : std::stoull(said.substr(begin, end - begin));
    };
    while (newest_of(slow.read_on()) < 200) {
    }
    EXPECT_LT(slow.read_on().size(), 20 * 100'000U);
}

// In the frames that follow, a viewer's mask is 0: what is behind it is as it is.

TEST(AdminMap, AnswersAPingAndGoesOn) {
    const std::string ping("\x89\x84\0\0\0\0here", 10);
    const std::string pong = "\x8a\x04here";
    RunningAdmin admin(only_map([] { return std::string("picture"); }));
    MapViewer viewer(admin.port());
    EXPECT_TRUE(viewer.answer().starts_with("HTTP/1.1 101"));
    for (int i = 0; i < 2; ++i) {
        viewer.send(ping);
        EXPECT_TRUE(viewer.is_sent(pong));
        EXPECT_TRUE(viewer.is_sent("picture"));
    }
}

TEST(AdminMap, AnswersACloseAndKeepsNoPlaceForWhoSaysNothingMore) {
    const std::string close("\x88\x82\0\0\0\0\x03\xe8", 8);
    const std::string wrong("\x83\x80\0\0\0\0", 6);  // no opcode of RFC 6455
    RunningAdmin admin(only_map([] { return std::string("picture"); }));
    MapViewer first(admin.port());
    MapViewer second(admin.port());
    EXPECT_TRUE(first.answer().starts_with("HTTP/1.1 101"));
    EXPECT_TRUE(second.answer().starts_with("HTTP/1.1 101"));
    first.send(close);
    second.send(wrong);
    EXPECT_TRUE(first.is_sent("\x88\x02\x03\xe8"));
    EXPECT_TRUE(second.is_sent("\x88\x02\x03\xea"));
    EXPECT_LT(time_of_two_others(admin.port()),
              net::Viewers::kTakeMax / 2);  // neither ends its connection
}

TEST(AdminMap, KeepsNoPlaceForWhoClosesWhileAMessageIsUnderWay) {
    const std::string close("\x88\x82\0\0\0\0\x03\xe8", 8);
    std::atomic<std::uint64_t> made{0};
    RunningAdmin admin(only_map([&] {  // each is new, and more than the buffers take
        ++made;
        return std::string(300'000, ' ');
    }));
    const auto let_it_look_on = [&] {
        for (const std::uint64_t now = made.load(); made.load() < now + 50;) {
            std::this_thread::yield();
        }
    };
    MapViewer viewer(admin.port(), 4'096);
    EXPECT_TRUE(viewer.answer().starts_with("HTTP/1.1 101"));
    let_it_look_on();
    viewer.send(close);
    let_it_look_on();
    EXPECT_TRUE(viewer.is_sent("\x88\x02\x03\xe8"));
    EXPECT_LT(time_of_two_others(admin.port()), net::Viewers::kTakeMax / 2);
}

TEST(AdminMap, IsShownToABrowserThatSignedIn) {
    constexpr net::AdminPage kPages[] = {{"/", "text/html", "<p>the map"},
                                         {"/play", "text/html", "<p>the game"}};
    net::AdminActions actions;
    actions.map.pages = kPages;
    RunningAdmin admin(std::move(actions), "0123456789abcdef");
    std::string cookie;
    const auto ask_for = [&](const std::string& request, const std::string& body = "") {
        TestClient client(admin.port());
        const std::string all =
            request + " HTTP/1.1\r\nHost: h\r\nOrigin: http://h\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n" +
            (cookie.empty() ? "" : "Cookie: " + cookie + "\r\n") + "\r\n" + body;
        client.send_bytes(std::as_bytes(std::span(all)));
        return answer_to(client);
    };
    EXPECT_NE(ask_for("GET /").find("303 See Other\r\n"), std::string::npos);
    EXPECT_NE(ask_for("GET /").find("Location: /sign-in\r\n"), std::string::npos);
    EXPECT_NE(ask_for("GET /play").find("Location: /sign-in\r\n"), std::string::npos);
    const std::string good = ask_for("POST /sign-in", "0123456789abcdef");
    const std::string mark = "Set-Cookie: ";
    ASSERT_NE(good.find(mark), std::string::npos) << good;
    const std::size_t begin = good.find(mark) + mark.size();
    cookie = good.substr(begin, good.find(';') - begin);
    EXPECT_TRUE(ask_for("GET /").ends_with("<p>the map"));
    EXPECT_TRUE(ask_for("GET /play").ends_with("<p>the game"));
}

TEST(AdminMap, IsForWebSocketsAndEndsForWhoeverSaysAnything) {
    RunningAdmin admin(only_map([] { return std::string(); }));
    TestClient plain(admin.port());
    const std::string request = "GET /map/stream HTTP/1.1\r\nHost: localhost\r\n\r\n";
    plain.send_bytes(std::as_bytes(std::span(request)));
    EXPECT_TRUE(answer_to(plain).starts_with("HTTP/1.1 426"));

    MapViewer talker(admin.port());
    EXPECT_TRUE(talker.answer().starts_with("HTTP/1.1 101"));
    std::vector<std::byte> said;
    net::append_binary(std::as_bytes(std::span("hello")), said, net::WebSocketEnd::client);
    talker.send({reinterpret_cast<const char*>(said.data()), said.size()});
    EXPECT_TRUE(talker.is_closed());
}

}  // namespace marchland::tests
