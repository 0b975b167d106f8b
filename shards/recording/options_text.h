#pragma once

#include "shards/zone_options.h"

#include <string>
#include <string_view>
#include <variant>

namespace marchland::shards {

/// The options that a replay needs, as lines `name value\n` in a fixed order: what decides who sees
/// whom and when a silent client is given up, and the index, for its own bugs. What is about real
/// time or memory (waits, stalls, threads, entities_max) stays out: a replay has its own.
std::string options_text(const ZoneOptions& options);

/// The options of such a text (what stays out of it has its default); or what is wrong, as a
/// clause. Every line has to be there, each value within the range that a server accepts.
std::variant<ZoneOptions, std::string> options_of(std::string_view text);

}  // namespace marchland::shards
