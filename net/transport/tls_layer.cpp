#include "net/transport/tls_layer.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <new>

namespace marchland::net {

namespace {

/// A record's content at most (RFC 8446, 5.1).
constexpr std::size_t kRecordBytes = std::size_t{16} * 1024;

}  // namespace

void TlsLayer::Free::operator()(ssl_st* connection) const {
    SSL_free(connection);
}

TlsLayer::TlsLayer(const std::shared_ptr<ssl_ctx_st>& context)
    : connection_(SSL_new(context.get())),
      from_peer_(BIO_new(BIO_s_mem())),
      to_peer_(BIO_new(BIO_s_mem())) {
    if (!connection_ || from_peer_ == nullptr || to_peer_ == nullptr) {
        BIO_free(from_peer_);
        BIO_free(to_peer_);
        throw std::bad_alloc();
    }
    SSL_set_bio(connection_.get(), from_peer_, to_peer_);
    SSL_set_accept_state(connection_.get());
    SSL_set_msg_callback(connection_.get(), count_late);
    SSL_set_msg_callback_arg(connection_.get(), this);
}

TlsLayer::TlsLayer(const std::shared_ptr<ssl_ctx_st>& context, const std::string& server_name)
    : TlsLayer(context) {
    SSL_set_connect_state(connection_.get());
    X509_VERIFY_PARAM* const expected = SSL_get0_param(connection_.get());
    if (X509_VERIFY_PARAM_set1_ip_asc(expected, server_name.c_str()) == 1) {
        return;
    }
    // Only names are sent to the server (RFC 6066, 3).
    if (X509_VERIFY_PARAM_set1_host(expected, server_name.data(), server_name.size()) != 1 ||
        SSL_set_tlsext_host_name(connection_.get(), server_name.c_str()) != 1) {
        throw std::bad_alloc();
    }
}

/// OpenSSL asks this once it read a ClientHello and knows that no ticket of its is good: what it
/// has done by then is cheap, what follows is not.
void TlsLayer::take_turns() {
    SSL_set_cert_cb(connection_.get(), ask_turn, this);
}

int TlsLayer::ask_turn(ssl_st*, void* layer) {
    Turn& turn = static_cast<TlsLayer*>(layer)->turn_;
    if (turn == Turn::given) {
        return 1;
    }
    turn = Turn::needed;
    return -1;  // SSL_do_handshake() goes on here
}

/// OpenSSL calls this for each message, and reads on until it has bytes for the session: over the
/// limit it finds nothing more.
void TlsLayer::count_late(int is_sent, int, int type, const void*, std::size_t, ssl_st*,
                          void* layer) {
    auto& self = *static_cast<TlsLayer*>(layer);
    if (self.state_ == State::open && is_sent == 0 && type == SSL3_RT_HANDSHAKE &&
        ++self.late_messages_ > kLateMessagesMax) {
        BIO_reset(self.from_peer_);
    }
}

std::string TlsLayer::certificate_problem() const {
    const long result = SSL_get_verify_result(connection_.get());
    return SSL_get_verify_mode(connection_.get()) == SSL_VERIFY_NONE || result == X509_V_OK
               ? ""
               : X509_verify_cert_error_string(result);
}

void TlsLayer::take(std::span<const std::byte> below, Bytes& up, Bytes& down) {
    if (state_ == State::ended || state_ == State::failed) {
        return;
    }
    const int taken = BIO_write(from_peer_, below.data(), static_cast<int>(below.size()));
    if (!below.empty() && taken != static_cast<int>(below.size())) {
        state_ = State::failed;  // no memory for it
        return;
    }
    ERR_clear_error();  // or an older error would be taken for this connection's
    if (state_ == State::opening) {
        const int result = SSL_do_handshake(connection_.get());
        if (result == 1) {
            state_ = State::open;
        } else {
            note_error(result);
        }
    }
    if (state_ == State::open) {
        read_records(up);
    }
    move_out(down);
}

void TlsLayer::read_records(Bytes& up) {
    // Not straight into `up`, whose memory stays: it would grow to a whole record for a few bytes.
    std::array<std::byte, kRecordBytes> record;
    while (true) {
        std::size_t bytes = 0;
        const int result = SSL_read_ex(connection_.get(), record.data(), record.size(), &bytes);
        if (late_messages_ > kLateMessagesMax) {
            state_ = State::failed;
            return;
        }
        if (result != 1) {
            note_error(result);
            return;
        }
        up.insert(up.end(), record.begin(), record.begin() + static_cast<std::ptrdiff_t>(bytes));
    }
}

void TlsLayer::note_error(int result) {
    switch (SSL_get_error(connection_.get(), result)) {
        case SSL_ERROR_WANT_READ:
        case SSL_ERROR_WANT_WRITE:        // memory takes all: it does not come
        case SSL_ERROR_WANT_X509_LOOKUP:  // ask_turn()
            return;
        case SSL_ERROR_ZERO_RETURN:
            state_ = State::ended;
            return;
        default:
            state_ = State::failed;
    }
}

void TlsLayer::wrap(std::span<const std::byte> bytes, Bytes& down) {
    if (state_ == State::failed || bytes.empty()) {
        return;
    }
    ERR_clear_error();
    // Record by record: what OpenSSL's memory once held it keeps.
    while (!bytes.empty() && state_ != State::failed) {
        const auto record = bytes.first(std::min(bytes.size(), kRecordBytes));
        std::size_t taken = 0;
        const int result = SSL_write_ex(connection_.get(), record.data(), record.size(), &taken);
        if (result != 1 || taken != record.size()) {
            state_ = State::failed;
        }
        move_out(down);
        bytes = bytes.subspan(record.size());
    }
}

void TlsLayer::end(Bytes& down) {
    if (state_ == State::open || state_ == State::ended) {
        ERR_clear_error();
        SSL_shutdown(connection_.get());
        move_out(down);
    }
}

void TlsLayer::move_out(Bytes& down) {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(to_peer_, &bytes);
    if (size > 0) {
        const auto* const begin = reinterpret_cast<const std::byte*>(bytes);
        down.insert(down.end(), begin, begin + size);
    }
    BIO_reset(to_peer_);
}

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
