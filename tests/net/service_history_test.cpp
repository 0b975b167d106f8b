#include "tests/net/hex.h"
#include "tests/net/sent_world.h"
#include "tests/net/test_service.h"
#include "tests/properties/dice.h"
#include "tests/sanitizer.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>

// Random histories of a service, whose line is cut now and then, and of a player, against a model
// that is slow and obvious: docs/visibility.md's visible set, over all entities, tick by tick.

namespace marchland::tests {

namespace {

using engine::EntityId;
using engine::Position;
using State = std::vector<engine::StateWrite>;

constexpr std::int64_t kRadius = 30'000;
constexpr std::int64_t kLeaveRadius = 40'000;
const engine::View kView = engine::View::circle(kRadius, kLeaveRadius);

struct Thing {
    Position position;
    engine::LayerMask layers = engine::kDefaultLayer;
    State state;
    std::optional<Position> sent;  ///< by the service, on this connection
};

std::int64_t squared_distance(Position a, Position b) {
    const std::int64_t dx = a.x - b.x;
    const std::int64_t dy = a.y - b.y;
    return dx * dx + dy * dy;
}

class History {
public:
    explicit History(std::uint64_t seed) : dice_(seed) {
        welcome_ = service_->join();
        player_ = client_
                      .join([] {
                          net::Hello hello;
                          hello.spawn = Position{0, 0, 0};
                          hello.view = kView;
                          return hello;
                      }())
                      .entity;
        things_[player_];
        spawn_eye();
        end_tick();
    }

    void step() {
        for (std::size_t i = 0; i < 3; ++i) {
            command();
        }
        if (dice_.chance(10)) {
            cut_and_resume();
        } else if (dice_.chance(5)) {
            supersede();
        } else if (dice_.chance(3)) {
            leave_and_begin_anew();
        }
        if (dice_.chance(20)) {
            come_or_go();
        }
        const bool is_teleported = dice_.chance(10) && teleport();
        if (dice_.chance(60)) {
            move_player(is_teleported);
        }
        end_tick();
    }

private:
    Position somewhere() {
        return {static_cast<std::int32_t>(dice_.between(-60'000, 60'000)),
                static_cast<std::int32_t>(dice_.between(-60'000, 60'000)),
                static_cast<std::int32_t>(dice_.between(-5, 5))};
    }
    EntityId own() {
        std::vector<EntityId> all(own_.begin(), own_.end());
        return dice_.pick(all);
    }

    void command() {
        const std::size_t what = dice_.below(10);
        if (what < 3 || own_.size() < 2) {
            spawn();
        } else if (what < 7) {
            move_many();
        } else if (what == 7) {
            change();
        } else if (what == 8) {
            const EntityId gone = own();
            if (gone != eye_) {
                service_->send(net::Despawn{{gone}});
                own_.erase(gone);
                things_.erase(gone);
            }
        } else {
            service_->send(net::KeyframeRequest{});
        }
    }
    void spawn() {
        net::SpawnOne one;
        one.position = somewhere();
        one.state = a_state();
        const EntityId id = service_->spawn(one);
        own_.insert(id);
        things_[id] = {one.position, engine::kDefaultLayer, one.state, {}};
    }
    /// Of the slots for all; never a first value, so that the client has all that were set.
    State a_state() {
        State state;
        if (dice_.chance(50)) {
            state = state_of(std::vector<std::byte>(1 + dice_.below(4), std::byte{3}));
        }
        if (dice_.chance(50)) {
            state.push_back({1, static_cast<std::int64_t>(1 + dice_.below(4))});
        }
        return state;
    }
    void spawn_eye() {
        const Position at = somewhere();
        eye_ = service_->watch_area(at, kView);
        own_.insert(eye_);
        things_[eye_] = {at, engine::kNoLayers, {}, {}};
        eye_sent_ = {};
        eye_known_.clear();
    }
    void move_many() {
        net::MoveMany moves;
        for (const EntityId id : own_) {
            if (!dice_.chance(60)) {
                continue;
            }
            Thing& thing = things_.at(id);
            const Position to = somewhere();
            if (thing.sent && dice_.chance(70)) {
                moves.moves.push_back(
                    {id, true, to.x - thing.sent->x, to.y - thing.sent->y, to.z - thing.sent->z});
            } else {
                moves.moves.push_back({id, false, to.x, to.y, to.z});
            }
            thing.sent = to;
            thing.position = to;
        }
        service_->send(moves);
    }
    void change() {
        net::ChangeOne one;
        one.entity = own();
        if (one.entity == eye_) {
            return;
        }
        Thing& thing = things_.at(one.entity);
        if (dice_.chance(50)) {
            thing.layers = dice_.chance(60) ? engine::kDefaultLayer : engine::LayerMask{2};
            one.layers = net::Layers{thing.layers, engine::kDefaultLayer};
        }
        if (dice_.chance(50)) {
            one.state = a_state();
            engine::merge(thing.state, one.state);
        }
        if (dice_.chance(50)) {
            thing.position = somewhere();
            one.position = thing.position;
        }
        service_->send(net::Change{{one}});
    }
    bool teleport() {
        net::ChangeOne one;
        one.entity = player_;
        one.position = somewhere();
        things_.at(player_).position = *one.position;
        ++correction_;
        service_->send(net::Change{{one}});
        return true;
    }
    /// One that was teleported in this tick was not sent that yet, and stays where it was put.
    void move_player(bool is_teleported) {
        const Position to = somewhere();
        service_->fence();
        client_.send(net::Move{++seq_, to, {}, is_teleported ? correction_ - 1 : correction_});
        if (!is_teleported) {
            things_.at(player_).position = to;
        }
    }

    /// Another player, who stands where it came in.
    void come_or_go() {
        if (others_.size() < 3 && dice_.chance(60)) {
            net::Hello hello;
            hello.spawn = somewhere();
            hello.view = engine::View{};
            auto other = std::make_unique<TestClient>(running_.port());
            const EntityId id = other->join(hello).entity;
            things_[id] = {*hello.spawn, engine::kDefaultLayer, {}, {}};
            others_[id] = std::move(other);
        } else if (!others_.empty()) {
            const auto gone = others_.begin();
            gone->second->kill();
            EXPECT_TRUE(eventually([&] { return running_.metrics().players == others_.size(); }));
            things_.erase(gone->first);
            others_.erase(gone);
        }
    }
    void absorb() {
        for (const TestService::Notice& notice : service_->notices(0)) {
            if (const auto* const joined = std::get_if<net::PlayerJoined>(&notice)) {
                EXPECT_TRUE(present_.insert(joined->entity).second);
            } else if (const auto* const left = std::get_if<net::PlayerLeft>(&notice)) {
                EXPECT_EQ(present_.erase(left->entity), 1U);
            }
        }
    }
    void expect_players_present() {
        std::set<EntityId> here{player_};
        for (const auto& [id, client] : others_) {
            here.insert(id);
        }
        EXPECT_TRUE(eventually([&] {
            service_->fence();
            absorb();
            return present_ == here;
        }));
    }

    void go_on(const net::ServiceHello& hello, bool resumes) {
        auto next = std::make_unique<TestService>(running_.port());
        welcome_ = next->join(hello);
        EXPECT_EQ(welcome_.resumed, resumes);
        std::set<EntityId> listed;
        for (const net::SpawnedOne& one : welcome_.entities) {
            listed.insert(one.entity);
        }
        EXPECT_EQ(listed, own_);
        service_ = std::move(next);
        present_.clear();
        for (auto& [id, thing] : things_) {
            thing.sent.reset();
        }
    }
    void cut_and_resume() {
        service_->fence();
        cut(running_, *service_);
        for (std::size_t ticks = dice_.below(3); ticks > 0; --ticks) {
            look(running_.tick({&client_})[0]);
        }
        go_on(hello_again(welcome_), true);
        keyframe_due_ = true;
    }
    void supersede() {
        service_->fence();
        go_on(hello_again(welcome_), true);
        keyframe_due_ = true;
    }
    void leave_and_begin_anew() {
        service_->send(net::LeaveZone{});
        while (service_->client().receive()) {
        }
        for (const EntityId id : own_) {
            things_.erase(id);
        }
        own_.clear();
        go_on({}, false);
        spawn_eye();
    }

    std::set<EntityId> visible_to(EntityId watcher, const std::set<EntityId>& known) const {
        std::set<EntityId> seen;
        for (const auto& [id, thing] : things_) {
            const std::int64_t reach = known.contains(id) ? kLeaveRadius : kRadius;
            if (id != watcher && (thing.layers & engine::kDefaultLayer) != 0 &&
                squared_distance(thing.position, things_.at(watcher).position) <= reach * reach) {
                seen.insert(id);
            }
        }
        return seen;
    }
    void expect_sent(const SentWorld& sent, const std::set<EntityId>& known) const {
        std::map<EntityId, Position> positions;
        std::map<EntityId, State> states;
        for (const EntityId id : known) {
            positions[id] = things_.at(id).position;
            states[id] = things_.at(id).state;
        }
        ASSERT_EQ(sent.positions(), positions);
        ASSERT_EQ(sent.states(), states);
    }
    void look(const net::FrameMessage& frame) {
        player_sent_.apply(frame);
        player_known_ = visible_to(player_, player_known_);
        expect_sent(player_sent_, player_known_);
    }
    void end_tick() {
        EXPECT_TRUE(service_->refused().empty());
        look(tick(running_, {service_.get()}, {&client_})[0]);
        const net::FrameMessage frame = service_->frames(1)[0];
        EXPECT_EQ(frame.watcher, eye_);
        EXPECT_TRUE(frame.is_keyframe || !keyframe_due_);
        keyframe_due_ = false;
        eye_sent_.apply(frame);
        eye_known_ = visible_to(eye_, eye_known_);
        expect_sent(eye_sent_, eye_known_);
        expect_players_present();
        service_->fence();  // by now the watcher's port can take the next frame
    }

    Dice dice_;
    RunningServer running_{[] {
        net::ServerOptions options = patient_server();
        options.io_threads = 2;
        return options;
    }()};
    std::unique_ptr<TestService> service_ = std::make_unique<TestService>(running_.port());
    TestClient client_{running_.port()};
    net::ServiceWelcome welcome_;
    EntityId player_{};
    EntityId eye_{};
    std::map<EntityId, Thing> things_;
    std::set<EntityId> own_;
    std::map<EntityId, std::unique_ptr<TestClient>> others_;
    std::set<EntityId> present_;  ///< players, by this connection's notices
    std::uint32_t seq_ = 0;
    std::uint32_t correction_ = 0;
    bool keyframe_due_ = false;

    SentWorld player_sent_;
    SentWorld eye_sent_;
    std::set<EntityId> player_known_;
    std::set<EntityId> eye_known_;
};

}  // namespace

TEST(ServiceHistories, TellAPlayerAndAWatchedAreaWhatTheModelSays) {
    constexpr std::uint64_t kSeeds = kIsSanitized ? 5 : 20;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        History history(seed);
        for (int i = 0; i < 60 && !testing::Test::HasFailure(); ++i) {
            history.step();
        }
        ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    }
}

}  // namespace marchland::tests
