#include "tools/bots/zone.h"

#include "tools/clients/cpp/client.h"

#include <fmt/format.h>

#include <utility>

namespace marchland::bots {

namespace {

std::variant<ZoneFacts, std::string> facts_of(const net::Welcome& welcome) {
    const auto [min, max] = std::pair(welcome.world_min, welcome.world_max);
    if (min.x > max.x || min.y > max.y || min.z > max.z) {
        return std::string("the Welcome's world is empty");
    }
    if (welcome.tick_rate_hz < 1 || welcome.tick_rate_hz > 128) {
        return fmt::format("the Welcome's tick rate is {} Hz, not 1 to 128", welcome.tick_rate_hz);
    }
    return ZoneFacts{{min, max, welcome.dimensions},
                     welcome.tick_rate_hz,
                     welcome.crowd,
                     static_cast<std::int32_t>(welcome.quantum_mm),
                     static_cast<std::int32_t>(welcome.prediction_error_mm),
                     welcome.prediction_ms_max * engine::Tick{welcome.tick_rate_hz} / 1'000,
                     !welcome.resume_token.empty()};
}

}  // namespace

std::variant<Scouted, std::string> scout_zone(const std::vector<client::Address>& addresses,
                                              const client::WayIn& way, const std::string& token) {
    net::Hello hello;
    hello.token = token;
    client::SessionOptions options;
    options.way = way;
    auto joined = client::Client::join(addresses, hello, {}, options);
    if (auto* problem = std::get_if<client::Problem>(&joined)) {
        return std::move(problem->text);
    }
    auto& scout = std::get<client::Client>(joined);
    (void)scout.send(net::LeaveZone{});  // in a moment it is gone by itself
    auto facts = facts_of(scout.welcome());
    if (auto* problem = std::get_if<std::string>(&facts)) {
        return std::move(*problem);
    }
    return Scouted{std::get<ZoneFacts>(facts), scout.server()};
}

}  // namespace marchland::bots
