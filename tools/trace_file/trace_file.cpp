#include "tools/trace_file/trace_file.h"

#include "tools/trace_file/trace_row.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <optional>
#include <string_view>
#include <unordered_set>

namespace marchland::trace {
namespace {

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
