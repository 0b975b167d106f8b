#include "tools/trace/replay_program.h"

#include "shards/recording/recording_file.h"
#include "shards/recording/recording_reader.h"
#include "tools/progress/progress_line.h"
#include "tools/trace/event_file.h"
#include "tools/trace/layout_choice.h"
#include "tools/trace/replay_run.h"
#include "tools/trace/report.h"

#include <chrono>
#include <filesystem>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

namespace marchland::trace {
namespace {

using Clock = std::chrono::steady_clock;

int refuse(std::ostream& err, std::string_view text) {
    err << text << (text.ends_with('\n') ? "" : "\n");
    return 2;
}

bool is_part_of(const std::filesystem::path& recording, const std::filesystem::path& file) {
    std::error_code ignored;  // of a file that is not there: then they are not the same
    std::uint32_t part = 0;
    for (auto name = recording; std::filesystem::exists(name, ignored);
         name = shards::part_path(recording, ++part)) {
        if (std::filesystem::equivalent(name, file, ignored)) return true;
    }
    return false;
}

Report report_of(ReplayRun& run, double seconds) {
    Report report;
    report.entities = run.joins_done();
    report.samples = run.intents_done();
    report.ticks = run.ticks_done();
    report.shards = run.shard_count();
    report.handoffs = run.handoffs();
    report.seconds = seconds;
    report.verdict = run.verdict();
    return report;
}

/// To its end, or as long as `file`, which may be null, can be written.
std::optional<shards::RecordingError> run_to_end(ReplayRun& run, const EventFile* file,
                                                 std::ostream& err, bool progress) {
    tools::ProgressLine line(err, progress);
    std::optional<shards::RecordingError> error;
    for (bool goes_on = true; goes_on && (file == nullptr || file->is_good());) {
        auto stepped = run.step();
        if (auto* problem = std::get_if<shards::RecordingError>(&stepped)) {
            error = std::move(*problem);
            break;
        }
        goes_on = std::get<bool>(stepped);
        line.show("replay: tick", run.ticks_done(), 0);
    }
    line.clear();
    return error;
}

}  // namespace

int run_replay(const Options& options, std::ostream& out, std::ostream& err, bool progress) {
    const std::filesystem::path& recording = *options.recording;
    shards::RecordingReader reader(recording);
    if (const auto error = reader.open()) return refuse(err, to_text(*error));
    ReplayOptions replay;
    replay.index = options.index;
    if (options.layout || options.shards) {
        auto layout = choose_replay_layout(options, reader.options().world);
        if (const auto* error = std::get_if<std::string>(&layout)) return refuse(err, *error);
        replay.layout = std::get<shards::Layout>(std::move(layout));
    }
    EventFile file;
    EventLog::LineSink sink;
    if (options.events) {
        if (is_part_of(recording, *options.events)) {
            return refuse(err, "--events: this is the recording itself");
        }
        if (const auto error = file.open(*options.events)) return refuse(err, *error);
        sink = [&file](std::string_view lines) { file.write(lines); };
    }
    EventLog log(std::move(sink));

    const auto start = Clock::now();
    ReplayRun run(reader, std::move(replay), log);
    if (const auto error = run_to_end(run, options.events ? &file : nullptr, err, progress)) {
        return refuse(err, to_text(*error));
    }
    if (options.events) {
        if (const auto error = file.commit()) {
            err << *error << '\n';
            return 1;
        }
    }
    const Report report =
        report_of(run, std::chrono::duration<double>(Clock::now() - start).count());
    const ReplayVerdict& verdict = *report.verdict;
    if (verdict.cut) {
        err << "warning: " << to_text(*verdict.cut) << "; " << report.ticks
            << " ticks before it were run\n";
    }
    if (verdict.is_wrong()) {
        err << "tick " << *verdict.first_difference
            << ": the frames are not those that were recorded\n";
    }
    out << (options.json ? to_json(report, log) : to_text(report, log, recording)) << '\n';
    return verdict.is_wrong() ? 1 : 0;
}

}  // namespace marchland::trace
