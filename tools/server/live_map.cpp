#include "tools/server/live_map.h"

#include "tools/command_line/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

namespace marchland::server {

namespace {

using namespace std::chrono_literals;

/// Longer than any interval: nobody has looked, or a shard stands still.
constexpr auto kPatience = 1s;
/// Older hand-overs are not shown.
constexpr engine::Tick kCrossingTicksMax = 64;
constexpr std::uint32_t kMagic = 0x3150'414D;  // "MAP1"

template <typename Number>
void put(std::string& out, Number number) {
    if constexpr (std::is_floating_point_v<Number>) {
        put(out, std::bit_cast<std::uint64_t>(number));
    } else {
        for (std::size_t byte = 0; byte < sizeof(Number); ++byte) {
            out += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * byte));
        }
    }
}

template <typename Count>
std::uint32_t count_of(Count count) {
    return static_cast<std::uint32_t>(count);
}

void put_rect(std::string& out, const engine::Rect& rect) {
    for (const std::int64_t edge : {rect.min_x, rect.min_y, rect.max_x, rect.max_y}) {
        put(out, static_cast<std::int32_t>(edge));
    }
}

std::uint64_t count_in(const std::atomic<std::uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
}

void put_shard(std::string& out, shards::ShardId id, const shards::Layout& layout,
               const shards::ShardMetrics& metrics, const shards::ShardAnswer& count,
               std::string_view name) {
    const bool has_region = layout.contains(id);
    put(out, to_number(id));
    put(out, static_cast<std::uint16_t>(has_region));
    put_rect(out, has_region ? layout.region(id).area : engine::Rect{});
    put(out, count_of(name.size()));
    put(out, count_in(metrics.tick));
    put(out, count_of(count_in(metrics.entities)));
    put(out, count_of(count_in(metrics.ghosts)));
    put(out, count_of(count_in(metrics.tick_us_last)));
    put(out, count_of(count_in(metrics.ticks_late_total)));
    put(out, count_of(count.counted.size()));
    put(out, count_of(count.ticks_us.size()));
}

std::string_view name_of(engine::Shape shape) {
    constexpr std::array<std::string_view, 5> kNames = {"none", "circle", "rectangle", "sector",
                                                        "cylinder"};
    return kNames.at(static_cast<std::size_t>(shape));
}

double metres(std::int32_t mm) {
    return mm / 1'000.0;
}

double degrees(engine::Angle angle) {
    return angle * 360.0 / 65'536;
}

std::string joined(std::span<const engine::EntityId> ids) {
    return tools::json_list(
        ids, [](engine::EntityId id) { return std::to_string(to_number(id)); }, ", ");
}

}  // namespace

std::string LiveMap::next() {
    const auto now = Clock::now();
    const bool is_back = looked_at_ && now - *looked_at_ < kPatience;
    looked_at_ = now;
    if (!is_back) {
        shown_.clear();
        is_first_ = true;
        ask(now);
        return "";
    }
    bool has_content = false;
    auto answers = zone_.take_for_map();
    if (answers) {
        shown_ = *std::move(answers);
        shown_stride_ = stride_;
        has_content = !std::exchange(is_first_, false);  // else this is of before somebody looked
    }
    if (answers || now - asked_at_ > kPatience) {
        ask(now);
    }
    return encode(has_content);
}

void LiveMap::ask(Clock::time_point now) {
    asked_at_ = now;
    // Powers of two: most of those that are shown stay when it changes.
    stride_ = std::bit_ceil(
        std::max<std::size_t>((zone_.entity_count() + kEntitiesMax - 1) / kEntitiesMax, 1));
    zone_.ask_for_map({stride_, true});
}

std::string LiveMap::encode(bool has_content) {
    const shards::Layout layout = zone_.layout();
    const shards::ZoneOptions& options = zone_.options();
    const net::ServerMetrics network = server_.metrics();
    std::string shards;
    std::string entities;
    std::string crossings;
    std::string ticks;
    std::string names;
    const auto running = zone_.running_shards();
    for (const shards::ShardId id : running) {
        const auto answer = std::ranges::find(shown_, id, &shards::ShardAnswer::shard);
        shards::ShardAnswer count = answer == shown_.end() ? shards::ShardAnswer{id} : *answer;
        if (!has_content) {
            count.ticks_us.clear();
            count.crossings.clear();
        }
        const std::string name = zone_.name_of(id);
        put_shard(shards, id, layout, zone_.metrics(id), count, name);
        names += name;
        for (const shards::Counted& one : count.counted) {
            put(entities, to_number(one.id));
            put(entities, one.position.x);
            put(entities, one.position.y);
        }
        for (const std::uint32_t us : count.ticks_us) {
            put(ticks, us);
        }
        for (const shards::Crossing& crossing : count.crossings) {
            if (crossing.tick + kCrossingTicksMax > count.tick) {
                put(crossings, crossing.at.x);
                put(crossings, crossing.at.y);
                put(crossings, to_number(id));
                put(crossings, to_number(crossing.to));
            }
        }
    }
    std::string message;
    put(message, kMagic);
    put(message, count_of(running.size()));
    put(message, std::uint64_t{zone_.tick()});
    put(message, static_cast<double>(zone_.total(&shards::ShardMetrics::frames_total)));
    put(message, static_cast<double>(network.bytes_out_total));
    put(message, static_cast<double>(zone_.total(&shards::ShardMetrics::handoffs_total)));
    put(message, options.tick_rate_hz);
    put(message, count_of(options.leave_radius_mm_max + options.border_hysteresis_mm));
    put_rect(message, options.world);
    put(message, count_of(network.players));
    put(message, count_of(zone_.entity_count()));
    put(message, count_of(shown_stride_));
    put(message, count_of(crossings.size() / 12));
    return message + shards + entities + crossings + ticks + names;
}

std::string entity_json(const shards::Zone& zone, const shards::ShardAnswer& owner,
                        const shards::EntityReport& report, std::string_view connection) {
    const engine::Entity& entity = report.entity;
    const engine::View& view = entity.view;
    const std::string ghosts = tools::json_list(
        report.ghosts, [&](shards::ShardId it) { return tools::json_text(zone.name_of(it)); },
        ", ");
    return fmt::format(
        R"({{"id": {}, "tick": {}, "shard": {}, "ghost_in": [{}], "since_tick": {}, )"
        R"("position_m": {{"x": {}, "y": {}, "z": {}}}, "moved_tick": {}, "facing_deg": {:.1f}, )"
        R"("kind": {}, "importance": {}, "layers": {}, "layers_seen": {}, "state_bytes": {}, )"
        R"("notify_radius_m": {}, "view": {{"shape": "{}", "radius_m": {}, "leave_radius_m": {}, )"
        R"("half_y_m": {}, "half_z_m": {}, "half_opening_deg": {:.1f}}}, "takes_frames": {}, )"
        R"("refused_ticks": {}, "in_view_count": {}, "in_view": [{}], "known_count": {}, "known": [{}], )"
        R"("connection": {}}})"
        "\n",
        to_number(entity.id), owner.tick, tools::json_text(zone.name_of(owner.shard)), ghosts,
        entity.birth, metres(entity.position.x), metres(entity.position.y),
        metres(entity.position.z), entity.moved_tick, degrees(entity.facing), entity.kind,
        entity.importance, entity.layers, entity.layers_seen,
        engine::packed_bytes(engine::writes_of(entity.state)), metres(entity.notify.radius_mm),
        name_of(view.shape), metres(view.radius_mm), metres(view.leave_radius_mm),
        metres(view.half_y_mm), metres(view.half_z_mm), degrees(view.half_opening),
        report.takes_frames, report.unframed_ticks, report.in_view_count, joined(report.in_view),
        report.known_count, joined(report.known), connection);
}

std::string positions_csv(std::span<const shards::Counted> counted) {
    std::string out = "t,id,x,y,z\n";
    for (const shards::Counted& one : counted) {
        fmt::format_to(std::back_inserter(out), "0,{},{:.3f},{:.3f},{:.3f}\n", to_number(one.id),
                       metres(one.position.x), metres(one.position.y), metres(one.position.z));
    }
    return out;
}

}  // namespace marchland::server
