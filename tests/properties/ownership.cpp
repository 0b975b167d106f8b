#include "tests/properties/ownership.h"

#include <rapidcheck.h>

namespace marchland::tests {

std::map<engine::EntityId, shards::ShardId> expect_one_owner_at_most(shards::Zone& zone) {
    std::map<engine::EntityId, shards::ShardId> owners;
    for (const shards::ShardId shard : zone.running_shards()) {
        for (const engine::EntityId id : zone.shard(shard).owned_ids()) {
            RC_ASSERT(owners.emplace(id, shard).second);
        }
    }
    return owners;
}

}  // namespace marchland::tests
