#pragma once

#include <memory>
#include <string>
#include <variant>

struct ssl_ctx_st;

namespace marchland::net {

/// Which server certificates a client accepts.
struct Trust {
    std::string ca_file;           ///< PEM; empty: whom this machine trusts
    bool any_certificate = false;  ///< also a stranger's: protects from nobody who can change bytes
};

/// What a client's TlsLayers need, for all connections of a process; or what is wrong with the file.
std::variant<std::shared_ptr<ssl_ctx_st>, std::string> make_client_tls(const Trust& trust);

}  // namespace marchland::net
