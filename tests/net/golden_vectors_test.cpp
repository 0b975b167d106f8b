#include "net/decode_client.h"
#include "net/decode_server.h"
#include "net/encode_client.h"
#include "net/encode_server.h"
#include "net/frame_writer.h"
#include "net/packed_moves.h"
#include "tests/net/documented_welcome.h"
#include "tests/net/hex.h"
#include "marchland_generated.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
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
    net::Hello hello{3,
                     0,
                     7,
                     engine::Position{1'000, -2'000, 3},
                     engine::View::circle(50'000, 55'000),
                     state_of(bytes_of("abcd")),
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
                       state_of(bytes_of("c0ffee")),
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
                       {{0, engine::Blob{}}, {1, std::int64_t{42}}},
                       std::uint16_t{10},
                       std::uint16_t{50},
                       net::Authority::service,
                       5U};
    return {{nothing, all}};
}

engine::Blob blob_of(const char* hex) {
    return std::make_shared<const std::vector<std::byte>>(bytes_of(hex));
}

engine::StateSlots three_slots() {
    using engine::StateAudience;
    using engine::StateType;
    using engine::StateWriter;
    return {{"name", StateType::bytes, StateWriter::player, StateAudience::near, 10'000, 1, 24},
            {"health", StateType::integer},
            {"stealth", StateType::real, StateWriter::service, StateAudience::layer, 0, 4}};
}

net::SendMessages messages_by_view() {
    net::MessageTo viewers{{}, false, 500, bytes_of("01"), EntityId{12}};
    net::MessageTo some{{}, false, 501, {}};
    some.within = net::Circle{{1'000, -2'000, 3}, 30'000};
    some.layers = 6;
    return {{viewers, some}};
}

net::Hello transferred_hello() {
    net::Hello hello{3, 0, 0, {}, {}, {}, 0};
    hello.token = "a.b.c";
    hello.carried = bytes_of("0102");
    return hello;
}

net::AdmitPlayer admit_with_all() {
    net::AdmitPlayer admit{77, change_of_two().entities.at(1)};
    admit.given.entity = {};
    admit.given.frames_hz = {};
    admit.given.speed_percent = {};
    admit.given.authority = net::Authority::unchanged;
    admit.given.move_ack = {};
    return admit;
}

std::vector<ClientVector> client_vectors() {
    return {
        {"hello", full_hello()},
        {"hello_least", net::Hello{3, 0, 0, {}, {}, {}, 0}},
        {"hello_reads_ranks", net::Hello{3, 2, 0, {}, {}, {}, 0, {}, {}, engine::kNever, {}, true}},
        {"move", net::Move{5, {1'250, -2'000, 3}, engine::Angle{16'384}, 2}},
        {"move_with_velocity", net::Move{6, {1'250, -2'000, 3}, {}, 2, {70, -5, 0}}},
        {"set_frame_rate", net::SetFrameRate{10}},
        {"set_view", net::SetView{engine::View::sector(30'000, 33'000, 8'192, 9'000)}},
        {"ping", net::Ping{0x1122334455667788}},
        {"leave", net::LeaveZone{}},
        {"keyframe_request", net::KeyframeRequest{}},
        {"set_state", net::SetState{{{0, std::int64_t{-300}}, {3, 1.5F}, {15, blob_of("0102")}}}},
        {"send_message", net::SendMessage{3, 500, bytes_of("0a0b")}},
        {"subscribe", net::Subscribe{{500, 7}}},
        {"subscribe_positions", net::Subscribe{{}, true, net::Circle{{1, 2, 3}, 50'000}}},
        {"send_messages",
         net::SendMessages{
             {{{EntityId{17}, EntityId{9}}, false, 500, bytes_of("01")}, {{}, true, 501, {}}}}},
        {"service_hello", net::ServiceHello{3, 0, "npcs", "a.b.c", bytes_of("0f0e0d0c")}},
        {"spawn", spawn_of_two()},
        {"despawn", net::Despawn{{EntityId{12}, EntityId{13}}}},
        {"move_many", net::MoveMany{{{EntityId{12}, true, 250, -3, 0},
                                     {EntityId{300}, false, 12'345, -70'000, 0}}}},
        {"change", change_of_two()},
        {"send_messages_to_who_sees", messages_by_view()},
        {"transfer_player",
         net::TransferPlayer{EntityId{17}, "east.example.org:7777", "a.b.c", bytes_of("0102")}},
        {"hello_transferred", transferred_hello()},
        {"admit_player", admit_with_all()},
        {"admit_player_refused", net::AdmitPlayer{78, {}, "banned"}},
    };
}

net::Welcome full_welcome() {
    net::Welcome welcome = documented_welcome();
    welcome.quantum_mm = 10;
    welcome.resumed = true;
    welcome.states_per_second_max = 5;
    welcome.slots = three_slots();
    return welcome;
}

net::Welcome welcome_with_messages() {
    net::Welcome welcome = full_welcome();
    welcome.messages = {20, 1'024};
    welcome.message_number = 3;
    return welcome;
}

net::Welcome welcome_with_prediction() {
    net::Welcome welcome = full_welcome();
    welcome.frames_hz = 10;
    welcome.prediction_error_mm = 50;
    welcome.prediction_ms_max = 500;
    welcome.restart_grace_ms = 60'000;
    return welcome;
}

net::ServiceWelcome full_service_welcome() {
    return {{3,
             0,
             120,
             6'000'000,
             20,
             engine::Dimensions::three,
             {-500'000, -500'000, INT32_MIN},
             {500'000, 500'000, INT32_MAX},
             100'000,
             1,
             three_slots(),
             bytes_of("0f0e0d0c"),
             60'000,
             90'000,
             true},
            1'000'000,
            65'536,
            10'000,
            16,
            {{EntityId{12}, 1}, {EntityId{13}, 2}}};
}

std::vector<ServerVector> server_vectors() {
    return {
        {"welcome", full_welcome()},
        {"pong", net::Pong{0x1122334455667788, 121, 118}},
        {"error", net::ErrorMessage{net::ErrorCode::full, "full"}},
        {"service_welcome", full_service_welcome()},
        {"spawned", net::Spawned{{{EntityId{12}, 1}, {EntityId{13}, 2}}}},
        {"player_joined",
         net::PlayerJoined{EntityId{17}, 7, {1'000, -2'000, 3}, state_of(bytes_of("abcd"))}},
        {"player_joined_with_claims", net::PlayerJoined{EntityId{17},
                                                        7,
                                                        {1'000, -2'000, 3},
                                                        state_of(bytes_of("abcd")),
                                                        "ann",
                                                        R"({"guild":"red"})"}},
        {"player_joined_admitted",
         net::PlayerJoined{EntityId{17}, 7, {1'000, -2'000, 3}, {}, "ann", {}, {}, 77}},
        {"welcome_with_messages", welcome_with_messages()},
        {"welcome_with_prediction", welcome_with_prediction()},
        {"player_message",
         net::PlayerMessage{EntityId{17}, 500, 121, {1'250, -2'000, 3}, bytes_of("0a0b")}},
        {"messages_lost", net::MessagesLost{12}},
        {"players_listed", net::PlayersListed{}},
        {"player_move",
         net::PlayerMove{
             EntityId{17}, 5, 121, {1'250, -2'000, 3}, engine::Angle{16'384}, {70, -5, 0}}},
        {"positions",
         net::Positions{121,
                        {{EntityId{17}, {1'250, -2'000, 3}}, {EntityId{300}, {0, 0, -40}}},
                        true,
                        true,
                        2}},
        {"player_left", net::PlayerLeft{EntityId{17}}},
        {"player_left_with_reason", net::PlayerLeft{EntityId{17}, net::PlayerLeftReason::removed}},
        {"player_away", net::PlayerAway{EntityId{17}, 10'000}},
        {"player_back", net::PlayerBack{EntityId{17}, R"({"guild":"red"})"}},
        {"command_refused",
         net::CommandRefused{16, EntityId{12}, 0, net::RefusalReason::not_there}},
        {"notice", net::Notice{"back soon", 60'000}},
        {"transfer", net::Transfer{"east.example.org:7777", "a.b.c", bytes_of("0102")}},
        {"player_asks",
         net::PlayerAsks{77, 3, engine::Position{1, -2, 3}, "anna", "{}", bytes_of("0102"), 2'000}},
    };
}

template <typename Message>
std::string hex_of_message(const Message& message) {
    flatbuffers::FlatBufferBuilder builder;
    return without_spaces(hex_of(net::encode(builder, message)));
}

engine::Entity vector_entity(std::uint64_t id, engine::Position position,
                             std::vector<engine::StateWrite> state = {}) {
    engine::Entity entity;
    entity.id = EntityId{id};
    entity.position = position;
    entity.shown = position;
    entity.renewed_by = engine::Entity::kNotSent;
    entity.state = engine::with(nullptr, state, 1);
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
        EXPECT_EQ(hex_of_message(message), hex) << name;
        net::ServerMessage decoded;
        EXPECT_FALSE(net::decode_server(bytes_of(hex), decoded)) << name;
        EXPECT_EQ(decoded, message) << name;
    }
}

TEST(GoldenVectors, AreOfEveryTypeAndReadByOneOfBothSides) {
    std::set<wire::Body> types;
    for (const auto& file : std::filesystem::directory_iterator(MARCHLAND_VECTORS)) {
        const std::string name = file.path().stem();
        const std::vector<std::byte> bytes = bytes_of(hex_in_file(name));
        types.insert(wire::GetSizePrefixedMessage(bytes.data())->body_type());
        net::ServerMessage decoded;
        const bool is_a_servers = !net::decode_server(bytes, decoded);
        const auto of_client = net::decode_client(bytes);
        const auto* const error = std::get_if<net::ErrorMessage>(&of_client);
        EXPECT_EQ(is_a_servers, error != nullptr && error->code == net::ErrorCode::out_of_order)
            << name;
        EXPECT_NE(is_a_servers, error == nullptr) << name;
    }
    for (const wire::Body type : wire::EnumValuesBody()) {
        EXPECT_EQ(types.count(type), type == wire::Body::NONE ? 0 : 1) << wire::EnumNameBody(type);
    }
}

TEST(GoldenVectors, OfAFrameAreReadAndWritten) {
    engine::EntityStore entities;
    const engine::Slot self =
        entities.insert(vector_entity(17, {40, 50, 60}, {{1, std::int64_t{7}}}));
    const engine::Slot entering =
        entities.insert(vector_entity(12, {1'500, 2'500, 0}, state_of(bytes_of("abcd"))));
    const engine::Slot moving = entities.insert(vector_entity(7, {12'500, 970, 0}));
    const engine::Slot changing =
        entities.insert(vector_entity(9, {}, {{1, std::int64_t{-300}}, {2, 1.5F}}));
    const std::vector<std::byte> payload = bytes_of("beef");
    const engine::Leave leave{EntityId{3}, engine::LeaveReason::out_of_range};
    const engine::DeliveredMessage message{EntityId{3}, 121, 7, payload};

    engine::Frame frame;
    frame.tick = 121;
    frame.watcher = self;
    frame.leaves = {&leave, 1};
    frame.enters = {&entering, 1};
    frame.moves = {&moving, 1};
    const engine::StateMask entered_state = 1;
    frame.entered_states = {&entered_state, 1};
    const std::vector<engine::StateSent> states{{changing, 6}, {self, 2}};
    frame.states = states;
    frame.messages = {&message, 1};
    frame.messages_lost = true;
    net::FrameHeader header{5, false, 90, 6'050'000, 10, 2};
    const engine::GameMessage to_client{1, nullptr};
    header.messages = {&to_client, 1};
    flatbuffers::FlatBufferBuilder builder;
    const std::string hex = hex_in_file("frame");
    EXPECT_EQ(without_spaces(hex_of(net::write_frame(builder, header, frame, entities))), hex);

    net::FrameMessage sent{121,
                           5,
                           false,
                           {leave},
                           {{EntityId{12}, 0, {1'500, 2'500, 0}, state_of(bytes_of("abcd"))}},
                           {{EntityId{7}, false, 1'250, 97, 0}},
                           90};
    sent.server_time_us = 6'050'000;
    sent.states = {{EntityId{9}, {{1, std::int64_t{-300}}, {2, 1.5F}}},
                   {EntityId{17}, {{1, std::int64_t{7}}}}};
    sent.messages = {{1, {}}, {7, payload, EntityId{3}}};
    sent.messages_lost = true;
    sent.correction = net::Correction{2, {40, 50, 60}};
    net::ServerMessage decoded;
    EXPECT_FALSE(net::decode_server(bytes_of(hex), decoded));
    EXPECT_EQ(decoded, net::ServerMessage(sent));
}

/// docs/wire_format.md, "Packed moves": of a client that knows 3, 7, 9, 12, 300 and 4711 by then.
TEST(GoldenVectors, OfAFrameWhoseMovesAreNamedByRankAreReadAndWritten) {
    engine::EntityStore entities;
    const auto moved = [](std::uint64_t id, engine::Step renewed_by) {
        engine::Entity entity = vector_entity(id, {12'500, 970, 0});
        entity.moved_tick = 121;
        entity.renewed_by = renewed_by;
        return entity;
    };
    const engine::Slot self = entities.insert(vector_entity(17, {40, 50, 60}));
    const std::vector<engine::Slot> moves{entities.insert(moved(7, {250, -3, 0})),
                                          entities.insert(moved(9, {0, 0, -40})),
                                          entities.insert(moved(4'711, {-5, 5, 0}))};
    engine::Frame frame;
    frame.tick = 121;
    frame.watcher = self;
    frame.moves = moves;
    frame.follows_last_tick = true;
    // Of members 3, 7, 9, 12, 17, 300 and 4711; of the first word none is known.
    const std::vector<std::uint64_t> known_bits{0, 0b1101111};
    const std::vector<std::uint64_t> move_bits{0, 0b1000110};
    frame.known_bits = known_bits;
    frame.move_bits = move_bits;
    net::FrameHeader header{5, false, 100, 6'050'000};
    header.reads_ranks = true;
    flatbuffers::FlatBufferBuilder builder;
    const std::string hex = hex_in_file("frame_by_rank");
    EXPECT_EQ(without_spaces(hex_of(net::write_frame(builder, header, frame, entities))), hex);

    net::FrameMessage sent{121,
                           5,
                           false,
                           {},
                           {},
                           {{EntityId{1}, true, 250, -3, 0},
                            {EntityId{2}, true, 0, 0, -40},
                            {EntityId{5}, true, -5, 5, 0}}};
    sent.server_time_us = 6'050'000;
    sent.moves_by_rank = true;
    net::ServerMessage decoded;
    EXPECT_FALSE(net::decode_server(bytes_of(hex), decoded));
    EXPECT_EQ(decoded, net::ServerMessage(sent));

    const std::vector<EntityId> known{EntityId{3},  EntityId{7},   EntityId{9},
                                      EntityId{12}, EntityId{300}, EntityId{4'711}};
    ASSERT_TRUE(net::name_by_id(sent, known));
    sent.moves_by_rank = false;
    const std::vector<net::Moved> named{{EntityId{7}, true, 250, -3, 0},
                                        {EntityId{9}, true, 0, 0, -40},
                                        {EntityId{4'711}, true, -5, 5, 0}};
    EXPECT_EQ(sent.moves, named);
}

/// docs/wire_format.md, "Going on": of a frame whose client was sent all up to the tick before, in
/// quanta of 10 mm.
TEST(GoldenVectors, OfAFrameWithVelocitiesAreReadAndWritten) {
    engine::EntityStore entities;
    const auto on_its_way = [](std::uint64_t id, engine::Position shown, engine::Tick moved_tick,
                               engine::Step velocity, engine::Step renewed_by) {
        engine::Entity entity = vector_entity(id, shown);
        entity.moved_tick = moved_tick;
        entity.velocity = velocity;
        entity.renewed_by = renewed_by;
        return entity;
    };
    const engine::Slot self = entities.insert(vector_entity(17, {40, 50, 60}));
    const engine::Slot enters =
        entities.insert(on_its_way(12, {1'500, 2'500, 0}, 119, {70, -30, 0}, {}));
    const std::vector<engine::Slot> moves{
        entities.insert(on_its_way(7, {12'500, 970, 0}, 121, {0, 0, 0}, {-60, 20, 0})),
        entities.insert(on_its_way(9, {-500, 80, 20}, 121, {-70, 0, 10}, {60, 0, 0})),
        entities.insert(
            on_its_way(300, {5'000, -9'000, 0}, 118, {40, 30, 0}, engine::Entity::kNotSent))};

    engine::Frame frame;
    frame.tick = 121;
    frame.watcher = self;
    frame.enters = {&enters, 1};
    frame.moves = moves;
    frame.follows_last_tick = true;
    const std::vector<std::uint8_t> were_held{0, 0, 1};
    frame.were_held = were_held;
    const net::FrameHeader header{5, false, 100, 6'050'000, 10};
    flatbuffers::FlatBufferBuilder builder;
    const std::string hex = hex_in_file("frame_with_velocities");
    EXPECT_EQ(without_spaces(hex_of(net::write_frame(builder, header, frame, entities))), hex);

    net::FrameMessage sent{121,
                           5,
                           false,
                           {},
                           {{EntityId{12}, 0, {1'640, 2'440, 0}, {}, {70, -30, 0}}},
                           {{EntityId{7}, true, -6, 2, 0},
                            {EntityId{9}, true, 6, 0, 0, {-7, 0, 1}},
                            {EntityId{300}, false, 512, -891, 0, {4, 3, 0}}}};
    sent.server_time_us = 6'050'000;
    net::ServerMessage decoded;
    EXPECT_FALSE(net::decode_server(bytes_of(hex), decoded));
    EXPECT_EQ(decoded, net::ServerMessage(sent));
}

}  // namespace marchland::tests
