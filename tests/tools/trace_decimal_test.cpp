#include "config/metres.h"
#include "tools/trace_file/decimal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace marchland::trace {
namespace {

using Result = std::variant<std::int64_t, DecimalProblem>;

Result thousandths(std::string_view text) {
    return parse_decimal(text, 3, Rounding::half_away_from_zero);
}

Result exact_thousandths(std::string_view text) {
    return parse_decimal(text, 3, Rounding::refuse);
}

TEST(Decimal, IsReadInThousandths) {
    EXPECT_EQ(thousandths("0"), Result(0));
    EXPECT_EQ(thousandths("7"), Result(7'000));
    EXPECT_EQ(thousandths("12.5"), Result(12'500));
    EXPECT_EQ(thousandths("-12.345"), Result(-12'345));
    EXPECT_EQ(thousandths("-0.001"), Result(-1));
    EXPECT_EQ(thousandths("007.10"), Result(7'100));
    EXPECT_EQ(thousandths("-0.0"), Result(0));
}

TEST(Decimal, RoundsHalfAwayFromZero) {
    EXPECT_EQ(thousandths("0.0004999"), Result(0));
    EXPECT_EQ(thousandths("0.0005"), Result(1));
    EXPECT_EQ(thousandths("-0.0005"), Result(-1));
    EXPECT_EQ(thousandths("2.9995"), Result(3'000));
    EXPECT_EQ(thousandths("-2.99949999"), Result(-2'999));
}

TEST(Decimal, IsRefusedWhereItWouldHaveToBeRounded) {
    EXPECT_EQ(exact_thousandths("1.2340000"), Result(1'234));
    EXPECT_EQ(exact_thousandths("1.2341"), Result(DecimalProblem::too_many_decimals));
    EXPECT_EQ(exact_thousandths("1.23400001"), Result(DecimalProblem::too_many_decimals));
}

TEST(Decimal, IsNothingButDigitsAPointAndAMinus) {
    for (const char* text : {"", "-", ".", "1.", ".5", "-.5", "+1", "1e3", "1,5", " 1", "1 ",
                             "1.2.3", "--1", "0x1", "nan", "inf", "1'000", "\"1\"", "1.-5"}) {
        EXPECT_EQ(thousandths(text), Result(DecimalProblem::not_a_decimal)) << text;
    }
}

TEST(Decimal, ReachesToTheEndOf64BitsAndNoFurther) {
    EXPECT_EQ(thousandths("9223372036854775.807"),
              Result(std::numeric_limits<std::int64_t>::max()));
    EXPECT_EQ(thousandths("-9223372036854775.807"),
              Result(-std::numeric_limits<std::int64_t>::max()));
    EXPECT_EQ(thousandths("9223372036854775.808"), Result(DecimalProblem::out_of_range));
    EXPECT_EQ(thousandths("9223372036854775.8075"), Result(DecimalProblem::out_of_range));
    EXPECT_EQ(thousandths("9223372036854776"), Result(DecimalProblem::out_of_range));
    EXPECT_EQ(thousandths(std::string(400, '9')), Result(DecimalProblem::out_of_range));
}

RC_GTEST_PROP(Decimal, ReadsBackWhatWasWritten, (std::int32_t number)) {
    const std::string text = config::metres_text(number);
    RC_ASSERT(thousandths(text) == Result(number));
    RC_ASSERT(exact_thousandths(text) == Result(number));
}

}  // namespace
}  // namespace marchland::trace
