#include "engine/aoi_status.h"

#include "engine/entity.h"

namespace marchland::engine {
namespace {

static_assert(kBlobBytesMax == 1024, "as complaint_about_id says");

/// What is wrong with the entity of that id.
std::string_view complaint_about_id(AoiError error) {
    switch (error) {
        case AoiError::unknown_id:
            return " is not here";
        case AoiError::id_in_use:
            return " is here already";
        case AoiError::outside_bounds:
            return ": the position is outside the bounds";
        case AoiError::bad_view:
            return ": the view ";
        case AoiError::bad_notify:
            return ": a notification range has 0 <= radius_mm <= leave_radius_mm";
        case AoiError::bad_state:
            return ": a state has 1024 bytes at most";
        case AoiError::full:
            return ": there are as many entities as entities_max allows";
        default:
            return "";
    }
}

}  // namespace

std::string AoiStatus::text() const {
    switch (error) {
        case AoiError::none:
            return "ok";
        case AoiError::bad_options:
            return "options: " + std::string(detail);
        case AoiError::bad_area:
            return "the area " + std::string(detail);
        case AoiError::inside_callback:
            return "a callback of tick() may ask, but not change: note the change, and make it "
                   "when tick() has returned";
        default:
            return "id " + std::to_string(to_number(id)) + std::string(complaint_about_id(error)) +
                   std::string(detail);
    }
}

}  // namespace marchland::engine
