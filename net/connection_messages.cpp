#include "net/connection.h"
#include "net/decode_client.h"
#include "net/permit_rules.h"
#include "net/player_session.h"
#include "net/service_session.h"

#include <chrono>
#include <utility>
#include <variant>

// Each message that a connection takes apart goes to its session; the first one makes that. connection.cpp has the
// rest of it.

namespace marchland::net {

void Connection::handle_message(std::span<const std::byte> message, TimePoint now) {
    received_at_ = now;
    received_tick_ = context_.zone.tick();
    IoThreadCounters::add(context_.counters.messages_in_total);
    if (!message_limit_.take(1, now)) {
        close_with(ErrorCode::too_fast, "too many messages per second");
        return;
    }
    auto decoded = decode_client(message);
    if (auto* const error = std::get_if<ErrorMessage>(&decoded)) {
        if (state_ != State::waiting_for_hello && error->code == ErrorCode::unsupported_version) {
            // A second Hello is out of order, whatever version it has.
            close_with(ErrorCode::out_of_order, "a Hello may come only once, and first");
        } else {
            close_with(error->code, std::move(error->text));
        }
        return;
    }
    auto& what = std::get<ClientMessage>(decoded);
    if (std::holds_alternative<SkippedMessage>(what)) {
        return;
    }
    if (state_ == State::waiting_for_hello) {
        greet(std::move(what));
    } else {
        session_->receive(std::move(what));
    }
}

/// The first message shows a token, and its sender becomes what that allows.
void Connection::greet(ClientMessage&& first) {
    auto* const hello = std::get_if<Hello>(&first);
    auto* const service = std::get_if<ServiceHello>(&first);
    if (hello == nullptr && service == nullptr) {
        close_with(ErrorCode::out_of_order, "the first message must be Hello or ServiceHello");
    } else if (hello != nullptr && shows_token(hello->token, Permit::Role::player)) {
        receive_session(PlayerSession::admit(*this, std::move(*hello)));
    } else if (service != nullptr && shows_token(service->token, Permit::Role::service)) {
        receive_session(ServiceSession::admit(*this, std::move(*service)));
    }
}

void Connection::receive_session(Session::Admitted admitted) {
    if (auto* const error = std::get_if<ErrorMessage>(&admitted)) {
        close_with(error->code, std::move(error->text));
        return;
    }
    session_ = std::get<std::unique_ptr<Session>>(std::move(admitted));
    session_is_in_ = true;
    state_ = State::attended;
    end_handshake();
}

/// False when it closed the connection instead.
bool Connection::shows_token(const std::string& token, Permit::Role role) {
    auto permit = permit_for(context_.gate, token, role, std::chrono::system_clock::now());
    if (auto* const error = std::get_if<ErrorMessage>(&permit)) {
        IoThreadCounters::add(context_.counters.refused_tokens_total);
        close_with(error->code, std::move(error->text));
        return false;
    }
    permit_ = std::get<Permit>(std::move(permit));
    if (auto error = context_.rules.refuse(permit_.subject, address_of_peer(transport_->peer()),
                                           std::chrono::system_clock::now())) {
        close_with(error->code, std::move(error->text));
        return false;
    }
    return true;
}

}  // namespace marchland::net
