#pragma once

#include "tools/bots/director.h"
#include "tools/bots/figures.h"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::bots {

/// What a run came to. Traffic and latency are of the measured part: from when all had joined until
/// the first left. Violations and fates are of the whole run.
struct Report {
    /// Scenario slow: those who read badly.
    struct Slow {
        std::size_t players = 0;
        std::uint64_t stalls = 0;  ///< how often one stopped reading
        /// What the server's kernel held for one connection at most, as far as this machine tells.
        std::size_t unsent_bytes_max = 0;
    };
    /// One part of the scenario siege or slow.
    struct Phase {
        std::string_view name;
        double seconds = 0;
        double frames_per_player_per_second = 0;  ///< of those who read well
        LatencyHistogram latency = {};
        Director::Abuse abuse = {};
        std::uint64_t resident_bytes = 0;  ///< the server's newest answer by its end; 0: none
    };
    /// What the server said of itself at its admin port.
    struct Server {
        std::uint64_t resident_bytes_first = 0;
        std::uint64_t resident_bytes_last = 0;
        std::uint64_t resident_bytes_max = 0;
        /// Once it had settled: five minutes on, or half of a shorter run.
        std::uint64_t resident_bytes_settled = 0;
        double seconds_settled = 0;  ///< from then to its last sample
        double cpu_seconds = 0;      ///< in the measured part
        double seconds_between = 0;  ///< its first and its last sample of that part
        std::uint64_t failures = 0;
    };

    /// One stretch of the run, of all players.
    struct Point {
        double at_s = 0;  ///< its end, since figures count
        double seconds = 0;
        std::size_t players = 0;
        Traffic traffic;
        LatencyHistogram latency = {};
        double tick_max_s = 0;             ///< the server's longest tick in it; 0: it was not asked
        std::uint64_t resident_bytes = 0;  ///< likewise

        void add(const Point& later);
        void add_beside(const Point& other);  ///< of other players at the same time
    };
    /// Players that did the same: of a plan.
    struct Group {
        std::string name;
        std::string scenario;
        std::size_t players = 0;
        std::size_t lost = 0;
        std::uint64_t violations = 0;
        LatencyHistogram latency = {};
    };

    std::string play;  ///< what was played: a scenario's or a file's name
    std::uint64_t seed = 0;
    std::size_t processes = 1;
    std::size_t players = 0;      ///< asked for
    std::size_t looked_into = 0;  ///< of these: updates and checks are theirs alone
    double seconds = 0;
    double player_seconds = 0;  ///< seconds summed over those that were in the zone
    double cpu_seconds = 0;     ///< of this process
    Traffic traffic;
    LatencyHistogram latency;
    std::uint64_t late_steps = 0;

    Fates fates;
    std::uint64_t violations = 0;
    std::string violations_by_kind;  ///< "missing 3, double_enter 1"; empty without any
    std::uint64_t pairs_checked = 0;
    std::uint64_t positions_checked = 0;
    double shown_error_mm_max = 0;  ///< of these, but for moves that were held back

    std::optional<Slow> slow;
    Director::Abuse abuse;
    /// Of a siege: quiet, attack after attack, all, after. Of slow: before there are slow readers,
    /// and beside them.
    std::vector<Phase> phases;
    std::optional<Server> server;
    std::vector<Group> groups;  ///< of a plan
    std::vector<Point> points;  ///< at most kPointsMax, of about the same length, in order

    static constexpr std::size_t kPointsMax = 600;
    /// The next point. Where there would be too many, each two are made one.
    void add(Point point);
    /// What another process came to, that played beside this one with players of its own. Points
    /// are those of the same time.
    void add(const Report& other);

    /// Slow readers have phases, too, of other names.
    [[nodiscard]] bool is_siege() const {
        return !phases.empty() && phases.front().name == "quiet";
    }
    /// Why the run says nothing, whatever was seen in it; empty: it does.
    [[nodiscard]] std::string failure() const;
    [[nodiscard]] bool is_all_well() const {
        return violations == 0 && fates.lost() == 0 && failure().empty();
    }
    [[nodiscard]] double bytes_per_player_per_second() const {
        return player_seconds > 0 ? static_cast<double>(traffic.bytes_in) / player_seconds : 0;
    }
};

std::string list_of_kinds(const ViolationLog& log);

/// Some lines for people, each with its end.
std::string to_text(const Report& report);
/// One line without its end. The keys are a contract: scripts read them.
std::string to_json(const Report& report);
/// The same as one HTML page with plots, which needs nothing else.
std::string to_page(const Report& report);

/// marchland-bots compare: what changed between two runs, by the JSON that they printed. Returns
/// the exit code; throws tools::BadInput where something is wrong with a file.
int compare_runs(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace marchland::bots
