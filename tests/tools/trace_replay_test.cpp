#include "shards/recording/recorder.h"
#include "shards/recording/records.h"
#include "shards/zone_threads.h"
#include "tools/trace/replay_run.h"
#include "tests/properties/dice.h"
#include "tests/tools/trace_oracle.h"
#include "tests/tools/trace_scratch_folder.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::trace {
namespace {

constexpr engine::Rect kWorld{0, 0, 999, 999};

shards::ZoneOptions zone_options() {
    shards::ZoneOptions options;
    options.world = kWorld;
    options.leave_radius_mm_max = 120;
    options.notify_leave_radius_mm_max = 400;
    options.border_hysteresis_mm = 10;
    options.cell_mm = 100;
    options.frame_gap_ticks_max = 6;
    options.tick_rate_hz = 128;
    return options;
}

shards::Layout grid(std::uint32_t columns, std::uint32_t rows) {
    return std::get<shards::Layout>(shards::Layout::grid(kWorld, columns, rows));
}

/// Four regions, of very different sizes.
shards::Layout irregular() {
    return std::get<shards::Layout>(
        shards::Layout::from_regions(kWorld, {{"strip", {0, 0, 59, 999}},
                                              {"north", {60, 500, 999, 999}},
                                              {"south", {60, 0, 700, 499}},
                                              {"rest", {701, 0, 999, 499}}}));
}

/// A client that wanders, looks around, changes, falls asleep and leaves, by dice of its own; and
/// what it is sent, as lines of marchland-trace.
class Wanderer final : public shards::EntityPort {
public:
    Wanderer(engine::EntityId id, std::uint64_t seed) : id_(id), dice_(seed) {}

    void take_inputs(shards::Inputs& into) override {
        if (++asked_ % 16 == 0) is_asleep_ = dice_.chance(30);
        if (dice_.chance(70)) into.move = place(dice_);
        if (dice_.chance(5)) into.view = view(dice_);
        if (dice_.chance(10)) into.facing = static_cast<engine::Angle>(dice_.below(65'536));
        if (dice_.chance(5)) into.layers = {dice_.chance(80) ? 3U : 4U, 1U};
        if (dice_.chance(3)) into.notify = engine::NotifyRange{200, 300};
        into.leave = dice_.chance(1);
    }
    [[nodiscard]] bool can_take_frame() const override { return !is_asleep_; }
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameFlags&) override {
        WatcherEvents events;
        append_events(frame, entities, events);
        sent_.emplace_back(frame.tick, std::move(events));
        return false;
    }
    [[nodiscard]] std::uint32_t io_thread() const override { return 0; }
    void on_removed() override { is_removed.store(true); }

    /// Mostly near the middle, so that there is much to see, and borders are crossed.
    static engine::Position place(tests::Dice& dice) {
        const auto coordinate = [&] {
            return static_cast<std::int32_t>(dice.chance(10) ? dice.between(0, 999)
                                                             : dice.between(420, 580));
        };
        const std::int32_t x = coordinate();
        return {x, coordinate(), 0};
    }
    static engine::View view(tests::Dice& dice) {
        const auto radius = static_cast<std::int32_t>(dice.between(0, 100));
        return dice.chance(30) ? engine::View::sector(radius, radius + 20, 5'000, 8'000)
                               : engine::View::circle(radius, radius + 20);
    }

    const engine::EntityId id_;
    std::vector<std::pair<engine::Tick, WatcherEvents>> sent_;
    std::atomic<bool> is_removed{false};

private:
    tests::Dice dice_;
    int asked_ = 0;
    bool is_asleep_ = false;
};

/// A zone with wanderers in it, that is recorded.
class Live {
public:
    Live(const std::filesystem::path& file, std::uint64_t seed,
         const engine::CrowdLimits& crowd = {})
        : dice_(seed), recorder_({.limits = {.part_bytes_max = 20'000, .parts_max = 1'000}}) {
        shards::ZoneOptions options = zone_options();
        options.crowd = crowd;
        EXPECT_EQ(recorder_.start(file, options), std::nullopt);
        zone_.emplace(options, grid(2, 2), outlet_, &recorder_);
    }

    void join_one() {
        engine::Entity entity;
        entity.id = zone_->new_id();
        entity.position = Wanderer::place(dice_);
        entity.view = Wanderer::view(dice_);
        entity.importance = static_cast<std::uint8_t>(dice_.below(256));
        wanderers_.push_back(std::make_shared<Wanderer>(entity.id, dice_.below(1'000'000)));
        EXPECT_TRUE(zone_->join({entity, wanderers_.back(), dice_.chance(90)}));
    }
    shards::Zone& zone() { return *zone_; }
    shards::Recorder& recorder() { return recorder_; }

    /// What all were sent up to a tick, as marchland-trace writes it.
    [[nodiscard]] std::string lines(engine::Tick up_to) const {
        std::map<std::pair<engine::Tick, engine::EntityId>, const WatcherEvents*> all;
        for (const auto& wanderer : wanderers_) {
            for (const auto& [tick, events] : wanderer->sent_) {
                if (tick <= up_to) all[{tick, wanderer->id_}] = &events;
            }
        }
        std::string text;
        EventLog log([&](std::string_view lines) { text += lines; });
        for (const auto& [key, events] : all) {
            log.add(key.first - 1, key.second, *events);
        }
        return text;
    }

    tests::Dice dice_;

private:
    shards::Recorder recorder_;
    NoOutlet outlet_;
    std::optional<shards::Zone> zone_;
    std::vector<std::shared_ptr<Wanderer>> wanderers_;
};

/// The first line that differs; empty when none does. gtest's own comparison of long texts takes
/// minutes.
std::string first_difference(const std::string& a, const std::string& b) {
    const auto [in_a, in_b] = std::ranges::mismatch(a, b);
    if (in_a == a.end() && in_b == b.end()) return "";
    const std::size_t at = static_cast<std::size_t>(in_a - a.begin());
    const std::size_t line = a.substr(0, at).rfind('\n') + 1;
    return fmt::format("'{}' instead of '{}'", a.substr(line, 30), b.substr(line, 30));
}

struct Replayed {
    std::string lines;
    std::uint64_t digest = 0;
    std::uint64_t ticks = 0;
    engine::Tick last_tick = engine::kNever;
    ReplayVerdict verdict;
    std::optional<shards::RecordingError> error;
};

Replayed replay(const std::filesystem::path& file, ReplayOptions options = {}) {
    Replayed replayed;
    shards::RecordingReader reader(file);
    replayed.error = reader.open();
    if (replayed.error) return replayed;
    EventLog log([&](std::string_view lines) { replayed.lines += lines; });
    ReplayRun run(reader, std::move(options), log);
    while (true) {
        const auto stepped = run.step();
        if (const auto* error = std::get_if<shards::RecordingError>(&stepped)) {
            replayed.error = *error;
            break;
        }
        if (!std::get<bool>(stepped)) break;
    }
    replayed.digest = log.digest();
    replayed.ticks = run.ticks_done();
    replayed.last_tick = run.tick();
    replayed.verdict = run.verdict();
    return replayed;
}

std::vector<ReplayOptions> all_layouts() {
    return {
        {}, {grid(1, 1), {}}, {grid(2, 2), {}}, {grid(4, 3), "quadtree"}, {irregular(), "tower"}};
}

class Replay : public testing::Test {
protected:
    const ScratchFolder folder_;
    const std::filesystem::path file_ = folder_.file("zone.rec");

    /// By hand, with joins, changes of the layout, and ticks that no shard ran.
    std::string live_by_hand(std::uint64_t seed, int ticks, const engine::CrowdLimits& crowd = {}) {
        Live live(file_, seed, crowd);
        shards::Lockstep lockstep(live.zone());
        const std::array layouts = {grid(1, 1), irregular(), grid(3, 2)};
        engine::Tick tick = 0;
        for (int i = 0; i < ticks; ++i) {
            for (std::size_t joins = live.dice_.below(4); joins > 0; --joins) {
                live.join_one();
            }
            if (live.dice_.chance(5)) lockstep.change_layout(layouts[live.dice_.below(3)]);
            tick += 1 + (live.dice_.chance(10) ? live.dice_.below(5) : 0);
            lockstep.step_to(tick);
        }
        EXPECT_TRUE(live.recorder().finish());
        return live.lines(tick);
    }
};

TEST_F(Replay, TellsEverybodyTheSameUnderAnyLayoutAndIndex) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        const std::string live = live_by_hand(seed, 150);
        ASSERT_GT(live.size(), 10'000U);
        for (const ReplayOptions& options : all_layouts()) {
            const Replayed replayed = replay(file_, options);
            ASSERT_FALSE(replayed.error) << to_text(*replayed.error);
            EXPECT_EQ(first_difference(replayed.lines, live), "");
            EXPECT_EQ(replayed.digest, digest_by_hand(live));
            EXPECT_EQ(replayed.ticks, 150U);
            EXPECT_EQ(replayed.verdict.differing_ticks, 0U);
            EXPECT_FALSE(replayed.verdict.cut || replayed.verdict.first_stale);
        }
        for (std::uint32_t part = 0; std::filesystem::remove(shards::part_path(file_, part));
             ++part) {
        }
    }
}

TEST_F(Replay, OfAZoneWhoseCrowdsAreLimitedTellsTheSame) {
    engine::CrowdLimits crowd;
    crowd.visible_max = 12;
    crowd.rings.front() = {30, 3};
    crowd.frame_bytes_max = 200;
    const std::string whole = live_by_hand(4, 100);
    std::filesystem::remove(file_);
    for (std::uint32_t part = 1; std::filesystem::remove(shards::part_path(file_, part)); ++part) {
    }
    const std::string live = live_by_hand(4, 100, crowd);
    EXPECT_LT(live.size(), whole.size() * 9 / 10) << "the limits leave nothing out";
    for (const ReplayOptions& options : all_layouts()) {
        const Replayed replayed = replay(file_, options);
        ASSERT_FALSE(replayed.error) << to_text(*replayed.error);
        EXPECT_EQ(first_difference(replayed.lines, live), "");
        EXPECT_EQ(replayed.verdict.differing_ticks, 0U);
    }
}

TEST_F(Replay, OfAZoneOnThreadsTellsTheSame) {
    Live live(file_, 7);
    {
        shards::ZoneThreads threads(live.zone(), [](const std::string& what) { FAIL() << what; });
        threads.start();
        for (int i = 0; i < 60; ++i) {
            live.join_one();
            const engine::Tick now = live.zone().tick();
            while (live.zone().tick() < now + 2) {
                std::this_thread::yield();
            }
        }
        threads.change_layout(grid(3, 1));
        const engine::Tick now = live.zone().tick();
        while (live.zone().tick() < now + 20) {
            std::this_thread::yield();
        }
        EXPECT_TRUE(live.recorder().finish());
        threads.stop();
    }
    for (const ReplayOptions& options : all_layouts()) {
        const Replayed replayed = replay(file_, options);
        ASSERT_FALSE(replayed.error) << to_text(*replayed.error);
        EXPECT_GE(replayed.ticks, 60U);
        EXPECT_FALSE(replayed.verdict.cut);
        EXPECT_FALSE(replayed.verdict.is_wrong());
        if (!replayed.verdict.first_stale) {
            EXPECT_EQ(first_difference(replayed.lines, live.lines(replayed.last_tick)), "");
            EXPECT_EQ(replayed.verdict.differing_ticks, 0U);
        }
    }
}

TEST_F(Replay, SaysWhichTicksWereRecordedWhileAShardWasLate) {
    Live live(file_, 5);
    shards::Lockstep lockstep(live.zone());
    for (int i = 0; i < 40; ++i) {
        live.join_one();
        const std::vector<shards::ShardId> late{shards::ShardId{1}};
        i == 20 ? lockstep.step_with_late(late) : lockstep.step();
    }
    EXPECT_TRUE(live.recorder().finish());
    const Replayed replayed = replay(file_);
    ASSERT_FALSE(replayed.error) << to_text(*replayed.error);
    EXPECT_EQ(replayed.ticks, 40U);
    EXPECT_EQ(replayed.verdict.stale_ticks, 1U);
    EXPECT_EQ(replayed.verdict.first_stale, 21U);
    EXPECT_FALSE(replayed.verdict.is_wrong());
}

/// What one client asks for, and who comes after it.
class Connection final : public shards::EntityPort {
public:
    void take_inputs(shards::Inputs& into) override { into = std::exchange(next, {}); }
    [[nodiscard]] bool can_take_frame() const override { return is_awake; }
    bool put_frame(const engine::Frame&, const engine::EntityStore&,
                   const shards::FrameFlags&) override {
        return false;
    }
    [[nodiscard]] std::uint32_t io_thread() const override { return 0; }
    void on_removed() override { is_removed = true; }

    shards::Inputs next;
    bool is_awake = true;
    bool is_removed = false;
};

/// A zone of one watcher, whose connections come one after the other; recorded.
class RecordedConnections : public Replay {
protected:
    RecordedConnections() {
        EXPECT_EQ(recorder_.start(file_, zone_options()), std::nullopt);
        zone_.emplace(zone_options(), grid(1, 1), outlet_, &recorder_);
        lockstep_.emplace(*zone_);
        engine::Entity entity;
        entity.id = zone_->new_id();
        entity.view = engine::View::circle(50, 50);
        EXPECT_TRUE(zone_->join({entity, first_}));
        lockstep_->step();
    }
    void steps(int count) {
        for (int i = 0; i < count; ++i) {
            lockstep_->step();
        }
    }
    Replayed play() {
        EXPECT_TRUE(recorder_.finish());
        return replay(file_);
    }

    NoOutlet outlet_;
    shards::Recorder recorder_;
    std::optional<shards::Zone> zone_;
    std::optional<shards::Lockstep> lockstep_;
    const std::shared_ptr<Connection> first_ = std::make_shared<Connection>();
    const std::shared_ptr<Connection> second_ = std::make_shared<Connection>();
};

TEST_F(RecordedConnections, AreAskedForMessagesOfBothInOneTickAgain) {
    first_->next.messages.resize(10);
    second_->next.messages.resize(10);
    first_->next.successor = second_;
    steps(1);
    const Replayed replayed = play();
    ASSERT_FALSE(replayed.error) << to_text(*replayed.error);
    EXPECT_FALSE(replayed.verdict.first_difference);
}

TEST_F(RecordedConnections, ShareOnePatienceWithAClientAgain) {
    first_->is_awake = false;
    steps(4);  // of the 6 that both have together
    second_->is_awake = false;
    first_->next.successor = second_;
    steps(2);
    EXPECT_FALSE(second_->is_removed);
    steps(1);
    EXPECT_TRUE(second_->is_removed);
    const Replayed replayed = play();
    ASSERT_FALSE(replayed.error) << to_text(*replayed.error);
    EXPECT_FALSE(replayed.verdict.first_difference);
}

/// A recording of one block, whose records the test writes itself, in a world of one shard.
class HandmadeReplay : public Replay {
protected:
    HandmadeReplay() { shards::encode_layout(engine::kNever, grid(1, 1), payload_); }

    void join(std::uint64_t id, engine::Position at, std::int32_t leave_radius_mm = 100) {
        engine::Entity entity;
        entity.id = static_cast<engine::EntityId>(id);
        entity.position = at;
        entity.view = engine::View::circle(50, leave_radius_mm);
        shards::encode_join(entity, true, payload_);
    }
    void move(std::uint64_t id, engine::Position to) {
        shards::Inputs inputs;
        inputs.move = to;
        shards::encode_inputs(static_cast<engine::EntityId>(id), inputs, false, payload_);
    }
    void begin_tick() {
        ++tick_;
        shards::encode_tick_begin({tick_}, tick_ - 1, payload_);
    }
    void end_tick(std::uint64_t check = 0) { shards::encode_tick_end(check, payload_); }

    /// Ends the tick, and the recording.
    Replayed play() {
        end_tick();
        shards::RecordingFile file;
        EXPECT_EQ(file.open(file_, zone_options(), {}), std::nullopt);
        EXPECT_EQ(file.append(payload_), std::nullopt);
        EXPECT_EQ(file.close(), std::nullopt);
        return replay(file_);
    }
    std::string refusal() {
        const Replayed replayed = play();
        return replayed.error ? replayed.error->reason : "none";
    }

    shards::Bytes payload_;
    engine::Tick tick_ = engine::kNever;
};

TEST_F(HandmadeReplay, NamesTheFirstTickThatIsNotWhatWasSent) {
    begin_tick();
    join(1, {10, 10, 0});
    end_tick();
    begin_tick();
    join(2, {20, 10, 0});
    end_tick(1);  // not what they are sent: that they see each other
    begin_tick();
    const Replayed replayed = play();
    EXPECT_FALSE(replayed.error);
    EXPECT_EQ(replayed.verdict.first_difference, 2U);
    EXPECT_EQ(replayed.verdict.differing_ticks, 1U);
    EXPECT_TRUE(replayed.verdict.is_wrong());
    EXPECT_EQ(replayed.lines, "1,1,E,2\n1,2,E,1\n");
}

TEST_F(HandmadeReplay, RefusesInputsOfWhoIsNotThere) {
    begin_tick();
    move(9, {1, 1, 0});
    EXPECT_EQ(refusal(), "inputs of entity 9, which is not there");
}

TEST_F(HandmadeReplay, RefusesASecondSayInOneTick) {
    begin_tick();
    join(9, {1, 1, 0});
    move(9, {1, 1, 0});
    move(9, {2, 1, 0});
    EXPECT_EQ(refusal(), "inputs of entity 9, which has had some in this tick");
}

TEST_F(HandmadeReplay, RefusesWhoIsThereAlready) {
    begin_tick();
    join(9, {1, 1, 0});
    end_tick();
    begin_tick();
    join(9, {1, 1, 0});
    EXPECT_EQ(refusal(), "entity 9 joins, and is there already");
}

TEST_F(HandmadeReplay, RefusesPlacesOutsideTheWorld) {
    begin_tick();
    join(9, {1, 1, 0});
    move(9, {1'000, 1, 0});
    EXPECT_EQ(refusal(), "a place outside the world");
}

TEST_F(HandmadeReplay, RefusesViewsBeyondTheLimit) {
    begin_tick();
    join(9, {1, 1, 0}, 121);
    EXPECT_EQ(refusal(), "a view that reaches beyond leave_radius_mm_max");
}

TEST_F(HandmadeReplay, RefusesSlotsThatTheZoneDoesNotHave) {
    begin_tick();
    join(9, {1, 1, 0});
    shards::Inputs inputs;
    inputs.state = {{15, std::int64_t{1}}};
    shards::encode_inputs(engine::EntityId{9}, inputs, false, payload_);
    EXPECT_EQ(refusal(), "slot 15 is none that the zone has");
}

TEST_F(HandmadeReplay, RefusesWhoJoinsWithSlotsThatTheZoneDoesNotHave) {
    begin_tick();
    engine::Entity entity;
    entity.id = engine::EntityId{9};
    const std::vector<engine::StateWrite> state{{0, 1.5F}};
    entity.state = engine::with(nullptr, state, engine::kNever);
    shards::encode_join(entity, true, payload_);
    EXPECT_EQ(refusal(), "slot 0 is none that the zone has");
}

TEST_F(HandmadeReplay, RefusesMoreLayoutsThanAZoneHasAtOnce) {
    for (engine::Tick from = 1; from < 200; ++from) {
        shards::encode_layout(from, grid(1 + from % 2, 1), payload_);
    }
    begin_tick();
    EXPECT_EQ(refusal(), "more than 64 layouts that wait for their tick");
}

TEST_F(HandmadeReplay, TakesAsManyMessagesAsPortsThatSucceededEachOtherMaySendInOneTick) {
    begin_tick();
    join(9, {1, 1, 0});
    shards::Inputs inputs;
    inputs.messages.resize(engine::kMessagesOfAllPortsMax);
    shards::encode_inputs(engine::EntityId{9}, inputs, true, payload_);
    EXPECT_EQ(refusal(), "none");
}

TEST_F(HandmadeReplay, RefusesATickBeforeAnyLayoutAndALayoutThatIsNone) {
    payload_.clear();
    begin_tick();
    EXPECT_EQ(refusal(), "a tick before any layout");
    std::filesystem::remove(file_);
    payload_.clear();
    const auto other = shards::Layout::grid({0, 0, 99, 99}, 1, 1);
    shards::encode_layout(engine::kNever, std::get<shards::Layout>(other), payload_);
    begin_tick();
    EXPECT_EQ(refusal().substr(0, 24), "a layout that is none: n");
}

}  // namespace
}  // namespace marchland::trace
