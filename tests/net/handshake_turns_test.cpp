#include "net/transport/handshake_turns.h"

#include "net/transport/tls_context.h"
#include "net/transport/tls_layer.h"
#include "tests/net/certificate_maker.h"
#include "tests/net/token_maker.h"

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <functional>
#include <memory>
#include <vector>

// Whose TLS handshake is worked on, who does not wait for that, and what may follow it.

namespace marchland::tests {

namespace {

using net::HandshakeTurns;

/// OpenSSL's client, in memory, and a server's layer that waits for its turns.
class SlowHandshake {
public:
    SlowHandshake(SSL_CTX& client, const net::TlsContext& server, SSL_SESSION* session)
        : layer_(server.current()), client_(SSL_new(&client), SSL_free) {
        layer_.take_turns();
        SSL_set_bio(client_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
        SSL_set_connect_state(client_.get());
        SSL_set_session(client_.get(), session);
    }

    /// Until both ends have nothing more to say; how often the server's needed a turn, and said
    /// nothing before.
    int run() {
        int turns = 0;
        for (int i = 0; i < 10; ++i) {
            char byte = 0;
            SSL_read(client_.get(), &byte, 1);  // the handshake, and the ticket after it
            take(out_of_client());
            if (layer_.needs_turn()) {
                EXPECT_TRUE(down_.empty());
                ++turns;
                layer_.give_turn();
                take({});
            }
            BIO_write(SSL_get_rbio(client_.get()), down_.data(), static_cast<int>(down_.size()));
            down_.clear();
        }
        return turns;
    }
    [[nodiscard]] bool is_done() const {
        return layer_.state() == net::Layer::State::open &&
               SSL_is_init_finished(client_.get()) == 1;
    }
    /// As `message` says, after the handshake: the client's next bytes, as the server takes them.
    [[nodiscard]] net::Layer::State send(const std::function<void(SSL*)>& message) {
        message(client_.get());
        take(out_of_client());
        return layer_.state();
    }
    [[nodiscard]] std::shared_ptr<SSL_SESSION> session() const {
        return {SSL_get1_session(client_.get()), SSL_SESSION_free};
    }

private:
    void take(std::span<const std::byte> bytes) {
        net::Layer::Bytes up;
        layer_.take(bytes, up, down_);
    }
    std::vector<std::byte> out_of_client() {
        std::vector<std::byte> bytes(BIO_ctrl_pending(SSL_get_wbio(client_.get())));
        BIO_read(SSL_get_wbio(client_.get()), bytes.data(), static_cast<int>(bytes.size()));
        return bytes;
    }

    net::TlsLayer layer_;
    std::unique_ptr<SSL, void (*)(SSL*)> client_;
    net::Layer::Bytes down_;
};

}  // namespace

TEST(HandshakeTurns, GoFromAddressToAddressHoweverManyOneHas) {
    boost::asio::io_context io(1);
    HandshakeTurns turns(io);
    std::vector<int> done;
    for (int i = 0; i < 100; ++i) {
        turns.wait(1, nullptr, [&done] { done.push_back(1); });
    }
    turns.wait(2, nullptr, [&done] { done.push_back(2); });
    turns.wait(3, nullptr, [&done] { done.push_back(3); });
    EXPECT_TRUE(done.empty()) << "nothing is worked on before the thread looked at all that came";
    io.run();
    ASSERT_EQ(done.size(), 102U);
    EXPECT_EQ(std::vector(done.begin(), done.begin() + 4), (std::vector{1, 2, 3, 1}));
    EXPECT_EQ(turns.waiting(), 0U);
}

TEST(HandshakeTurns, LetOthersOfTheThreadWorkBetweenAnyTwoThatTakeLong) {
    boost::asio::io_context io(1);
    HandshakeTurns turns(io);
    int handshakes = 0;
    int longest_row = 0;
    int row = 0;
    for (int i = 0; i < 20; ++i) {
        turns.wait(std::nullopt, nullptr, [&] {
            const auto end = HandshakeTurns::Clock::now() + HandshakeTurns::kTurnBudget;
            while (HandshakeTurns::Clock::now() < end) {
            }
            ++handshakes;
            longest_row = std::max(longest_row, ++row);
        });
    }
    const std::function<void()> work_of_others = [&] {
        row = 0;
        if (handshakes < 20) {
            boost::asio::post(io, work_of_others);
        }
    };
    boost::asio::post(io, work_of_others);
    io.run();
    EXPECT_EQ(handshakes, 20);
    EXPECT_EQ(longest_row, 1);
}

namespace {

/// A server's TLS with a certificate of its own, and what clients of a version need.
class TlsPair {
public:
    explicit TlsPair(int version) {
        EXPECT_TRUE(server.reload().empty());
        SSL_CTX_set_max_proto_version(client.get(), version);
    }

private:
    const KeyFolder folder_;
    const Certificate made_ = make_certificate();

public:
    net::TlsContext server{
        {folder_.write("certificate", made_.certificate_pem), folder_.write("key", made_.key_pem)},
        false};
    const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> client{SSL_CTX_new(TLS_client_method()),
                                                              SSL_CTX_free};
};

}  // namespace

TEST(HandshakeTurns, AreWaitedForByWhoeverHasNoTicket) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        const TlsPair tls(version);
        SlowHandshake first(*tls.client, tls.server, nullptr);
        EXPECT_EQ(first.run(), 1) << version;
        EXPECT_TRUE(first.is_done());
        SlowHandshake again(*tls.client, tls.server, first.session().get());
        EXPECT_EQ(again.run(), 0) << version;
        EXPECT_TRUE(again.is_done());
    }
}

TEST(TlsLayer, ExchangesKeysOverCurvesAlone) {
    const TlsPair tls(TLS1_3_VERSION);
    for (const auto& [groups, is_done] :
         {std::pair("ffdhe8192", false), std::pair("ffdhe2048", false),
          std::pair("ffdhe8192:P-256", true), std::pair("X25519", true)}) {
        ASSERT_EQ(SSL_CTX_set1_groups_list(tls.client.get(), groups), 1);
        SlowHandshake handshake(*tls.client, tls.server, nullptr);
        handshake.run();
        EXPECT_EQ(handshake.is_done(), is_done) << groups;
    }
}

namespace {

void append(net::Layer::Bytes& to, std::size_t number, int bytes) {
    while (bytes-- > 0) {
        to.push_back(static_cast<std::byte>(number >> (8 * bytes)));
    }
}

/// A TLS 1.3 hello that offers X25519 and, before it, so many groups that nobody knows.
net::Layer::Bytes hello_with_groups(std::size_t unknown) {
    net::Layer::Bytes extensions;
    append(extensions, TLSEXT_TYPE_supported_versions << 16U | 3, 4);
    append(extensions, 0x02'03'04, 3);
    append(extensions, TLSEXT_TYPE_signature_algorithms << 16U | 4, 4);
    append(extensions, 0x00'02'04'03, 4);  // of P-256 with SHA-256
    append(extensions, TLSEXT_TYPE_supported_groups << 16U | (2 * unknown + 4), 4);
    append(extensions, 2 * unknown + 2, 2);
    for (std::size_t i = 0; i < unknown; ++i) {
        append(extensions, 0x1a1a, 2);
    }
    append(extensions, 0x001d, 2);
    append(extensions, TLSEXT_TYPE_key_share << 16U | 38, 4);
    append(extensions, std::uint64_t{36} << 32U | 0x001d'0020, 6);
    extensions.resize(extensions.size() + 32, std::byte{9});

    net::Layer::Bytes body;
    append(body, 0x0303, 2);
    body.resize(body.size() + 32, std::byte{7});  // random
    append(body, 0x00'00'02'13'01'01'00, 7);      // no session; AES-128-GCM; no compression
    append(body, extensions.size(), 2);
    body.insert(body.end(), extensions.begin(), extensions.end());

    net::Layer::Bytes record;
    append(record, 0x16'03'01, 3);
    append(record, body.size() + 4, 2);
    append(record, std::size_t{1} << 24U | body.size(), 4);
    record.insert(record.end(), body.begin(), body.end());
    return record;
}

}  // namespace

TEST(TlsLayer, RefusesAHelloOfHundredsOfGroups) {
    const TlsPair tls(TLS1_3_VERSION);
    for (const auto& [unknown, state] :
         {std::pair(63, net::Layer::State::opening), std::pair(64, net::Layer::State::failed),
          std::pair(5'000, net::Layer::State::failed)}) {
        net::TlsLayer layer(tls.server.current());
        net::Layer::Bytes up;
        net::Layer::Bytes down;
        layer.take(hello_with_groups(static_cast<std::size_t>(unknown)), up, down);
        EXPECT_EQ(layer.state(), state) << unknown;
        EXPECT_FALSE(down.empty());  // its part of the handshake, or why not
    }
}

TEST(TlsLayer, FailsWhereMoreOfTheHandshakeFollowsItThanMay) {
    const TlsPair tls(TLS1_3_VERSION);
    const auto update_keys = [](int times) {
        return [times](SSL* client) {
            for (int i = 0; i < times; ++i) {
                EXPECT_EQ(SSL_key_update(client, SSL_KEY_UPDATE_REQUESTED), 1);
                EXPECT_EQ(SSL_do_handshake(client), 1);
            }
        };
    };
    SlowHandshake one_by_one(*tls.client, tls.server, nullptr);
    one_by_one.run();
    for (int i = 0; i < net::TlsLayer::kLateMessagesMax; ++i) {
        EXPECT_EQ(one_by_one.send(update_keys(1)), net::Layer::State::open);
    }
    EXPECT_EQ(one_by_one.send(update_keys(1)), net::Layer::State::failed);

    SlowHandshake at_once(*tls.client, tls.server, nullptr);
    at_once.run();
    EXPECT_EQ(at_once.send(update_keys(500)), net::Layer::State::failed);
}

}  // namespace marchland::tests
