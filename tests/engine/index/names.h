#pragma once

#include "engine/ids.h"

#include <string>
#include <string_view>
#include <vector>

namespace marchland::engine::testing {

/// For examples of few entities: slot 0 is called by the first letter, and so on.
class Names {
public:
    explicit Names(std::string_view letters) : letters_(letters) {}

    [[nodiscard]] Slot slot(char letter) const { return static_cast<Slot>(letters_.find(letter)); }
    [[nodiscard]] char letter(Slot slot) const { return letters_.at(to_number(slot)); }

    /// In the order in which they stand.
    [[nodiscard]] std::string of(const std::vector<Slot>& slots) const {
        std::string text;
        for (const Slot slot : slots) {
            text += letter(slot);
        }
        return text;
    }

private:
    std::string letters_;
};

}  // namespace marchland::engine::testing
