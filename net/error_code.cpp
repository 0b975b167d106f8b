#include "net/error_code.h"

namespace marchland::net {

std::string_view name_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::malformed:
            return "malformed";
        case ErrorCode::too_large:
            return "too_large";
        case ErrorCode::unsupported_version:
            return "unsupported_version";
        case ErrorCode::out_of_order:
            return "out_of_order";
        case ErrorCode::out_of_range:
            return "out_of_range";
        case ErrorCode::too_fast:
            return "too_fast";
        case ErrorCode::handshake_timeout:
            return "handshake_timeout";
        case ErrorCode::idle_timeout:
            return "idle_timeout";
        case ErrorCode::too_slow:
            return "too_slow";
        case ErrorCode::full:
            return "full";
        case ErrorCode::stopping:
            return "stopping";
        case ErrorCode::unauthorized:
            return "unauthorized";
        case ErrorCode::address_limit:
            return "address_limit";
        case ErrorCode::not_allowed:
            return "not_allowed";
        case ErrorCode::resume_refused:
            return "resume_refused";
        case ErrorCode::superseded:
            return "superseded";
        case ErrorCode::removed:
            return "removed";
        case ErrorCode::second_login:
            return "second_login";
        case ErrorCode::overloaded:
            return "overloaded";
        case ErrorCode::transferred:
            return "transferred";
        case ErrorCode::not_admitted:
            return "not_admitted";
    }
    return "unknown";  // a code that a newer server added
}

}  // namespace marchland::net
