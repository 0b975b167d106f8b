#include "tools/layout/report.h"

#include "config/metres.h"
#include "tools/command_line/json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace marchland::layout {
namespace {

using tools::json_text;

using engine::Rect;

/// In square metres.
double area_m2(const Rect& area) {
    return static_cast<double>(area.max_x - area.min_x + 1) *
           static_cast<double>(area.max_y - area.min_y + 1) / 1e6;
}

Rect common_part(const Rect& a, const Rect& b) {
    return {std::max(a.min_x, b.min_x), std::max(a.min_y, b.min_y), std::min(a.max_x, b.max_x),
            std::min(a.max_y, b.max_y)};
}

/// The names of the shards of `of` whose id is none of `other`.
std::vector<std::string> names_only_in(const shards::Layout& of, const shards::Layout& other) {
    std::vector<std::string> names;
    for (const shards::ShardId shard : of.shards()) {
        if (!other.contains(shard)) {
            names.push_back(of.region(shard).name);
        }
    }
    return names;
}

std::string json_rect(const Rect& edges) {
    return fmt::format(R"({{"min_x":{},"min_y":{},"max_x":{},"max_y":{}}})",
                       config::metres_text(edges.min_x), config::metres_text(edges.min_y),
                       config::metres_text(edges.max_x), config::metres_text(edges.max_y));
}

std::int64_t shortest_side_mm(const Rect& area) {
    return std::min(area.max_x - area.min_x, area.max_y - area.min_y) + 1;
}

std::int64_t shortest_side_mm(const shards::Layout& layout) {
    std::int64_t shortest = shortest_side_mm(layout.world());
    for (const shards::ShardId shard : layout.shards()) {
        shortest = std::min(shortest, shortest_side_mm(layout.region(shard).area));
    }
    return shortest;
}

/// How much more than an equal share the most crowded shard has: 1 is even.
double imbalance(std::span<const std::size_t> counts) {
    std::size_t sum = 0;
    for (const std::size_t count : counts) {
        sum += count;
    }
    return sum == 0 ? 1
                    : static_cast<double>(*std::ranges::max_element(counts)) *
                          static_cast<double>(counts.size()) / static_cast<double>(sum);
}

}  // namespace

Comparison compare(const shards::Layout& before, const shards::Layout& after_anew,
                   std::span<const engine::Position> positions) {
    const shards::Layout after = after_anew.following(before);
    Comparison comparison;
    comparison.world = before.world();
    comparison.added = names_only_in(after, before);
    comparison.retired = names_only_in(before, after);
    double changed_m2 = 0;
    for (const shards::ShardId from : before.shards()) {
        for (const shards::ShardId to : after.shards()) {
            const Rect shared = common_part(before.region(from).area, after.region(to).area);
            if (from != to && shared.min_x <= shared.max_x && shared.min_y <= shared.max_y) {
                comparison.changes.push_back(
                    {shared, before.region(from).name, after.region(to).name});
                changed_m2 += area_m2(shared);
            }
        }
    }
    comparison.changed_share = changed_m2 / area_m2(before.world());
    comparison.positions_changed = static_cast<std::size_t>(std::ranges::count_if(
        positions, [&](engine::Position at) { return before.owner_of(at) != after.owner_of(at); }));
    return comparison;
}

std::vector<std::size_t> count_in_regions(const shards::Layout& layout,
                                          std::span<const engine::Position> positions) {
    std::vector<std::size_t> by_id(shards::kShardsMax);
    for (const engine::Position& at : positions) {
        ++by_id[to_number(layout.owner_of(at))];
    }
    std::vector<std::size_t> counts;
    for (const shards::ShardId shard : layout.shards()) {
        counts.push_back(by_id[to_number(shard)]);
    }
    return counts;
}

std::string check_text(const std::string& file, const shards::Layout& layout) {
    return fmt::format("{}: {} shards tile {}; the shortest side is {} m", file, layout.size(),
                       config::edges_text(config::to_edges(layout.world(), layout.world())),
                       config::metres_text(shortest_side_mm(layout)));
}

std::string check_json(const shards::Layout& layout) {
    return fmt::format(R"({{"valid":true,"shards":{},"world_m":{},"shortest_side_m":{}}})",
                       layout.size(), json_rect(config::to_edges(layout.world(), layout.world())),
                       config::metres_text(shortest_side_mm(layout)));
}

std::string errors_json(const config::Diagnostics& errors) {
    return fmt::format(
        R"({{"valid":false,"errors":[{}]}})",
        tools::json_list(errors, [](const config::Diagnostic& error) {
            return fmt::format(
                R"({{"file":{},"line":{},"column":{},"key":{},"reason":{},"hint":{}}})",
                json_text(error.file), error.line, error.column, json_text(error.key),
                json_text(error.reason), json_text(error.hint));
        }));
}

std::string show_text(const shards::Layout& layout, std::span<const std::size_t> counts,
                      std::optional<std::size_t> ghosts) {
    std::string text = fmt::format("{:<20} {:<40} {:>14}{}\n", "shard", "edges, metres", "area, m2",
                                   counts.empty() ? "" : "     positions");
    for (std::size_t i = 0; i < layout.size(); ++i) {
        const auto& [name, area] = layout.region(layout.shards()[i]);
        text +=
            fmt::format("{:<20} {:<40} {:>14.0f}", name,
                        config::edges_text(config::to_edges(area, layout.world())), area_m2(area));
        text += counts.empty() ? "\n" : fmt::format("{:>14}\n", counts[i]);
    }
    text += fmt::format("{} shards", layout.size());
    if (!counts.empty()) {
        text +=
            fmt::format("; the most crowded has {:.2f} times an equal share", imbalance(counts));
    }
    if (ghosts) {
        text += fmt::format("; {} ghosts, each about as much work as an entity", *ghosts);
    }
    return text;
}

std::string show_json(const shards::Layout& layout, std::span<const std::size_t> counts,
                      std::optional<std::size_t> ghosts) {
    std::vector<std::string> objects;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        const auto& [name, area] = layout.region(layout.shards()[i]);
        objects.push_back(
            fmt::format(R"({{"name":{},"rect_m":{}{}}})", json_text(name),
                        json_rect(config::to_edges(area, layout.world())),
                        counts.empty() ? "" : fmt::format(",\"positions\":{}", counts[i])));
    }
    return fmt::format(
        R"({{"shards":[{}]{}{}}})", fmt::join(objects, ","),
        counts.empty() ? "" : fmt::format(",\"imbalance\":{:.4f}", imbalance(counts)),
        ghosts ? fmt::format(",\"ghosts\":{}", *ghosts) : "");
}

std::string diff_text(const Comparison& comparison, std::optional<std::size_t> entities) {
    std::string text;
    for (const std::string& name : comparison.added) {
        text += fmt::format("starts   {}\n", name);
    }
    for (const std::string& name : comparison.retired) {
        text += fmt::format("ends     {}\n", name);
    }
    for (const OwnerChange& change : comparison.changes) {
        text += fmt::format("changes  {} -> {}: {:.0f} m2\n", change.from, change.to,
                            area_m2(change.area));
    }
    text += fmt::format("{:.2f} % of the world changes owner", comparison.changed_share * 100);
    if (entities) {
        text +=
            fmt::format("; {} of {} entities are there", comparison.positions_changed, *entities);
    }
    return text;
}

std::string diff_json(const Comparison& comparison, std::optional<std::size_t> entities) {
    const std::string changes = tools::json_list(comparison.changes, [&](const OwnerChange& it) {
        return fmt::format(R"({{"from":{},"to":{},"rect_m":{},"area_m2":{:.3f}}})",
                           json_text(it.from), json_text(it.to),
                           json_rect(config::to_edges(it.area, comparison.world)),
                           area_m2(it.area));
    });
    return fmt::format(R"({{"starts":[{}],"ends":[{}],"changes":[{}],"changed_share":{:.4f}{}}})",
                       tools::json_list(comparison.added, json_text),
                       tools::json_list(comparison.retired, json_text), changes,
                       comparison.changed_share,
                       entities ? fmt::format(R"(,"entities":{},"entities_changed":{})", *entities,
                                              comparison.positions_changed)
                                : "");
}

namespace {

constexpr double kPictureSide = 900;  ///< of the world's longer side, in pixels
constexpr double kMargin = 60;
constexpr std::size_t kDotsMax = 5'000;

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    }
    return safe;
}

/// Where a place of the world is in the picture.
class Paper {
public:
    explicit Paper(const Rect& world) : world_(world) {
        const auto width = static_cast<double>(world.max_x - world.min_x + 1);
        const auto height = static_cast<double>(world.max_y - world.min_y + 1);
        scale_ = kPictureSide / std::max(width, height);
        // A very long and thin world is drawn wider than it is, so that something can be seen.
        width_ = std::max(width * scale_, 40.0);
        height_ = std::max(height * scale_, 40.0);
        x_scale_ = width_ / width;
        y_scale_ = height_ / height;
    }

    [[nodiscard]] double width() const { return width_ + 2 * kMargin; }
    [[nodiscard]] double height() const { return height_ + 2 * kMargin; }
    [[nodiscard]] double x(std::int64_t mm) const {
        return kMargin + static_cast<double>(mm - world_.min_x) * x_scale_;
    }
    [[nodiscard]] double y(std::int64_t mm) const {
        return kMargin + static_cast<double>(world_.max_y + 1 - mm) * y_scale_;
    }
    /// As attributes of a <rect>.
    [[nodiscard]] std::string box(const Rect& r) const {
        return fmt::format(R"(x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}")", x(r.min_x),
                           y(r.max_y + 1), x(r.max_x + 1) - x(r.min_x),
                           y(r.min_y) - y(r.max_y + 1));
    }

private:
    const Rect world_;
    double scale_ = 1;
    double width_ = 0;
    double height_ = 0;
    double x_scale_ = 1;
    double y_scale_ = 1;
};

/// Hues a golden angle apart: neighbours in the list differ, however many there are.
std::string colour_of(std::size_t place) {
    return fmt::format("hsl({:.0f},55%,82%)",
                       static_cast<double>(place * 1'375'077 % 3'600'000) / 10'000);
}

void draw_name(std::string& svg, const Paper& paper, const shards::Region& region) {
    const double width = paper.x(region.area.max_x + 1) - paper.x(region.area.min_x);
    const double height = paper.y(region.area.min_y) - paper.y(region.area.max_y + 1);
    const double letters = 0.62 * static_cast<double>(region.name.size() + 1);
    const bool is_upright = height > width && width < 18 * letters;
    const double along = is_upright ? height : width;
    const double across = is_upright ? width : height;
    const double size = std::min({18.0, across * 0.7, along / letters});
    if (size < 4) {
        return;  // nobody could read it; the <title> has it
    }
    const double x = paper.x(region.area.min_x) + width / 2;
    const double y = paper.y(region.area.max_y + 1) + height / 2;
    const std::string turn =
        is_upright ? fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", x, y) : "";
    svg += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.1f}\"{}>{}</text>\n", x,
                       y + size * 0.35, size, turn, escaped(region.name));
}

/// Each number begins or ends at the corner that it belongs to, so that none runs into another.
void draw_edges(std::string& svg, const Paper& paper, const Rect& world) {
    const Rect edges = config::to_edges(world, world);
    const double bottom = paper.y(world.min_y) + 22;
    const double left = paper.x(world.min_x) - 8;
    const auto add = [&](double x, double y, bool is_upright, bool is_first, std::int64_t mm) {
        svg += fmt::format(
            "<text x=\"{0:.2f}\" y=\"{1:.2f}\" text-anchor=\"{2}\"{3}>{4} m</text>\n", x, y,
            is_first ? "start" : "end",
            is_upright ? fmt::format(" transform=\"rotate(-90 {:.2f} {:.2f})\"", x, y) : "",
            config::metres_text(mm));
    };
    svg += "<g font-size=\"14\" fill=\"#444\">\n";
    add(paper.x(world.min_x), bottom, false, true, edges.min_x);
    add(paper.x(world.max_x + 1), bottom, false, false, edges.max_x);
    add(left, paper.y(world.min_y), true, true, edges.min_y);
    add(left, paper.y(world.max_y + 1), true, false, edges.max_y);
    svg += "</g>\n";
}

void draw_dots(std::string& svg, const Paper& paper, std::span<const engine::Position> positions) {
    const std::size_t step = positions.size() / kDotsMax + 1;
    svg += "<g fill=\"#233\" fill-opacity=\"0.6\">\n";
    for (std::size_t i = 0; i < positions.size(); i += step) {
        svg += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"1.6\"/>\n",
                           paper.x(positions[i].x), paper.y(positions[i].y));
    }
    svg += "</g>\n";
}

}  // namespace

std::string draw(const shards::Layout& layout, std::span<const engine::Position> positions,
                 const std::vector<OwnerChange>& changes) {
    const Paper paper(layout.world());
    std::string svg = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" font-family="sans-serif" text-anchor="middle">
<defs><pattern id="changed" width="10" height="10" patternUnits="userSpaceOnUse"><path d="M-2,2 l4,-4 M0,10 l10,-10 M8,12 l4,-4" stroke="#c00" stroke-width="1.6" stroke-opacity="0.7"/></pattern></defs>
<rect width="100%" height="100%" fill="#fff"/>
)",
        paper.width(), paper.height());
    for (std::size_t i = 0; i < layout.size(); ++i) {
        const auto& [name, area] = layout.region(layout.shards()[i]);
        svg += fmt::format(
            "<rect {} fill=\"{}\" stroke=\"#333\" stroke-width=\"1\"><title>{}: "
            "{}</title></rect>\n",
            paper.box(area), colour_of(i), escaped(name),
            config::edges_text(config::to_edges(area, layout.world())));
    }
    for (const OwnerChange& change : changes) {
        svg += fmt::format("<rect {} fill=\"url(#changed)\"><title>from {} to {}</title></rect>\n",
                           paper.box(change.area), escaped(change.from), escaped(change.to));
    }
    draw_dots(svg, paper, positions);
    for (const shards::ShardId shard : layout.shards()) {
        draw_name(svg, paper, layout.region(shard));
    }
    draw_edges(svg, paper, layout.world());
    return svg + "</svg>\n";
}

}  // namespace marchland::layout
