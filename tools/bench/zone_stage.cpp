#include "tools/bench/zone_stage.h"

#include "engine/assert.h"
#include "shards/shard_metrics.h"
#include "net/frame_writer.h"
#include "config/config.h"

#include <cmath>
#include <numbers>
#include <utility>
#include <variant>

namespace marchland::bench {
namespace {

/// As a client's session has it.
constexpr std::size_t kFrameBytesAtFirst = 512;

constexpr double kInView = 20;

engine::Rect map_of(const Crowd& crowd) {
    return {0, 0, crowd.side_mm, crowd.side_mm};
}

shards::ZoneOptions options_of(const Crowd& crowd, const Cut& cut) {
    shards::ZoneOptions options =
        crowd.is_limited ? config::zone_defaults() : shards::ZoneOptions();
    options.world = map_of(crowd);
    options.tick_rate_hz = cut.tick_rate_hz;
    options.time_scale_percent_min = 100;
    options.leave_radius_mm_max = kLeaveRadiusMm;
    options.executor_threads = cut.executor_threads;
    options.entities_max = crowd.entities;
    return options;
}

void add(trace::Fnv1a64& digest, std::uint64_t number) {
    digest.add({reinterpret_cast<const char*>(&number), sizeof number});
}

}  // namespace

shards::Layout grid_layout(const engine::Rect& map, std::uint32_t columns, std::uint32_t rows) {
    auto layout = shards::Layout::grid(map, columns, rows);
    MARCHLAND_ASSERT(std::holds_alternative<shards::Layout>(layout));
    return std::get<shards::Layout>(std::move(layout));
}

ZonePlayer::ZonePlayer(const Walker& walker, const bool& is_read)
    : walker_(walker), is_read_(is_read), builder_(kFrameBytesAtFirst) {}

bool ZonePlayer::put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                           const shards::FrameFlags& flags) {
    net::FrameHeader header{0, flags.border_stale, flags.time_scale_percent, flags.server_time_us};
    header.reads_ranks = true;
    const auto bytes = net::write_frame(builder_, header, frame, entities);
    bytes_total_ += bytes.size();
    if (is_read_) {
        digest_.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    return true;
}

Crowd open_world(std::uint32_t entities, std::uint64_t seed) {
    const double view_area = std::numbers::pi * kRadiusMm * kRadiusMm;
    const double side_m = std::sqrt(entities * view_area / kInView) / 1'000;
    return {.entities = entities,
            .side_mm = static_cast<std::int32_t>(std::lround(side_m)) * 1'000,
            .seed = seed};
}

ZoneStage::ZoneStage(const Crowd& crowd, const Cut& cut, shards::FrameOutlet& outlet)
    : crowd_(crowd),
      cut_(cut),
      zone_(options_of(crowd, cut), grid_layout(map_of(crowd), cut.columns, cut.rows), outlet),
      lockstep_(zone_) {}

void ZoneStage::populate() {
    for (std::uint32_t i = 0; i < crowd_.entities; ++i) {
        const Walker walker(map_of(crowd_), crowd_.gait, crowd_.seed * crowd_.entities + i);
        players_.push_back(std::make_shared<ZonePlayer>(walker, is_read_));
        shards::Join join;
        join.entity.id = zone_.new_id();
        join.entity.position = walker.at();
        join.entity.view = engine::View::circle(kRadiusMm, kLeaveRadiusMm);
        join.port = players_.back();
        const bool has_joined = zone_.join(std::move(join));
        MARCHLAND_ASSERT(has_joined);
    }
}

Clocks ZoneStage::step() {
    const Clocks start = clocks_now();
    lockstep_.step();
    return clocks_now() - start;
}

void ZoneStage::step_and_read() {
    is_read_ = true;
    lockstep_.step();
    is_read_ = false;
}

void ZoneStage::change_layout(std::uint32_t columns, std::uint32_t rows) {
    lockstep_.change_layout(grid_layout(map_of(crowd_), columns, rows));
}

std::uint64_t ZoneStage::digest() const {
    trace::Fnv1a64 all;
    for (const auto& player : players_) {
        add(all, player->digest());
        add(all, player->bytes_total());
    }
    return all.value();
}

}  // namespace marchland::bench
