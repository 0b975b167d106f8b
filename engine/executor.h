#pragma once

#include <cstddef>
#include <functional>

namespace marchland::engine {

/// Workers that do parts of something side by side. The engine knows no threads: who calls brings
/// them.
class Executor {
public:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor() = default;

    /// How many parts may be under way at the same time: 1 or more.
    [[nodiscard]] virtual std::size_t workers() const = 0;

    /// Calls work(part, worker) for each part, once, and returns when all are done. worker <
    /// workers(), and no two that run at the same time have the same.
    using Work = std::function<void(std::size_t part, std::size_t worker)>;
    virtual void run(std::size_t parts, const Work& work) = 0;
};

}  // namespace marchland::engine
