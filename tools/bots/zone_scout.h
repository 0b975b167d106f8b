#pragma once

#include "tools/bots/zone_facts.h"
#include "tools/clients/cpp/address.h"
#include "tools/clients/cpp/way_in.h"

#include <string>
#include <variant>
#include <vector>

namespace marchland::bots {

/// What a scout found: the zone, and the address that answered.
struct Scouted {
    ZoneFacts zone;
    client::Address server;
};

/// Asks the server what its zone is like: joins it for a moment as one more player, and leaves. With
/// a token where there is one. The addresses are tried in turn; blocks for some seconds at most. The string says what went wrong.
std::variant<Scouted, std::string> scout_zone(const std::vector<client::Address>& addresses,
                                              const client::WayIn& way, const std::string& token);

}  // namespace marchland::bots
