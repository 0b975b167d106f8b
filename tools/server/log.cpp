#include "tools/server/log.h"

#include "shards/pin_thread.h"
#include "tools/command_line/json_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <future>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>

namespace marchland::server {

using spdlog::details::log_msg;

namespace {

/// {"time": "2026-01-31T12:00:00.123Z", "level": "info", "text": "…"}
class JsonFormatter final : public spdlog::formatter {
public:
    void format(const log_msg& line, spdlog::memory_buf_t& out) override {
        using std::chrono::milliseconds;
        const auto since = std::chrono::duration_cast<milliseconds>(line.time.time_since_epoch());
        const std::string_view level = spdlog::level::to_string_view(line.level).data();
        fmt::format_to(std::back_inserter(out),
                       "{{\"time\": \"{:%FT%T}.{:03d}Z\", \"level\": \"{}\", \"text\": {}}}\n",
                       fmt::gmtime(spdlog::log_clock::to_time_t(line.time)), since.count() % 1'000,
                       level, tools::json_text({line.payload.data(), line.payload.size()}));
    }
    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<JsonFormatter>();
    }
};

}  // namespace

void FoldingSink::sink_it_(const log_msg& line) {
    tell_counts(line.time, false);
    const std::string_view text(line.payload.data(), line.payload.size());
    auto known = texts_.find(text);
    if (known == texts_.end() && !text.starts_with(kAuditLine) && texts_.size() < kTextsMax) {
        known = texts_.emplace(std::string(text), Text{line.time, line.level, 0}).first;
    }
    if (known == texts_.end() || ++known->second.lines <= kLinesEach) {
        to_->log(line);
    }
}

void FoldingSink::flush_() {
    tell_counts(spdlog::log_clock::now(), false);
    to_->flush();
}

void FoldingSink::tell_counts(spdlog::log_clock::time_point now, bool all) {
    for (auto at = texts_.begin(); at != texts_.end();) {
        const auto& [text, seen] = *at;
        // A clock that was set back ends the time, too.
        if (!all && now >= seen.begun && now - seen.begun < kWindow) {
            ++at;
            continue;
        }
        if (seen.lines > kLinesEach) {
            const std::string line =
                fmt::format("{} ({} more of this line)", text, seen.lines - kLinesEach);
            to_->log(log_msg(now, spdlog::source_loc{}, "", seen.level, line));
        }
        at = texts_.erase(at);
    }
}

Log::Log(const Options& options, spdlog::sink_ptr to)
    : options_(options),
      sink_(std::make_shared<FoldingSink>(
          to ? std::move(to) : std::make_shared<spdlog::sinks::stderr_color_sink_mt>())),
      thread_(std::make_shared<spdlog::details::thread_pool>(
          options.queue_lines_max, 1, [] { shards::name_this_thread("log"); })) {
    // Not the thread pool of spdlog's registry: that one would be waited for when the process ends.
    logger_ = std::make_shared<spdlog::async_logger>("marchland", sink_, thread_,
                                                     spdlog::async_overflow_policy::overrun_oldest);
    spdlog::set_default_logger(logger_);
    if (options.is_json) {
        spdlog::set_formatter(std::make_unique<JsonFormatter>());
    } else {
        spdlog::set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %v");
    }
    spdlog::set_level(spdlog::level::from_str(options.level));
}

Log::~Log() {
    close(kLastLinesWait);
}

void Log::tell_counts() {
    // Lines are only asked for where nothing is dropped for them.
    if (!thread_ || thread_->queue_size() > options_.queue_lines_max / 2) {
        return;
    }
    tell_dropped();
    spdlog::default_logger_raw()->flush();
}

void Log::tell_dropped() {
    const std::uint64_t dropped = dropped_total();
    if (dropped != dropped_reported_) {
        spdlog::warn("{} lines of the log were dropped, {} since the start: it is read too slowly",
                     dropped - dropped_reported_, dropped);
        dropped_reported_ = dropped;
    }
}

std::uint64_t Log::dropped_total() const {
    return thread_ ? thread_->overrun_counter() : dropped_reported_;
}

std::size_t Log::queue_lines() const {
    return thread_ ? thread_->queue_size() : 0;
}

bool Log::close(std::chrono::milliseconds wait_max) {
    if (!thread_) {
        return true;
    }
    tell_dropped();
    dropped_reported_ = dropped_total();
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "closed", std::make_shared<spdlog::sinks::null_sink_mt>()));
    // The pool's destructor waits for the thread, which writes all that is queued before it ends.
    std::promise<void> done;
    auto written = done.get_future();
    std::thread closing([logger = std::move(logger_), thread = std::move(thread_), sink = sink_,
                         done = std::move(done)]() mutable {
        // The logger outlives the thread: queued lines hold it, and none of them is to be its end.
        thread.reset();
        logger.reset();
        sink->tell_counts(spdlog::log_clock::now(), true);
        done.set_value();
    });
    const bool is_written = written.wait_for(wait_max) == std::future_status::ready;
    if (is_written) {
        closing.join();
    } else {
        closing.detach();
    }
    return is_written;
}

int close_log(Log& log, int exit_code) {
    if (!log.close(kLastLinesWait)) {
        std::_Exit(exit_code);
    }
    return exit_code;
}

}  // namespace marchland::server
