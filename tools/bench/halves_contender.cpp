#include "tools/bench/halves_contender.h"

namespace marchland::bench {

HalvesContender::HalvesContender(std::string_view index_name, const Workload& workload,
                                 std::span<const engine::Position> at)
    : name_(index_name),
      left_(Side::left, index_name, workload, at),
      right_(Side::right, index_name, workload, at),
      right_thread_([this] { run_right(); }) {}

HalvesContender::~HalvesContender() {
    is_over_ = true;
    step_.arrive_and_wait();
    right_thread_.join();
}

EventTotals HalvesContender::run_tick(std::span<const engine::Position> to) {
    to_ = to;
    step_.arrive_and_wait();
    EventTotals totals = run_half(left_, right_);
    totals += right_totals_;
    return totals;
}

void HalvesContender::run_right() {
    while (true) {
        step_.arrive_and_wait();
        if (is_over_) return;
        run_half(right_, left_);
    }
}

EventTotals HalvesContender::run_half(HalfMap& mine, const HalfMap& other) {
    mine.move(to_);
    step_.arrive_and_wait();
    mine.absorb(other.sent());
    const EventTotals totals = mine.tell();
    if (&mine == &right_) right_totals_ = totals;
    step_.arrive_and_wait();
    return totals;
}

}  // namespace marchland::bench
