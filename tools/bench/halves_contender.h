#pragma once

#include "tools/bench/contender.h"
#include "tools/bench/half_map.h"
#include "tools/bench/workload.h"

#include <barrier>
#include <string>
#include <string_view>
#include <thread>

namespace marchland::bench {

/// Two engine::Space, each with half of the map, on a thread each: what two shards cost without
/// their queues, gates and clients. The caller's thread works on the left half.
///
/// Only whole ticks.
class HalvesContender final : public Contender {
public:
    HalvesContender(std::string_view index_name, const Workload& workload,
                    std::span<const engine::Position> at);
    ~HalvesContender() override;

    [[nodiscard]] std::string_view name() const override { return name_; }
    [[nodiscard]] unsigned threads() const override { return 2; }
    EventTotals run_tick(std::span<const engine::Position> to) override;

private:
    void run_right();
    EventTotals run_half(HalfMap& mine, const HalfMap& other);

    const std::string name_;
    HalfMap left_;
    HalfMap right_;

    // Written by the caller's thread before step_ opens a tick, read by the other one after it.
    std::span<const engine::Position> to_;
    bool is_over_ = false;
    EventTotals right_totals_;  ///< the other way round: read after step_ has closed the tick

    std::barrier<> step_{2};  ///< both threads meet: before a tick, after move(), after tell()
    std::thread right_thread_;
};

}  // namespace marchland::bench
