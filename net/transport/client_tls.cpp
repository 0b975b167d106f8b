#include "net/transport/client_tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace marchland::net {

std::variant<std::shared_ptr<ssl_ctx_st>, std::string> make_client_tls(const Trust& trust) {
    std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) {
        return "OpenSSL has no TLS 1.2";
    }
    if (trust.any_certificate) {
        SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
        return context;
    }
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    const int loaded = trust.ca_file.empty() ? SSL_CTX_set_default_verify_paths(context.get())
                                             : SSL_CTX_load_verify_locations(
                                                   context.get(), trust.ca_file.c_str(), nullptr);
    if (loaded != 1) {
        ERR_clear_error();
        return "no certificates as PEM in '" + trust.ca_file + "'";
    }
    return context;
}

}  // namespace marchland::net
