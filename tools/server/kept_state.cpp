#include "tools/server/kept_state.h"

#include "shards/state/store.h"
#include "net/regular_file.h"
#include "tools/command_line/exit_code.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <system_error>
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
Found look_into(shards::StateStore& store, const config::ServerConfig& config) {
    Found found{tools::require(store.load()), {}};
    for (const auto& [slot_and_reason, count] : store.left_out()) {
        const auto& [slot, reason] = slot_and_reason;
        spdlog::warn(
            "state: slot '{}' {}: values left out: {}; a start puts a copy with them aside and "
            "goes on without: to have them back configure the slot as it was and --restore the "
            "copy",
            slot, reason, count);
    }
    found.orphans = take_orphans(found.kept);
    if (const auto flaw = net::flaw_of(found.kept, config.zone)) {
        throw tools::BadInput(cannot_go_on(config.state.directory, *flaw));
    }
    return found;
}

/// Puts aside what the directory holds, if that is asked for.
void prepare(const std::filesystem::path& directory, const StateStart& asked) {
    if (!asked.is_fresh && !asked.restore) {
        return;
    }
    if (asked.restore) {
        tools::require(net::read_regular_file(*asked.restore, 1), asked.restore->string() + ": ");
    }
    const std::filesystem::path folder =
        tools::require(asked.restore ? shards::StateStore::put_back(directory, *asked.restore)
                                     : shards::StateStore::put_aside(directory));
    spdlog::warn("state: begins with {}{}{}", asked.restore ? asked.restore->string() : "nothing",
                 folder.empty() ? "" : "; what was there is in ", folder.string());
}

void require_done(const std::optional<std::string>& flaw) {
    if (flaw) throw tools::BadInput(*flaw);
}

/// Ticks go on as if the zone had run meanwhile, and ten seconds more: so none that was not written
/// is had twice, however long the disk was away before the end.
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

KeptState open_state(const config::ServerConfig& config, const StateStart& asked) {
    const std::filesystem::path directory = config.state.directory;
    prepare(directory, asked);
    auto store = tools::require(shards::StateStore::open(directory, {.slots = config.zone.slots}));
    auto [kept, orphans] = look_into(*store, config);
    std::error_code error;
    if (!kept.sessions.empty() && !std::filesystem::exists(directory / kKeyName, error) && !error) {
        spdlog::warn("state: resume.key is missing, and made anew: who was there cannot resume");
    }
    const auto key = tools::require(net::load_or_make_key(directory / kKeyName));
    shards::Layout layout = layout_to_be(config, kept, store->configured_layout());
    if (!store->left_out().empty()) {  // whoever starts next is to find nothing to leave out
        orphans.zone.entities = kept.entities;
    }
    // The first ids are reserved before anybody can come; and owners for all of this run.
    orphans.zone.next_owner = kept.next_owner + shards::kIdsAhead;
    require_done(store->write(orphans, kept.next_id + shards::kIdsAhead));
    require_done(store->configure(regions_of(config.layout)));
    spdlog::info("state: {} in {}", summary_of(kept), store->file().string());
    shards::ZoneStart start = start_after(kept, config.zone.tick_rate_hz);
    net::Restored restored{kept, net::ResumeTokens(key, store->number()),
                           std::chrono::milliseconds(config.state.restart_grace_ms)};
    kept.next_owner += shards::kIdsAhead;
    auto keeper = std::make_unique<shards::StateKeeper>(
        std::move(store), std::move(kept),
        shards::KeeperOptions{std::chrono::milliseconds(config.state.checkpoint_ms)});
    start.keeper = keeper.get();
    return {std::move(keeper), start, std::move(layout), std::move(restored)};
}

std::string describe_state(const config::ServerConfig& config) {
    const std::filesystem::path directory = config.state.directory;
    const std::filesystem::path key = directory / kKeyName;
    std::error_code error;
    std::filesystem::path nearest = std::filesystem::absolute(directory);
    while (!std::filesystem::exists(nearest, error) && !error) {
        nearest = nearest.parent_path();
    }
    if (!std::filesystem::is_directory(nearest, error)) {
        throw tools::BadInput("state.directory: " + nearest.string() +
                              " is no folder, and none can be made there");
    }
    if (std::filesystem::exists(key, error) || error) {
        tools::require(net::load_or_make_key(key));
    }
    if (!shards::StateStore::is_there(directory)) {
        return fmt::format("# state: nothing in {}\n", directory.string());
    }
    const auto store =
        tools::require(shards::StateStore::open_to_read(directory, {.slots = config.zone.slots}));
    return fmt::format("# state: {} in {}\n", summary_of(look_into(*store, config).kept),
                       directory.string());
}

}  // namespace marchland::server
