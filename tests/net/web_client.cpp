#include "tests/net/web_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <openssl/x509.h>

#include <array>
#include <optional>

namespace marchland::tests {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using Tls = asio::ssl::stream<tcp::socket>;

class WebClient::Impl {
public:
    Impl(std::uint16_t port, Way way, const std::string& origin) : way_(way) {
        tcp::socket socket(io_);
        socket.connect({asio::ip::address_v4::loopback(), port});
        if (way == Way::web_socket) {
            plain_.emplace(std::move(socket));
            shake_hands(*plain_, origin);
            return;
        }
        secure_.emplace(std::move(socket), tls_);
        secure_->next_layer().handshake(asio::ssl::stream_base::client);
        if (way == Way::web_socket_tls) {
            shake_hands(*secure_, origin);
        }
    }

    /// Calls with the WebSocket, whichever it is.
    template <typename Use>
    void with_web_socket(Use&& use) {
        if (plain_) {
            use(*plain_);
        } else {
            use(*secure_);
        }
    }

    template <typename WebSocket>
    void shake_hands(WebSocket& it, const std::string& origin) {
        it.auto_fragment(false);
        it.binary(true);
        it.set_option(websocket::stream_base::decorator([origin](websocket::request_type& request) {
            if (!origin.empty()) {
                request.set(boost::beast::http::field::origin, origin);
            }
        }));
        it.handshake("localhost", "/any/path");
    }

    Way way_;
    asio::io_context io_;
    asio::ssl::context tls_{asio::ssl::context::tls_client};
    std::optional<websocket::stream<tcp::socket>> plain_;
    std::optional<websocket::stream<Tls>> secure_;  ///< over plain TLS only its lower layer is used
};

WebClient::WebClient(std::uint16_t port, Way way, const std::string& origin)
    : impl_(std::make_unique<Impl>(port, way, origin)) {}

WebClient::~WebClient() = default;

void WebClient::send(std::span<const std::byte> bytes, std::size_t fragment_bytes) {
    const asio::const_buffer all(bytes.data(), bytes.size());
    if (impl_->way_ == Way::tls) {
        asio::write(impl_->secure_->next_layer(), all);
        return;
    }
    impl_->with_web_socket([&](auto& it) {
        it.binary(true);
        if (fragment_bytes == 0) {
            it.write(all);
            return;
        }
        for (std::size_t at = 0; at < bytes.size(); at += fragment_bytes) {
            const std::size_t size = std::min(fragment_bytes, bytes.size() - at);
            it.write_some(at + size == bytes.size(), asio::buffer(bytes.data() + at, size));
        }
    });
}

void WebClient::send_text(const std::string& text) {
    impl_->with_web_socket([&](auto& it) {
        it.text(true);
        it.write(asio::buffer(text));
    });
}

void WebClient::ping() {
    impl_->with_web_socket([](auto& it) { it.ping("are you there?"); });
}

std::vector<std::byte> WebClient::receive() {
    if (impl_->way_ == Way::tls) {
        std::vector<std::byte> message(4);
        asio::read(impl_->secure_->next_layer(), asio::buffer(message));
        std::uint32_t length = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            length |= static_cast<std::uint32_t>(message[i]) << (8 * i);
        }
        message.resize(4 + length);
        asio::read(impl_->secure_->next_layer(), asio::buffer(message.data() + 4, length));
        return message;
    }
    boost::beast::flat_buffer buffer;
    impl_->with_web_socket([&](auto& it) { it.read(buffer); });
    const auto* const begin = static_cast<const std::byte*>(buffer.data().data());
    return {begin, begin + buffer.size()};
}

int WebClient::close_code() const {
    int code = 0;
    impl_->with_web_socket([&](auto& it) { code = it.reason().code; });
    return code;
}

void WebClient::close() {
    impl_->with_web_socket([](auto& it) { it.close(websocket::close_code::normal); });
}

std::vector<std::string> WebClient::chain_names() const {
    const STACK_OF(X509)* const shown =
        SSL_get_peer_cert_chain(impl_->secure_->next_layer().native_handle());
    std::vector<std::string> names;
    for (int i = 0; i < sk_X509_num(shown); ++i) {
        std::array<char, 64> name{};
        X509_NAME_get_text_by_NID(X509_get_subject_name(sk_X509_value(shown, i)), NID_commonName,
                                  name.data(), static_cast<int>(name.size()));
        names.emplace_back(name.data());
    }
    return names;
}

}  // namespace marchland::tests
