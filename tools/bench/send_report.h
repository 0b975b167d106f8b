#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace marchland::bench {

/// What it took to send one kind of frames. Medians of the repetitions; per frame is per client and tick.
struct SendResult {
    std::string name;  ///< of the case
    std::size_t clients = 0;
    double updates_per_frame = 0;
    /// CPU time of the server's threads alone, all steps of its tick included.
    double cpu_us_per_frame = 0;
    double bare_cpu_us_per_frame = 0;
    /// The median of ratios, each of two turns that followed one another.
    double cpu_ratio_to_bare_server = 0;
    double bytes_per_frame = 0;  ///< length prefixes included, TCP's headers left out
    double bytes_per_update = 0;
    double writes_per_frame = 0;
    double allocations_per_frame = 0;
    double spread = 0;  ///< of cpu_us_per_frame; see statistics.h
};

/// The object of the contract, one line without its end.
std::string send_json(std::span<const SendResult> results, std::string_view commit,
                      bool is_interrupted);
/// For people.
std::string send_table(std::span<const SendResult> results);

}  // namespace marchland::bench
