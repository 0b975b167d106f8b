#include "tools/server/operations.h"

#include "shards/state/keeper.h"
#include "net/connection.h"
#include "tools/process/resources.h"
#include "tools/server/live_map.h"
#include "tools/server/metrics.h"
#include "tools/server/status.h"

#include <boost/asio/ip/address.hpp>
#include <boost/json.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <future>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

namespace marchland::server {

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using net::AdminAnswer;
using net::AdminRoute;
using net::text_answer;

/// How long somebody who asks on the admin port waits for the main thread, and for I/O threads and
/// shards.
constexpr auto kTaskWait = 5s;
constexpr auto kIoWait = 2s;
/// How long shards may take to count: some ticks, of the longest that there are.
constexpr auto kZoneQueryWait = 5s;
/// How often they are asked about entities, and how many may wait.
constexpr auto kEntityPause = 200ms;
constexpr std::size_t kEntitiesAskedMax = 32;
constexpr std::size_t kConnectionsShownMax = 10'000;
/// A backup that is older than a checkpoint and this is behind: a write takes so long at most.
constexpr auto kBackupLate = 5s;
constexpr std::size_t kTextBytesMax = 1'024;
constexpr std::int64_t kDrainSecondsMax = 86'400;
constexpr std::int64_t kBanSecondsMax = 10LL * 366 * 86'400;

/// Thrown by what serves a request: the answer of that status.
struct Refusal {
    unsigned status = 0;
    std::string why;
};

AdminAnswer answer(const json::value& value) {
    return {200, "application/json", json::serialize(value) + '\n'};
}

/// As JSON, in which also DEL and U+0080 to U+009F are escaped, as JSON need not: a terminal acts
/// on these, too.
std::string escaped(const json::value& value) {
    std::string out;
    for (const char c : json::serialize(value)) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_c1 = out.ends_with('\xC2') && byte >= 0x80 && byte < 0xA0;
        if (is_c1) {
            out.pop_back();
        }
        out += is_c1 || byte == 0x7F ? fmt::format("\\u{:04x}", byte) : std::string(1, c);
    }
    return out;
}

/// One line for each change that an operator makes. Above info, so that few logs lack it.
void audit(std::string_view who, std::string_view what, const json::value& before,
           const json::value& after) {
    spdlog::warn("{}who={} what={} before={} after={}", kAuditLine, escaped(json::value(who)), what,
                 escaped(before), escaped(after));
}

json::value level_name(spdlog::level::level_enum level) {
    const auto name = spdlog::level::to_string_view(level);
    return json::value(std::string_view(name.data(), name.size()));
}

/// What a request's body says, an object of JSON; foreign text. Throws Refusal where it is not as
/// it should be.
class Body {
public:
    Body(std::string_view text, std::initializer_list<std::string_view> known) {
        boost::system::error_code error;
        json::value value = text.empty() ? json::object() : json::parse(text, error);
        if (error || !value.is_object()) {
            throw Refusal{422, "the body is no object of JSON"};
        }
        object_ = std::move(value.get_object());
        for (const auto& [key, ignored] : object_) {
            if (std::ranges::find(known, std::string_view(key)) == known.end()) {
                throw Refusal{422, "unknown key: " + std::string(key)};
            }
        }
    }

    [[nodiscard]] bool has(std::string_view key) const { return object_.contains(key); }

    [[nodiscard]] std::string text(std::string_view key) const {
        const json::value* const found = object_.if_contains(key);
        if (found == nullptr) {
            return "";
        }
        if (!found->is_string() || found->get_string().size() > kTextBytesMax) {
            throw Refusal{422, std::string(key) + ": not a text of 1024 bytes at most"};
        }
        return std::string(found->get_string());
    }

    [[nodiscard]] std::int64_t whole(std::string_view key, std::int64_t fallback,
                                     std::int64_t max) const {
        const json::value* const found = object_.if_contains(key);
        if (found == nullptr) {
            return fallback;
        }
        if (!found->is_int64() || found->get_int64() < 0 || found->get_int64() > max) {
            throw Refusal{422, fmt::format("{}: not a whole number from 0 to {}", key, max)};
        }
        return found->get_int64();
    }

private:
    json::object object_;
};

/// Whom an operator means: one of these.
struct Target {
    std::optional<std::uint64_t> connection = {};
    std::optional<engine::EntityId> entity = {};
    std::string subject = {};
    std::string address = {};

    [[nodiscard]] bool is(const net::Connection::Report& report) const {
        return connection         ? report.id == *connection
               : entity           ? report.entity == entity
               : !subject.empty() ? report.subject == subject
                                  : net::address_of_peer(report.address) == address;
    }
};

/// How many connections were closed; nothing: an I/O thread did not answer in time.
std::optional<std::size_t> close_all(net::Server& server, const Target& target,
                                     const std::string& text) {
    // Visits may end after whoever asked has given up: what they share outlives both.
    const auto closed = std::make_shared<std::atomic<std::size_t>>(0);
    const auto close = [closed, target, text](net::Connection& connection) {
        if (target.is(connection.report())) {
            connection.close_with(net::ErrorCode::removed, text);
            ++*closed;
        }
    };
    return server.visit(close, kIoWait) ? std::optional(closed->load()) : std::nullopt;
}

std::string with_reason(const std::string& what, const std::string& reason) {
    return reason.empty() ? what : what + ": " + reason;
}

/// As bans have it; empty: there is none in the body.
std::string address_in(const Body& body) {
    const std::string typed = body.text("address");
    auto address = net::bannable_address(typed);
    if (!address && !typed.empty()) {
        throw Refusal{422, "address: not one like 192.0.2.7 or 2001:db8::7, without a port"};
    }
    return address.value_or("");
}

/// Players can come in all the same; but who runs the zone wants to know.
std::string state_flaw(const shards::StateKeeper* keeper) {
    if (keeper == nullptr) {
        return "";
    }
    if (!keeper->is_whole()) {
        return "; the state is not kept any more";
    }
    const auto age = keeper->status().age;
    return age < Warnings::kStateAge
               ? ""
               : fmt::format("; the state is {} s behind",
                             std::chrono::duration_cast<std::chrono::seconds>(age).count());
}

json::object to_json(const net::Ban& ban, net::OperatorRules::TimePoint now) {
    json::object object;
    object[ban.subject.empty() ? "address" : "subject"] =
        ban.subject.empty() ? ban.address : ban.subject;
    object["reason"] = ban.reason;
    object["seconds_left"] =
        ban.until ? json::value(std::chrono::ceil<std::chrono::seconds>(*ban.until - now).count())
                  : json::value();
    return object;
}

/// The one in force; null: there is none.
json::value ban_of(net::OperatorRules& rules, const std::string& subject,
                   const std::string& address, net::OperatorRules::TimePoint now) {
    const auto bans = rules.bans(now);
    const auto found = std::ranges::find_if(bans, [&](const net::Ban& ban) {
        return ban.subject == subject && ban.address == address;
    });
    return found == bans.end() ? json::value() : to_json(*found, now);
}

json::object to_json(const net::Connection::Report& report) {
    return {{"id", report.id},
            {"address", report.address},
            {"subject", report.subject},
            {"role", report.role},
            {"entity", report.entity ? json::value(to_number(*report.entity)) : json::value()},
            {"shard", nullptr},
            {"age_seconds", static_cast<double>(report.age.count()) / 1'000},
            {"unsent_bytes", report.unsent_bytes},
            {"blocked_ms", report.blocked.count()},
            {"io_thread", report.io_thread}};
}

}  // namespace

Operations::Operations(const config::ServerConfig& config, shards::Zone& zone, net::Server& server,
                       shards::ZoneThreads& threads, const Log& log,
                       std::function<std::string()> reload)
    : config_(config),
      zone_(zone),
      server_(server),
      threads_(threads),
      log_(log),
      reload_(std::move(reload)),
      layout_log_limit_(3, Clock::now()) {}

net::AdminActions Operations::actions() {
    using Role = AdminRoute::Role;
    const auto health = [](const Call&) { return text_answer(200, "ok"); };
    const auto always = [this](Answer (Operations::*use)(const Call&)) {
        return [this, use](const Call& call) {
            try {
                return (this->*use)(call);
            } catch (const Refusal& refusal) {
                return text_answer(refusal.status, refusal.why);
            } catch (const std::exception& failure) {
                return text_answer(500, failure.what());
            }
        };
    };
    // I/O threads can be asked from the start of the server to its end: is_open_.
    const auto when_open = [this, always](Answer (Operations::*use)(const Call&)) {
        return [this, serve = always(use)](const Call& call) {
            return is_open_.load() ? serve(call) : text_answer(503, "the server is not open");
        };
    };
    std::vector<AdminRoute> routes{
        {"GET", "/healthz", Role::anybody, health},
        {"GET", "/readyz", Role::anybody,
         [this](const Call&) {
             if (!is_open_.load()) {
                 return text_answer(503, "no player can come in");
             }
             if (server_.rules().is_draining()) {
                 return text_answer(503, "draining");
             }
             if (!zone_.is_open()) {
                 return text_answer(503, "overloaded");
             }
             if (!zone_.has_room()) {
                 return text_answer(503, "full");
             }
             return server_.metrics().is_short_of_memory
                        ? text_answer(503, "short of memory")
                        : text_answer(200, "ready" + state_flaw(zone_.keeper()));
         }},
        {"GET", "/health", Role::reading, health},
        {"GET", "/metrics", Role::reading,
         [this](const Call&) {
             return AdminAnswer{200, "text/plain; version=0.0.4; charset=utf-8",
                                net::metrics_text(metrics_of(zone_, server_, log_))};
         }},
        {"GET", "/status", Role::reading,
         [this](const Call&) {
             return AdminAnswer{200, "application/json",
                                status_json(metrics_of(zone_, server_, log_))};
         }},
        {"GET", "/positions", Role::reading,
         [this](const Call&) {
             const auto counted = zone_.zone_query({}, kZoneQueryWait);
             return counted ? AdminAnswer{200, "text/csv", positions_csv(all_of(*counted))}
                            : text_answer(503, "a shard did not count in time");
         }},
        {"GET", "/entity/", Role::reading, always(&Operations::entity)},
        {"GET", "/connections", Role::reading, when_open(&Operations::connections)},
        {"POST", "/kick", Role::operating, when_open(&Operations::kick)},
        {"GET", "/bans", Role::reading, always(&Operations::bans)},
        {"POST", "/ban", Role::operating, when_open(&Operations::ban)},
        {"POST", "/unban", Role::operating, always(&Operations::unban)},
        {"POST", "/backup", Role::operating, always(&Operations::begin_backup)},
        {"GET", "/backup", Role::operating, always(&Operations::backup)},
        {"GET", "/limits", Role::reading, always(&Operations::limits)},
        {"POST", "/limits", Role::operating, always(&Operations::set_limits)},
        {"POST", "/reload", Role::operating, when_open(&Operations::reload)},
        {"GET", "/layout", Role::reading, always(&Operations::layout)},
        {"POST", "/layout", Role::operating, always(&Operations::change_layout)},
        {"POST", "/layout/check", Role::reading, always(&Operations::check_layout)},
        {"POST", "/layout/undo", Role::operating, always(&Operations::undo_layout)},
        {"GET", "/play/zone", Role::reading, when_open(&Operations::play_zone)},
        {"GET", "/log-level", Role::reading, always(&Operations::log_level)},
        {"POST", "/log-level", Role::operating, always(&Operations::set_log_level)},
        {"POST", "/drain", Role::operating, when_open(&Operations::drain)},
        {"POST", "/stop", Role::operating, always(&Operations::stop)}};
    return {std::move(routes),
            {pages(), [map = std::make_shared<LiveMap>(zone_, server_)] { return map->next(); }}};
}

// Who is there

AdminAnswer Operations::connections(const Call& /*call*/) {
    struct Found {
        std::mutex mutex;  ///< guards the list, to which I/O threads add side by side
        std::vector<net::Connection::Report> reports;
    };
    const auto found = std::make_shared<Found>();
    const auto note = [found](net::Connection& connection) {
        net::Connection::Report report = connection.report();
        const std::lock_guard lock(found->mutex);
        found->reports.push_back(std::move(report));
    };
    const auto counted =
        server_.visit(note, kIoWait) ? zone_.zone_query({}, kZoneQueryWait) : std::nullopt;
    if (!counted) {
        return text_answer(503, "an I/O thread or a shard did not answer in time");
    }
    std::unordered_map<std::uint64_t, shards::ShardId> shard_of;
    for (const shards::ShardAnswer& count : *counted) {
        for (const shards::Counted& entity : count.counted) {
            shard_of[to_number(entity.id)] = count.shard;
        }
    }
    const std::lock_guard lock(found->mutex);
    std::ranges::sort(found->reports, {}, &net::Connection::Report::id);
    json::array all;
    const std::size_t shown = std::min(found->reports.size(), kConnectionsShownMax);
    for (const net::Connection::Report& report : std::span(found->reports).first(shown)) {
        json::object object = to_json(report);
        const auto at = report.entity ? shard_of.find(to_number(*report.entity)) : shard_of.end();
        if (at != shard_of.end()) {
            object["shard"] = zone_.name_of(at->second);
        }
        all.push_back(std::move(object));
    }
    return answer({{"count", found->reports.size()}, {"connections", std::move(all)}});
}

/// What is asked of shards and I/O threads, once for all who wait. Its connections outlive it.
struct Operations::EntityQuestion {
    struct Connections {
        std::vector<engine::EntityId> ids;  ///< in ascending order
        std::mutex mutex;                   ///< guards what I/O threads put down side by side
        std::unordered_map<std::uint64_t, std::string> of_entity;
    };

    Clock::time_point since;
    std::vector<std::shared_ptr<EntityAsked>> asked;
    std::shared_ptr<Connections> connections;
    std::vector<std::future<void>> visits;
    std::optional<std::vector<shards::ShardAnswer>> shards;
};

/// With its connection; null: it is a service's, or lost, and waits to be resumed.
AdminAnswer Operations::entity(const Call& call) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(call.rest.begin(), call.rest.end(), number);
    if (error != std::errc{} || end != call.rest.end()) {
        return text_answer(404, "/entity/ and a number");
    }
    std::erase_if(entities_asked_, [](const auto& asked) { return asked.use_count() == 1; });
    if (entities_asked_.size() >= kEntitiesAskedMax) {
        return text_answer(503, "as many wait for an entity as may");
    }
    const auto asked = std::make_shared<EntityAsked>(EntityAsked{engine::EntityId{number}, {}});
    entities_asked_.push_back(asked);
    AdminAnswer waits;
    waits.later = [this, asked](AdminAnswer& answer) {
        look_after_entities();
        if (asked->answer) {
            answer = *std::move(asked->answer);
        }
        return asked->answer.has_value();
    };
    return waits;
}

void Operations::look_after_entities() {
    const auto now = Clock::now();
    if (entity_question_ && !entity_question_->asked.empty()) {
        end_entity_question(now);
        return;
    }
    if (entities_asked_.empty() ||
        (entity_question_ && now - entity_question_->since < kEntityPause)) {
        return;
    }
    entity_question_ = std::make_shared<EntityQuestion>();
    EntityQuestion& question = *entity_question_;
    question.since = now;
    question.asked = std::exchange(entities_asked_, {});
    question.connections = std::make_shared<EntityQuestion::Connections>();
    std::vector<engine::EntityId>& ids = question.connections->ids;
    for (const auto& asked : question.asked) {
        ids.push_back(asked->id);
    }
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    if (is_open_.load()) {
        question.visits =
            server_.begin_visit([all = question.connections](net::Connection& connection) {
                const net::Connection::Report report = connection.report();
                if (!report.entity || !std::ranges::binary_search(all->ids, *report.entity)) {
                    return;
                }
                json::object object = to_json(report);
                object.erase("entity");
                object.erase("shard");
                const std::lock_guard lock(all->mutex);
                all->of_entity[to_number(*report.entity)] = json::serialize(object);
            });
    }
    zone_.ask_about(ids);
}

void Operations::end_entity_question(Clock::time_point now) {
    EntityQuestion& question = *entity_question_;
    if (!question.shards) {
        question.shards = zone_.take_about();
    }
    const bool is_whole =
        question.shards && std::ranges::all_of(question.visits, [](const auto& visit) {
            return visit.wait_for(0s) == std::future_status::ready;
        });
    if (!is_whole && now - question.since < kZoneQueryWait) {
        return;
    }
    const std::vector<shards::ShardAnswer> nobody;
    const auto& owners = is_whole ? *question.shards : nobody;
    const std::lock_guard lock(question.connections->mutex);
    for (const auto& asked : std::exchange(question.asked, {})) {
        asked->answer = is_whole
                            ? text_answer(404, "there is no such entity")
                            : text_answer(503, "a shard or an I/O thread did not answer in time");
        for (const shards::ShardAnswer& owner : owners) {
            const auto report =
                std::ranges::find(owner.entities, asked->id,
                                  [](const shards::EntityReport& it) { return it.entity.id; });
            if (report != owner.entities.end()) {
                const auto found = question.connections->of_entity.find(to_number(asked->id));
                const bool has_one = found != question.connections->of_entity.end();
                asked->answer = {
                    200, "application/json",
                    entity_json(zone_, owner, *report, has_one ? found->second : "null")};
            }
        }
    }
}

AdminAnswer Operations::kick(const Call& call) {
    const Body body(call.body, {"connection", "entity", "subject", "address", "reason"});
    Target target;
    if (body.has("connection")) {
        target.connection = body.whole("connection", 0, INT64_MAX);
    }
    if (body.has("entity")) {
        target.entity = engine::EntityId(body.whole("entity", 0, INT64_MAX));
    }
    target.subject = body.text("subject");
    target.address = address_in(body);
    const std::string reason = body.text("reason");
    const auto named = static_cast<int>(target.connection.has_value()) +
                       static_cast<int>(target.entity.has_value()) +
                       static_cast<int>(!target.subject.empty()) +
                       static_cast<int>(!target.address.empty());
    if (named != 1) {
        return text_answer(422, "whom? one of connection, entity, subject and address");
    }
    auto closed = close_all(server_, target, with_reason("removed by an operator", reason));
    if (closed) {  // and who is not connected, but may come back
        *closed += server_.end_lost(target.entity, target.subject);
    }
    if (!closed) {
        audit(call.who, "kick", nullptr, {{"asked", json::parse(call.body)}, {"kicked", nullptr}});
        return text_answer(503,
                           "an I/O thread did not answer in time; some may be kicked all the same");
    }
    audit(call.who, "kick", nullptr, {{"asked", json::parse(call.body)}, {"kicked", *closed}});
    return *closed == 0 ? text_answer(404, "nobody is connected as that")
                        : answer({{"kicked", *closed}});
}

AdminAnswer Operations::bans(const Call& /*call*/) {
    const auto now = std::chrono::system_clock::now();
    json::array all;
    for (const net::Ban& ban : server_.rules().bans(now)) {
        all.push_back(to_json(ban, now));
    }
    return answer({{"bans", std::move(all)}});
}

AdminAnswer Operations::ban(const Call& call) {
    const Body body(call.body, {"subject", "address", "seconds", "reason"});
    net::Ban ban{body.text("subject"), address_in(body), {}, body.text("reason")};
    const std::int64_t seconds = body.whole("seconds", 0, kBanSecondsMax);
    if (ban.subject.empty() == ban.address.empty()) {
        return text_answer(422, "either a subject or an address");
    }
    const auto now = std::chrono::system_clock::now();
    if (seconds != 0) {
        ban.until = now + std::chrono::seconds(seconds);
    }
    const json::value before = ban_of(server_.rules(), ban.subject, ban.address, now);
    const json::object after = to_json(ban, now);
    const Target target{{}, {}, ban.subject, ban.address};
    const std::string reason = ban.reason;
    if (!server_.rules().ban(std::move(ban), now)) {
        return text_answer(503, "there are as many bans as may be");
    }
    keep_bans();
    auto closed = close_all(server_, target, with_reason("banned", reason));
    if (closed) {
        *closed += server_.end_lost(std::nullopt, target.subject);
    }
    audit(call.who, "ban", before, after);
    return closed ? answer({{"kicked", *closed}})
                  : text_answer(503, "banned; but an I/O thread did not answer in time");
}

AdminAnswer Operations::unban(const Call& call) {
    const Body body(call.body, {"subject", "address"});
    const std::string subject = body.text("subject");
    const std::string address = address_in(body);
    const json::value before =
        ban_of(server_.rules(), subject, address, std::chrono::system_clock::now());
    if (!server_.rules().unban(subject, address)) {
        return text_answer(404, "there is no such ban");
    }
    keep_bans();
    audit(call.who, "unban", before, nullptr);
    return answer({{"unbanned", 1}});
}

/// Called on one thread: the newest list is the last one that is kept.
void Operations::keep_bans() {
    if (zone_.keeper() == nullptr) {
        return;
    }
    std::vector<shards::KeptBan> kept;
    for (net::Ban& ban : server_.rules().bans(std::chrono::system_clock::now())) {
        const auto until = ban.until.value_or(net::OperatorRules::TimePoint());
        kept.push_back({std::move(ban.subject), std::move(ban.address),
                        std::chrono::ceil<std::chrono::seconds>(until.time_since_epoch()).count(),
                        std::move(ban.reason)});
    }
    zone_.keeper()->set_bans(std::move(kept));
}

// The state

shards::StoreWriter& Operations::state_writer() const {
    if (zone_.keeper() == nullptr) {
        throw Refusal{404, "this zone keeps no state"};
    }
    return zone_.keeper()->writer();
}

AdminAnswer Operations::begin_backup(const Call& call) {
    if (!state_writer().ask_backup()) {
        return text_answer(409, "one is being made");
    }
    audit(call.who, "backup", nullptr, nullptr);
    return text_answer(202, "begun");
}

AdminAnswer Operations::backup(const Call& /*call*/) {
    using Writer = shards::StoreWriter;
    auto made = state_writer().take_backup();
    if (auto* const copy = std::get_if<Writer::BackupMade>(&made)) {
        const bool is_kept = zone_.keeper()->is_whole();
        const auto age_max = std::chrono::milliseconds(config_.state.checkpoint_ms) + kBackupLate;
        AdminAnswer answer{200, "application/octet-stream"};
        answer.file = std::move(copy->file);
        answer.headers = {{"Marchland-State-Tick", std::to_string(copy->tick)},
                          {"Marchland-State-Age-Seconds",
                           fmt::format("{:.3f}", std::chrono::duration<double>(copy->age).count())},
                          {"Marchland-State", !is_kept              ? "not kept"
                                              : copy->age > age_max ? "behind"
                                                                    : "kept"}};
        return answer;
    }
    if (const auto* const why = std::get_if<std::string>(&made)) {
        return text_answer(500, *why);
    }
    return std::holds_alternative<Writer::BackupPending>(made)
               ? text_answer(202, "it is being made")
               : text_answer(404, "none was asked for: POST /backup");
}

AdminAnswer Operations::limits(const Call& /*call*/) {
    const net::ServerMetrics network = server_.metrics();
    const auto limit = [](std::uint64_t used, std::uint64_t max) {
        return json::object{{"used", used}, {"max", max}};
    };
    return answer({{"connections", limit(network.connections, config_.server.connections_max)},
                   {"memory_bytes", limit(process::resident_bytes(), server_.memory_bytes_max())},
                   {"entities", limit(zone_.entity_count(), config_.zone.entities_max)},
                   {"departures", limit(zone_.departure_count(), config_.zone.departures_max)},
                   {"services", limit(network.services, config_.server.services.services_max)},
                   {"bans", limit(server_.rules().bans(std::chrono::system_clock::now()).size(),
                                  net::OperatorRules::kBansMax)},
                   {"log_queue_lines", limit(log_.queue_lines(), config_.log_queue_lines_max)}});
}

/// The one that an operator turns in a hurry. The others are part of what clients were sent, or of
/// how memory is laid out.
AdminAnswer Operations::set_limits(const Call& call) {
    const Body body(call.body, {"memory_bytes"});
    const auto before = static_cast<std::int64_t>(server_.memory_bytes_max());
    const std::int64_t after = body.whole("memory_bytes", before, INT64_MAX);
    if (!body.has("memory_bytes")) {
        return text_answer(422, "memory_bytes: how many? 0 is no limit");
    }
    server_.set_memory_bytes_max(static_cast<std::size_t>(after));
    audit(call.who, "limits", {{"memory_bytes", before}}, {{"memory_bytes", after}});
    return limits(call);
}

void Operations::ask_main(std::function<void()> task, std::string_view done) {
    if (!background_tasks_.ask(std::move(task), kTaskWait)) {
        throw Refusal{503, fmt::format("the server is busy, or stops; nothing was {}", done)};
    }
}

std::string Operations::reload_for(std::string_view who) {
    std::string said = reload_();
    audit(who, "reload", nullptr, json::parse(said));
    return said;
}

AdminAnswer Operations::reload(const Call& call) {
    std::string said;
    ask_main([&] { said = reload_for(call.who); }, "read");
    return {200, "application/json", said + '\n'};
}

// The layout

LayoutResult Operations::put_in_force(LayoutOrErrors read, const std::string& source,
                                      net::LogLimit* limit) {
    LayoutResult result;
    std::optional<bool> is_logged;
    const auto refuse_with = [&](const std::string& line) {
        if (!is_logged) {
            is_logged = limit == nullptr || limit->allows_line(Clock::now());
        }
        if (*is_logged) {
            spdlog::error("{}", line);
        }
        result.text += line + '\n';
    };
    if (const auto* errors = std::get_if<config::Diagnostics>(&read)) {
        for (const config::Diagnostic& error : *errors) {
            refuse_with("layout refused: " + config::to_text(error));
        }
        refuse_with(
            fmt::format("layout refused, {} error(s): the one in force stays", errors->size()));
        return result;
    }
    auto& layout = std::get<shards::Layout>(read);
    if (!zone_.has_room_for_layout()) {
        result.status = 503;
        refuse_with(
            fmt::format("layout refused: {} are in force or about to be, which is the limit; try "
                        "again when all shards have run on",
                        shards::kLayoutsMax));
        return result;
    }
    const std::size_t shard_count = layout.size();
    try {
        shards::Layout before = zone_.layout();
        const engine::Tick from = threads_.change_layout(std::move(layout));
        layout_before_ = std::move(before);
        const std::string line =
            fmt::format("layout of {}: {} shards from tick {} on", source, shard_count, from);
        spdlog::info("{}", line);
        return {200, line + '\n'};
    } catch (const std::system_error& error) {
        refuse_with(fmt::format("layout refused, no thread for a shard: {}; the one in force stays",
                                error.what()));
    }
    return result;
}

AdminAnswer Operations::layout(const Call& /*call*/) {
    return {200, "application/toml", config::to_toml(zone_.layout())};
}

/// What the page at /play needs to know that the protocol does not say.
AdminAnswer Operations::play_zone(const Call& /*call*/) {
    const net::WebSocketOptions& entrance = config_.server.web_socket;
    const char* const off =
        !entrance.is_on ? "Players cannot come in by browser: this zone has no WebSocket listener. "
                          "websocket.enabled turns it on, or --websocket-port."
        : config_.server.auth.mode != net::AuthOptions::Mode::none
            ? "Players need a token to come in, and this page has none to show."
        : entrance.is_behind_proxy
            ? "Players come in through a proxy, and this page does not know where it is."
            : "";
    const shards::Layout layout = zone_.layout();
    json::array regions;
    for (const shards::ShardId id : layout.shards()) {
        const shards::Region& region = layout.region(id);
        const auto metres = [](std::int64_t mm) { return static_cast<double>(mm) / 1'000; };
        regions.push_back({{"id", to_number(id)},
                           {"name", region.name},
                           {"min_x_m", metres(region.area.min_x)},
                           {"min_y_m", metres(region.area.min_y)},
                           {"max_x_m", metres(region.area.max_x)},
                           {"max_y_m", metres(region.area.max_y)}});
    }
    return answer({{"off", off},
                   {"websocket",
                    {{"address", entrance.address},
                     {"port", server_.web_socket_port()},
                     {"tls", entrance.is_tls}}},
                   {"shards", std::move(regions)}});
}

AdminAnswer Operations::check_layout(const Call& call) {
    const auto read = config::parse_layout(call.body, "POST /layout/check", zone_.options().world);
    if (const auto* const errors = std::get_if<config::Diagnostics>(&read)) {
        return text_answer(422, config::to_text(*errors));
    }
    return text_answer(200,
                       fmt::format("{} shards instead of {}; nothing was changed",
                                   std::get<shards::Layout>(read).size(), zone_.layout().size()));
}

/// Whoever posts is sent all errors; the log gets those of three layouts a second.
AdminAnswer Operations::change_layout(const Call& call) {
    return put_layout(call, "layout", "POST /layout", [&] {
        return config::parse_layout(call.body, "POST /layout", zone_.options().world);
    });
}

AdminAnswer Operations::undo_layout(const Call& call) {
    return put_layout(call, "layout_undo", "POST /layout/undo", [this] {
        return layout_before_ ? LayoutOrErrors(*layout_before_)
                              : LayoutOrErrors(config::Diagnostics{
                                    {"POST /layout/undo", 0, 0, "layout",
                                     "there was none before the one in force", ""}});
    });
}

AdminAnswer Operations::put_layout(const Call& call, const char* what, const std::string& source,
                                   const std::function<LayoutOrErrors()>& read) {
    const std::string before = config::to_toml(zone_.layout());
    LayoutResult result;
    ask_main([&] { result = put_in_force(read(), source, &layout_log_limit_); }, "changed");
    if (result.status == 200) {
        audit(call.who, what, json::value(before), json::value(config::to_toml(zone_.layout())));
    }
    return {.status = result.status, .body = std::move(result.text)};
}

// The log

AdminAnswer Operations::log_level(const Call& /*call*/) {
    return answer({{"level", level_name(spdlog::get_level())}});
}

AdminAnswer Operations::set_log_level(const Call& call) {
    const Body body(call.body, {"level"});
    const std::string level = body.text("level");
    constexpr std::string_view kLevels[] = {"debug", "info", "warning", "error", "off"};
    if (std::ranges::find(kLevels, level) == std::end(kLevels)) {
        return text_answer(422, "level: debug, info, warning, error or off");
    }
    const auto before = spdlog::get_level();
    const auto after = spdlog::level::from_str(level);
    // Said while the more talkative of both levels is in force.
    spdlog::set_level(std::min(before, after));
    audit(call.who, "log_level", level_name(before), json::value(level));
    spdlog::set_level(after);
    return log_level(call);
}

// The end

AdminAnswer Operations::stop(const Call& call) {
    audit(call.who, "stop", nullptr, nullptr);
    is_to_stop_.store(true);
    return text_answer(202, "stopping");
}

AdminAnswer Operations::drain(const Call& call) {
    const Body body(call.body, {"seconds", "text"});
    const std::chrono::seconds wait(body.whole("seconds", 30, kDrainSecondsMax));
    const std::string text = body.text("text");
    std::string said;
    json::value before;
    ask_main(
        [&] {
            if (const auto notice = server_.rules().drain_notice(Clock::now())) {
                before = {{"seconds", (notice->stops_in_ms + 999) / 1'000}, {"text", notice->text}};
            }
            said = begin_drain(wait, text);
        },
        "changed");
    audit(call.who, "drain", before, {{"seconds", wait.count()}, {"text", text}});
    return {202, "application/json", said};
}

std::string Operations::begin_drain(std::chrono::seconds wait, const std::string& text) {
    const Clock::time_point now = Clock::now();
    drained_at_ = now + wait;
    const net::Notice notice{text, static_cast<std::uint32_t>(wait.count() * 1'000)};
    server_.rules().begin_drain(notice, now);
    server_.visit([notice](net::Connection& connection) { connection.notify(notice); }, kIoWait);
    const std::uint64_t players = server_.metrics().players;
    spdlog::warn("draining: no player comes in; {} are inside, for {} s at most", players,
                 wait.count());
    return json::serialize(json::value{{"players", players}, {"stops_in_seconds", wait.count()}}) +
           '\n';
}

std::optional<std::string> Operations::reason_to_stop(Clock::time_point now) {
    if (is_to_stop_.load()) {
        return "POST /stop";
    }
    if (!drained_at_) {
        return std::nullopt;
    }
    // Lost players may come back until their entity is gone: they are among these.
    const std::uint64_t entities = zone_.entity_count();
    const net::ServerMetrics network = server_.metrics();
    const std::uint64_t inside =
        entities - std::min<std::uint64_t>(entities, network.service_entities);
    // Not counted in one moment: once may be an accident.
    empty_looks_ = inside == 0 ? empty_looks_ + 1 : 0;
    if (empty_looks_ < 2 && now < *drained_at_) {
        return std::nullopt;
    }
    const bool is_kept = zone_.keeper() != nullptr && zone_.keeper()->is_whole();
    spdlog::warn(
        "drained: {} players are still inside, and are cut off; {} {} players' entities, {} of "
        "services, and {} bans",
        network.players, is_kept ? "kept are" : "lost with the process are", inside,
        network.service_entities, server_.rules().bans(std::chrono::system_clock::now()).size());
    return "drained";
}

}  // namespace marchland::server
