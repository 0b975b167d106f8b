#include "tools/trace_file/trace_file.h"

#include "tools/trace_file/decimal.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <istream>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_set>

namespace marchland::trace {
namespace {

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

/// One sample as a row has it.
struct TraceRow {
    std::int64_t time_ns = 0;
    engine::EntityId id{};
    engine::Position at;  ///< thousandths of the trace's unit; z is 0 without that column
};

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

    /// Reads `field` into `value`; afterwards problem() has what went wrong.
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

    /// The first problem of a line is the one that is reported.
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

/// Reads the header line: names separated by commas, in any order, t, id, x and y among them.
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

/// Reads the lines below the header.
class TraceRowParser {
public:
    explicit TraceRowParser(const TraceColumns& columns) : columns_(columns) {}

    std::variant<TraceRow, LineProblem> parse(std::string_view line) {
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

private:
    const TraceColumns columns_;
    std::vector<std::string_view> fields_;  ///< scratch memory
};

/// Lines of a stream, one at a time, in a buffer of fixed size.
class LineReader {
public:
    enum class Outcome { line, end, too_long, failed };

    /// The buffer holds one byte more than a line with its CR, for istream's closing NUL.
    LineReader(std::istream& in, std::size_t line_bytes_max)
        : in_(in), buffer_(line_bytes_max + 2) {}

    Outcome next() {
        in_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        auto bytes = static_cast<std::size_t>(in_.gcount());
        if (in_.bad()) return Outcome::failed;
        if (in_.fail()) return in_.eof() ? Outcome::end : Outcome::too_long;
        if (!in_.eof()) --bytes;  // the LF is counted and not stored
        line_ = std::string_view(buffer_.data(), bytes);
        if (line_.ends_with('\r')) line_.remove_suffix(1);
        ++number_;
        return Outcome::line;
    }

    [[nodiscard]] std::string_view line() const { return line_; }
    /// Of the line read last, from 1; 0 before the first.
    [[nodiscard]] std::uint32_t number() const { return number_; }

private:
    std::istream& in_;
    std::vector<char> buffer_;
    std::string_view line_;
    std::uint32_t number_ = 0;
};

class TraceBuilder {
public:
    TraceBuilder(bool has_z, std::size_t samples_max) : samples_max_(samples_max) {
        trace_.has_z = has_z;
    }

    std::optional<LineProblem> add(const TraceRow& row) {
        if (trace_.samples.size() == samples_max_) {
            return LineProblem{1, fmt::format("more than {} samples", samples_max_),
                               "cut the trace into parts"};
        }
        if (!trace_.ticks.empty() && row.time_ns < trace_.ticks.back().time_ns) {
            return LineProblem{1, "t is less than in the line before", "sort the rows by t"};
        }
        grow_extent(row.at);
        ids_.insert(engine::to_number(row.id));
        trace_.samples.push_back({row.id, row.at});
        if (trace_.ticks.empty() || row.time_ns != trace_.ticks.back().time_ns) {
            trace_.ticks.push_back({row.time_ns, 0});
        }
        trace_.ticks.back().samples_end = trace_.samples.size();
        return std::nullopt;
    }

    Trace take() {
        trace_.entity_count = ids_.size();
        return std::move(trace_);
    }

private:
    void grow_extent(engine::Position at) {
        engine::Rect& extent = trace_.extent;
        if (trace_.samples.empty()) extent = engine::square_around(at, 0);
        extent.min_x = std::min<std::int64_t>(extent.min_x, at.x);
        extent.min_y = std::min<std::int64_t>(extent.min_y, at.y);
        extent.max_x = std::max<std::int64_t>(extent.max_x, at.x);
        extent.max_y = std::max<std::int64_t>(extent.max_y, at.y);
    }

    const std::size_t samples_max_;
    Trace trace_;
    std::unordered_set<std::uint64_t> ids_;
};

/// What stands between a stream and its Trace: one error, or none.
class TraceParser {
public:
    TraceParser(std::istream& in, std::string name, const TraceLimits& limits)
        : name_(std::move(name)), limits_(limits), lines_(in, limits.line_bytes_max) {}

    std::variant<Trace, config::Diagnostic> parse() {
        if (!next_line()) return error_.value_or(whole_file("the file is empty", kFormatHint));
        std::string_view header = lines_.line();
        constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
        if (header.starts_with(kByteOrderMark)) header.remove_prefix(kByteOrderMark.size());
        const auto columns = parse_trace_header(header);
        if (const auto* problem = std::get_if<LineProblem>(&columns)) return here(*problem);

        TraceRowParser rows(std::get<TraceColumns>(columns));
        TraceBuilder builder(std::get<TraceColumns>(columns).z.has_value(), limits_.samples_max);
        std::size_t samples = 0;
        for (; next_line(); ++samples) {
            const auto row = rows.parse(lines_.line());
            if (const auto* problem = std::get_if<LineProblem>(&row)) return here(*problem);
            if (auto problem = builder.add(std::get<TraceRow>(row))) return here(*problem);
        }
        if (error_) return *error_;
        if (samples == 0) return whole_file("there are no samples below the header", kFormatHint);
        return builder.take();
    }

private:
    static constexpr const char* kFormatHint =
        "a trace is CSV with the columns t,id,x,y and if you like z, named in the first line";

    /// False at the end of the file and, with error_ set, where no line could be had.
    bool next_line() {
        switch (lines_.next()) {
            case LineReader::Outcome::line:
                return true;
            case LineReader::Outcome::end:
                return false;
            case LineReader::Outcome::too_long:
                error_ = config::Diagnostic{
                    name_,
                    lines_.number() + 1,
                    1,
                    "",
                    fmt::format("a line of more than {} bytes", limits_.line_bytes_max),
                    "is this a CSV file?"};
                return false;
            case LineReader::Outcome::failed:
                error_ = whole_file("cannot be read", "is it a file?");
                return false;
        }
        return false;
    }

    [[nodiscard]] config::Diagnostic whole_file(std::string reason, std::string hint) const {
        return {name_, 0, 0, "", std::move(reason), std::move(hint)};
    }
    [[nodiscard]] config::Diagnostic here(const LineProblem& problem) const {
        return {name_, lines_.number(), problem.column, "", problem.reason, problem.hint};
    }

    const std::string name_;
    const TraceLimits limits_;
    LineReader lines_;
    std::optional<config::Diagnostic> error_;
};

}  // namespace

std::variant<Trace, config::Diagnostic> load_trace(const std::filesystem::path& file,
                                                   const TraceLimits& limits) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        return config::Diagnostic{
            file.string(), 0, 0, "", fmt::format("cannot be opened: {}", std::strerror(errno)), ""};
    }
    return read_trace(in, file.string(), limits);
}

std::variant<Trace, config::Diagnostic> read_trace(std::istream& in, const std::string& name,
                                                   const TraceLimits& limits) {
    return TraceParser(in, name, limits).parse();
}

}  // namespace marchland::trace
