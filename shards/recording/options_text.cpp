#include "shards/recording/options_text.h"

#include "engine/index/index.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>

namespace marchland::shards {

namespace {

constexpr std::int64_t kReachMmMax = 1'000'000'000;
constexpr std::int64_t kInt32Min = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kUint32Max = std::numeric_limits<std::uint32_t>::max();
constexpr std::string_view kIndexName = "index";
constexpr std::string_view kSlotName = "slot";

/// Calls `number(name, value, min, max)` for each option that is a number, in the text's order.
void visit_numbers(auto& options, auto&& number) {
    auto& world = options.world;
    number("world.min_x_mm", world.min_x, kInt32Min, kInt32Max);
    number("world.min_y_mm", world.min_y, kInt32Min, kInt32Max);
    number("world.max_x_mm", world.max_x, kInt32Min, kInt32Max);
    number("world.max_y_mm", world.max_y, kInt32Min, kInt32Max);
    number("dimensions", options.dimensions, 2, 3);
    number("tick_rate_hz", options.tick_rate_hz, 1, 128);
    number("leave_radius_mm_max", options.leave_radius_mm_max, 0, kReachMmMax);
    number("notify_leave_radius_mm_max", options.notify_leave_radius_mm_max, 0, kReachMmMax);
    number("border_hysteresis_mm", options.border_hysteresis_mm, 0, kReachMmMax);
    number("frame_gap_ticks_max", options.frame_gap_ticks_max, 1, kInt32Max);
    number("cell_mm", options.cell_mm, 1, kReachMmMax);
    auto& crowd = options.crowd;
    number("crowd.visible_max", crowd.visible_max, 0, kInt32Max);
    number("crowd.sticky_percent", crowd.sticky_percent, 0, engine::kStickyPercentMax);
    for (std::size_t i = 0; i < crowd.rings.size(); ++i) {
        auto& ring = crowd.rings[i];
        number(fmt::format("crowd.ring_{}.beyond_mm", i + 1), ring.beyond_mm, 0, kReachMmMax);
        number(fmt::format("crowd.ring_{}.every_ticks", i + 1), ring.every_ticks, 0,
               engine::kRingTicksMax);
    }
    number("crowd.frame_bytes_max", crowd.frame_bytes_max, 0, kInt32Max);
    number("client_bytes_per_second_max", options.client_bytes_per_second_max, 0, kInt32Max);
    number("crowd.stale_ticks_max", crowd.stale_ticks_max, 1, engine::kStaleTicksMax);
    number("prediction_error_mm", options.prediction_error_mm, 0, engine::kPredictionErrorMaxMm);
}

/// The same with `number(value, max)` of what follows a slot's name.
void visit_slot(auto& slot, auto&& number) {
    number(slot.type, engine::StateType::bytes);
    number(slot.writer, engine::StateWriter::facing);
    number(slot.audience, engine::StateAudience::layer);
    number(slot.radius_mm, kInt32Max);
    number(slot.layers, kUint32Max);
    number(slot.bytes_max, kUint32Max);
    number(slot.facing_step_deg, std::numeric_limits<std::uint16_t>::max());
}

template <typename Value>
void assign(std::int64_t number, Value& value) {
    value = static_cast<Value>(number);
}

/// Takes `name` and a space off the front of the text, and returns the rest of that line.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view name) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || !text.starts_with(name) || end <= name.size() ||
        text[name.size()] != ' ') {
        return std::nullopt;
    }
    const std::string_view value = text.substr(name.size() + 1, end - name.size() - 1);
    text.remove_prefix(end + 1);
    return value;
}

/// Takes a number off the front of the text.
std::optional<std::int64_t> take_number(std::string_view& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// "NAME type writer audience radius_mm layers bytes_max facing_step_deg", all but the name in
/// numbers; the last was not there before there were slots that need it.
std::optional<engine::StateSlot> slot_of(std::string_view line) {
    engine::StateSlot slot;
    slot.name = line.substr(0, line.find(' '));
    line.remove_prefix(slot.name.size());
    bool is_sound = std::ranges::count(line, ' ') >= 6;  // so only the last may be missing
    visit_slot(slot, [&](auto& value, auto max) {
        if (!is_sound || line.empty()) {
            return;
        }
        is_sound = line.starts_with(' ');
        line.remove_prefix(1);
        const auto parsed = take_number(line);
        is_sound = is_sound && parsed && *parsed >= 0 && *parsed <= static_cast<std::int64_t>(max);
        assign(parsed.value_or(0), value);
    });
    return is_sound && line.empty() ? std::optional(slot) : std::nullopt;
}

}  // namespace

std::string options_text(const ZoneOptions& options) {
    std::string text;
    visit_numbers(options, [&](std::string_view name, auto value, auto /*min*/, auto /*max*/) {
        text += fmt::format("{} {}\n", name, static_cast<std::int64_t>(value));
    });
    text += fmt::format("{} {}\n", kIndexName, options.index);
    for (const engine::StateSlot& slot : options.slots) {
        text += fmt::format("{} {}", kSlotName, slot.name);
        visit_slot(slot, [&](auto value, auto /*max*/) {
            text += fmt::format(" {}", static_cast<std::int64_t>(value));
        });
        text += '\n';
    }
    return text;
}

std::variant<ZoneOptions, std::string> options_of(std::string_view text) {
    ZoneOptions options;
    std::string problem;
    const auto take_option = [&](std::string_view name, auto& value, std::int64_t min,
                                 std::int64_t max) {
        if (!problem.empty()) {
            return;
        }
        auto line = take_line(text, name);
        if (!line) {
            problem = fmt::format("'{}' is missing", name);
            return;
        }
        const auto parsed = take_number(*line);
        if (!parsed || !line->empty() || *parsed < min || *parsed > max) {
            problem = fmt::format("'{}' is no number from {} to {}", name, min, max);
            return;
        }
        assign(*parsed, value);
    };
    visit_numbers(options, take_option);
    if (!problem.empty()) {
        return problem;
    }
    const auto index = take_line(text, kIndexName);
    if (!index) {
        return "'index' is missing";
    }
    while (const auto line = take_line(text, kSlotName)) {
        const auto slot = slot_of(*line);
        if (!slot) {
            return "'slot' is none";
        }
        options.slots.push_back(*slot);
    }
    if (!text.empty()) {
        return "something follows the last option";
    }
    if (const char* const flaw = engine::flaw_of(options.slots)) {
        return fmt::format("the slots {}", flaw);
    }
    const auto names = engine::index_names();
    if (std::ranges::find(names, *index) == names.end()) {
        return "'index' is none that is known";
    }
    options.index = *index;
    if (options.world.min_x > options.world.max_x || options.world.min_y > options.world.max_y) {
        return "the world has no inside";
    }
    if (const char* const flaw = engine::flaw_of(options.crowd)) {
        return flaw;
    }
    return options;
}

}  // namespace marchland::shards
