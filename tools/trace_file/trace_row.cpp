#include "tools/trace_file/trace_row.h"

#include "tools/trace_file/decimal.h"

#include <fmt/core.h>

#include <charconv>
#include <limits>

namespace marchland::trace {
namespace {

/// `fields` are views into `line`; one more than there are commas.
void split(std::string_view line, std::vector<std::string_view>& fields) {
    fields.clear();
    std::size_t begin = 0;
    for (;;) {
        const std::size_t comma = line.find(',', begin);
        fields.push_back(line.substr(begin, comma - begin));
        if (comma == std::string_view::npos) return;
        begin = comma + 1;
    }
}

/// The byte, from 1, at which a field of the line starts.
std::uint32_t column_of(std::string_view line, std::string_view field) {
    return static_cast<std::uint32_t>(field.data() - line.data()) + 1;
}

/// Text from the file as it may appear in a message: short, and nothing a terminal would obey.
std::string shown(std::string_view text) {
    constexpr std::size_t kShownMax = 40;
    std::string result;
    for (const char c : text.substr(0, kShownMax)) {
        result += c >= ' ' && c != 0x7f ? c : '?';
    }
    return text.size() > kShownMax ? result + "..." : result;
}

std::string range_hint() {
    return "positions reach from -2147483.648 to 2147483.647; use a larger unit or another origin";
}

class FieldReader {
public:
    explicit FieldReader(std::string_view line) : line_(line) {}

    /// Reads `field` into `value`; afterwards problem() tells whether that worked.
    void read_time(std::string_view field, std::int64_t& value) {
        read_decimal("t", field, 9, Rounding::refuse, value);
    }

    void read_coordinate(std::string_view name, std::string_view field, std::int32_t& value) {
        std::int64_t wide = 0;
        read_decimal(name, field, 3, Rounding::half_away_from_zero, wide);
        if (wide < std::numeric_limits<std::int32_t>::min() ||
            wide > std::numeric_limits<std::int32_t>::max()) {
            fail(field, fmt::format("{}: {} is out of range", name, shown(field)), range_hint());
            return;
        }
        value = static_cast<std::int32_t>(wide);
    }

    void read_id(std::string_view field, engine::EntityId& value) {
        std::uint64_t number = 0;
        const char* const end = field.data() + field.size();
        const auto [stop, error] = std::from_chars(field.data(), end, number);
        if (field.empty() || error != std::errc{} || stop != end) {
            fail(field, fmt::format("id: '{}' is not an id", shown(field)),
                 "an id is a whole number from 0 to 18446744073709551615");
            return;
        }
        value = static_cast<engine::EntityId>(number);
    }

    [[nodiscard]] const std::optional<LineProblem>& problem() const { return problem_; }

private:
    void read_decimal(std::string_view name, std::string_view field, unsigned decimals,
                      Rounding rounding, std::int64_t& value) {
        const auto parsed = parse_decimal(field, decimals, rounding);
        if (const auto* number = std::get_if<std::int64_t>(&parsed)) {
            value = *number;
            return;
        }
        switch (std::get<DecimalProblem>(parsed)) {
            case DecimalProblem::not_a_decimal:
                fail(field, fmt::format("{}: '{}' is not a decimal number", name, shown(field)),
                     "write it as -12.345: no spaces, no exponent, no quotes");
                return;
            case DecimalProblem::too_many_decimals:
                fail(field,
                     fmt::format("{}: {} has more than {} decimals", name, shown(field), decimals),
                     "round it");
                return;
            case DecimalProblem::out_of_range:
                fail(field, fmt::format("{}: {} is out of range", name, shown(field)),
                     decimals == 3 ? range_hint() : "times reach to 9223372036 seconds");
                return;
        }
    }

    /// The first problem of a line is the one that is told.
    void fail(std::string_view field, std::string reason, std::string hint) {
        if (!problem_) {
            problem_ = LineProblem{column_of(line_, field), std::move(reason), std::move(hint)};
        }
    }

    const std::string_view line_;
    std::optional<LineProblem> problem_;
};

/// Takes the column called `name`, which may stand in the header once.
std::optional<LineProblem> find_column(std::string_view line,
                                       const std::vector<std::string_view>& names,
                                       std::string_view name, std::optional<std::size_t>& place) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] != name) continue;
        if (place) {
            return LineProblem{column_of(line, names[i]),
                               fmt::format("column '{}' appears twice", name),
                               "rename one of them"};
        }
        place = i;
    }
    return std::nullopt;
}

}  // namespace

std::variant<TraceColumns, LineProblem> parse_trace_header(std::string_view line) {
    std::vector<std::string_view> names;
    split(line, names);
    std::optional<std::size_t> t, id, x, y, z;
    const struct {
        std::string_view name;
        std::optional<std::size_t>& place;
    } wanted[] = {{"t", t}, {"id", id}, {"x", x}, {"y", y}, {"z", z}};
    for (const auto& column : wanted) {
        if (auto problem = find_column(line, names, column.name, column.place)) return *problem;
        if (!column.place && column.name != "z") {
            return LineProblem{
                1, fmt::format("there is no column '{}'", column.name),
                "the first line names the columns: t,id,x,y and if you like z, others "
                "are ignored"};
        }
    }
    return TraceColumns{*t, *id, *x, *y, z, names.size()};
}

std::variant<TraceRow, LineProblem> TraceRowParser::parse(std::string_view line) {
    split(line, fields_);
    for (const std::string_view field : fields_) {
        if (field.starts_with('"')) {
            return LineProblem{column_of(line, field), "a quoted field",
                               "export the trace without quotes"};
        }
    }
    if (fields_.size() != columns_.count) {
        return LineProblem{1,
                           fmt::format("{} fields, and the header names {} columns",
                                       line.empty() ? 0 : fields_.size(), columns_.count),
                           line.empty() ? "remove the empty line" : ""};
    }

    TraceRow row;
    FieldReader reader(line);
    reader.read_time(fields_[columns_.t], row.time_ns);
    reader.read_id(fields_[columns_.id], row.id);
    reader.read_coordinate("x", fields_[columns_.x], row.at.x);
    reader.read_coordinate("y", fields_[columns_.y], row.at.y);
    if (columns_.z) reader.read_coordinate("z", fields_[*columns_.z], row.at.z);
    if (reader.problem()) return *reader.problem();
    return row;
}

}  // namespace marchland::trace
