#include "tools/server/kept_state.h"

#include "shards/state/store.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

namespace marchland::server {

namespace {

constexpr const char* kKeyName = "resume.key";
constexpr std::chrono::seconds kTicksToSpare{10};

std::vector<shards::Region> regions_of(const shards::Layout& layout) {
    std::vector<shards::Region> regions;
    for (const shards::ShardId shard : layout.shards()) {
        regions.push_back(layout.region(shard));
    }
    return regions;
}

/// The layout that was in force, unless the files say another than they did then.
shards::Layout layout_to_be(const config::ServerConfig& config, const shards::KeptZone& kept,
                            const std::vector<shards::Region>& configured_before) {
    if (kept.layout.empty() || configured_before != regions_of(config.layout)) {
        return config.layout;
    }
    auto made = shards::Layout::from_regions(config.zone.world, kept.layout);
    if (const auto* const errors = std::get_if<std::vector<shards::LayoutError>>(&made)) {
        spdlog::warn("state: the files' layout instead of the one that was in force: {}",
                     errors->front().message);
        return config.layout;
    }
    return std::get<shards::Layout>(std::move(made));
}

std::string cannot_go_on(const std::string& directory, const std::string& flaw) {
    return fmt::format(
        "{}: the state does not fit the configuration: {}; change that back, or begin with "
        "nothing (--fresh, which puts the state aside)",
        directory, flaw);
}

std::size_t services_in(const shards::KeptZone& kept) {
    return static_cast<std::size_t>(
        std::ranges::count(kept.sessions, shards::SessionKey::Kind::service,
                           [](const shards::KeptSession& session) { return session.key.kind; }));
}

std::string summary_of(const shards::KeptZone& kept) {
    const std::size_t services = services_in(kept);
    return fmt::format("{} entities, {} players, {} services, tick {}", kept.entities.size(),
                       kept.sessions.size() - services, services, kept.tick);
}

/// A state, and what of the store's it leaves out since nobody would come back for it.
struct Found {
    shards::KeptZone kept;
    shards::KeptChanges orphans;
};

/// All that can be said without a change.
std::variant<Found, std::string> look_into(shards::StateStore& store,
                                           const config::ServerConfig& config) {
    auto loaded = store.load();
    if (auto* const flaw = std::get_if<std::string>(&loaded)) {
        return std::move(*flaw);
    }
    Found found{std::get<shards::KeptZone>(std::move(loaded)), {}};
    found.orphans = take_orphans(found.kept);
    if (const auto flaw = net::flaw_of(found.kept, config.zone)) {
        return cannot_go_on(config.state.directory, *flaw);
    }
    return found;
}

/// Puts aside what the directory holds, if the line says so. An error's text, or nothing.
std::optional<std::string> prepare(const std::filesystem::path& directory,
                                   const CommandLine& line) {
    if (!line.is_fresh && !line.restore) {
        return std::nullopt;
    }
    auto aside = line.restore ? shards::StateStore::put_back(directory, *line.restore)
                              : shards::StateStore::put_aside(directory);
    if (auto* const flaw = std::get_if<std::string>(&aside)) {
        return std::move(*flaw);
    }
    const auto& folder = std::get<std::filesystem::path>(aside);
    spdlog::warn("state: begins with {}{}{}", line.restore ? line.restore->string() : "nothing",
                 folder.empty() ? "" : "; what was there is in ", folder.string());
    return std::nullopt;
}

/// Ticks go on as if the zone had run meanwhile, and ten seconds more: so none that was not written is had twice, however
/// long the disk was away before the end.
shards::ZoneStart start_after(const shards::KeptZone& kept, std::uint32_t tick_rate_hz) {
    shards::ZoneStart start;
    start.next_id = kept.next_id;
    if (kept.tick != engine::kNever) {
        using std::chrono::microseconds;
        const auto now = std::chrono::duration_cast<microseconds>(
            std::chrono::system_clock::now().time_since_epoch());
        const auto away =
            std::max(now - microseconds(kept.written_at_us), microseconds(0)) + kTicksToSpare;
        const auto away_us = static_cast<std::uint64_t>(away.count());
        start.tick = kept.tick + away_us * tick_rate_hz / 1'000'000;
        start.server_time_us = kept.server_time_us + away_us;
    }
    return start;
}

}  // namespace

std::variant<KeptState, std::string> open_state(const config::ServerConfig& config,
                                                const CommandLine& line) {
    const std::filesystem::path directory = config.state.directory;
    if (auto flaw = prepare(directory, line)) {
        return *std::move(flaw);
    }
    auto opened = shards::StateStore::open(directory, {.slots = config.zone.slots});
    if (auto* const flaw = std::get_if<std::string>(&opened)) {
        return std::move(*flaw);
    }
    auto& store = *std::get<std::unique_ptr<shards::StateStore>>(opened);
    auto looked = look_into(store, config);
    if (auto* const flaw = std::get_if<std::string>(&looked)) {
        return std::move(*flaw);
    }
    auto& [kept, orphans] = std::get<Found>(looked);
    const auto key = net::load_or_make_key(directory / kKeyName);
    if (const auto* const flaw = std::get_if<std::string>(&key)) {
        return *flaw;
    }
    shards::Layout layout = layout_to_be(config, kept, store.configured_layout());
    // The first ids are reserved before anybody can come; and owners for all of this run.
    orphans.zone.next_owner = kept.next_owner + shards::kIdsAhead;
    if (const auto flaw = store.write(orphans, kept.next_id + shards::kIdsAhead)) {
        return *flaw;
    }
    if (const auto flaw = store.configure(regions_of(config.layout))) {
        return *flaw;
    }
    spdlog::info("state: {} in {}", summary_of(kept), store.file().string());
    shards::ZoneStart start = start_after(kept, config.zone.tick_rate_hz);
    net::Restored restored{kept,
                           net::ResumeTokens(std::get<net::ResumeTokens::Key>(key), store.number()),
                           std::chrono::milliseconds(config.state.restart_grace_ms)};
    kept.next_owner += shards::kIdsAhead;
    auto keeper = std::make_unique<shards::StateKeeper>(
        std::move(std::get<std::unique_ptr<shards::StateStore>>(opened)), std::move(kept),
        shards::KeeperOptions{std::chrono::milliseconds(config.state.checkpoint_ms)});
    start.keeper = keeper.get();
    return KeptState{std::move(keeper), start, std::move(layout), std::move(restored)};
}

std::pair<std::string, bool> describe_state(const config::ServerConfig& config) {
    const std::filesystem::path directory = config.state.directory;
    const std::filesystem::path key = directory / kKeyName;
    if (std::filesystem::exists(key)) {
        const auto read = net::load_or_make_key(key);
        if (const auto* const flaw = std::get_if<std::string>(&read)) {
            return {*flaw + '\n', false};
        }
    }
    if (!shards::StateStore::is_there(directory)) {
        return {fmt::format("# state: nothing in {}\n", directory.string()), true};
    }
    auto opened = shards::StateStore::open_to_read(directory);
    if (const auto* const flaw = std::get_if<std::string>(&opened)) {
        return {*flaw + '\n', false};
    }
    const auto looked = look_into(*std::get<std::unique_ptr<shards::StateStore>>(opened), config);
    if (const auto* const flaw = std::get_if<std::string>(&looked)) {
        return {*flaw + '\n', false};
    }
    return {fmt::format("# state: {} in {}\n", summary_of(std::get<Found>(looked).kept),
                        directory.string()),
            true};
}

}  // namespace marchland::server
