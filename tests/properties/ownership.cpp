#include "tests/properties/ownership.h"

#include <rapidcheck.h>

namespace marchland::tests {

std::map<engine::EntityId, shards::ShardId> expect_one_owner_at_most(shards::Zone& zone) {
    std::map<engine::EntityId, shards::ShardId> owners;
    for (std::size_t i = 0; i < zone.shard_count(); ++i) {
        const auto shard = static_cast<shards::ShardId>(i);
        for (const engine::EntityId id : zone.shard(shard).owned_ids()) {
            RC_ASSERT(owners.emplace(id, shard).second);
        }
    }
    return owners;
}

}  // namespace marchland::tests
