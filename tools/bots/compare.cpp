#include "tools/bots/report.h"
#include "tools/command_line/parse.h"

#include <boost/json.hpp>
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

namespace marchland::bots {
namespace {

namespace json = boost::json;

/// A figure of a run, and where it is in the JSON.
struct Figure {
    const char* name;
    const char* pointer;
    int decimals = 0;
};

/// Two runs with other values of these are no two runs of the same.
constexpr std::array kConditions{
    Figure{"scenario", "/scenario"},
    Figure{"players", "/players"},
    Figure{"looked into", "/looked_into"},
    Figure{"processes", "/processes"},
    Figure{"seed", "/seed"},
};

constexpr std::array kFigures{
    Figure{"seconds", "/seconds", 1},
    Figure{"violations", "/violations"},
    Figure{"players lost", "/players_lost"},
    Figure{"pairs checked", "/pairs_checked"},
    Figure{"frames", "/frames"},
    Figure{"updates", "/updates"},
    Figure{"stale frames", "/stale_frames"},
    Figure{"bytes per player and second", "/bytes_per_player_per_second", 1},
    Figure{"latency p50, ms", "/latency_ms/p50", 1},
    Figure{"latency p99, ms", "/latency_ms/p99", 1},
    Figure{"latency max, ms", "/latency_ms/max", 1},
    Figure{"server: CPU, % of a core", "/server/cpu_percent", 1},
    Figure{"server: us per frame", "/server/cpu_us_per_frame", 2},
    Figure{"server: memory at most, bytes", "/server/resident_bytes_max"},
    Figure{"bots: CPU, % of a core", "/cpu_percent", 1},
};

constexpr std::array kGroupFigures{
    Figure{"violations", "/violations"},
    Figure{"players lost", "/players_lost"},
    Figure{"latency p50, ms", "/latency_ms/p50", 1},
    Figure{"latency p99, ms", "/latency_ms/p99", 1},
};

/// The object of the last line, which is what --json prints after all else; or why there is none.
std::variant<json::value, std::string> read_run(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(in), {}};
    if (!in) {
        return file.string() + ": cannot be read";
    }
    std::string_view text = all;
    text = text.substr(0, text.find_last_not_of("\r\n") + 1);
    text.remove_prefix(text.find_last_of('\n') + 1);
    boost::system::error_code error;
    json::value value = json::parse(text, error);
    boost::system::error_code is_missing;
    if (error || value.find_pointer("/latency_ms/p99", is_missing) == nullptr) {
        return file.string() + ": its last line is not what marchland-bots --json prints";
    }
    return value;
}

std::string text_of(const json::value* value, int decimals) {
    boost::system::error_code is_no_number;
    if (value == nullptr) {
        return "-";
    }
    if (value->is_string()) {
        return std::string(value->get_string());
    }
    const auto number = value->to_number<double>(is_no_number);
    return is_no_number ? "-" : fmt::format("{:.{}f}", number, decimals);
}

/// "+4.8 %"; empty where nothing changed, or nothing can be said.
std::string change_of(const json::value* a, const json::value* b) {
    boost::system::error_code error;
    if (a == nullptr || b == nullptr || *a == *b || a->is_string() || b->is_string()) {
        return "";
    }
    const auto before = a->to_number<double>(error);
    const auto after = b->to_number<double>(error);
    return error || before == 0 ? "" : fmt::format("{:+.1f} %", 100 * (after - before) / before);
}

class Table {
public:
    Table(std::ostream& out, const std::string& a, const std::string& b) : out_(out) {
        row("", a, b, "change");
    }
    void add(const json::value& a, const json::value& b, const Figure& figure) {
        boost::system::error_code is_missing;
        const json::value* const in_a = a.find_pointer(figure.pointer, is_missing);
        const json::value* const in_b = b.find_pointer(figure.pointer, is_missing);
        if (in_a != nullptr || in_b != nullptr) {
            row(figure.name, text_of(in_a, figure.decimals), text_of(in_b, figure.decimals),
                change_of(in_a, in_b));
        }
    }
    void title(const std::string& text) { out_ << text << '\n'; }

private:
    void row(std::string_view name, std::string_view a, std::string_view b,
             std::string_view change) {
        std::string line = fmt::format("{:<30}{:>18}{:>18}{:>12}", name, a, b, change);
        out_ << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
    }

    std::ostream& out_;
};

/// The group of that name; null where a run has none.
const json::value* group_of(const json::value& run, const json::value& name) {
    const json::value* const groups = run.as_object().if_contains("groups");
    if (groups == nullptr || !groups->is_array()) {
        return nullptr;
    }
    for (const json::value& group : groups->get_array()) {
        if (group.is_object() && group.get_object().contains("name") &&
            group.get_object().at("name") == name) {
            return &group;
        }
    }
    return nullptr;
}

}  // namespace

int compare_runs(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
    CLI::App app("What changed between two runs of marchland-bots.", "marchland-bots compare");
    std::string file_a;
    std::string file_b;
    app.add_option("A", file_a, "What the first run printed with --json, or its --report wrote")
        ->required();
    app.add_option("B", file_b, "The same of the second")->required();
    if (const auto ended = tools::parse(app, argc, argv, out, err)) {
        return ended->value;
    }
    const auto read_a = read_run(file_a);
    const auto read_b = read_run(file_b);
    for (const auto* const read : {&read_a, &read_b}) {
        if (const auto* const problem = std::get_if<std::string>(read)) {
            err << "marchland-bots compare: " << *problem << '\n';
        }
    }
    if (read_a.index() != 0 || read_b.index() != 0) {
        return 2;
    }
    const auto& a = std::get<json::value>(read_a);
    const auto& b = std::get<json::value>(read_b);
    Table table(out, std::filesystem::path(file_a).stem().string(),
                std::filesystem::path(file_b).stem().string());
    for (const Figure& figure : kConditions) {
        table.add(a, b, figure);
    }
    for (const Figure& figure : kFigures) {
        table.add(a, b, figure);
    }
    const json::value* const groups = a.as_object().if_contains("groups");
    for (const json::value& group :
         groups == nullptr || !groups->is_array() ? json::array() : groups->get_array()) {
        const json::value* const name =
            group.is_object() ? group.get_object().if_contains("name") : nullptr;
        const json::value* const other = name != nullptr ? group_of(b, *name) : nullptr;
        if (other == nullptr) {
            continue;
        }
        table.title(text_of(name, 0));
        for (const Figure& figure : kGroupFigures) {
            table.add(group, *other, figure);
        }
    }
    for (const Figure& figure : kConditions) {
        boost::system::error_code is_missing;
        const json::value* const in_a = a.find_pointer(figure.pointer, is_missing);
        const json::value* const in_b = b.find_pointer(figure.pointer, is_missing);
        if ((in_a == nullptr) != (in_b == nullptr) || (in_a != nullptr && *in_a != *in_b)) {
            out << "not two runs of the same: " << figure.name << '\n';
        }
    }
    return 0;
}

}  // namespace marchland::bots
