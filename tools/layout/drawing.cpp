#include "tools/layout/drawing.h"

#include "config/metres.h"

#include <fmt/format.h>

#include <algorithm>

namespace marchland::layout {

namespace {

using engine::Rect;

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
