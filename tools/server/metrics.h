#pragma once

#include "shards/zone.h"
#include "net/admin/metrics_text.h"
#include "net/server.h"

#include <cstdint>
#include <string>
#include <vector>

namespace marchland::server {

/// Every metric of a running server, as docs/operating.md lists them. Any thread.
std::vector<net::Metric> metrics_of(shards::Zone& zone, const net::Server& server,
                                    std::uint64_t log_lines_dropped);

/// A string of JSON. Shards' names have no control characters: layouts with such are refused.
std::string quoted(const std::string& text);

/// The same in one JSON object: a number, or an object with a number for each shard.
std::string status_json(const std::vector<net::Metric>& metrics);

}  // namespace marchland::server
