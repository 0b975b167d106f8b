#pragma once

#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace marchland::engine {

/// What an Aoi refuses to do. Whatever was refused changed nothing.
enum class AoiError : std::uint8_t {
    none,
    bad_options,      ///< see AoiStatus::detail
    unknown_id,       ///< no entity of that id is here
    id_in_use,        ///< an entity of that id is here already, or twice in one load
    outside_bounds,   ///< the position is not within the bounds
    bad_view,         ///< not sound, see flaw_of; the detail says what it needs
    bad_notify,       ///< a notification range that is not 0 <= radius_mm <= leave_radius_mm
    bad_state,        ///< of more than kBlobBytesMax bytes
    bad_area,         ///< of a query; the detail says what is wrong with it
    full,             ///< there are entities_max already, or would be
    inside_callback,  ///< a change from inside a callback of tick()
};

/// Did it go well, and if not, why not? True means yes:
///
///     if (const AoiStatus moved = aoi.move(id, to); !moved) { log(moved.text()); }
struct [[nodiscard]] AoiStatus {
    AoiError error = AoiError::none;
    EntityId id{};          ///< whose change was refused; without meaning where there is none
    std::size_t place = 0;  ///< of a load: which of its entities, from 0
    std::string_view detail =
        {};  ///< of bad_options, bad_view, bad_area; for as long as the program

    explicit operator bool() const { return error == AoiError::none; }

    /// A sentence for a log: "id 7 is not here". "ok" where all went well.
    [[nodiscard]] std::string text() const;

    friend bool operator==(const AoiStatus&, const AoiStatus&) = default;
};

}  // namespace marchland::engine
