#include "net/service_session.h"

#include "engine/assert.h"
#include "net/admission.h"
#include "net/encode_server.h"
#include "net/permit_rules.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace marchland::net {

namespace {

/// A PlayerJoined with the largest state and claims, and all that it can carry, without its subject; or as many
/// positions as one message has.
constexpr std::size_t kNoticeBytesMax =
    std::max(engine::kStateBytesMax + kClaimsBytesMax + engine::kBlobBytesMax,
             kServiceItemsMax * 16) +
    160;
/// Notices leave so much of the room to answers: more than those to one message, of which each item is
/// refused with some 56 bytes or spawned with 16.
constexpr std::size_t kKeptForAnswersBytes =
    ServiceSession::kAnswerBytesMax - ServiceSession::kAnswerBytesMark;
static_assert(kKeptForAnswersBytes > kServiceItemsMax * 80);

}  // namespace

auto ServiceSession::admit(Connection& connection, const ServiceHello& hello) -> Admitted {
    SessionContext& context = connection.context();
    const bool resumes = !hello.resume_token.empty();
    std::shared_ptr<ServiceEntities> entities;
    TokensGiven given;
    if (resumes) {
        auto resumable = context.store.take<ResumableService>(
            hello.resume_token, connection.permit().subject, std::chrono::steady_clock::now());
        if (!resumable) {
            return ErrorMessage{ErrorCode::resume_refused, "no service waits for this token"};
        }
        entities = std::move(resumable->entities);
        given = resumable->tokens;
    } else {
        entities = std::make_shared<ServiceEntities>(context.directory.new_owner());
    }
    const std::size_t services_max =
        resumes ? std::numeric_limits<std::size_t>::max() : context.options.services.services_max;
    std::unique_ptr<ServiceSession> session;
    try {
        session = std::make_unique<ServiceSession>(connection, entities, hello.admits);
        if (!context.directory.notices().open_queue(session->queue_, services_max)) {
            session->leave(PlayerLeftReason::closed);
            return ErrorMessage{ErrorCode::full, "the server holds as many services as it may"};
        }
        session->begin(hello.name, given);
    } catch (...) {
        if (session) {
            session->lose();  // its connection does not have it yet, and so would not
        } else {
            entities->leave_all();
        }
        throw;
    }
    return session;
}

ServiceSession::ServiceSession(Connection& connection, std::shared_ptr<ServiceEntities> entities,
                               bool admits)
    : connection_(connection),
      context_(connection.context()),
      entities_(std::move(entities)),
      holder_(entities_->move_in()),
      queue_(std::make_shared<NoticeQueue>(context_.mailbox, connection, admits)) {
    IoThreadCounters::add(context_.counters.services);
}

/// `name`: what it calls itself, for the log. `given`: none if the service is new.
/// Frames and notices come through the mailbox, to this thread: so they come after the welcome.
void ServiceSession::begin(const std::string& name, TokensGiven given) {
    if (context_.store.is_open<ResumableService>()) {
        pass_ = context_.store.issue(ResumableService{entities_, given}, connection_.owner());
    }
    const ServiceOptions& options = context_.options.services;
    connection_.widen({options.message_bytes_max, options.messages_per_second_max,
                       options.bytes_per_second_max, kAnswerBytesMax, kAnswerBytesMark});
    if (given.newest != 0) {
        IoThreadCounters::add(context_.counters.resumes_total);
    }
    if (auto access = entities_->enter(holder_)) {
        take_over_watchers(*access);
        welcome(*access, given.newest != 0);
        connection_.log(
            fmt::format("service '{}', with {} entities", printable(name), access->size()));
    }
}

/// They are in the world: ports of ours take the place of those that the last connection had.
void ServiceSession::take_over_watchers(Access& access) {
    for (const engine::EntityId entity : access.list_watchers()) {
        ServiceEntities::Holding& holding = *access.find(entity);
        auto successor = make_watcher(entity, true);
        auto& before = static_cast<PlayerPort&>(*holding.port);
        const auto take_over = [&] { return before.hand_over_to(successor); };
        watchers_.emplace(entity,
                          successor);  // first: what it throws leaves the port before in its place
        if (context_.directory.hand_over(entity, successor, take_over)) {
            holding.port = std::move(successor);
        } else {
            watchers_.erase(entity);
            access.erase(entity);  // it took no frame for too long, and is out of the zone
        }
    }
}

void ServiceSession::welcome(const Access& access, bool is_resumed) {
    const shards::ZoneOptions& zone = context_.zone.options();
    const ServiceOptions& options = context_.options.services;
    ServiceWelcome welcome;
    welcome.tick = context_.zone.tick();
    welcome.server_time_us = context_.zone.server_time_us();
    describe(zone, welcome);
    welcome.leave_radius_mm_max = zone.leave_radius_mm_max;
    welcome.notify_leave_radius_mm_max = zone.notify_leave_radius_mm_max;
    if (pass_) {
        welcome.resume_token = context_.store.sign(*pass_);
        welcome.resume_grace_ms = context_.store.grace_ms<ResumableService>();
        welcome.restart_grace_ms = context_.store.restart_grace_ms();
    }
    welcome.resumed = is_resumed;
    welcome.message_bytes_max = static_cast<std::uint32_t>(options.message_bytes_max);
    welcome.entities_max = static_cast<std::uint32_t>(options.entities_max);
    welcome.watchers_max = static_cast<std::uint32_t>(options.watchers_max);
    welcome.entities = access.list();
    connection_.push(encode(context_.control_builder, std::move(welcome)));
}

void ServiceSession::handle(const Ping& ping) {
    connection_.answer(encode(context_.control_builder, pong_to(ping, context_)));
}

void ServiceSession::handle(const KeyframeRequest&) {
    for (const auto& [entity, port] : watchers_) {
        port->inputs().put_keyframe();
    }
}

void ServiceSession::handle(const Subscribe& subscribe) {
    context_.directory.notices().subscribe(*queue_, subscribe, context_.zone.options().dimensions,
                                           context_.zone.tick() + 1);
}

void ServiceSession::handle(const LeaveZone&) {
    connection_.begin_closing();
}

void ServiceSession::check() {
    const bool is_holder = entities_->enter(holder_).has_value();
    if (!is_holder) {
        connection_.close_with(ErrorCode::superseded, "the service goes on in another connection");
    }
}

// Frames

void ServiceSession::on_frame(PlayerPort& port) {
    frames_.push_back(std::static_pointer_cast<PlayerPort>(port.shared_from_this()));
    if (frames_.size() == 1) {
        connection_.put_frame(port.frame());
    }
}

void ServiceSession::on_frame_sent() {
    frames_.front()->frame_sent();
    frames_.pop_front();
    if (!frames_.empty()) {
        connection_.put_frame(frames_.front()->frame());
    }
}

/// Its frame, if it waits, is not sent; one that is with the connection is.
void ServiceSession::forget_watcher(engine::EntityId entity) {
    const auto found = watchers_.find(entity);
    MARCHLAND_ASSERT(found != watchers_.end());
    const auto port = found->second;
    watchers_.erase(found);
    if (!frames_.empty()) {
        frames_.erase(std::remove(frames_.begin() + 1, frames_.end(), port), frames_.end());
    }
}

void ServiceSession::on_removed(PlayerPort& port) {
    forget_watcher(port.tag());
    if (auto access = entities_->enter(holder_)) {
        access->erase(port.tag());
    }
    connection_.close_with(ErrorCode::too_slow, "no frame was taken for too long");
}

// Notices

void ServiceSession::on_notices() {
    is_short_of_room_ = false;
    // A subject is shorter than the message with its token.
    const std::size_t bytes_max = kNoticeBytesMax + context_.options.message_bytes_max;
    while (connection_.has_room(bytes_max + kKeptForAnswersBytes)) {
        auto notice = context_.directory.notices().take(*queue_);
        if (!notice) {
            return;
        }
        std::visit(
            [this](auto& one) {
                connection_.push(encode(context_.control_builder, std::move(one)));
            },
            *notice);
    }
    is_short_of_room_ = true;
}

void ServiceSession::on_said() {
    if (is_short_of_room_) {
        on_notices();
    }
}

// The end

void ServiceSession::leave(PlayerLeftReason) {
    end();
    if (!pass_ || context_.store.forget(*pass_)) {
        entities_->leave_all();
    }
}

void ServiceSession::lose() {
    if (!pass_) {
        leave(PlayerLeftReason::lost);
        return;
    }
    end();
    try {
        if (context_.store.rest(*pass_, std::chrono::steady_clock::now()) ==
            ResumeStore::Rest::no_room) {
            entities_->leave_all();
        }
    } catch (...) {  // what does not rest is never over
        if (context_.store.forget(*pass_)) {
            entities_->leave_all();
        }
        throw;
    }
}

/// From here on nobody calls for this session, but for a frame that has begun to leave.
void ServiceSession::end() {
    context_.directory.notices().close_queue(*queue_);
    for (const auto& [entity, port] : watchers_) {
        port->park();
    }
    watchers_.clear();
    frames_.resize(std::min<std::size_t>(frames_.size(), 1));
    IoThreadCounters::subtract(context_.counters.services);
}

}  // namespace marchland::net
