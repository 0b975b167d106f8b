#include "tools/trace/report.h"

#include <fmt/core.h>

namespace marchland::trace {
namespace {

std::string tick_or_null(const std::optional<engine::Tick>& tick) {
    return tick ? std::to_string(*tick) : "null";
}

std::string json_of(const ReplayVerdict& verdict) {
    return fmt::format(
        R"(,"stale_ticks":{},"first_stale_tick":{},"differing_ticks":{},"first_differing_tick":{},)"
        R"("is_cut":{})",
        verdict.stale_ticks, tick_or_null(verdict.first_stale), verdict.differing_ticks,
        tick_or_null(verdict.first_difference), verdict.cut.has_value());
}

std::string text_of(const ReplayVerdict& verdict) {
    std::string text = "\n  recorded  ";
    if (!verdict.first_difference) {
        text += "the same frames in every tick";
    } else {
        text += fmt::format("other frames in {} ticks, the first is {}", verdict.differing_ticks,
                            *verdict.first_difference);
    }
    if (verdict.first_stale) {
        text += fmt::format(
            "\n  stale     {} ticks were recorded while a shard was late, the first is {}; from "
            "there "
            "on frames may differ",
            verdict.stale_ticks, *verdict.first_stale);
    }
    return text;
}

}  // namespace

std::string to_json(const Report& report, const EventLog& log) {
    return fmt::format(
        R"({{"ticks":{},"enter":{},"leave":{},"move":{},"digest":"{:016x}","seconds":{:.3f},)"
        R"("handoffs":{},"entities":{},"samples":{},"shards":{},"read_seconds":{:.3f}{}}})",
        report.ticks, log.enter_count(), log.leave_count(), log.move_count(), log.digest(),
        report.seconds, report.handoffs, report.entities, report.samples, report.shards,
        report.read_seconds, report.verdict ? json_of(*report.verdict) : "");
}

std::string to_text(const Report& report, const EventLog& log, const std::filesystem::path& file) {
    return fmt::format(
        "{}: {} samples of {} entities in {} ticks, {} shards\n"
        "  enter     {:>12}\n"
        "  leave     {:>12}\n"
        "  move      {:>12}\n"
        "  handoffs  {:>12}\n"
        "  digest    {:016x}\n"
        "  {:.3f} s, after {:.3f} s for reading the file{}",
        file.string(), report.samples, report.entities, report.ticks, report.shards,
        log.enter_count(), log.leave_count(), log.move_count(), report.handoffs, log.digest(),
        report.seconds, report.read_seconds, report.verdict ? text_of(*report.verdict) : "");
}

}  // namespace marchland::trace
