#pragma once

#include "shards/zone.h"
#include "net/admin/admin_server.h"
#include "net/server.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::server {

/// The pages of the admin port; in the build tree, made of tools/pages (cmake/EmbedPages.cmake).
std::span<const net::AdminPage> pages();

/// What the live map shows, as messages of its stream. Each is a whole picture:
///
///   header | shards | entities, shard by shard | hand-overs | tick times, shard by shard | names
///
/// all numbers little-endian, as tools/pages/map/stream.js reads them.
///
/// Threads  One: the admin port's. No shard waits for it, and it waits for none: it shows what they
///          answered last, and how far each of them is.
/// Bounds   About kEntitiesMax entities: beyond, every second, fourth ... of each shard's.
class LiveMap {
public:
    static constexpr std::size_t kEntitiesMax = 4'096;

    LiveMap(shards::Zone& zone, const net::Server& server) : zone_(zone), server_(server) {}

    /// Empty where nobody has asked for a while: it asks the shards first.
    std::string next();

private:
    using Clock = std::chrono::steady_clock;

    void ask(Clock::time_point now);
    [[nodiscard]] std::string encode(bool has_content);

    shards::Zone& zone_;
    const net::Server& server_;
    std::optional<Clock::time_point> looked_at_;
    Clock::time_point asked_at_;
    bool is_first_ = true;    ///< nothing was shown since somebody looked
    std::size_t stride_ = 1;  ///< that was asked for
    std::size_t shown_stride_ = 1;
    std::vector<shards::ShardAnswer> shown_;
};

/// All that is known of an entity, for GET /entity/ID. `connection`: JSON.
std::string entity_json(const shards::Zone& zone, const shards::ShardAnswer& owner,
                        const shards::EntityReport& report, std::string_view connection);

/// A trace of one moment (docs/traces.md): `t,id,x,y,z`, in metres with three decimals, t 0.
std::string positions_csv(std::span<const shards::Counted> counted);

}  // namespace marchland::server
