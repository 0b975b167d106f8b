#pragma once

#include <spdlog/async_logger.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace marchland::server {

/// How lines begin that tell of an operator's change.
inline constexpr std::string_view kAuditLine = "audit: ";

/// Passes audit lines on, and of other texts the first kLinesEach lines of each; more of them
/// within kWindow are counted, and the count is one line at the end of that time. Nothing waits for
/// a clock here: the end is noticed at the next line or flush.
///
/// Threads  One: the log's.
/// Bounds   Of kTextsMax texts at a time; a line of any more passes as it is.
class FoldingSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
    static constexpr std::size_t kLinesEach = 3;
    static constexpr auto kWindow = std::chrono::seconds(10);
    static constexpr std::size_t kTextsMax = 256;

    explicit FoldingSink(spdlog::sink_ptr to) : to_(std::move(to)) {}

protected:
    void sink_it_(const spdlog::details::log_msg& line) override;
    void flush_() override;
    void set_pattern_(const std::string& pattern) override { to_->set_pattern(pattern); }
    void set_formatter_(std::unique_ptr<spdlog::formatter> formatter) override {
        to_->set_formatter(std::move(formatter));
    }

private:
    struct Text {
        spdlog::log_clock::time_point begun;
        spdlog::level::level_enum level = spdlog::level::info;
        std::size_t lines = 0;
    };

    /// Writes how many lines of the texts whose time is over, or of all, were folded, and forgets
    /// them.
    void tell_counts(spdlog::log_clock::time_point now, bool all);

    const spdlog::sink_ptr to_;
    std::map<std::string, Text, std::less<>> texts_;

    friend class Log;
};

/// The program's log, as spdlog's default logger while it lives. Who logs never waits for who
/// reads: lines go through a queue to a thread that writes them; where the queue is full its oldest
/// line is dropped and counted.
///
///     spdlog::info(…) ──► queue ──► thread ──► folded ──► standard error
///
/// Life     Made when nothing else has a thread; close() when nothing else logs. What is logged
///          later goes nowhere.
/// Threads  Its maker's, but where noted.
class Log {
public:
    struct Options {
        std::string level = "info";
        std::size_t queue_lines_max = 4'096;
        bool is_json = false;  ///< each line is an object with time, level and text
    };
    /// `to`: null is standard error.
    explicit Log(const Options& options, spdlog::sink_ptr to = nullptr);
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;
    ~Log();

    /// About once a second: folded lines are counted in the log, and dropped ones as soon as there
    /// is room for that line.
    void tell_counts();
    /// Any thread, until close().
    [[nodiscard]] std::uint64_t dropped_total() const;
    [[nodiscard]] std::size_t queue_lines() const;

    /// Waits until everything is written, `wait_max` at most. False: the thread still hangs in a
    /// write, which nothing but the end of the process ends; std::_Exit() it, then.
    bool close(std::chrono::milliseconds wait_max);

private:
    void tell_dropped();

    const Options options_;
    std::shared_ptr<FoldingSink> sink_;
    std::shared_ptr<spdlog::details::thread_pool> thread_;  ///< null after close()
    std::shared_ptr<spdlog::async_logger> logger_;          ///< null after close()
    std::uint64_t dropped_reported_ = 0;
};

/// How long a stop waits for whoever should read the log.
inline constexpr auto kLastLinesWait = std::chrono::seconds(1);

/// The end of the process with this code, where the log has no reader; else returns it, for main().
int close_log(Log& log, int exit_code);

}  // namespace marchland::server
