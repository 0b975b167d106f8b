#pragma once

#include "tools/trace/trace_run.h"
#include "tools/trace_file/trace_file.h"

#include <cstdint>
#include <string>

namespace marchland::trace {

struct OracleAnswer {
    std::string lines;  ///< as marchland-trace --events writes them
    std::uint64_t enter = 0;
    std::uint64_t leave = 0;
    std::uint64_t move = 0;

    friend bool operator==(const OracleAnswer&, const OracleAnswer&) = default;
};

/// What a trace's events are, worked out from the rules alone: every live entity against every
/// other, in every tick. Shares no code with the zone or the engine.
OracleAnswer ask_oracle(const Trace& trace, const RunOptions& options);

/// What TraceRun makes of it under `layout`, in the same form.
OracleAnswer run_zone(const Trace& trace, const RunOptions& options, const shards::Layout& layout);

/// The FNV-1a-64 of some text, written out once more.
std::uint64_t digest_by_hand(const std::string& text);

/// A trace from its text; fails the test where that is wrong.
Trace trace_of(const std::string& text);

/// columns x rows over the trace's extent, and six regions of very different sizes. The extent is
/// at least 8 x 8 thousandths.
shards::Layout grid_layout(const Trace& trace, std::uint32_t columns, std::uint32_t rows);
shards::Layout irregular_layout(const Trace& trace);

}  // namespace marchland::trace
