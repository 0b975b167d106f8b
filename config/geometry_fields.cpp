#include "config/geometry_fields.h"

namespace marchland::config {

namespace {

template <typename Target, typename Value>
Field<Target> coordinate(std::string_view name, Value Target::*member) {
    return metres<Target>(
        name, [member](auto& target) -> auto& { return target.*member; }, kAnywhereMm);
}

}  // namespace

Fields<engine::Rect> rect_fields() {
    using engine::Rect;
    return {
        required(coordinate("min_x", &Rect::min_x)), required(coordinate("min_y", &Rect::min_y)),
        required(coordinate("max_x", &Rect::max_x)), required(coordinate("max_y", &Rect::max_y))};
}

void check_rect(const engine::Rect& edges, const std::string& key, Place place, Reading& reading) {
    // Edges that coincide have nothing between them.
    const auto check_axis = [&](const std::string& axis, std::int64_t min, std::int64_t max) {
        if (max <= min) {
            reading.refuse(place, key,
                           "max_" + axis + " (" + metres_text(max) + ") must be greater than min_" +
                               axis + " (" + metres_text(min) + ")");
        }
    };
    check_axis("x", edges.min_x, edges.max_x);
    check_axis("y", edges.min_y, edges.max_y);
}

Fields<engine::Position> position_fields() {
    using engine::Position;
    return {required(coordinate("x", &Position::x)), required(coordinate("y", &Position::y)),
            coordinate("z", &Position::z)};
}

}  // namespace marchland::config
