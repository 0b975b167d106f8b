#include "tools/clients/cpp/marchland.h"
#include "tests/tools/played_server.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace marchland::client {
namespace {

using Session = std::unique_ptr<marchland_session, decltype(&marchland_free)>;

Session join_player(PlayedServer& server) {
    auto joined = meanwhile([&] {
        const marchland_options options = marchland_defaults();
        return marchland_join_player("127.0.0.1", server.port().c_str(), &options);
    });
    let_in(server, resumable_welcome(1));
    return {joined.get(), &marchland_free};
}

using Events = std::vector<std::string>;

/// Serves until an event of that type came: all up to it, but for FRAME.
Events events_until(marchland_session* session, std::uint32_t last) {
    Events events;
    marchland_event event{};
    while (event.type != last && marchland_serve(session, 20'000) == 0) {
        while (event.type != last && marchland_next_event(session, &event) != 0) {
            const std::string of = " " + std::to_string(event.entity);
            switch (event.type) {
                case MARCHLAND_ENTER:
                    events.push_back("enter" + of);
                    break;
                case MARCHLAND_MOVE:
                    events.push_back("move" + of);
                    break;
                case MARCHLAND_LEAVE:
                    events.push_back("leave" + of);
                    break;
                case MARCHLAND_STATE:
                    events.push_back("state" + of);
                    break;
                case MARCHLAND_TRANSFERRED:
                    events.emplace_back("transferred");
                    break;
                case MARCHLAND_NOTICE:
                    events.push_back(
                        std::string(reinterpret_cast<const char*>(event.bytes), event.bytes_count) +
                        " " + std::to_string(event.code));
                    break;
                case MARCHLAND_REFUSED:
                    events.push_back("refused " + std::to_string(event.watcher));
                    break;
                default:
                    break;
            }
        }
    }
    return events;
}

}  // namespace

TEST(CInterface, TellsAKeyframeAsTheDifference) {
    PlayedServer server;
    const Session session = join_player(server);
    server.say_frame(2, {}, {2, 3, 4});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_FRAME),
              (Events{"enter 2", "enter 3", "enter 4"}));
    server.say_frame(3, {4}, {});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_FRAME), Events{"leave 4"});
    server.say_frame(4, {}, {3, 5}, true);
    EXPECT_EQ(events_until(session.get(), MARCHLAND_FRAME),
              (Events{"leave 2", "state 3", "move 3", "enter 5"}));
    server.say_frame(5, {5}, {2});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_FRAME), (Events{"leave 5", "enter 2"}));
}

TEST(CInterface, TellsThatNobodyOfTheZoneBeforeIsSeen) {
    PlayedServer first;
    PlayedServer second;
    const Session session = join_player(first);
    first.say_frame(2, {}, {2});
    first.say(net::Transfer{"127.0.0.1:" + second.port()});
    first.close();
    auto events = meanwhile([&] { return events_until(session.get(), MARCHLAND_TRANSFERRED); });
    let_in(second, resumable_welcome(7));
    EXPECT_EQ(events.get(), (Events{"enter 2", "leave 2", "transferred"}));
    second.say_frame(2, {}, {2});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_FRAME), Events{"enter 2"});
}

TEST(CInterface, TellsNotices) {
    PlayedServer server;
    const Session session = join_player(server);
    server.say(net::Notice{"good night", 5'000});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_NOTICE), Events{"good night 5000"});
}

TEST(CInterface, TellsWhichSpawnIsRefused) {
    PlayedServer server;
    auto joined = meanwhile([&] {
        const marchland_options options = marchland_defaults();
        return marchland_join_service("127.0.0.1", server.port().c_str(), &options);
    });
    server.accept();
    ASSERT_TRUE(server.hear_next<net::ServiceHello>());
    server.say(net::ServiceWelcome{});
    const Session session(joined.get(), &marchland_free);
    const marchland_spawn wolf{};
    ASSERT_EQ(marchland_spawn_entity(session.get(), &wolf), 1U);
    const std::uint32_t ref = marchland_spawn_entity(session.get(), &wolf);
    constexpr std::uint8_t kSpawn = 14;
    server.say(net::CommandRefused{kSpawn, {}, ref, net::RefusalReason::zone_full});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_REFUSED),
              Events{"refused " + std::to_string(ref)});
}

}  // namespace marchland::client
