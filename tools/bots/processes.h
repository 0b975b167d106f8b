#pragma once

#include "tools/bots/report.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace marchland::bots {

/// What the processes of one run share: whether the players of all of them are in, so that all
/// measure the same time.
///
/// Threads  One in each process. Made before the processes are.
class Together {
public:
    explicit Together(std::size_t processes);
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;
    ~Together();

    /// From now on this is that process, from 0.
    void become(std::size_t process) { process_ = process; }
    /// The players of this process are in. Are all others'?
    bool has_begun();
    /// Before a line on the terminal that others write to, too.
    [[nodiscard]] std::string title() const;

private:
    const std::size_t processes_;
    std::size_t process_ = 0;
    bool is_counted_ = false;
    std::atomic<std::uint32_t>* const ready_;  ///< processes; in memory that all of them have
};

/// Plays in so many processes at once, each with descriptors of its own, and adds up what they came
/// to. A signal to stop is passed on. `play` is called in each. Throws std::runtime_error when a
/// process ended without a report.
Report play_in_processes(std::size_t processes,
                         const std::function<Report(std::size_t process, Together&)>& play);

}  // namespace marchland::bots
