#include "net/transport/tls_context.h"

#include "engine/assert.h"
#include "net/secret_file.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <optional>
#include <utility>
#include <variant>

namespace marchland::net {

namespace {

/// What OpenSSL says went wrong first; its queue is empty then.
std::string first_error() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    std::array<char, 256> text{};
    ERR_error_string_n(code, text.data(), text.size());
    return code == 0 ? "unknown error" : text.data();
}

/// A key behind a passphrase: nobody is there to ask.
int no_passphrase(char*, int, int, void*) {
    return 0;
}

std::shared_ptr<SSL_CTX> make_context() {
    std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
    if (!context) {
        return nullptr;
    }
    // TLS 1.2 without what it regrets: renegotiation and compression. Nothing is kept of a session
    // that ended, neither here nor at the client: a handshake more, and no secrets to rotate.
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_options(context.get(),
                        SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
    // Thousands of connections that say little: no 16 KiB are kept for the next record of each.
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context.get(), 0);
    SSL_CTX_set_default_passwd_cb(context.get(), no_passphrase);
    return context;
}

/// Says what is wrong with a file before OpenSSL does it in its own words.
std::optional<std::string> flaw_of(const std::string& path) {
    const auto bytes = read_secret_file(path);
    const auto* const flaw = std::get_if<FileFlaw>(&bytes);
    return flaw == nullptr ? std::nullopt : std::optional(path + ": " + flaw->reason);
}

}  // namespace

TlsContext::TlsContext(TlsOptions options) : options_(std::move(options)) {}

std::vector<std::string> TlsContext::reload() {
    std::vector<std::string> flaws;
    for (const std::string* const path : {&options_.certificate, &options_.key}) {
        if (auto flaw = flaw_of(*path)) {
            flaws.push_back(*std::move(flaw));
        }
    }
    if (!flaws.empty()) {
        return flaws;
    }
    ERR_clear_error();
    auto context = make_context();
    if (!context) {
        return {"TLS: " + first_error()};
    }
    if (SSL_CTX_use_certificate_chain_file(context.get(), options_.certificate.c_str()) != 1) {
        flaws.push_back(options_.certificate + ": no certificate as PEM: " + first_error());
    }
    if (SSL_CTX_use_PrivateKey_file(context.get(), options_.key.c_str(), SSL_FILETYPE_PEM) != 1) {
        flaws.push_back(options_.key +
                        ": no key that fits the certificate, as PEM without a "
                        "passphrase: " +
                        first_error());
    }
    // A key of another kind than the certificate's (RSA and EC) is taken in without a word.
    if (flaws.empty() && SSL_CTX_check_private_key(context.get()) != 1) {
        flaws.push_back(options_.key + ": is not the certificate's key: " + first_error());
    }
    if (flaws.empty()) {
        const std::lock_guard lock(mutex_);
        current_ = std::move(context);
    }
    return flaws;
}

std::shared_ptr<ssl_ctx_st> TlsContext::current() const {
    const std::lock_guard lock(mutex_);
    MARCHLAND_ASSERT(current_ != nullptr);
    return current_;
}

}  // namespace marchland::net
