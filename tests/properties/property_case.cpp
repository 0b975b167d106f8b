#include "tests/properties/property_case.h"

#include "tests/properties/dice.h"
#include "tests/properties/history_writer.h"
#include "tests/sanitizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <sstream>
#include <utility>

namespace marchland::tests {

namespace {

constexpr int kSanitizerDivisor = kIsSanitized ? 5 : 1;

Case make_case(LayoutKind kind, std::uint64_t seed, int size, bool has_changes) {
    Dice dice(seed);
    Stage stage = make_stage(kind, dice);
    const std::size_t actor_count = 2 + dice.below(4 + static_cast<std::size_t>(size) / 6);
    const engine::Tick ticks = 8 + dice.below(8 + static_cast<std::size_t>(size) / 2);
    Relayouts changes = has_changes ? make_relayouts(stage, ticks, dice) : Relayouts{};
    HistoryWriter writer(stage, dice);
    for (const Relayout& change : changes) {
        writer.add_borders_of(change.layout);
    }
    History history = writer.write(actor_count, ticks);
    return {kind, std::move(stage), std::move(history), std::move(changes)};
}

/// Smaller cases: the plainest cuts first, then fewer changes, then parts of the history, largest
/// first.
rc::Seq<Case> smaller_than(const Case& whole) {
    std::vector<Case> simpler;
    if (whole.stage.layout.size() > 2) {
        simpler.push_back({whole.kind, in_grid(whole.stage, 2, 1), whole.history, whole.changes});
        simpler.push_back({whole.kind, in_grid(whole.stage, 1, 2), whole.history, whole.changes});
    }
    return rc::seq::concat(
        rc::seq::fromContainer(std::move(simpler)),
        rc::seq::map(rc::shrink::removeChunks(whole.changes),
                     [whole](Relayouts changes) {
                         Case part = whole;
                         part.changes = std::move(changes);
                         return part;
                     }),
        rc::seq::map(rc::shrink::removeChunks(whole.history.acts), [whole](std::vector<Act> acts) {
            Case part = whole;
            part.history.acts = std::move(acts);
            return part;
        }));
}

rc::Gen<Case> cases_of(LayoutKind kind, bool has_changes) {
    return [kind, has_changes](const rc::Random& random, int size) {
        return rc::shrinkable::shrinkRecur(
            make_case(kind, rc::Random(random).next(), size, has_changes), smaller_than);
    };
}

rc::detail::TestParams params_for(int count) {
    rc::detail::TestParams params = rc::detail::configuration().testParams;
    const std::optional<int> factor = property_factor();
    if (!factor && std::getenv("RC_PARAMS") == nullptr) {
        params.seed = 1;
    }
    params.maxSuccess = std::max(1, count / kSanitizerDivisor) * factor.value_or(1);
    return params;
}

}  // namespace

std::optional<int> property_factor() {
    const char* const factor = std::getenv("MARCHLAND_PROPERTY_FACTOR");
    return factor == nullptr ? std::nullopt : std::optional(std::atoi(factor));
}

void showValue(const Case& shown, std::ostream& out) {
    out << '\n' << name_of(shown.kind) << ", " << shown.stage;
    for (const Relayout& change : shown.changes) {
        out << change;
    }
    out << shown.history;
}

rc::Gen<Case> any_case(LayoutKind kind) {
    return cases_of(kind, false);
}

rc::Gen<Case> any_changing_case(LayoutKind kind) {
    return cases_of(kind, true);
}

void check_cases(int count, const rc::Gen<Case>& cases,
                 const std::function<void(const Case&)>& property) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    rc::detail::TestMetadata metadata;
    metadata.id = std::string(test->test_suite_name()) + "/" + test->name();
    metadata.description = test->name();
    const auto result =
        rc::detail::checkTestable([&] { property(*cases); }, metadata, params_for(count));
    if (!result.template is<rc::detail::SuccessResult>()) {
        std::ostringstream text;
        rc::detail::printResultMessage(result, text);
        FAIL() << text.str();
    }
}

void expect_nothing(const std::optional<std::string>& complaint) {
    if (complaint) {
        RC_FAIL(*complaint);
    }
}

}  // namespace marchland::tests
