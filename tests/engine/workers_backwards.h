#pragma once

#include "engine/executor.h"

#include <cstddef>

namespace marchland::engine::testing {

/// Parts in another order than they come in, by workers that take turns.
class WorkersBackwards final : public Executor {
public:
    explicit WorkersBackwards(std::size_t workers) : workers_(workers) {}

    [[nodiscard]] std::size_t workers() const override { return workers_; }
    void run(std::size_t parts, const Work& work) override {
        for (std::size_t part = parts; part > 0; --part) {
            work(part - 1, part % workers_);
        }
    }

private:
    const std::size_t workers_;
};

}  // namespace marchland::engine::testing
