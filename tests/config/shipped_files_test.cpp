#include "config/settings.h"
#include "tests/config/test_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>
#include <set>

namespace marchland::config {

namespace {

const std::filesystem::path kFolder = MARCHLAND_CONFIG_DIR;

std::string text_of(const char* name) {
    std::ifstream file(kFolder / name);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST(ShippedFiles, DemoIsFourShardsOnLoopback) {
    const TestFolder folder;
    const auto demo = folder.load(kFolder / "demo.toml");
    ASSERT_TRUE(demo);
    EXPECT_EQ(demo->layout.size(), 4U);
    EXPECT_EQ(demo->server.address, "127.0.0.1");
    EXPECT_EQ(demo->server.port, 7777);
    EXPECT_EQ(demo->zone.tick_rate_hz, 20U);
}

TEST(ShippedFiles, DemoGivesEachOf2000PlayersAbout20Neighbours) {
    const TestFolder folder;
    const auto demo = folder.load(kFolder / "demo.toml");
    ASSERT_TRUE(demo);
    const engine::Rect world = demo->zone.world;
    const double area = static_cast<double>(world.max_x - world.min_x) *
                        static_cast<double>(world.max_y - world.min_y);
    const double seen = std::numbers::pi * std::pow(demo->server.default_view.radius_mm, 2);
    EXPECT_NEAR(2'000 * seen / area, 20.0, 0.1);
}

TEST(ShippedFiles, DemoShowsEveryKeyButALayoutFile) {
    const std::string text = text_of("demo.toml");
    for (const Section& section : server_sections()) {
        EXPECT_NE(text.find('[' + std::string(section.name) + ']'), std::string::npos);
        for (const auto& field : section.fields) {
            EXPECT_NE(text.find(std::string(field.name) + " = "), std::string::npos) << field.name;
        }
    }
}

TEST(ShippedFiles, SecureAsksForTokensAndTlsEverywhere) {
    const TestFolder folder;
    const auto secure = folder.load(kFolder / "secure.toml");
    ASSERT_TRUE(secure);
    EXPECT_EQ(secure->server.auth.mode, net::AuthOptions::Mode::jwt);
    EXPECT_TRUE(secure->server.is_tls);
    EXPECT_TRUE(secure->server.web_socket.is_on && secure->server.web_socket.is_tls);
    EXPECT_EQ(secure->server.admin.address, "127.0.0.1");
}

/// A key that is added to these sections has to be thought about there, too.
TEST(ShippedFiles, SecureSetsEveryLimitAndLeavesNoneOpen) {
    const std::string text = text_of("secure.toml");
    const std::set<std::string_view> limiting = {"server",   "websocket", "auth",  "admin",
                                                 "services", "limits",    "crowd", "log"};
    for (const Section& section : server_sections()) {
        for (const auto& field : section.fields) {
            EXPECT_TRUE(!limiting.contains(section.name) ||
                        text.find('\n' + std::string(field.name) + " = ") != std::string::npos)
                << section.name << '.' << field.name;
        }
    }
    const TestFolder folder;
    const auto secure = folder.load(kFolder / "secure.toml");
    ASSERT_TRUE(secure);
    const net::ServerOptions& server = secure->server;
    EXPECT_FALSE(server.address_limits.is_loopback_exempt);
    EXPECT_NE(server.auth.second_login, net::AuthOptions::SecondLogin::allow);
    EXPECT_FALSE(server.auth.keys.front().kid.empty());
    EXPECT_FALSE(server.web_socket.origins.empty());
    EXPECT_GT(server.speed_max_mm_per_s, 0U);
    EXPECT_GT(secure->zone.crowd.visible_max, 0U);
    EXPECT_GT(secure->zone.crowd.frame_bytes_max, 0U);
}

TEST(ShippedFiles, LayoutsFitTheDemosWorld) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(kFolder / "layouts")) {
        const auto result = load_server_config(kFolder / "demo.toml", entry.path());
        EXPECT_TRUE(std::holds_alternative<ServerConfig>(result)) << entry.path();
        names.insert(entry.path().filename().string());
    }
    EXPECT_EQ(names, (std::set<std::string>{"grid_4x4.toml", "irregular.toml", "single.toml"}));
}

}  // namespace marchland::config
