// Contract point 6, for shards that are late by more than a tick: each runs its
// ticks by halves, at random moments, stops before its gate or behind it, and
// skips what it missed, or is in time again for the others' tick; it may stand
// still over a whole layout. Entities jump, walk, and go on by themselves.
// Whatever they do, what each client is sent makes sense; a frame that is not
// marked as stale says what was true in its tick, but for who comes out of a
// late shard's ground; messages of one source come in their order and once, and
// so do those to clients wherever they are, to each that stays; and when all
// are on time again everybody knows what is true.

#include "shards/lockstep.h"
#include "tests/properties/client_view.h"
#include "tests/properties/dice.h"
#include "tests/properties/property_case.h"
#include "tests/sanitizer.h"
#include "tests/shards/recording_port.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::tests {
namespace {

using engine::EntityId;
using engine::Position;
using engine::Tick;
using shards::ShardId;

constexpr std::int32_t kEdgeMm = 300;
constexpr std::int32_t kRadiusMm = 40;
constexpr engine::Rect kWorld{0, 0, kEdgeMm - 1, kEdgeMm - 1};
constexpr std::int32_t kErrorMm = 1;  // for entities that go on by themselves
constexpr Tick kCalmTicks = 8;

class Client;

/// What a client's frames are held against.
struct World {
    std::vector<std::shared_ptr<Client>> clients;
    Tick tick = engine::kNever;  ///< that of the shard which runs its first half
    std::size_t halves = 0;      ///< that any shard has run
    /// Of shards that have not begun the tick whose second half is run.
    std::vector<engine::Rect> late_ground = {};

    /// The newest life of the id.
    [[nodiscard]] Client* find(EntityId id) const;
    [[nodiscard]] std::size_t lives_of(EntityId id) const;
    /// Whom the watcher sees at the end of the tick, once nobody is to run it any
    /// more.
    [[nodiscard]] std::map<EntityId, Position> truth(const Client& watcher, Tick at) const;
};

bool are_close(const std::map<EntityId, Position>& a, const std::map<EntityId, Position>& b) {
    return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
        return one.first == other.first && std::abs(one.second.x - other.second.x) <= kErrorMm &&
               std::abs(one.second.y - other.second.y) <= kErrorMm;
    });
}

/// A client that checks each frame as it comes: one life of its id.
class Client final : public RecordingPort {
public:
    /// What holds from the tick in which its shard took it on.
    struct State {
        Position at;
        engine::Step velocity;  ///< of one that goes on by itself
        Tick tick;              ///< in which its shard took it
        std::size_t half = 0;   ///< likewise
        bool is_visible = true;
        bool is_there = true;
    };
    /// A frame that was not marked, and what its client knew with it.
    struct Claim {
        Tick tick;
        std::size_t half;  ///< before which it came
        std::vector<engine::Rect> late_ground;
        std::vector<engine::Leave> leaves;
        std::map<EntityId, Position> known;
    };

    Client(EntityId id, Position at, World& world)
        : id_(id), spawn_(at), world_(world), said_(world.lives_of(id) << kLifeShift) {}

    [[nodiscard]] EntityId id() const { return id_; }
    /// Where its entity is, as far as the zone has taken it.
    [[nodiscard]] Position at() const {
        return history_.empty() ? spawn_ : std::prev(history_.end())->second.at;
    }
    [[nodiscard]] std::map<EntityId, Position> known_at(Tick tick) const {
        std::map<EntityId, Position> known;
        for (const auto& [id, place] : known_) {
            known.emplace(id, place.at_tick(tick));
        }
        return known;
    }
    [[nodiscard]] const std::string& complaint() const { return complaint_; }
    [[nodiscard]] bool is_there() const { return removed_count == 0; }

    /// Nothing: it was not there yet. One that goes on has gone on in each tick,
    /// whoever ran it.
    [[nodiscard]] std::optional<State> state_at(Tick tick) const {
        const auto later = history_.upper_bound(tick);
        if (later == history_.begin()) {
            return std::nullopt;
        }
        State state = std::prev(later)->second;
        for (Tick each = state.tick; each < tick; ++each) {
            const Position ahead = engine::after_steps(state.at, state.velocity, 1);
            if (!kWorld.contains(ahead)) {
                break;
            }
            state.at = ahead;
        }
        return state;
    }
    /// What was sent to it while it was there, and did not come.
    [[nodiscard]] bool has_missed_a_letter() const { return !letters_.empty(); }

    /// To who sees it.
    void say() { next.messages.push_back({0, next_number()}); }
    /// A letter that it sends, to whomever.
    engine::GameMessage letter() { return {static_cast<std::uint16_t>(id_), next_number()}; }
    void expect(const engine::GameMessage& letter) {
        letters_.emplace(letter.kind, number_in(*letter.payload));
    }
    [[nodiscard]] bool is_player() const override { return true; }
    void put_message(const engine::GameMessage& message) override {
        const std::uint64_t number = number_in(*message.payload);
        if (newest_letter_[message.kind] >= number) {
            complain("letter twice or out of order, of", EntityId{message.kind}, world_.tick);
        }
        newest_letter_[message.kind] = number;
        letters_.erase({message.kind, number});
    }
    void note_messages_lost() override {
        complain("letters lost, of which there are few", id_, world_.tick);
    }
    void take_inputs(shards::Inputs& into) override {
        RecordingPort::take_inputs(into);
        State now = state_at(world_.tick).value_or(State{spawn_, {}, world_.tick});
        if (into.move) {
            now.at = *into.move;
            now.velocity = next_velocity;
        } else if (now.at != at()) {
            into.move = now.at;
        }
        is_visible = into.layers ? into.layers->layers != engine::kNoLayers : is_visible;
        now.is_visible = is_visible;
        now.is_there = !into.leave;
        now.tick = world_.tick;
        now.half = world_.halves;
        history_[world_.tick] = now;
    }
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameFlags& flags) override {
        RecordingPort::put_frame(frame, entities, flags);
        check(last_frame());
        if (!flags.border_stale) {
            claims_.push_back({frame.tick, world_.halves + 1, world_.late_ground,
                               last_frame().leaves, known_at(frame.tick)});
        }
        return false;
    }

    /// Once nobody is to run the ticks any more in which they came.
    void check_claims() {
        for (const Claim& claim : claims_) {
            check_truth(claim);
        }
    }
    /// Did it come out of ground whose changes the claim did without? A view that
    /// does not reach there may.
    [[nodiscard]] bool came_out_late(const Claim& claim) const {
        auto later = history_.upper_bound(claim.tick);
        while (later != history_.begin() && std::prev(later)->second.half >= claim.half) {
            --later;
        }
        const Position before = later == history_.begin() ? spawn_ : std::prev(later)->second.at;
        const auto now = state_at(claim.tick);
        return now && std::ranges::any_of(claim.late_ground, [&](const engine::Rect& ground) {
                   return ground.contains(before) && !ground.contains(now->at);
               });
    }

    engine::Step next_velocity;  ///< from its next move on
    bool is_leaving = false;
    bool is_visible = true;

private:
    using Place = ClientView::Place;

    /// What one says begins with the number of its life.
    static constexpr unsigned kLifeShift = 32;

    static std::uint64_t number_in(const std::vector<std::byte>& payload) {
        std::uint64_t number = 0;
        if (payload.size() == sizeof number) {
            std::memcpy(&number, payload.data(), sizeof number);
        }
        return number;
    }
    engine::Blob next_number() {
        std::vector<std::byte> payload(sizeof said_);
        ++said_;
        std::memcpy(payload.data(), &said_, sizeof said_);
        return std::make_shared<const std::vector<std::byte>>(std::move(payload));
    }
    void complain(const std::string& what, EntityId about, Tick tick) {
        if (complaint_.empty()) {
            complaint_ = "client " + std::to_string(to_number(id_)) + ", tick " +
                         std::to_string(tick) + ": " + what + ' ' +
                         std::to_string(to_number(about));
        }
    }
    void check(const SentFrame& frame) {
        if (frame.is_keyframe) {
            known_.clear();
        }
        for (const engine::Leave& leave : frame.leaves) {
            if (known_.erase(leave.id) == 0) complain("leave of unknown", leave.id, frame.tick);
        }
        for (const SentEnter& enter : frame.enters) {
            if (!known_.emplace(enter.id, Place{enter.position, enter.velocity, frame.tick})
                     .second) {
                complain("double enter of", enter.id, frame.tick);
            }
        }
        for (const SentMove& move : frame.moves) {
            const auto known = known_.find(move.id);
            if (known == known_.end()) {
                complain("move of unknown", move.id, frame.tick);
                continue;
            }
            if (move.previous && *move.previous != known->second.at_tick(frame.tick)) {
                complain("difference to another place of", move.id, frame.tick);
            }
            known->second = {move.position, move.velocity, frame.tick};
        }
        for (const SentMessage& message : frame.messages) {
            const std::uint64_t number = number_in(message.payload);
            const auto newest =
                received_.try_emplace({message.source, number >> kLifeShift}, number - 1).first;
            if (number <= newest->second)
                complain("message twice, out of order or changed, of", message.source, frame.tick);
            newest->second = std::max(newest->second, number);
        }
        if (frame.messages_lost) complain("messages lost, of which there are few", id_, frame.tick);
    }
    void check_truth(Claim claim) {
        std::map<EntityId, Position> truth = world_.truth(*this, claim.tick);
        for (const auto& client : world_.clients) {
            if (client->came_out_late(claim)) {
                truth.erase(client->id());
                claim.known.erase(client->id());
            }
        }
        if (!are_close(claim.known, truth)) {
            complain("untrue, and not marked", id_, claim.tick);
        }
        for (const engine::Leave& leave : claim.leaves) {
            if (world_.lives_of(leave.id) > 1) {
                continue;  // which of them it was, the frame does not tell
            }
            const auto left = world_.find(leave.id)->state_at(claim.tick);
            if ((leave.reason == engine::LeaveReason::gone) == left->is_there) {
                complain("the wrong reason for the leave of", leave.id, claim.tick);
            }
        }
    }

    const EntityId id_;
    const Position spawn_;
    World& world_;
    std::map<Tick, State> history_;
    // By their kind, which is their sender's id.
    std::set<std::pair<std::uint16_t, std::uint64_t>> letters_;  ///< to it, and did not come yet
    std::map<std::uint16_t, std::uint64_t> newest_letter_;
    std::uint64_t said_;
    std::map<EntityId, Place> known_;
    std::vector<Claim> claims_;
    std::map<std::pair<EntityId, std::uint64_t>, std::uint64_t> received_;  ///< by life
    std::string complaint_;
};

Client* World::find(EntityId id) const {
    const auto client = std::find_if(clients.rbegin(), clients.rend(),
                                     [id](const auto& c) { return c->id() == id; });
    return client == clients.rend() ? nullptr : client->get();
}

std::size_t World::lives_of(EntityId id) const {
    return static_cast<std::size_t>(
        std::ranges::count(clients, id, [](const auto& c) { return c->id(); }));
}

std::map<EntityId, Position> World::truth(const Client& watcher, Tick at) const {
    std::map<EntityId, Position> seen;
    const Position eye = watcher.state_at(at)->at;
    for (const auto& client : clients) {
        const auto state = client->state_at(at);
        if (client->id() == watcher.id() || !state || !state->is_there || !state->is_visible) {
            continue;
        }
        const std::int32_t dx = state->at.x - eye.x;
        const std::int32_t dy = state->at.y - eye.y;
        if (dx * dx + dy * dy <= kRadiusMm * kRadiusMm) {
            seen.emplace(client->id(), state->at);
        }
    }
    return seen;
}

/// One history: a zone, its clients, and shards that run as chance will have
/// it.
class LateRun {
public:
    explicit LateRun(std::uint64_t seed)
        : dice_(seed),
          options_(options(dice_)),
          zone_(options_, layout(), outlet_),
          lockstep_(zone_),
          late_percent_(static_cast<unsigned>(dice_.below(30))),
          relayout_percent_(static_cast<unsigned>(dice_.below(25))),
          clients_max_(3 + dice_.below(12)) {
        layouts_.emplace(0, zone_.layout());
        for (const ShardId id : zone_.running_shards()) {
            runners_[id] = {};
        }
    }

    /// What is wrong; empty: nothing.
    std::string play() {
        const Tick busy = 15 + dice_.below(30);
        for (Tick tick = 1; tick <= busy + kCalmTicks; ++tick) {
            is_calm_ = tick > busy;
            if (!is_calm_) {
                change_something();
            }
            run(tick);
        }
        return verdict(busy + kCalmTicks);
    }
    [[nodiscard]] std::size_t stalls() const { return stalls_; }

private:
    struct Runner {
        Tick next = 0;  ///< the first that it may begin
        std::optional<Tick> begun;
        std::optional<Tick> late_for;  ///< chosen, and not begun yet
        std::size_t rounds_to_wait = 0;
    };

    static shards::ZoneOptions options(Dice& dice) {
        shards::ZoneOptions options;
        options.world = kWorld;
        options.prediction_error_mm = kErrorMm;
        options.leave_radius_mm_max = kRadiusMm;
        options.notify_leave_radius_mm_max = 130;
        options.border_hysteresis_mm = static_cast<std::int32_t>(dice.below(4));
        options.cell_mm = 16;
        options.executor_threads = 1;
        options.shard_stall_ms_max = 3'600'000;
        return options;
    }
    Position anywhere() {
        return {static_cast<std::int32_t>(dice_.below(kEdgeMm)),
                static_cast<std::int32_t>(dice_.below(kEdgeMm)), 0};
    }
    Position near(Position at) {
        const auto step = [&](std::int32_t from) {
            return std::clamp(from + static_cast<std::int32_t>(dice_.between(-10, 10)), 0,
                              kEdgeMm - 1);
        };
        return {step(at.x), step(at.y), 0};
    }
    /// A grid; some shards keep their name from one to the next, and so their id.
    shards::Layout layout() {
        const auto columns = static_cast<std::uint32_t>(1 + dice_.below(4));
        auto grid = std::get<shards::Layout>(shards::Layout::grid(
            options_.world, columns, static_cast<std::uint32_t>(1 + dice_.below(4))));
        std::vector<shards::Region> regions;
        for (const ShardId shard : grid.shards()) {
            regions.push_back({"s" + std::to_string(regions.size() + 20 * dice_.below(2)),
                               grid.region(shard).area});
        }
        return std::get<shards::Layout>(shards::Layout::from_regions(options_.world, regions));
    }

    void change_something() {
        if (dice_.chance(relayout_percent_)) {
            std::vector<shards::ShardId> newcomers;
            const auto note = [&](const shards::Zone::Newcomers& made) {
                for (const auto& newcomer : made) {
                    newcomers.push_back(newcomer->id());
                }
            };
            auto next = layout();
            const Tick from = zone_.change_layout(std::move(next), 1 + dice_.below(2), note);
            layouts_.insert_or_assign(from, zone_.layout());
            for (const shards::ShardId newcomer : newcomers) {
                runners_[newcomer] = Runner();
                runners_[newcomer].next = from;
            }
        }
        const auto there = std::ranges::count_if(world_.clients, &Client::is_there);
        if (static_cast<std::size_t>(there) < clients_max_ && dice_.chance(70)) {
            join();
        }
        for (const auto& client : world_.clients) {
            if (client->is_there() && !client->is_leaving) {
                wish(*client);
            }
        }
    }
    /// One that left may come back, wherever its leaving is not known yet.
    EntityId any_id() {
        for (const auto& client : world_.clients) {
            if (!world_.find(client->id())->is_there() && dice_.chance(30)) {
                return client->id();
            }
        }
        return zone_.new_id();
    }
    void join() {
        engine::Entity entity;
        entity.id = any_id();
        entity.position = anywhere();
        entity.view = engine::View::circle(kRadiusMm, kRadiusMm);
        world_.clients.push_back(std::make_shared<Client>(entity.id, entity.position, world_));
        ASSERT_TRUE(zone_.join({entity, world_.clients.back()}));
    }
    /// To all, or to one and somebody who is not there.
    void write_letter(Client& from) {
        const auto letter = from.letter();
        const bool is_to_all = dice_.chance(30);
        const auto& one = world_.clients[dice_.below(world_.clients.size())];
        shards::Audience audience;
        if (!is_to_all) {
            audience.to = {one->id(), EntityId{4'000'000}};
        }
        for (const auto& client : world_.clients) {
            if ((is_to_all || client == one) && client->is_there() && !client->is_leaving) {
                client->expect(letter);
            }
        }
        zone_.say({letter, std::move(audience)});
    }
    void wish(Client& client) {
        if (dice_.chance(50)) {
            const bool is_step = dice_.chance(80);
            client.next.move = is_step ? near(client.at()) : anywhere();
            client.next_velocity = is_step && dice_.chance(50)
                                       ? *engine::step_between(client.at(), *client.next.move)
                                       : engine::Step{};
        }
        while (dice_.chance(20)) {
            write_letter(client);
        }
        while (dice_.chance(25) && client.next.messages.size() < engine::kMessagesPerTickMax) {
            client.say();
        }
        if (dice_.chance(8)) {
            client.next.layers = {dice_.chance(50) ? engine::kDefaultLayer : engine::kNoLayers,
                                  engine::kDefaultLayer};
        }
        client.next.keyframe = client.next.keyframe || dice_.chance(3);
        client.is_open = dice_.chance(80);
        client.is_leaving = client.next.leave = dice_.chance(4);
    }

    bool stalls(Runner& runner) {
        if (is_calm_ || !dice_.chance(late_percent_)) {
            return false;
        }
        runner.rounds_to_wait = 1 + dice_.below(6);
        ++stalls_;
        return true;
    }
    void begin(ShardId id, Runner& runner, Tick tick) {
        if (runner.begun) {
            return;
        }
        if (!runner.late_for) {
            if (runner.next > tick) {
                return;
            }
            runner.late_for = tick;
            if (stalls(runner)) {
                return;
            }
        }
        runner.begun = std::exchange(runner.late_for, std::nullopt);
        world_.tick = *runner.begun;
        ++world_.halves;
        begun_.emplace(id, *runner.begun);
        lockstep_.begin(id, *runner.begun);
        stalls(runner);
    }
    [[nodiscard]] std::vector<engine::Rect> late_ground(Tick tick) const {
        const shards::Layout& in_force = std::prev(layouts_.upper_bound(tick))->second;
        std::vector<engine::Rect> ground;
        for (const ShardId id : in_force.shards()) {
            if (!begun_.contains({id, tick})) {
                ground.push_back(in_force.region(id).area.grown_by(std::int64_t{2} *
                                                                   options_.border_hysteresis_mm));
            }
        }
        return ground;
    }
    /// One that was behind may begin the others' tick now, while some of them are
    /// still in it.
    void finish(ShardId id, Tick now) {
        const auto found = runners_.find(id);
        if (found == runners_.end()) {
            return;
        }
        Runner& runner = found->second;
        if (!runner.begun || runner.rounds_to_wait > 0) {
            return;
        }
        const Tick tick = *std::exchange(runner.begun, std::nullopt);
        world_.late_ground = late_ground(tick);
        lockstep_.finish(id, tick);
        runner.next = tick + 1;
        if (zone_.shard(id).is_drained() && zone_.retire(id)) {
            runners_.erase(found);
        } else if (tick < now && dice_.chance(50)) {
            begin(id, runner, now);
        }
    }
    /// All shards' halves, in any order.
    void run(Tick tick) {
        for (const auto& client : world_.clients) {
            client->is_open = client->is_open || is_calm_;
        }
        std::vector<ShardId> ids;
        for (const auto& [id, runner] : runners_) {
            ids.push_back(id);
        }
        for (std::size_t i = ids.size(); i > 1; --i) {
            std::swap(ids[i - 1], ids[dice_.below(i)]);
        }
        for (const ShardId id : ids) {
            Runner& runner = runners_[id];
            runner.rounds_to_wait = is_calm_ ? 0 : runner.rounds_to_wait;
            if (runner.rounds_to_wait > 0) {
                --runner.rounds_to_wait;
            } else {
                begin(id, runner, tick);
            }
        }
        for (int pass = 0; pass < 2; ++pass) {
            for (const ShardId id : ids) {
                finish(id, tick);
            }
        }
    }

    std::string verdict(Tick last) {
        std::map<EntityId, int> owners;
        for (const ShardId id : zone_.running_shards()) {
            for (const EntityId owned : zone_.shard(id).owned_ids()) {
                ++owners[owned];
            }
        }
        if (zone_.shard_count() != zone_.layout().size()) {
            return "a shard without a region is not retired";
        }
        for (const auto& client : world_.clients) {
            client->check_claims();
        }
        for (const auto& client : world_.clients) {
            const std::string name = "client " + std::to_string(to_number(client->id()));
            if (!client->complaint().empty()) {
                return client->complaint();
            }
            if (world_.find(client->id()) != client.get()) {
                continue;
            }
            if (owners[client->id()] != (client->is_there() ? 1 : 0) ||
                (client->is_leaving && client->is_there())) {
                return name + " is not owned once, or does not go";
            }
            if (client->is_there() &&
                (client->last_frame().tick != last || client->last_frame().border_stale ||
                 !are_close(client->known_at(last), world_.truth(*client, last)))) {
                return name + " does not know in the end what is true";
            }
            if (client->is_there() && client->has_missed_a_letter()) {
                return name + " was never sent what was to it";
            }
        }
        return {};
    }

    Dice dice_;
    const shards::ZoneOptions options_;
    SilentOutlet outlet_;
    shards::Zone zone_;
    shards::Lockstep lockstep_;
    const unsigned late_percent_;
    const unsigned relayout_percent_;
    const std::size_t clients_max_;
    std::map<ShardId, Runner> runners_;
    std::set<std::pair<ShardId, Tick>> begun_;
    std::map<Tick, shards::Layout> layouts_;  ///< by the first tick of each
    World world_;
    bool is_calm_ = false;
    std::size_t stalls_ = 0;
};

TEST(Lateness, OfSeveralTicksAndOfWholeLayoutsNeverMakesFramesNonsense) {
    const auto runs =
        (kIsSanitized ? 300U : 1'500U) * static_cast<std::uint64_t>(property_factor().value_or(1));
    std::size_t stalls = 0;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
        LateRun run(seed);
        ASSERT_EQ(run.play(), "") << "seed " << seed;
        stalls += run.stalls();
    }
    EXPECT_GT(stalls, 10 * runs) << "many are late, many times";
}

}  // namespace
}  // namespace marchland::tests
