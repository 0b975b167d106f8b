#include "tests/engine/step.h"

#include "tests/engine/random_view.h"

#include <array>

namespace marchland::engine::testing {
namespace {

constexpr std::array<const char*, 17> kKindNames{
    "join",  "leave", "move",  "nudge", "go_back", "view",    "turn",   "notify", "layers",
    "state", "say",   "whole", "watch", "part",    "rehouse", "forget", "tick"};

constexpr std::array<const char*, 5> kShapeNames{"none", "circle", "rectangle", "sector",
                                                 "cylinder"};

// Bits of a join, as RandomWorld reads them.
constexpr std::uint32_t kJoinAsWatcher = 0;
constexpr std::uint32_t kJoinAsMarker = 7;

rc::Gen<Step> step_on(const Ground& ground, std::size_t entity_count) {
    using Kind = Step::Kind;
    return rc::gen::build<Step>(
        rc::gen::set(&Step::kind, rc::gen::weightedElement<Kind>({{6, Kind::join},
                                                                  {3, Kind::leave},
                                                                  {5, Kind::move},
                                                                  {5, Kind::nudge},
                                                                  {1, Kind::go_back},
                                                                  {2, Kind::view},
                                                                  {3, Kind::turn},
                                                                  {1, Kind::notify},
                                                                  {2, Kind::layers},
                                                                  {2, Kind::state},
                                                                  {3, Kind::say},
                                                                  {1, Kind::whole},
                                                                  {2, Kind::watch},
                                                                  {2, Kind::part},
                                                                  {1, Kind::rehouse},
                                                                  {1, Kind::forget},
                                                                  {9, Kind::tick}})),
        rc::gen::set(&Step::who, rc::gen::inRange<std::size_t>(0, entity_count)),
        rc::gen::set(&Step::at, position_on(ground)), rc::gen::set(&Step::view, view_on(ground)),
        rc::gen::set(&Step::facing, any_angle()), rc::gen::set(&Step::notify, notify_on(ground)),
        rc::gen::set(&Step::bits, rc::gen::arbitrary<std::uint32_t>()));
}

/// Every number, read by the shape or not.
std::ostream& operator<<(std::ostream& out, const View& view) {
    return out << kShapeNames.at(static_cast<std::size_t>(view.shape)) << " (" << view.radius_mm
               << '/' << view.leave_radius_mm << ", " << view.half_y_mm << '/'
               << view.leave_half_y_mm << ", " << view.half_z_mm << '/' << view.leave_half_z_mm
               << ", " << view.half_opening << '/' << view.leave_half_opening << ')';
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Step& step) {
    return out << kKindNames.at(static_cast<std::size_t>(step.kind)) << " #" << step.who << " at "
               << step.at << ", view " << step.view << ", facing " << step.facing << ", notify "
               << step.notify.radius_mm << '/' << step.notify.leave_radius_mm << ", bits "
               << step.bits;
}

rc::Gen<std::vector<Step>> steps_on(const Ground& ground, std::size_t entity_count) {
    // Three times as long as usual: it takes some steps before there is somebody to see.
    return rc::gen::scale(3.0,
                          rc::gen::container<std::vector<Step>>(step_on(ground, entity_count)));
}

rc::Gen<std::vector<Step>> crowd_on(const Ground& ground, std::size_t entity_count) {
    return rc::gen::apply(
        [](std::vector<Step> crowd, const std::vector<Step>& steps) {
            for (std::size_t who = 0; who < crowd.size(); ++who) {
                crowd[who].kind = Step::Kind::join;
                crowd[who].who = who;
                crowd[who].bits = who % 25 == 0 ? kJoinAsWatcher : kJoinAsMarker;
                if (who % 25 != 0) {
                    crowd[who].view = {};
                }
            }
            crowd.insert(crowd.end(), steps.begin(), steps.end());
            return crowd;
        },
        rc::gen::container<std::vector<Step>>(entity_count, step_on(ground, entity_count)),
        steps_on(ground, entity_count));
}

}  // namespace marchland::engine::testing
