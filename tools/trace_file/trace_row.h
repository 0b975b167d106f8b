#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace marchland::trace {

/// What is wrong with one line of a trace.
struct LineProblem {
    std::uint32_t column = 1;  ///< in bytes, from 1
    std::string reason;
    std::string hint;  ///< the way out; may be empty
};

/// Where the columns that matter stand in a row, from 0; all others are ignored.
struct TraceColumns {
    std::size_t t = 0;
    std::size_t id = 0;
    std::size_t x = 0;
    std::size_t y = 0;
    std::optional<std::size_t> z;
    std::size_t count = 0;  ///< of all columns: every row has as many
};

/// One sample as a row tells it.
struct TraceRow {
    std::int64_t time_ns = 0;
    engine::EntityId id{};
    engine::Position at;  ///< thousandths of the trace's unit; z is 0 without that column
};

/// Reads the header line: names separated by commas, in any order, t, id, x and y among them.
std::variant<TraceColumns, LineProblem> parse_trace_header(std::string_view line);

/// Reads the lines below the header.
///
/// Numbers are plain decimals (see parse_decimal). Positions keep three decimals, rounded half away
/// from zero, and must fit int32 then; t keeps nine, and more are an error, since times are compared
/// for equality. Quoted fields are refused: a comma could hide in them.
class TraceRowParser {
public:
    explicit TraceRowParser(const TraceColumns& columns) : columns_(columns) {}

    std::variant<TraceRow, LineProblem> parse(std::string_view line);

private:
    const TraceColumns columns_;
    std::vector<std::string_view> fields_;  ///< scratch memory
};

}  // namespace marchland::trace
