#include "tools/layout/layout_program.h"

#include "shards/balanced_layout.h"
#include "config/config.h"
#include "config/metres.h"
#include "tools/layout/comparison.h"
#include "tools/layout/drawing.h"
#include "tools/layout/inputs.h"
#include "tools/layout/options.h"
#include "tools/layout/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>

namespace marchland::layout {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitBadInput = 2;

/// What a command works with, and where it speaks. Each step returns nothing when all is well, else
/// the exit code, and has said why.
class Program {
public:
    Program(const Options& options, std::ostream& out, std::ostream& err)
        : options_(options), out_(out), err_(err) {}

    int run() {
        if (options_.config) {
            auto world = read_world(*options_.config);
            if (const int code = refuse(world); code != 0) return code;
            world_ = std::get<engine::Rect>(world);
        }
        switch (options_.command) {
            case Options::Command::check:
                return check();
            case Options::Command::show:
                return show();
            case Options::Command::diff:
                return diff();
            case Options::Command::balance:
                return balance();
        }
        return kExitBadInput;
    }

private:
    int check() {
        const auto layout = read_layout(options_.file, world_);
        if (const auto* errors = std::get_if<config::Diagnostics>(&layout)) {
            if (options_.json) out_ << errors_json(*errors) << '\n';
            return refuse(layout);
        }
        const auto& valid = std::get<shards::Layout>(layout);
        out_ << (options_.json ? check_json(valid) : check_text(options_.file.string(), valid))
             << '\n';
        return 0;
    }

    int show() {
        auto read = read_layout(options_.file, world_);
        if (const int code = refuse(read); code != 0) return code;
        const auto& layout = std::get<shards::Layout>(read);
        auto positions = read_all_positions(layout.world());
        if (const int code = refuse(positions); code != 0) return code;
        const auto& last = std::get<Positions>(positions).last;
        const std::vector<std::size_t> counts =
            options_.positions ? count_in_regions(layout, last) : std::vector<std::size_t>{};
        if (const int code = write_picture(draw(layout, last, {})); code != 0) return code;
        out_ << (options_.json ? show_json(layout, counts) : show_text(layout, counts)) << '\n';
        return 0;
    }

    int diff() {
        auto before = read_layout(options_.file, world_);
        if (const int code = refuse(before); code != 0) return code;
        const auto& old_layout = std::get<shards::Layout>(before);
        // The old one's world is the one that is in use.
        auto after = read_layout(options_.other, old_layout.world());
        if (const int code = refuse(after); code != 0) return code;
        const auto& new_layout = std::get<shards::Layout>(after);
        auto positions = read_all_positions(old_layout.world());
        if (const int code = refuse(positions); code != 0) return code;
        const auto& last = std::get<Positions>(positions).last;
        const Comparison comparison = compare(old_layout, new_layout, last);
        if (const int code = write_picture(draw(new_layout, last, comparison.changes)); code != 0) {
            return code;
        }
        const auto entities =
            options_.positions ? std::optional<std::size_t>(last.size()) : std::nullopt;
        out_ << (options_.json ? diff_json(comparison, entities) : diff_text(comparison, entities))
             << '\n';
        return 0;
    }

    int balance() {
        auto read = read_positions(*options_.positions, world_);
        if (const int code = refuse(read); code != 0) return code;
        auto& positions = std::get<Positions>(read);
        const engine::Rect world = world_.value_or(positions.extent);
        const shards::BalanceLimits limits{options_.shards, options_.side_mm_min};
        if (!can_balance(world, limits)) {
            err_ << fmt::format("{} shards of at least {} m each way do not fit the world ({})\n",
                                limits.shards, config::metres_text(limits.side_mm_min),
                                config::edges_text(world));
            return kExitBadInput;
        }
        const shards::Layout layout = balanced_layout(world, positions.samples, limits);
        if (const int code = write_file(config::to_toml(layout)); code != 0) return code;
        const auto counts = count_in_regions(layout, positions.samples);
        out_ << (options_.json
                     ? show_json(layout, counts)
                     : show_text(layout, counts) + "\nwritten to " + options_.out->string())
             << '\n';
        return 0;
    }

    std::variant<Positions, config::Diagnostics> read_all_positions(const engine::Rect& world) {
        return options_.positions ? read_positions(*options_.positions, world) : Positions{};
    }

    /// 0 when there is nothing to refuse.
    template <typename T>
    int refuse(const std::variant<T, config::Diagnostics>& read) {
        const auto* errors = std::get_if<config::Diagnostics>(&read);
        if (errors == nullptr) {
            return 0;
        }
        for (const config::Diagnostic& error : *errors) {
            err_ << config::to_text(error) << '\n';
        }
        return kExitBadInput;
    }

    int write_picture(const std::string& svg) { return options_.out ? write_file(svg) : 0; }

    int write_file(const std::string& text) {
        std::ofstream file(*options_.out, std::ios::binary);
        file << text << std::flush;
        if (!file) {
            err_ << options_.out->string() << ": cannot be written\n";
            return kExitFailed;
        }
        return 0;
    }

    const Options& options_;
    std::ostream& out_;
    std::ostream& err_;
    std::optional<engine::Rect> world_;
};

}  // namespace

int run_program(int argc, const char* const* argv, std::string_view version, std::ostream& out,
                std::ostream& err) {
    const auto parsed = parse_options(argc, argv, version, out, err);
    if (const auto* exit = std::get_if<tools::ExitCode>(&parsed)) return exit->value;
    return Program(std::get<Options>(parsed), out, err).run();
}

}  // namespace marchland::layout
