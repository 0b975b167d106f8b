#pragma once

#include "engine/frame.h"
#include "engine/space.h"
#include "tools/bench/event_totals.h"
#include "tools/bench/workload.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace marchland::bench {

enum class Side : std::uint8_t { left, right };

/// One half of a map, as a shard has it: a Space with the entities that stand in the half, and ghosts
/// of those of the other half that someone here may see. The border runs along y in the middle.
///
///     left        |        right           ghosts of the left half are those within reach of it:
///          own ●  | ○ ghost                the largest leave radius
///                 |<- reach ->
///
/// A tick: both halves move(), both absorb() what the other one sent, both tell(). Between the steps
/// the threads wait for each other. Who stands where is decided by the position alone, so both
/// halves agree without asking.
///
/// Threads  One a half; `sent()` is read by the other one in absorb().
class HalfMap {
public:
    HalfMap(Side side, std::string_view index_name, const Workload& workload,
            std::span<const engine::Position> at);

    /// Where everyone is now. Own entities that crossed, and those the other half has not heard of,
    /// go to sent().
    void move(std::span<const engine::Position> to);

    /// Takes over what came across.
    struct Handover {
        engine::Entity entity;
        engine::VisibleSet known;
    };
    struct Sent {
        std::vector<Handover> handovers;
        std::vector<engine::Entity> ghosts;
    };
    [[nodiscard]] const Sent& sent() const { return sent_; }
    void absorb(const Sent& sent);

    /// The events of everyone here.
    EventTotals tell();

private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] bool is_mine(engine::Position at) const;
    [[nodiscard]] bool concerns_me(engine::Position at) const;
    [[nodiscard]] bool concerns_other(engine::Position at) const;
    std::uint32_t insert(const engine::Entity& entity);
    void note(std::uint32_t number, engine::Slot slot);
    void forget(std::uint32_t number);
    void own(std::uint32_t number, engine::Position at, const engine::VisibleSet& known);
    void hand_over(std::uint32_t number, engine::Position at);
    void move_own(std::span<const engine::Position> to);
    void move_ghosts(std::span<const engine::Position> to);
    void add(const engine::Frame& frame);

    const Side side_;
    const std::int32_t border_mm_;  ///< the right half begins there
    const std::int32_t reach_mm_;
    engine::Space space_;
    engine::Tick now_ = 1;
    std::vector<std::uint32_t> own_;        ///< numbers of entities, in no order
    std::vector<std::uint32_t> ghosts_;     ///< the same
    std::vector<engine::Slot> own_slots_;   ///< of tell()
    std::vector<std::uint32_t> slot_of_;    ///< by number; kNone: not here
    std::vector<std::uint32_t> number_of_;  ///< by slot
    std::vector<bool> is_known_to_other_;   ///< by number, of own ones: it has a ghost of it
    Sent sent_;
    EventTotals totals_;      ///< of the tell() that runs
    engine::FrameSink sink_;  ///< made once: it adds to totals_
};

}  // namespace marchland::bench
