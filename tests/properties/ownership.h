#pragma once

#include "shards/zone.h"

#include <map>

namespace marchland::tests {

/// Who owns whom, between two ticks. Fails the running property when two shards own one entity.
std::map<engine::EntityId, shards::ShardId> expect_one_owner_at_most(shards::Zone& zone);

}  // namespace marchland::tests
