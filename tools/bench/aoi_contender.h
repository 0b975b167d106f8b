#pragma once

#include "engine/aoi.h"
#include "tools/bench/contender.h"

#include <memory>
#include <string_view>

namespace marchland::bench {

/// engine::Aoi as a program without shards uses it: moves by id, then tick() and its events. With
/// its index by default. One move at a time is a tick of its own for each.
class AoiContender final : public Contender {
public:
    static constexpr std::string_view kName = "aoi";

    AoiContender(const Workload& workload, std::span<const engine::Position> at);

    [[nodiscard]] std::string_view name() const override { return kName; }
    EventTotals run_tick(std::span<const engine::Position> to) override;
    EventTotals run_moves(std::span<const Move> moves) override;

private:
    void move(std::uint32_t entity, engine::Position to);
    void tick(EventTotals& totals);

    std::unique_ptr<engine::Aoi> aoi_;
};

}  // namespace marchland::bench
