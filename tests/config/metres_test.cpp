#include "config/metres.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <string>

namespace marchland::config {

TEST(Metres, AreWrittenWithTheFewestDigits) {
    EXPECT_EQ(metres_text(0), "0");
    EXPECT_EQ(metres_text(443'000), "443");
    EXPECT_EQ(metres_text(-500), "-0.5");
    EXPECT_EQ(metres_text(12'340), "12.34");
    EXPECT_EQ(metres_text(-1), "-0.001");
    EXPECT_EQ(metres_text(kMillimetresMin), "-2147483.648");
}

RC_GTEST_PROP(Metres, AreReadBackAsTheMillimetresTheyWereWrittenFrom, (std::int32_t mm)) {
    RC_ASSERT(whole_millimetres(std::stod(metres_text(mm))) == mm);
}

TEST(Metres, BetweenTwoMillimetresAreNone) {
    EXPECT_EQ(whole_millimetres(0.0005), std::nullopt);
    EXPECT_EQ(whole_millimetres(1.0001), std::nullopt);
    EXPECT_EQ(whole_millimetres(2'000'000.0004), std::nullopt);
}

TEST(Metres, BeyondInt32OrNoNumberAreNone) {
    EXPECT_EQ(whole_millimetres(2'147'483.647), kMillimetresMax);
    EXPECT_EQ(whole_millimetres(-2'147'483.648), kMillimetresMin);
    EXPECT_EQ(whole_millimetres(2'147'483.648), std::nullopt);
    EXPECT_EQ(whole_millimetres(1e300), std::nullopt);
    EXPECT_EQ(whole_millimetres(std::numeric_limits<double>::infinity()), std::nullopt);
    EXPECT_EQ(whole_millimetres(std::numeric_limits<double>::quiet_NaN()), std::nullopt);
}

TEST(Metres, InErrorsHaveNoExponentWhileTheyAreReadable) {
    EXPECT_EQ(decimal_text(0.0005), "0.0005");
    EXPECT_EQ(decimal_text(-2.5), "-2.5");
    EXPECT_EQ(decimal_text(1e300), "1e+300");
    EXPECT_EQ(decimal_text(1e-300), "1e-300");
}

TEST(Edges, OfNeighboursMeetWithoutAnOverlap) {
    const engine::Rect world{0, 0, 200'000, 100'000};
    EXPECT_EQ(to_inclusive({0, 0, 100'000, 100'000}, world), (engine::Rect{0, 0, 99'999, 100'000}));
    EXPECT_EQ(to_inclusive({100'000, 0, 200'000, 100'000}, world),
              (engine::Rect{100'000, 0, 200'000, 100'000}));
}

TEST(Edges, OfAnInclusiveRectangleAreWhatItWasMadeOf) {
    const engine::Rect world{0, 0, 200'000, 100'000};
    for (const engine::Rect edges :
         {engine::Rect{0, 0, 100'000, 100'000}, engine::Rect{100'000, 50'000, 200'000, 100'000}}) {
        EXPECT_EQ(to_edges(to_inclusive(edges, world), world), edges);
    }
}

}  // namespace marchland::config
