#include "tools/server/kept_state.h"

#include "shards/state/store.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

namespace marchland::server {

namespace {

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
    auto* const layout = std::get_if<shards::Layout>(&made);
    return layout == nullptr ? config.layout : std::move(*layout);
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

}  // namespace

std::variant<KeptState, std::string> open_state(const config::ServerConfig& config, bool is_fresh) {
    const std::filesystem::path directory = config.state.directory;
    if (is_fresh) {
        auto aside = shards::StateStore::put_aside(directory);
        if (auto* const flaw = std::get_if<std::string>(&aside)) {
            return std::move(*flaw);
        }
        if (const auto& folder = std::get<std::filesystem::path>(aside); !folder.empty()) {
            spdlog::warn("state: begins with nothing; what was there is in {}", folder.string());
        }
    }
    auto opened = shards::StateStore::open(directory);
    if (auto* const flaw = std::get_if<std::string>(&opened)) {
        return std::move(*flaw);
    }
    auto& store = *std::get<std::unique_ptr<shards::StateStore>>(opened);
    auto loaded = store.load();
    if (auto* const flaw = std::get_if<std::string>(&loaded)) {
        return std::move(*flaw);
    }
    auto& kept = std::get<shards::KeptZone>(loaded);
    shards::KeptChanges orphans = take_orphans(kept);
    if (const auto flaw = net::flaw_of(kept, config.zone)) {
        return cannot_go_on(config.state.directory, *flaw);
    }
    const auto key = net::load_or_make_key(directory / "resume.key");
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
    // Ticks that were not written are passed over, with room to spare.
    shards::ZoneStart start;
    if (kept.tick != engine::kNever) {
        start.tick = kept.tick + engine::Tick{10} * config.zone.tick_rate_hz;
        start.server_time_us = kept.server_time_us + 10'000'000;
    }
    start.next_id = kept.next_id;
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
    if (!std::filesystem::exists(directory / "state.db")) {
        return {fmt::format("# state: nothing in {}\n", directory.string()), true};
    }
    auto opened = shards::StateStore::open_to_read(directory);
    if (const auto* const flaw = std::get_if<std::string>(&opened)) {
        return {*flaw + '\n', false};
    }
    auto loaded = std::get<std::unique_ptr<shards::StateStore>>(opened)->load();
    if (const auto* const flaw = std::get_if<std::string>(&loaded)) {
        return {*flaw + '\n', false};
    }
    const auto& kept = std::get<shards::KeptZone>(loaded);
    if (const auto flaw = net::flaw_of(kept, config.zone)) {
        return {cannot_go_on(config.state.directory, *flaw) + '\n', false};
    }
    return {fmt::format("# state: {} in {}\n", summary_of(kept), directory.string()), true};
}

}  // namespace marchland::server
