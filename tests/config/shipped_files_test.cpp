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
    std::ifstream file(kFolder / "demo.toml");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
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
