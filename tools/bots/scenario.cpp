#include "tools/bots/scenario.h"

#include "engine/assert.h"
#include "tools/bots/swarm.h"

#include <algorithm>
#include <cmath>

namespace marchland::bots {

namespace {

// Heights span this much at most: players of a zone of three dimensions would never meet in the
// whole of its range.
constexpr std::int64_t kHeightSpanMm = 20'000;

// A crowd comes from this far around the middle, so that it gets there within some twenty seconds.
constexpr std::int64_t kCrowdReachMm = 100'000;
constexpr std::int64_t kCrowdSpotMm = 2'000;

// Paces are shorter and longer than a usual ownership hysteresis, and wander along the border.
constexpr std::int64_t kPaceReachMinMm = 500;
constexpr std::int64_t kPaceReachMaxMm = 12'000;
constexpr std::int64_t kPaceWanderMm = 20'000;
constexpr std::uint64_t kPacersPerCorner = 4;  // one of so many paces over a corner

constexpr std::uint64_t kStepsPerJump = 100;

engine::Position step_towards(engine::Position from, engine::Position to, std::int32_t step_mm) {
    const double dx = static_cast<double>(to.x) - from.x;
    const double dy = static_cast<double>(to.y) - from.y;
    const double dz = static_cast<double>(to.z) - from.z;
    const double distance_mm = std::sqrt(dx * dx + dy * dy + dz * dz);
    if (distance_mm <= step_mm) {
        return to;
    }
    // Rounded, the step still ends between the two points, on every axis.
    const double share = step_mm / distance_mm;
    const auto along = [share](std::int32_t start, double difference) {
        return static_cast<std::int32_t>(start + std::llround(difference * share));
    };
    return {along(from.x, dx), along(from.y, dy), along(from.z, dz)};
}

std::int64_t quarter(std::int32_t low, std::int32_t high, std::int64_t quarters) {
    return low + (std::int64_t{high} - low) * quarters / 4;
}

std::int64_t lowest_height_mm(const World& world) {
    return std::clamp<std::int64_t>(0, world.min.z, world.max.z);
}

std::int64_t highest_height_mm(const World& world) {
    return std::min<std::int64_t>(lowest_height_mm(world) + kHeightSpanMm, world.max.z);
}

}  // namespace

std::optional<Scenario> scenario_of(std::string_view name) {
    const auto* const found = std::find(kScenarioNames.begin(), kScenarioNames.end(), name);
    if (found == kScenarioNames.end()) {
        return std::nullopt;
    }
    return static_cast<Scenario>(found - kScenarioNames.begin());
}

Walker::Walker(Scenario scenario, const World& world, std::int32_t step_mm, std::uint64_t seed)
    : scenario_(scenario),
      world_(world),
      step_mm_(step_mm),
      random_(seed),
      height_mm_(static_cast<std::int32_t>(
          random_.between(lowest_height_mm(world), highest_height_mm(world)))),
      pace_(choose_pace()) {
    position_ = scenario_ == Scenario::border ? near(pace_.anchor, kPaceWanderMm) : end_of_leg();
    is_odd_leg_ = true;
    waypoint_ = end_of_leg();
}

engine::Position Walker::advance() {
    if (scenario_ == Scenario::teleport && random_.one_in(kStepsPerJump)) {
        position_ = anywhere();
        waypoint_ = anywhere();
        return position_;
    }
    if (position_ == waypoint_) {
        is_odd_leg_ = !is_odd_leg_;
        waypoint_ = end_of_leg();
    }
    position_ = step_towards(position_, waypoint_, step_mm_);
    return position_;
}

engine::Position Walker::middle() const {
    return world_.clamp(quarter(world_.min.x, world_.max.x, 2),
                        quarter(world_.min.y, world_.max.y, 2), height_mm_);
}

engine::Position Walker::in_market() {
    const std::int64_t side_mm = std::min(std::int64_t{world_.max.x} - world_.min.x,
                                          std::int64_t{world_.max.y} - world_.min.y);
    return near(world_.clamp(quarter(world_.min.x, world_.max.x, 1),
                             quarter(world_.min.y, world_.max.y, 1), height_mm_),
                side_mm / 8);
}

engine::Position Walker::anywhere() {
    const std::int64_t x = random_.between(world_.min.x, world_.max.x);
    const std::int64_t y = random_.between(world_.min.y, world_.max.y);
    const bool has_heights = world_.dimensions == engine::Dimensions::three;
    const std::int64_t z =
        has_heights ? random_.between(lowest_height_mm(world_), highest_height_mm(world_))
                    : height_mm_;
    return world_.clamp(x, y, z);
}

engine::Position Walker::near(engine::Position center, std::int64_t reach_mm) {
    const std::int64_t x = center.x + random_.between(-reach_mm, reach_mm);
    const std::int64_t y = center.y + random_.between(-reach_mm, reach_mm);
    return world_.clamp(x, y, center.z);
}

engine::Position Walker::end_of_leg() {
    switch (scenario_) {
        case Scenario::crowd:
            return near(middle(), is_odd_leg_ ? kCrowdSpotMm : kCrowdReachMm);
        case Scenario::market:
            return in_market();
        case Scenario::border:
            return pace_waypoint();
        case Scenario::roam:
        case Scenario::teleport:
        case Scenario::resume:
        case Scenario::slow:
        case Scenario::soak:
        case Scenario::siege:
            break;
    }
    return anywhere();
}

engine::Position Walker::pace_waypoint() {
    const std::int64_t side = is_odd_leg_ ? pace_.reach_mm : -pace_.reach_mm;
    const std::int64_t wander = random_.between(-pace_.wander_mm, pace_.wander_mm);
    return world_.clamp(pace_.anchor.x + pace_.across_x * side + pace_.across_y * wander,
                        pace_.anchor.y + pace_.across_y * side + pace_.across_x * wander,
                        pace_.anchor.z);
}

Walker::Pace Walker::choose_pace() {
    const std::int64_t line_x = quarter(world_.min.x, world_.max.x, random_.between(1, 3));
    const std::int64_t line_y = quarter(world_.min.y, world_.max.y, random_.between(1, 3));
    const std::int64_t reach_mm = random_.between(kPaceReachMinMm, kPaceReachMaxMm);
    const engine::Position somewhere = anywhere();
    if (random_.one_in(kPacersPerCorner)) {
        // Straight over the corner, along one of its two diagonals.
        const std::int64_t slope = random_.one_in(2) ? 1 : -1;
        return {world_.clamp(line_x, line_y, somewhere.z), 1, slope, reach_mm, 0};
    }
    if (random_.one_in(2)) {
        return {world_.clamp(line_x, somewhere.y, somewhere.z), 1, 0, reach_mm, kPaceWanderMm};
    }
    return {world_.clamp(somewhere.x, line_y, somewhere.z), 0, 1, reach_mm, kPaceWanderMm};
}

namespace {

using namespace std::chrono_literals;

constexpr auto kSipInterval = 250ms;
constexpr std::size_t kSipBytes = 250;

PlayerIndex sipper(std::size_t number) {
    return static_cast<PlayerIndex>(4 * number + 1);
}

PlayerIndex staller(std::size_t number) {
    return static_cast<PlayerIndex>(4 * number + 3);
}

}  // namespace

void SlowReaders::begin(Instant now, Swarm& swarm) {
    const std::size_t sippers = (players_ + 2) / 4;
    const std::size_t stallers = players_ / 4;
    for (std::size_t i = 0; i < sippers; ++i) {
        swarm.stop_reading(sipper(i));
    }
    if (sippers > 0) {
        sips_.emplace(sippers, kSipInterval, now);
    }
    if (stallers > 0) {
        stall_turns_.emplace(stallers, stall_ + stall_ / 2, now);
    }
}

void SlowReaders::advance(Instant now, Swarm& swarm) {
    while (!returns_.empty() && returns_.front().at <= now) {
        swarm.go_on_reading(returns_.front().player);
        returns_.pop_front();
    }
    if (sips_) {
        sips_->take_due(now, [&](std::uint64_t number) { swarm.sip(sipper(number), kSipBytes); });
    }
    if (stall_turns_) {
        stall_turns_->take_due(now, [&](std::uint64_t number) {
            swarm.stop_reading(staller(number));
            returns_.push_back({now + stall_, staller(number)});
            ++stalls_;
        });
    }
}

namespace {

// At 20 Hz every five or ten seconds; in a siege every half minute: to resume, and not to be seen
// doing it.
std::uint64_t steps_per_cut(Scenario scenario) {
    return scenario == Scenario::resume  ? 100
           : scenario == Scenario::soak  ? 200
           : scenario == Scenario::siege ? 600
                                         : 0;
}

constexpr std::uint64_t kStepsPerLeave = 1200;  // of a soak: a minute at 20 Hz
constexpr std::chrono::seconds kSecondsPerLeave{60};

constexpr std::chrono::milliseconds kLazyInterval{200};

}  // namespace

ScenarioDirector::ScenarioDirector(const ScenarioOptions& options, const ZoneFacts& zone,
                                   Instant start)
    : cuts_(options.seed),
      seeds_(options.seed),
      players_max_(options.players_max),
      next_player_(options.players),
      still_to_join_(options.players),
      pacer_(options.players, Clock::duration(std::chrono::seconds(1)) / zone.tick_rate_hz, start),
      stall_(options.stall),
      looked_into_(std::min(options.looked_into, options.players)) {
    if (options.scenario == Scenario::slow) {
        slow_.emplace(options.players, stall_);
    }
    ways_.reserve(options.players);
    for (const Group& group : options.groups) {
        add_group(group, zone);
    }
    if (options.groups.empty()) {
        add_group({"", options.scenario, options.players, options.speed_mm_per_s}, zone);
    }
    MARCHLAND_ASSERT(ways_.size() == options.players);
    std::ranges::stable_sort(turns_, {}, &Turn::at);
}

/// A third more than leave on average, at 20 Hz; at other rates more or fewer leave.
std::size_t ScenarioDirector::players_max(std::size_t players, Clock::duration duration) {
    const auto lives = static_cast<std::size_t>(duration / kSecondsPerLeave) + 1;
    return players + players * lives * 4 / 3;
}

void ScenarioDirector::add_group(const Group& group, const ZoneFacts& zone) {
    const auto step_mm =
        static_cast<std::int32_t>(group.speed_mm_per_s / static_cast<int>(zone.tick_rate_hz));
    const auto share = [&](std::size_t i, std::chrono::seconds of) {
        return Clock::duration(of) * static_cast<Clock::rep>(i) /
               static_cast<Clock::rep>(group.players);
    };
    for (std::size_t i = 0; i < group.players; ++i) {
        const auto player = static_cast<PlayerIndex>(ways_.size());
        const bool paces = group.scenario == Scenario::soak && i % 2 == 1;
        ways_.push_back(
            {player,
             Walker(paces ? Scenario::border : group.scenario, zone.world, step_mm, seeds_.next()),
             steps_per_cut(group.scenario)});
        turns_.push_back({group.joins_at + share(i, group.joins_over), player});
        if (group.leaves_at) {
            turns_.push_back({*group.leaves_at + share(i, group.leaves_over), player, true});
        }
    }
}

void ScenarioDirector::advance(Instant now, Swarm& swarm) {
    take_turns(now, swarm);
    slow_some(now, swarm);
    read_lazily(now, swarm);
    pacer_.take_due(now, [&](std::uint64_t number) { step(ways_[number], swarm); });
}

void ScenarioDirector::step(Way& way, Swarm& swarm) {
    if (!swarm.is_playing(way.player)) {
        return;
    }
    swarm.move(way.player, way.walker->advance_from(swarm.position(way.player)));
    if (way.steps_per_cut != 0 && cuts_.one_in(way.steps_per_cut)) {
        swarm.cut(way.player);
    } else if (next_player_ < players_max_ && cuts_.one_in(kStepsPerLeave)) {
        swarm.leave(way.player);
        way.player = static_cast<PlayerIndex>(next_player_++);
        way.walker.emplace(way.walker->with_seed(seeds_.next()));
        swarm.join(way.player, way.walker->position());
    }
}

/// Until those are in that come at once, no time passes.
void ScenarioDirector::take_turns(Instant now, Swarm& swarm) {
    const auto elapsed = begun_ ? now - *begun_ : Clock::duration::zero();
    for (; next_turn_ < turns_.size() && turns_[next_turn_].at <= elapsed; ++next_turn_) {
        const Turn& turn = turns_[next_turn_];
        if (turn.is_leave) {
            swarm.leave(turn.player);
            continue;
        }
        const bool is_slow = slow_ && SlowReaders::is_slow(turn.player);
        swarm.join(turn.player, ways_[to_number(turn.player)].walker->position(),
                   is_slow ? SlowReaders::kReceiveBytes : 0);
        --still_to_join_;
    }
    if (!begun_ && swarm.joining() == 0) {
        begun_ = now;
    }
}

/// Many frames in one read are what makes thousands of players cheap here; the server does not
/// notice.
void ScenarioDirector::read_lazily(Instant now, Swarm& swarm) {
    const std::size_t lazy = ways_.size() - looked_into_;
    if (lazy == 0) {
        return;
    }
    if (!lazy_reads_) {
        lazy_reads_.emplace(lazy, kLazyInterval, now);
    }
    lazy_reads_->take_due(now, [&](std::uint64_t number) {
        const auto player = static_cast<PlayerIndex>(looked_into_ + number);
        swarm.stop_reading(player);  // from its first turn after it was let in
        swarm.sip(player, client::ReadBuffer::kChunkBytes);
    });
}

void ScenarioDirector::slow_some(Instant now, Swarm& swarm) {
    if (!slow_) {
        return;
    }
    if (have_slowed_) {
        slow_->advance(now, swarm);
    } else if (begun_ && now - *begun_ >= stall_) {
        slow_->begin(now, swarm);
        have_slowed_ = true;
    }
}

Director::Slow ScenarioDirector::slow() const {
    return slow_ ? Slow{SlowReaders::count(ways_.size()), slow_->stalls()} : Slow{};
}

}  // namespace marchland::bots
