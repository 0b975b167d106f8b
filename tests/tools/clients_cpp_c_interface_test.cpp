#include "tools/clients/cpp/marchland.h"
#include "tests/tools/played_server.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace marchland::client {
namespace {

using SessionPtr = std::unique_ptr<marchland_session, decltype(&marchland_free)>;

SessionPtr join_player(PlayedServer& server) {
    auto joined = meanwhile([&] {
        const marchland_options options = marchland_defaults();
        return marchland_join_player("127.0.0.1", server.port().c_str(), &options);
    });
    let_in(server, resumable_welcome(1));
    return {joined.get(), &marchland_free};
}

/// The next connection's ServiceHello is answered.
void let_service_in(PlayedServer& server, bool is_resumed = false,
                    const std::vector<net::SpawnedOne>& entities = {}) {
    server.accept();
    ASSERT_TRUE(server.receive_next<net::ServiceHello>());
    net::ServiceWelcome welcome;
    welcome.resume_token = {std::byte{1}};
    welcome.resume_grace_ms = 3'600'000;
    welcome.message_bytes_max = 10'000;
    welcome.resumed = is_resumed;
    welcome.entities = entities;
    server.say(welcome);
}

SessionPtr join_service(PlayedServer& server) {
    auto joined = meanwhile([&] {
        const marchland_options options = marchland_defaults();
        return marchland_join_service("127.0.0.1", server.port().c_str(), &options);
    });
    let_service_in(server);
    return {joined.get(), &marchland_free};
}

/// To a service: these players are there, with these claims.
void list_players(PlayedServer& server, const std::vector<std::string>& claims) {
    std::uint64_t id = 0;
    for (const std::string& some : claims) {
        net::PlayerJoined player;
        player.entity = engine::EntityId{++id};
        player.claims = some;
        server.say(player);
    }
    server.say(net::PlayersListed{});
    server.say(net::Notice{});  // which is reported, unlike that
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
                case MARCHLAND_PLAYER_CLAIMS:
                    events.push_back(
                        "claims" + of + " " +
                        std::string(reinterpret_cast<const char*>(event.bytes), event.bytes_count));
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
    const SessionPtr session = join_player(server);
    server.say_frame(2, {}, {2, 3, 4});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_FRAME),
              (Events{"enter 2", "enter 3", "enter 4"}));
    server.say_frame(3, {4}, {});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_FRAME), Events{"leave 4"});
    server.say_frame(4, {}, {3, 5}, true);
    EXPECT_EQ(events_until(session.get(), MARCHLAND_FRAME), (Events{"leave 2", "enter 5"}));
    server.say_frame(5, {5}, {2});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_FRAME), (Events{"leave 5", "enter 2"}));
}

TEST(CInterface, TellsWhoseSlotsAKeyframeHasOtherwiseAlsoWhereItLeavesThemOut) {
    PlayedServer server;
    const SessionPtr session = join_player(server);
    const auto events_of = [&](engine::Tick tick, bool is_keyframe,
                               const std::vector<std::uint8_t>& states) {
        const bool enters = is_keyframe || tick == 2;
        server.say_frame(tick, {},
                         enters ? std::vector<std::uint64_t>{2, 3} : std::vector<std::uint64_t>{},
                         is_keyframe, states);
        return events_until(session.get(), MARCHLAND_FRAME);
    };
    const auto slot = [](std::uint8_t step, std::uint8_t value) {
        return std::vector<std::uint8_t>{step, 1, 0, value};  // of one, slot 0, an integer
    };
    EXPECT_EQ(events_of(2, false, slot(1, 10)), (Events{"enter 2", "enter 3", "state 1"}));
    EXPECT_EQ(events_of(3, false, slot(3, 10)), Events{"state 3"});
    EXPECT_EQ(events_of(4, false, slot(2, 0)), Events{"state 2"}) << "it is set to its first value";
    EXPECT_EQ(events_of(5, true, slot(1, 10)), Events{"state 3"});
    EXPECT_EQ(events_of(6, true, {}), Events{"state 1"});
    EXPECT_EQ(events_of(7, true, {}), Events{});
}

TEST(CInterface, TellsThatNobodyOfTheZoneBeforeIsSeen) {
    PlayedServer first;
    PlayedServer second;
    const SessionPtr session = join_player(first);
    first.say_frame(2, {}, {2});
    first.say(net::Transfer{"127.0.0.1:" + second.port()});
    first.close();
    auto events = meanwhile([&] { return events_until(session.get(), MARCHLAND_TRANSFERRED); });
    let_in(second, resumable_welcome(7));
    EXPECT_EQ(events.get(), (Events{"enter 2", "leave 2", "transferred"}));
    second.say_frame(2, {}, {2});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_FRAME), Events{"enter 2"});
}

/// The ref of one that watches, and that two are seen by it.
std::uint32_t spawn_watcher(PlayedServer& server, marchland_session* session, std::uint64_t id) {
    marchland_spawn owl{};
    owl.watches = 1;
    const std::uint32_t ref = marchland_spawn_entity(session, &owl);
    EXPECT_EQ(marchland_serve(session, 0), 0);
    server.say(net::Spawned{{{engine::EntityId{id}, ref}}});
    server.say_frame(2, {}, {2, 3}, false, {}, id);
    EXPECT_EQ(events_until(session, MARCHLAND_FRAME), (Events{"enter 2", "enter 3"}));
    return ref;
}

TEST(CInterface, TellsThatNobodyIsSeenAnyMoreByAWatcherThatGoes) {
    PlayedServer server;
    const SessionPtr session = join_service(server);
    const std::uint32_t ref = spawn_watcher(server, session.get(), 17);
    marchland_despawn(session.get(), ref);
    for (const std::uint64_t id : {2U, 3U}) {
        marchland_event event{};
        ASSERT_EQ(marchland_next_event(session.get(), &event), 1);
        EXPECT_EQ(event.type, MARCHLAND_LEAVE);
        EXPECT_EQ(event.entity, id);
        EXPECT_EQ(event.watcher, ref);
    }
    spawn_watcher(server, session.get(), 18);
    server.close();
    auto events = meanwhile([&] { return events_until(session.get(), MARCHLAND_RESUMED); });
    let_service_in(server, true);
    EXPECT_EQ(events.get(), (Events{"leave 2", "leave 3"}));
}

TEST(CInterface, TellsNobodyOfAWatcherThatWasToGoBeforeItWasThere) {
    PlayedServer server;
    const SessionPtr session = join_service(server);
    marchland_spawn owl{};
    owl.watches = 1;
    const std::uint32_t ref = marchland_spawn_entity(session.get(), &owl);
    EXPECT_EQ(marchland_serve(session.get(), 0), 0);
    marchland_despawn(session.get(), ref);
    server.say(net::Spawned{{{engine::EntityId{17}, ref}}});
    server.say_frame(2, {}, {2, 3}, false, {}, 17);
    server.say(net::Notice{});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_NOTICE), Events{" 0"});
}

TEST(CInterface, TellsTheKeyframeOfAWatcherAfterAResumeAsTheDifference) {
    PlayedServer server;
    const SessionPtr session = join_service(server);
    const std::uint32_t ref = spawn_watcher(server, session.get(), 17);
    server.close();
    auto events = meanwhile([&] { return events_until(session.get(), MARCHLAND_FRAME); });
    let_service_in(server, true, {{engine::EntityId{17}, ref}});
    server.say_frame(3, {}, {3, 5}, true, {}, 17);
    EXPECT_EQ(events.get(), (Events{"leave 2", "enter 5"}));
}

TEST(CInterface, TellsNotices) {
    PlayedServer server;
    const SessionPtr session = join_player(server);
    server.say(net::Notice{"good night", 5'000});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_NOTICE), Events{"good night 5000"});
}

TEST(CInterface, TellsWhichSpawnIsRefused) {
    PlayedServer server;
    const SessionPtr session = join_service(server);
    const marchland_spawn wolf{};
    ASSERT_EQ(marchland_spawn_entity(session.get(), &wolf), 1U);
    const std::uint32_t ref = marchland_spawn_entity(session.get(), &wolf);
    constexpr std::uint8_t kSpawn = 14;
    server.say(net::CommandRefused{kSpawn, {}, ref, net::RefusalReason::zone_full});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_REFUSED),
              Events{"refused " + std::to_string(ref)});
}

TEST(CInterface, TellsTheClaimsOfPlayersThatAreOthersAfterAResume) {
    PlayedServer server;
    const SessionPtr session = join_service(server);
    list_players(server, {"same", "old", "some", ""});
    EXPECT_EQ(events_until(session.get(), MARCHLAND_NOTICE),
              (Events{"claims 1 same", "claims 2 old", "claims 3 some", " 0"}));
    server.close();
    auto events = meanwhile([&] { return events_until(session.get(), MARCHLAND_NOTICE); });
    let_service_in(server, true);
    list_players(server, {"same", "new", "", ""});
    EXPECT_EQ(events.get(), (Events{"claims 2 new", "claims 3 ", " 0"}));
}

TEST(CInterface, SaysThatNothingIsSentOfWhatIsTooLong) {
    PlayedServer server;
    const SessionPtr session = join_service(server);
    const std::vector<std::uint8_t> bytes(1'025);
    const std::vector<std::uint64_t> players(1'025, 5);
    const marchland_circle circle{};
    const auto sent = [&](std::size_t count, std::size_t players_count) {
        const std::string refusal(count / 4, 'a');
        marchland_admission admission{};
        admission.refusal = refusal.c_str();
        return std::vector{
            marchland_tell(session.get(), 1, bytes.data(), count, nullptr, 0),
            marchland_tell(session.get(), 1, nullptr, 0, players.data(), players_count),
            marchland_tell_viewers(session.get(), 1, bytes.data(), count, 5),
            marchland_tell_those(session.get(), 1, bytes.data(), count, &circle, 0),
            marchland_send_to_zone(session.get(), 5, "there", nullptr, bytes.data(), count),
            marchland_admit(session.get(), 1, &admission)};
    };
    EXPECT_EQ(sent(1'024, 1'024), std::vector<int>(6, 1));
    EXPECT_EQ(sent(1'025, 1'025), (std::vector{0, 0, 0, 0, 0, 1})) << "256 bytes of a refusal";
    const std::string refusal(257, 'a');
    marchland_admission admission{};
    admission.refusal = refusal.c_str();
    EXPECT_EQ(marchland_admit(session.get(), 1, &admission), 0);
}

TEST(CInterface, CountsWhatIsDroppedWhileTheConnectionIsLost) {
    PlayedServer server;
    const SessionPtr session = join_service(server);
    marchland_cut(session.get());
    const std::vector<std::uint8_t> bytes(1'024);
    const auto tell = [&](int count) {
        for (int i = 0; i < count; ++i) {
            marchland_tell(session.get(), 1, bytes.data(), bytes.size(), nullptr, 0);
        }
    };
    tell(500);
    EXPECT_EQ(marchland_dropped(session.get()), 0U);
    tell(1'500);
    const std::uint64_t dropped = marchland_dropped(session.get());
    EXPECT_GT(dropped, 1'000U);
    tell(1);
    EXPECT_EQ(marchland_dropped(session.get()), dropped + 1);
}

}  // namespace marchland::client
