#pragma once

#include "shards/zone.h"
#include "net/admin/metrics_text.h"
#include "net/server.h"
#include "tools/server/log.h"

#include <string>

namespace marchland::server {

/// Every metric of a running server, as docs/operating.md lists them. Any thread.
net::Metrics metrics_of(shards::Zone& zone, const net::Server& server, const Log& log);

/// The same but for histograms in one JSON object: a number, or an object with one for each value
/// of its label.
std::string status_json(const net::Metrics& metrics);

}  // namespace marchland::server
