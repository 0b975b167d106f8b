#include "net/decode_client.h"
#include "net/decode_server.h"
#include "net/encode_client.h"
#include "net/encode_server.h"
#include "net/frame_writer.h"
#include "tests/net/documented_welcome.h"
#include "tests/net/hex.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

// One message of each type, and its bytes in tests/vectors: what a stranger's client must read and
// write. tests/net/golden_vectors.py reads the same files in Python.

namespace marchland::tests {

namespace {

using engine::EntityId;

std::string without_spaces(std::string text) {
    std::erase(text, ' ');
    return text;
}

/// Of the file's line `"hex": "..."`.
std::string hex_in_file(const std::string& name) {
    std::ifstream file(std::filesystem::path(MARCHLAND_VECTORS) / (name + ".json"));
    std::stringstream text;
    text << file.rdbuf();
    const std::string mark = "\"hex\": \"";
    const std::size_t begin = text.str().find(mark);
    if (begin == std::string::npos) {
        return "no such vector";
    }
    const std::string rest = text.str().substr(begin + mark.size());
    return rest.substr(0, rest.find('"'));
}

struct ClientVector {
    const char* name;
    net::ClientMessage message;
};

struct ServerVector {
    const char* name;
    net::ServerMessage message;
};

net::Hello full_hello() {
    net::Hello hello{1,
                     2,
                     7,
                     engine::Position{1'000, -2'000, 3},
                     engine::View::circle(50'000, 55'000),
                     bytes_of("abcd"),
                     16'384};
    hello.token = "a.b.c";
    hello.resume_token = bytes_of("000102030405060708090a0b0c0d0e0f");
    hello.last_tick = 119;
    return hello;
}

net::Spawn spawn_of_two() {
    net::SpawnOne plain{1, 40, {1'000, 2'000, 0}, 0, {}, {}, {}, {}, 1, false};
    net::SpawnOne full{2,
                       41,
                       {-5, -6, -7},
                       32'768,
                       {0, 6},
                       engine::View::circle(20'000, 22'000),
                       {500'000, 600'000},
                       bytes_of("c0ffee"),
                       3,
                       true};
    return {{plain, full}};
}

net::Change change_of_two() {
    net::ChangeOne nothing;
    nothing.entity = EntityId{12};
    net::ChangeOne all{EntityId{13},
                       engine::Position{1, 2, 3},
                       engine::Angle{0},
                       net::Layers{2, 3},
                       engine::View::circle(1'000, 1'100),
                       engine::NotifyRange{5'000, 6'000},
                       std::vector<std::byte>{}};
    return {{nothing, all}};
}

std::vector<ClientVector> client_vectors() {
    return {
        {"hello", full_hello()},
        {"hello_least", net::Hello{1, 2, 0, {}, {}, {}, 0}},
        {"move", net::Move{5, {1'250, -2'000, 3}, engine::Angle{16'384}, 2}},
        {"set_view", net::SetView{engine::View::sector(30'000, 33'000, 8'192, 9'000)}},
        {"ping", net::Ping{0x1122334455667788}},
        {"leave", net::LeaveZone{}},
        {"keyframe_request", net::KeyframeRequest{}},
        {"set_state", net::SetState{bytes_of("0102")}},
        {"send_event", net::SendEvent{bytes_of("beef"), {EntityId{9}, EntityId{3}}}},
        {"send_message", net::SendMessage{3, 500, bytes_of("0a0b")}},
        {"subscribe", net::Subscribe{{500, 7}}},
        {"send_messages",
         net::SendMessages{
             {{{EntityId{17}, EntityId{9}}, false, 500, bytes_of("01")}, {{}, true, 501, {}}}}},
        {"service_hello", net::ServiceHello{1, 2, "npcs", "a.b.c", bytes_of("0f0e0d0c")}},
        {"spawn", spawn_of_two()},
        {"despawn", net::Despawn{{EntityId{12}, EntityId{13}}}},
        {"move_many", net::MoveMany{{{EntityId{12}, true, 250, -3, 0},
                                     {EntityId{300}, false, 12'345, -70'000, 0}}}},
        {"change", change_of_two()},
        {"send_events", net::SendEvents{{{EntityId{12}, bytes_of("01"), {}},
                                         {EntityId{12}, bytes_of("02"), {EntityId{9}}}}}},
    };
}

net::Welcome full_welcome() {
    net::Welcome welcome = documented_welcome();
    welcome.quantum_mm = 10;
    welcome.resumed = true;
    welcome.events = {5, 256};
    welcome.states = {1, 1'024};
    return welcome;
}

net::Welcome welcome_with_messages() {
    net::Welcome welcome = full_welcome();
    welcome.messages = {20, 1'024};
    welcome.message_number = 3;
    return welcome;
}

net::ServiceWelcome full_service_welcome() {
    return {1,
            2,
            120,
            6'000'000,
            20,
            engine::Dimensions::three,
            {-500'000, -500'000, INT32_MIN},
            {500'000, 500'000, INT32_MAX},
            100'000,
            1'000'000,
            1,
            bytes_of("0f0e0d0c"),
            60'000,
            true,
            65'536,
            10'000,
            16,
            {{EntityId{12}, 1}, {EntityId{13}, 2}}};
}

std::vector<ServerVector> server_vectors() {
    return {
        {"welcome", full_welcome()},
        {"pong", net::Pong{0x1122334455667788, 121}},
        {"error", net::ErrorMessage{net::ErrorCode::full, "full"}},
        {"service_welcome", full_service_welcome()},
        {"spawned", net::Spawned{{{EntityId{12}, 1}, {EntityId{13}, 2}}}},
        {"player_joined", net::PlayerJoined{EntityId{17}, 7, {1'000, -2'000, 3}, bytes_of("abcd")}},
        {"player_joined_with_claims",
         net::PlayerJoined{
             EntityId{17}, 7, {1'000, -2'000, 3}, bytes_of("abcd"), "ann", R"({"guild":"red"})"}},
        {"welcome_with_messages", welcome_with_messages()},
        {"player_message",
         net::PlayerMessage{EntityId{17}, 500, 121, {1'250, -2'000, 3}, bytes_of("0a0b")}},
        {"messages_lost", net::MessagesLost{12}},
        {"player_left", net::PlayerLeft{EntityId{17}}},
        {"player_left_with_reason", net::PlayerLeft{EntityId{17}, net::PlayerLeftReason::removed}},
        {"player_away", net::PlayerAway{EntityId{17}, 10'000}},
        {"player_back", net::PlayerBack{EntityId{17}, R"({"guild":"red"})"}},
        {"command_refused",
         net::CommandRefused{16, EntityId{12}, 0, net::RefusalReason::not_there}},
        {"notice", net::Notice{"back soon", 60'000}},
    };
}

template <typename Message>
std::string hex_of_message(const Message& message) {
    flatbuffers::FlatBufferBuilder builder;
    if constexpr (requires { net::encode(builder, message); }) {
        return without_spaces(hex_of(net::encode(builder, message)));
    } else {
        return "only a frame writer writes these";
    }
}

engine::Entity entity_at(std::uint64_t id, engine::Position position, const char* blob = "") {
    engine::Entity entity;
    entity.id = EntityId{id};
    entity.position = position;
    entity.blob = std::make_shared<const std::vector<std::byte>>(bytes_of(blob));
    return entity;
}

}  // namespace

TEST(GoldenVectors, OfClientsAreReadAndWritten) {
    for (const auto& [name, message] : client_vectors()) {
        const std::string hex = hex_in_file(name);
        EXPECT_EQ(hex_of_message(message), hex) << name;
        EXPECT_EQ(net::decode_client(bytes_of(hex)),
                  (std::variant<net::ClientMessage, net::ErrorMessage>(message)))
            << name;
    }
}

TEST(GoldenVectors, OfServersAreReadAndWritten) {
    for (const auto& [name, message] : server_vectors()) {
        const std::string hex = hex_in_file(name);
        const std::string written =
            std::visit([](const auto& body) { return hex_of_message(body); }, message);
        EXPECT_EQ(written, hex) << name;
        net::ServerMessage decoded;
        EXPECT_FALSE(net::decode_server(bytes_of(hex), decoded)) << name;
        EXPECT_EQ(decoded, message) << name;
    }
}

TEST(GoldenVectors, OfAFrameAreReadAndWritten) {
    engine::EntityStore entities;
    const engine::Slot self = entities.insert(entity_at(17, {40, 50, 60}));
    const engine::Slot entering = entities.insert(entity_at(12, {1'500, 2'500, 0}, "abcd"));
    const engine::Slot moving = entities.insert(entity_at(7, {12'500, 970, 0}));
    const engine::Slot changing = entities.insert(entity_at(9, {}, "0102"));
    const std::vector<std::byte> payload = bytes_of("beef");
    const engine::Leave leave{EntityId{3}, engine::LeaveReason::out_of_range};
    const engine::EventDelivered event{EntityId{3}, 121, payload};

    engine::Frame frame;
    frame.tick = 121;
    frame.watcher = self;
    frame.leaves = {&leave, 1};
    frame.enters = {&entering, 1};
    frame.moves = {&moving, 1};
    frame.states = {&changing, 1};
    frame.events = {&event, 1};
    frame.events_lost = true;
    const net::FrameHeader header{5, false, 90, 6'050'000, 10, 2};
    flatbuffers::FlatBufferBuilder builder;
    const std::string hex = hex_in_file("frame");
    EXPECT_EQ(without_spaces(hex_of(net::write_frame(builder, header, frame, entities))), hex);

    net::FrameMessage sent{121,
                           5,
                           false,
                           {leave},
                           {{EntityId{12}, 0, {1'500, 2'500, 0}, bytes_of("abcd")}},
                           {{EntityId{7}, false, 1'250, 97, 0}},
                           90};
    sent.server_time_us = 6'050'000;
    sent.states = {{EntityId{9}, bytes_of("0102")}};
    sent.events = {{EntityId{3}, payload}};
    sent.events_lost = true;
    sent.correction = net::Correction{2, {40, 50, 60}};
    net::ServerMessage decoded;
    EXPECT_FALSE(net::decode_server(bytes_of(hex), decoded));
    EXPECT_EQ(decoded, net::ServerMessage(sent));
}

}  // namespace marchland::tests
