#include "net/permit_rules.h"
#include "net/session.h"

#include <chrono>
#include <utility>

// What a session lets through before it is looked at for what it asks. session.cpp has the rest.

namespace marchland::net {

/// A first message shows its token, and becomes what that allows; a view reaches no further than it.
/// When not, the session is closing.
bool Session::is_permitted(ClientMessage& message) {
    auto* const hello = std::get_if<Hello>(&message);
    auto* const service = std::get_if<ServiceHello>(&message);
    if (hello != nullptr || service != nullptr) {
        auto permit = permit_for(context_.gate, hello != nullptr ? hello->token : service->token,
                                 hello != nullptr ? Permit::Role::player : Permit::Role::service,
                                 std::chrono::system_clock::now());
        if (auto* const error = std::get_if<ErrorMessage>(&permit)) {
            close_with(error->code, std::move(error->text));
            return false;
        }
        permit_ = std::get<Permit>(std::move(permit));
    }
    if (hello != nullptr) {
        apply(permit_, context_.options.default_view, *hello);
    }
    const auto* const set_view = std::get_if<SetView>(&message);
    const engine::View* const view = set_view != nullptr               ? &set_view->view
                                     : hello != nullptr && hello->view ? &*hello->view
                                                                       : nullptr;
    if (view == nullptr) {
        return true;
    }
    if (auto error = check_reach(permit_, *view)) {
        close_with(error->code, std::move(error->text));
        return false;
    }
    return true;
}

}  // namespace marchland::net
