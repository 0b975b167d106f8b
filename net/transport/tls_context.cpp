#include "net/transport/tls_context.h"

#include "engine/assert.h"
#include "net/regular_file.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <memory>
#include <string_view>
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

/// How long a ticket is good: after it, a whole handshake is due.
constexpr long kTicketSeconds = 3'600;

/// A key behind a passphrase: nobody is there to ask.
int no_passphrase(char*, int, int, void*) {
    return 0;
}

/// Clients offer some ten groups. OpenSSL looks each key share up in them, of which a hello has
/// room for thousands.
int refuse_many_groups(SSL* connection, int* alert, void*) {
    constexpr std::size_t kGroupsMax = 64;
    const unsigned char* groups = nullptr;
    std::size_t bytes = 0;
    if (SSL_client_hello_get0_ext(connection, TLSEXT_TYPE_supported_groups, &groups, &bytes) == 1 &&
        bytes > 2 + 2 * kGroupsMax) {
        *alert = SSL_AD_DECODE_ERROR;
        return SSL_CLIENT_HELLO_ERROR;
    }
    return SSL_CLIENT_HELLO_SUCCESS;
}

std::shared_ptr<SSL_CTX> make_context() {
    std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
    if (!context) {
        return nullptr;
    }
    // TLS 1.2 without what it regrets: renegotiation, compression, and RSA key exchange, which has
    // no forward secrecy. A client keeps a ticket of its session, and the next handshake needs no
    // signature: when all come back at once, that is most of what they cost. Tickets are good with
    // this context only: SIGHUP makes a new one.
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    if (SSL_CTX_set_cipher_list(context.get(), "DEFAULT:!kRSA") != 1) {
        return nullptr;
    }
    // Of finite fields a key of 8,192 bits takes 90 ms, at the wish of a client that has done
    // nothing for it.
    if (SSL_CTX_set1_groups_list(context.get(), "X25519:P-256:P-384:P-521") != 1) {
        return nullptr;
    }
    SSL_CTX_set_client_hello_cb(context.get(), refuse_many_groups, nullptr);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // Thousands of connections that send little: no 16 KiB are kept for the next record of each.
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);  // clients have the tickets
    SSL_CTX_set_num_tickets(context.get(), 1);
    SSL_CTX_set_timeout(context.get(), kTicketSeconds);
    return context;
}

/// OpenSSL reads what was looked at, not the file once more: that may be another one by then.
using Reader = std::unique_ptr<BIO, int (*)(BIO*)>;

Reader reader_of(std::string_view pem) {
    return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free};
}

/// The first is the certificate, those that follow are its chain. False, and OpenSSL's queue says
/// why.
bool use_chain(SSL_CTX& context, std::string_view pem) {
    const Reader reader = reader_of(pem);
    const std::unique_ptr<X509, void (*)(X509*)> certificate(
        PEM_read_bio_X509_AUX(reader.get(), nullptr, no_passphrase, nullptr), X509_free);
    if (!certificate || SSL_CTX_use_certificate(&context, certificate.get()) != 1) {
        return false;
    }
    while (X509* const next = PEM_read_bio_X509(reader.get(), nullptr, no_passphrase, nullptr)) {
        if (SSL_CTX_add0_chain_cert(&context, next) != 1) {
            X509_free(next);
            return false;
        }
    }
    const unsigned long last = ERR_peek_last_error();
    const bool is_at_end =
        ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE;
    if (is_at_end) {
        ERR_clear_error();
    }
    return is_at_end;
}

bool use_key(SSL_CTX& context, std::string_view pem) {
    const Reader reader = reader_of(pem);
    const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
        PEM_read_bio_PrivateKey(reader.get(), nullptr, no_passphrase, nullptr), EVP_PKEY_free);
    return key && SSL_CTX_use_PrivateKey(&context, key.get()) == 1;
}

}  // namespace

TlsContext::TlsContext(TlsOptions options, bool others_can_connect)
    : options_(std::move(options)), others_can_connect_(others_can_connect) {}

std::vector<std::string> TlsContext::reload() {
    std::vector<std::string> flaws;
    const auto take = [&flaws](const std::string& path, auto pem) {
        if (const auto* const flaw = std::get_if<FileFlaw>(&pem)) {
            flaws.push_back(path + ": " + flaw->reason);
            return std::string();
        }
        return std::get<std::string>(std::move(pem));
    };
    const std::string certificate =
        take(options_.certificate, read_secret_file(options_.certificate));
    const std::string key =
        take(options_.key, read_private_file(options_.key, others_can_connect_));
    if (!flaws.empty()) {
        return flaws;
    }
    ERR_clear_error();
    auto context = make_context();
    if (!context) {
        return {"TLS: " + first_error()};
    }
    if (!use_chain(*context, certificate)) {
        flaws.push_back(options_.certificate + ": no certificate as PEM: " + first_error());
    }
    if (!use_key(*context, key)) {
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
