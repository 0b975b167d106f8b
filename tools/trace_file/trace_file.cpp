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

/// Text from the file as it may appear in a message: short, and nothing a terminal would act on.
std::string shown(std::string_view text) {
    constexpr std::size_t kShownMax = 40;
    std::string result;
    for (const char c : text.substr(0, kShownMax)) {
        result += c >= ' ' && c != 0x7f ? c : '?';
    }
    return text.size() > kShownMax ? result + "..." : result;
}

/// Reads a stream line by line into a Trace. The first error is the one that is reported.
class TraceParser {
public:
    /// The buffer holds one byte more than a line with its CR, for istream's closing NUL.
    TraceParser(std::istream& in, std::string name, const TraceLimits& limits)
        : in_(in), name_(std::move(name)), limits_(limits), buffer_(limits.line_bytes_max + 2) {}

    std::variant<Trace, config::Diagnostic> parse() {
        if (next_line()) {
            read_header();
        } else {
            refuse_file("the file is empty", kFormatHint);
        }
        while (!error_ && next_line()) {
            read_row();
        }
        if (trace_.samples.empty()) {
            refuse_file("there are no samples below the header", kFormatHint);
        }
        if (error_) return *std::move(error_);
        trace_.entity_count = ids_.size();
        return std::move(trace_);
    }

private:
    static constexpr const char* kFormatHint =
        "a trace is CSV with the columns t,id,x,y and if you like z, named in the first line";
    static constexpr const char* kRangeHint =
        "positions reach from -2147483.648 to 2147483.647; use a larger unit or another origin";

    /// False at the end of the file and, with error_ set, where no line could be had.
    bool next_line() {
        in_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        auto bytes = static_cast<std::size_t>(in_.gcount());
        if (in_.bad()) refuse_file("cannot be read", "is it a file?");
        if (in_.fail() && !in_.eof()) {
            ++number_;
            refuse(1, fmt::format("a line of more than {} bytes", limits_.line_bytes_max),
                   "is this a CSV file?");
        }
        if (in_.fail()) return false;
        if (!in_.eof()) --bytes;  // the LF is counted and not stored
        line_ = std::string_view(buffer_.data(), bytes);
        if (line_.ends_with('\r')) line_.remove_suffix(1);
        ++number_;
        return true;
    }

    /// Sets fields_, views into the line; one more than there are commas.
    void split() {
        fields_.clear();
        std::size_t begin = 0;
        for (;;) {
            const std::size_t comma = line_.find(',', begin);
            fields_.push_back(line_.substr(begin, comma - begin));
            if (comma == std::string_view::npos) return;
            begin = comma + 1;
        }
    }

    /// Names separated by commas, in any order, t, id, x and y among them.
    void read_header() {
        constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
        if (line_.starts_with(kByteOrderMark)) line_.remove_prefix(kByteOrderMark.size());
        split();
        column_count_ = fields_.size();
        t_ = find_column("t");
        id_ = find_column("id");
        x_ = find_column("x");
        y_ = find_column("y");
        z_ = find_column("z");
        trace_.has_z = z_.has_value();
    }

    /// Where the column stands in a row, from 0; it may be named once, and must be, but for z.
    std::optional<std::size_t> find_column(std::string_view name) {
        std::optional<std::size_t> place;
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (fields_[i] != name) continue;
            if (place) {
                refuse(column_of(fields_[i]), fmt::format("column '{}' appears twice", name),
                       "rename one of them");
            }
            place = i;
        }
        if (!place && name != "z") {
            refuse(1, fmt::format("there is no column '{}'", name),
                   "the first line names the columns: t,id,x,y and if you like z, others "
                   "are ignored");
        }
        return place;
    }

    void read_row() {
        split();
        for (const std::string_view field : fields_) {
            if (field.starts_with('"')) {
                return refuse(column_of(field), "a quoted field",
                              "export the trace without quotes");
            }
        }
        if (fields_.size() != column_count_) {
            return refuse(1,
                          fmt::format("{} fields, and the header names {} columns",
                                      line_.empty() ? 0 : fields_.size(), column_count_),
                          line_.empty() ? "remove the empty line" : "");
        }
        const std::int64_t time_ns = decimal("t", fields_[*t_], 9, Rounding::refuse);
        const TraceSample sample{id_of(fields_[*id_]),
                                 {coordinate("x", fields_[*x_]), coordinate("y", fields_[*y_]),
                                  z_ ? coordinate("z", fields_[*z_]) : 0}};
        if (trace_.samples.size() == limits_.samples_max) {
            refuse(1, fmt::format("more than {} samples", limits_.samples_max),
                   "cut the trace into parts");
        }
        if (!trace_.ticks.empty() && time_ns < trace_.ticks.back().time_ns) {
            refuse(1, "t is less than in the line before", "sort the rows by t");
        }
        if (!error_) add(time_ns, sample);
    }

    std::int64_t decimal(std::string_view name, std::string_view field, unsigned decimals,
                         Rounding rounding) {
        const auto parsed = parse_decimal(field, decimals, rounding);
        if (const auto* number = std::get_if<std::int64_t>(&parsed)) return *number;
        switch (std::get<DecimalProblem>(parsed)) {
            case DecimalProblem::not_a_decimal:
                refuse(column_of(field),
                       fmt::format("{}: '{}' is not a decimal number", name, shown(field)),
                       "write it as -12.345: no spaces, no exponent, no quotes");
                break;
            case DecimalProblem::too_many_decimals:
                refuse(
                    column_of(field),
                    fmt::format("{}: {} has more than {} decimals", name, shown(field), decimals),
                    "round it");
                break;
            case DecimalProblem::out_of_range:
                refuse(column_of(field), fmt::format("{}: {} is out of range", name, shown(field)),
                       decimals == 3 ? kRangeHint : "times reach to 9223372036 seconds");
                break;
        }
        return 0;
    }

    std::int32_t coordinate(std::string_view name, std::string_view field) {
        const std::int64_t wide = decimal(name, field, 3, Rounding::half_away_from_zero);
        if (wide < std::numeric_limits<std::int32_t>::min() ||
            wide > std::numeric_limits<std::int32_t>::max()) {
            refuse(column_of(field), fmt::format("{}: {} is out of range", name, shown(field)),
                   kRangeHint);
        }
        return static_cast<std::int32_t>(wide);
    }

    engine::EntityId id_of(std::string_view field) {
        std::uint64_t number = 0;
        const char* const end = field.data() + field.size();
        const auto [stop, error] = std::from_chars(field.data(), end, number);
        if (field.empty() || error != std::errc{} || stop != end) {
            refuse(column_of(field), fmt::format("id: '{}' is not an id", shown(field)),
                   "an id is a whole number from 0 to 18446744073709551615");
        }
        return static_cast<engine::EntityId>(number);
    }

    void add(std::int64_t time_ns, const TraceSample& sample) {
        engine::Rect& extent = trace_.extent;
        if (trace_.samples.empty()) extent = engine::square_around(sample.at, 0);
        extent.min_x = std::min<std::int64_t>(extent.min_x, sample.at.x);
        extent.min_y = std::min<std::int64_t>(extent.min_y, sample.at.y);
        extent.max_x = std::max<std::int64_t>(extent.max_x, sample.at.x);
        extent.max_y = std::max<std::int64_t>(extent.max_y, sample.at.y);
        ids_.insert(engine::to_number(sample.id));
        trace_.samples.push_back(sample);
        if (trace_.ticks.empty() || time_ns != trace_.ticks.back().time_ns) {
            trace_.ticks.push_back({time_ns, 0});
        }
        trace_.ticks.back().samples_end = trace_.samples.size();
    }

    /// The byte, from 1, at which a field of the line starts.
    [[nodiscard]] std::uint32_t column_of(std::string_view field) const {
        return static_cast<std::uint32_t>(field.data() - line_.data()) + 1;
    }
    /// `hint`: the way out; may be empty.
    void refuse(std::uint32_t column, std::string reason, std::string hint) {
        if (!error_) error_ = {name_, number_, column, "", std::move(reason), std::move(hint)};
    }
    void refuse_file(std::string reason, std::string hint) {
        if (!error_) error_ = {name_, 0, 0, "", std::move(reason), std::move(hint)};
    }

    std::istream& in_;
    const std::string name_;
    const TraceLimits limits_;
    std::vector<char> buffer_;  ///< of a line
    std::string_view line_;
    std::uint32_t number_ = 0;  ///< of the line, from 1
    std::vector<std::string_view> fields_;
    std::optional<std::size_t> t_, id_, x_, y_, z_;  ///< columns; all others are ignored
    std::size_t column_count_ = 0;                   ///< of all: every row has as many
    Trace trace_;
    std::unordered_set<std::uint64_t> ids_;
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
