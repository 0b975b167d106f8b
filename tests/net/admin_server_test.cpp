#include "net/admin/admin_server.h"

#include "tests/net/test_client.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace marchland::tests {

namespace {

net::AdminActions only_health() {
    net::AdminActions actions;
    actions.health = [] { return net::AdminAnswer{200, "text/plain", "well\n"}; };
    return actions;
}

/// An admin port on this machine, without a token.
class RunningAdmin {
public:
    RunningAdmin() : server_(options(), std::nullopt, only_health()) {
        EXPECT_FALSE(server_.start());
    }
    [[nodiscard]] std::uint16_t port() const { return server_.port(); }

private:
    static net::AdminOptions options() {
        net::AdminOptions options;
        options.is_on = true;
        options.port = 0;
        return options;
    }
    net::AdminServer server_;
};

void ask(TestClient& client) {
    const std::string request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.send_bytes(std::as_bytes(std::span(request)));
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

}  // namespace marchland::tests
