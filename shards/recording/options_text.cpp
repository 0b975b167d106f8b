#include "shards/recording/options_text.h"

#include "engine/index/index.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace marchland::shards {

namespace {

constexpr std::int64_t kReachMmMax = 1'000'000'000;
constexpr std::int64_t kInt32Min = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kIndexName = "index";
constexpr std::string_view kSlotName = "slot";

struct NumberOption {
    std::string_view name;
    std::int64_t min;
    std::int64_t max;
    std::int64_t (*get)(const ZoneOptions&);
    void (*set)(ZoneOptions&, std::int64_t);
};

/// A member, or one of a member.
template <auto... kPath>
constexpr NumberOption number(std::string_view name, std::int64_t min, std::int64_t max) {
    return {
        name, min, max,
        [](const ZoneOptions& options) { return static_cast<std::int64_t>((options.*....*kPath)); },
        [](ZoneOptions& options, std::int64_t value) {
            auto& field = (options.*....*kPath);
            field = static_cast<std::remove_reference_t<decltype(field)>>(value);
        }};
}

template <auto kMember, std::size_t kRing>
constexpr NumberOption ring(std::string_view name, std::int64_t max) {
    return {name, 0, max,
            [](const ZoneOptions& options) {
                return std::int64_t{options.crowd.rings.at(kRing).*kMember};
            },
            [](ZoneOptions& options, std::int64_t value) {
                auto& field = options.crowd.rings.at(kRing).*kMember;
                field = static_cast<std::remove_reference_t<decltype(field)>>(value);
            }};
}

using engine::CrowdLimits;
using engine::UpdateRing;
static_assert(engine::kUpdateRingsMax == 4);

constexpr std::array kNumbers = {
    number<&ZoneOptions::world, &engine::Rect::min_x>("world.min_x_mm", kInt32Min, kInt32Max),
    number<&ZoneOptions::world, &engine::Rect::min_y>("world.min_y_mm", kInt32Min, kInt32Max),
    number<&ZoneOptions::world, &engine::Rect::max_x>("world.max_x_mm", kInt32Min, kInt32Max),
    number<&ZoneOptions::world, &engine::Rect::max_y>("world.max_y_mm", kInt32Min, kInt32Max),
    number<&ZoneOptions::dimensions>("dimensions", 2, 3),
    number<&ZoneOptions::tick_rate_hz>("tick_rate_hz", 1, 128),
    number<&ZoneOptions::leave_radius_mm_max>("leave_radius_mm_max", 0, kReachMmMax),
    number<&ZoneOptions::notify_leave_radius_mm_max>("notify_leave_radius_mm_max", 0, kReachMmMax),
    number<&ZoneOptions::border_hysteresis_mm>("border_hysteresis_mm", 0, kReachMmMax),
    number<&ZoneOptions::frame_gap_ticks_max>("frame_gap_ticks_max", 1, kInt32Max),
    number<&ZoneOptions::cell_mm>("cell_mm", 1, kReachMmMax),
    number<&ZoneOptions::crowd, &CrowdLimits::visible_max>("crowd.visible_max", 0, kInt32Max),
    number<&ZoneOptions::crowd, &CrowdLimits::sticky_percent>("crowd.sticky_percent", 0,
                                                              engine::kStickyPercentMax),
    ring<&UpdateRing::beyond_mm, 0>("crowd.ring_1.beyond_mm", kReachMmMax),
    ring<&UpdateRing::every_ticks, 0>("crowd.ring_1.every_ticks", engine::kRingTicksMax),
    ring<&UpdateRing::beyond_mm, 1>("crowd.ring_2.beyond_mm", kReachMmMax),
    ring<&UpdateRing::every_ticks, 1>("crowd.ring_2.every_ticks", engine::kRingTicksMax),
    ring<&UpdateRing::beyond_mm, 2>("crowd.ring_3.beyond_mm", kReachMmMax),
    ring<&UpdateRing::every_ticks, 2>("crowd.ring_3.every_ticks", engine::kRingTicksMax),
    ring<&UpdateRing::beyond_mm, 3>("crowd.ring_4.beyond_mm", kReachMmMax),
    ring<&UpdateRing::every_ticks, 3>("crowd.ring_4.every_ticks", engine::kRingTicksMax),
    number<&ZoneOptions::crowd, &CrowdLimits::frame_bytes_max>("crowd.frame_bytes_max", 0,
                                                               kInt32Max),
    number<&ZoneOptions::client_bytes_per_second_max>("client_bytes_per_second_max", 0, kInt32Max),
    number<&ZoneOptions::crowd, &CrowdLimits::stale_ticks_max>("crowd.stale_ticks_max", 1,
                                                               engine::kStaleTicksMax),
    number<&ZoneOptions::prediction_error_mm>("prediction_error_mm", 0,
                                              engine::kPredictionErrorMaxMm),
};

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

std::optional<std::int64_t> to_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

/// What stands between single spaces.
std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t end = line.find(' ');
        words.push_back(line.substr(0, end));
        if (end == std::string_view::npos) {
            return words;
        }
        line.remove_prefix(end + 1);
    }
}

/// "NAME type writer audience radius_mm layers bytes_max facing_step_deg", all but the name in numbers; the last was not
/// there before there were slots that need it.
std::optional<engine::StateSlot> slot_of(std::string_view line) {
    engine::StateSlot slot;
    std::array<std::int64_t, 7> numbers{};
    numbers.back() = slot.facing_step_deg;
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() != numbers.size() && words.size() != numbers.size() + 1) {
        return std::nullopt;
    }
    slot.name = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) {
        const auto parsed = to_number(words[i]);
        if (!parsed || *parsed < 0 || *parsed > std::numeric_limits<std::uint32_t>::max()) {
            return std::nullopt;
        }
        numbers[i - 1] = *parsed;
    }
    const auto [type, writer, audience, radius_mm, layers, bytes_max, facing_step_deg] = numbers;
    if (type > static_cast<int>(engine::StateType::bytes) ||
        writer > static_cast<int>(engine::StateWriter::facing) ||
        audience > static_cast<int>(engine::StateAudience::layer) || radius_mm > kInt32Max ||
        facing_step_deg > std::numeric_limits<std::uint16_t>::max()) {
        return std::nullopt;
    }
    slot.type = static_cast<engine::StateType>(type);
    slot.writer = static_cast<engine::StateWriter>(writer);
    slot.audience = static_cast<engine::StateAudience>(audience);
    slot.radius_mm = static_cast<std::int32_t>(radius_mm);
    slot.layers = static_cast<engine::LayerMask>(layers);
    slot.bytes_max = static_cast<std::uint32_t>(bytes_max);
    slot.facing_step_deg = static_cast<std::uint16_t>(facing_step_deg);
    return slot;
}

}  // namespace

std::string options_text(const ZoneOptions& options) {
    std::string text;
    for (const NumberOption& option : kNumbers) {
        text += fmt::format("{} {}\n", option.name, option.get(options));
    }
    text += fmt::format("{} {}\n", kIndexName, options.index);
    for (const engine::StateSlot& slot : options.slots) {
        text += fmt::format("{} {} {} {} {} {} {} {} {}\n", kSlotName, slot.name,
                            static_cast<unsigned>(slot.type), static_cast<unsigned>(slot.writer),
                            static_cast<unsigned>(slot.audience), slot.radius_mm, slot.layers,
                            slot.bytes_max, slot.facing_step_deg);
    }
    return text;
}

std::variant<ZoneOptions, std::string> options_of(std::string_view text) {
    ZoneOptions options;
    for (const NumberOption& option : kNumbers) {
        const auto value = take_line(text, option.name);
        if (!value) {
            return fmt::format("'{}' is missing", option.name);
        }
        const auto parsed = to_number(*value);
        if (!parsed || *parsed < option.min || *parsed > option.max) {
            return fmt::format("'{}' is no number from {} to {}", option.name, option.min,
                               option.max);
        }
        option.set(options, *parsed);
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
