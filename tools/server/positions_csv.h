#pragma once

#include "shards/zone_query.h"

#include <span>
#include <string>

namespace marchland::server {

/// A trace of one moment (docs/traces.md): `t,id,x,y,z`, in metres with three decimals, t 0.
std::string positions_csv(std::span<const shards::Counted> counted);

}  // namespace marchland::server
