#pragma once

#include "tests/properties/history.h"
#include "tests/properties/stage.h"

#include <rapidcheck.h>

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

namespace marchland::tests {

/// One case of a property: a map, its layout, and what happens there.
struct Case {
    LayoutKind kind{};
    Stage stage;
    History history;
    Relayouts changes;  ///< none, unless asked for
};

/// Found by RapidCheck, which prints a failing case when it cannot be made smaller.
void showValue(const Case& shown, std::ostream& out);

/// Cases whose map is cut in this way. A failing one shrinks: to fewer acts, and to two shards.
rc::Gen<Case> any_case(LayoutKind kind);

/// As any_case, and the layout changes while the history is played. Shrinks to fewer changes, too.
rc::Gen<Case> any_changing_case(LayoutKind kind);

/// MARCHLAND_PROPERTY_FACTOR from the environment: so many times as many cases; nothing: as usual.
std::optional<int> property_factor();

/// Runs the property on many cases, and fails the running test with the smallest case that breaks
/// it. `property` takes a Case and fails by RC_FAIL or RC_ASSERT.
///
/// How many: `count`, fewer under a sanitizer, and MARCHLAND_PROPERTY_FACTOR (environment) times as
/// many when that is set. The cases are the same in every run, unless the factor or RapidCheck's
/// RC_PARAMS is set: then each run has cases of its own, and prints the seed when one fails.
void check_cases(int count, const rc::Gen<Case>& cases,
                 const std::function<void(const Case&)>& property);

/// Inside a property: fails the case when there is something to say.
void expect_nothing(const std::optional<std::string>& complaint);

}  // namespace marchland::tests
