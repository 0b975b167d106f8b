#include "tools/bench/send_report.h"

#include "tools/bench/json_list.h"

#include <fmt/core.h>

namespace marchland::bench {
namespace {

std::string to_json(const SendResult& result) {
    return fmt::format(
        R"({{"case":"{}","clients":{},"updates_per_frame":{:.2f},"cpu_us_per_frame":{:.3f},)"
        R"("bare_cpu_us_per_frame":{:.3f},"cpu_ratio_to_bare_server":{:.4f},)"
        R"("bytes_per_frame":{:.1f},"bytes_per_update":{:.3f},"writes_per_frame":{:.4f},)"
        R"("allocations_per_frame":{:.4f},"spread":{:.3f}}})",
        result.name, result.clients, result.updates_per_frame, result.cpu_us_per_frame,
        result.bare_cpu_us_per_frame, result.cpu_ratio_to_bare_server, result.bytes_per_frame,
        result.bytes_per_update, result.writes_per_frame, result.allocations_per_frame,
        result.spread);
}

}  // namespace

std::string send_json(std::span<const SendResult> results, std::string_view commit,
                      bool is_interrupted) {
    return fmt::format(R"({{"benchmark":"send","commit":"{}","interrupted":{},"results":[{}]}})",
                       commit, is_interrupted, json_list(results, to_json));
}

std::string send_table(std::span<const SendResult> results) {
    std::string table =
        fmt::format("{:<9} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8} {:>8} {:>7} {:>7}\n", "case",
                    "clients", "updates", "CPU us", "bare us", "of bare", "bytes", "/update",
                    "writes", "allocs", "spread");
    for (const SendResult& result : results) {
        table += fmt::format(
            "{:<9} {:>7} {:>8.1f} {:>8.2f} {:>8.2f} {:>7.2f}x {:>7.0f} {:>8.2f} {:>8.3f} {:>7.3f} "
            "{:>6.0f}%\n",
            result.name, result.clients, result.updates_per_frame, result.cpu_us_per_frame,
            result.bare_cpu_us_per_frame, result.cpu_ratio_to_bare_server, result.bytes_per_frame,
            result.bytes_per_update, result.writes_per_frame, result.allocations_per_frame,
            result.spread * 100);
    }
    return table +
           "All but clients and spread: for each frame, that is, for each client and tick.\n"
           "Compare within one run only, as 'of bare'.\n";
}

}  // namespace marchland::bench
