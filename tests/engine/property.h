#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

namespace marchland::engine::testing {

/// How many cases a property is tried with: MARCHLAND_PROPERTY_CASES from the environment, else the
/// number that this program was built with. RC_PARAMS ("seed=..., reproduce=...") works as well.
inline int property_cases() {
    const char* const wanted = std::getenv("MARCHLAND_PROPERTY_CASES");
    return wanted == nullptr ? MARCHLAND_PROPERTY_CASES_DEFAULT : std::atoi(wanted);
}

/// Fails the running test, with the smallest counterexample that was found, unless `property` (a
/// callable without arguments that draws its inputs) holds in every case.
template <typename Property>
void check_property(Property&& property, int cases = property_cases()) {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    rc::detail::TestMetadata metadata;
    metadata.id = std::string(test->test_suite_name()) + "/" + test->name();
    metadata.description = test->name();
    rc::detail::TestParams params = rc::detail::configuration().testParams;
    params.maxSuccess = cases;
    const rc::detail::TestResult result =
        rc::detail::checkTestable(std::forward<Property>(property), metadata, params);
    if (!result.template is<rc::detail::SuccessResult>()) {
        std::ostringstream message;
        rc::detail::printResultMessage(result, message);
        FAIL() << message.str();
    }
}

}  // namespace marchland::engine::testing
