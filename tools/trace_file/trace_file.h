#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"
#include "config/config.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace marchland::trace {

struct TraceSample {
    engine::EntityId id{};
    engine::Position at;
};

/// Recorded movement, whole in memory.
///
/// Shapes   Ticks are the distinct times of the file, ascending; tick i has the samples from where
///          tick i - 1 ends up to `samples_end`, in the file's order. An id may come more than once
///          in a tick: the last one counts.
/// Units    Positions in thousandths of the file's unit, times in nanoseconds.
/// Memory   24 bytes a sample, up to twice that while it is read.
struct Trace {
    struct Tick {
        std::int64_t time_ns = 0;
        std::size_t samples_end = 0;
    };

    std::vector<TraceSample> samples;
    std::vector<Tick> ticks;
    engine::Rect extent;  ///< the smallest rectangle that holds every sample
    bool has_z = false;   ///< without, every z is 0
    std::size_t entity_count = 0;

    [[nodiscard]] std::span<const TraceSample> samples_of(std::size_t tick) const {
        const std::size_t begin = tick == 0 ? 0 : ticks[tick - 1].samples_end;
        return std::span(samples).subspan(begin, ticks[tick].samples_end - begin);
    }
};

struct TraceLimits {
    std::size_t samples_max = 20'000'000;  ///< 480 MB
    std::size_t line_bytes_max = 4'096;
};

/// Reads a trace: CSV with a header, `t,id,x,y[,z][,...]` in any order, t in seconds and ascending,
/// LF or CRLF, a byte order mark or none. At least one sample.
///
/// Numbers are plain decimals (see parse_decimal). Positions keep three decimals, rounded half away
/// from zero, and must fit int32 then; t keeps nine, and more are an error, since times are
/// compared for equality. Quoted fields are refused: a comma could hide in them.
///
/// Errors   The first one that is met, at its line and column, with the way out.
std::variant<Trace, config::Diagnostic> load_trace(const std::filesystem::path& file,
                                                   const TraceLimits& limits = {});

/// The same from a stream; `name` takes the file's place in errors.
std::variant<Trace, config::Diagnostic> read_trace(std::istream& in, const std::string& name,
                                                   const TraceLimits& limits = {});

}  // namespace marchland::trace
