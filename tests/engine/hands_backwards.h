#pragma once

#include "engine/crew.h"

#include <cstddef>

namespace marchland::engine::testing {

/// Parts in another order than they come in, by hands that take turns.
class HandsBackwards final : public Crew {
public:
    explicit HandsBackwards(std::size_t hands) : hands_(hands) {}

    [[nodiscard]] std::size_t hands() const override { return hands_; }
    void run(std::size_t parts, const Work& work) override {
        for (std::size_t part = parts; part > 0; --part) {
            work(part - 1, part % hands_);
        }
    }

private:
    const std::size_t hands_;
};

}  // namespace marchland::engine::testing
