#include "config/values.h"

#include <gtest/gtest.h>

#include <array>

namespace marchland::config {

namespace {

constexpr std::array<std::string_view, 4> kKeys = {"columns", "rows", "radius_m", "leave_radius_m"};

}  // namespace

TEST(Spelling, OfAKeyWithALetterMissingAddedOrSwappedIsClose) {
    EXPECT_EQ(closest_to("colums", kKeys), "columns");
    EXPECT_EQ(closest_to("collumns", kKeys), "columns");
    EXPECT_EQ(closest_to("rwos", kKeys), "rows");
}

TEST(Spelling, OfAKeyWithoutItsUnitIsClose) {
    EXPECT_EQ(closest_to("radius", kKeys), "radius_m");
}

TEST(Spelling, OfAnotherWordIsNotClose) {
    EXPECT_EQ(closest_to("gravity", kKeys), std::nullopt);
    EXPECT_EQ(closest_to("", kKeys), std::nullopt);
}

TEST(Spelling, TakesTheFirstOfEquals) {
    constexpr std::array<std::string_view, 2> kNames = {"min_x", "min_y"};
    EXPECT_EQ(closest_to("min_z", kNames), "min_x");
}

}  // namespace marchland::config
