#include "tools/server/live_map.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace marchland::server {

TEST(ServerPositions, AreATraceInMetres) {
    const std::vector<shards::Counted> counted = {
        {engine::EntityId{7}, {1'250, -2'000, 3}},
        {engine::EntityId{9}, {-5, 0, std::numeric_limits<std::int32_t>::min()}}};
    EXPECT_EQ(positions_csv(counted),
              "t,id,x,y,z\n0,7,1.250,-2.000,0.003\n0,9,-0.005,0.000,-2147483.648\n");
}

TEST(ServerPositions, OfAnEmptyZoneAreAHeader) {
    EXPECT_EQ(positions_csv({}), "t,id,x,y,z\n");
}

}  // namespace marchland::server
