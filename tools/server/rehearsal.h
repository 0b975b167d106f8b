#pragma once

#include "shards/zone.h"

#include <optional>
#include <string>

namespace marchland::server {

/// A shard's failure, on order: whoever runs servers can see that theirs is noticed and started again.
struct Rehearsal {
    enum class Kind { kThrow, kHang };

    Kind kind = Kind::kThrow;
    engine::Tick tick = engine::kNever;  ///< in this one or a later one
};

/// Of "throw@TICK" or "hang@TICK", TICK 1 or more; nothing where it is neither.
std::optional<Rehearsal> parse_rehearsal(const std::string& text);

/// The first shard that is about to publish that tick fails: it throws, or never ends its tick.
shards::Zone::WrapCarrier fail_as_rehearsed(const Rehearsal& rehearsal);

}  // namespace marchland::server
