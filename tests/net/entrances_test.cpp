#include "net/decode_server.h"
#include "net/encode_client.h"
#include "net/transport/layered_transport.h"
#include "net/transport/tls_context.h"
#include "tests/net/certificate_maker.h"
#include "tests/net/running_server.h"
#include "tests/net/token_maker.h"
#include "tests/net/web_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

// The same protocol by every way in: TLS, WebSocket, and both; spoken by Beast and OpenSSL's
// client.

namespace marchland::tests {

namespace {

using net::ErrorCode;
using Way = WebClient::Way;

/// Certificate and key of a server, in files.
class CertificateFiles {
public:
    CertificateFiles() { show("localhost"); }

    void show(const std::string& name) const { show_with(name, ""); }
    /// The certificate, and what else its file is to hold.
    void show_with(const std::string& name, const std::string& more) const {
        const Certificate made = make_certificate(name);
        folder_.write("certificate", made.certificate_pem + more);
        folder_.write("key", made.key_pem);
    }
    void spoil_key() const { folder_.write("key", "no key"); }
    void show_behind_a_passphrase(const std::string& name) const {
        const Certificate made = make_certificate(name);
        folder_.write("certificate", made.certificate_pem);
        folder_.write("key", made.locked_key_pem);
    }
    void show_key_of_another(KeyKind kind) const {
        folder_.write("key", make_certificate("localhost", kind).key_pem);
    }

    /// A TCP port with TLS, or a WebSocket port with or without.
    [[nodiscard]] net::ServerOptions options(Way way) const {
        net::ServerOptions options = patient_server();
        options.tls = {folder_.path("certificate"), folder_.path("key")};
        options.is_tls = way == Way::tls;
        options.web_socket.is_on = way != Way::tls;
        options.web_socket.is_tls = way == Way::web_socket_tls;
        options.web_socket.port = 0;
        return options;
    }

private:
    KeyFolder folder_;
};

std::uint16_t port_for(RunningServer& running, Way way) {
    return way == Way::tls ? running.port() : running.server().web_socket_port();
}

std::vector<std::byte> bytes_to_send(const net::ClientMessage& message) {
    flatbuffers::FlatBufferBuilder builder;
    const auto bytes = net::encode(builder, message);
    return {bytes.begin(), bytes.end()};
}

template <typename Message>
Message decoded(const std::vector<std::byte>& bytes) {
    net::ServerMessage message;
    if (const auto error = net::decode_server(bytes, message)) {
        throw std::runtime_error(error->text);
    }
    return std::get<Message>(message);
}

std::span<const std::byte> bytes_in(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// All that comes until the stream ends, however it ends.
std::string everything_from(TestClient& client) {
    std::string all;
    while (const auto some = client.receive_bytes()) {
        all += *some;
    }
    return all;
}

std::string upgrade_request(const std::string& more, const std::string& version = "13") {
    return "GET /play HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: " +
           version + "\r\n" + more + "\r\n";
}

class EveryWay : public testing::TestWithParam<Way> {
protected:
    CertificateFiles files;
};

}  // namespace

TEST_P(EveryWay, AClientIsSentWhatOneOverPlainTcpIsSent) {
    RunningServer running(files.options(GetParam()));
    RunningServer plain;
    WebClient client(port_for(running, GetParam()), GetParam());
    TestClient reference(plain.port());

    net::Hello hello;
    hello.spawn = engine::Position{0, 0, 0};
    running.crowd({1'000, 0, 0}, 30);  // frames of more than one TLS record, and of 64 KiB and more
    plain.crowd({1'000, 0, 0}, 30);
    running.crowd({300'000, 0, 0}, 80);
    plain.crowd({300'000, 0, 0}, 80);
    client.send(bytes_to_send(hello));
    reference.send(hello);
    EXPECT_EQ(decoded<net::Welcome>(client.receive()).entity,
              reference.receive_one<net::Welcome>().entity);
    for (std::uint32_t step = 1; step <= 6; ++step) {
        running.step();
        plain.step();
        auto frame = decoded<net::FrameMessage>(client.receive());
        auto expected = reference.receive_one<net::FrameMessage>();
        frame.server_time_us = expected.server_time_us = 0;
        ASSERT_EQ(frame, expected) << "step " << step;
        // To the other crowd and back; one frame has some 90 KB.
        const net::Move move{step, {step % 2 == 1 ? 300'000 : 0, 0, 0}};
        client.send(bytes_to_send(move));
        reference.send(move);
        client.send(bytes_to_send(net::Ping{step}));
        EXPECT_EQ(decoded<net::Pong>(client.receive()).nonce, step);
        reference.fence();
    }
}

/// Answers by the hundred, and frames of several watchers one after the other.
TEST_P(EveryWay, AServiceIsAnsweredAndSentEachMessageWhole) {
    RunningServer running(files.options(GetParam()));
    running.crowd({0, 0, 0}, 60);  // frames of some 60 KB
    WebClient service(port_for(running, GetParam()), GetParam());
    service.send(bytes_to_send(net::ServiceHello{}));
    EXPECT_FALSE(decoded<net::ServiceWelcome>(service.receive()).resumed);
    decoded<net::PlayersListed>(service.receive());

    net::SpawnOne eye;
    eye.view = engine::View::circle(1'000, 1'000);
    eye.watches = true;
    service.send(bytes_to_send(net::Spawn{{eye, eye, eye}}));
    const auto eyes = decoded<net::Spawned>(service.receive()).entities;
    ASSERT_EQ(eyes.size(), 3U);
    service.send(bytes_to_send(net::Despawn{std::vector<engine::EntityId>(1'000)}));
    for (int i = 0; i < 1'000; ++i) {
        ASSERT_EQ(decoded<net::CommandRefused>(service.receive()).reason,
                  net::RefusalReason::not_there);
    }
    running.step();
    std::set<engine::EntityId> watchers;
    for (std::size_t i = 0; i < eyes.size(); ++i) {
        const auto frame = decoded<net::FrameMessage>(service.receive());
        EXPECT_EQ(frame.enters.size(), 62U);  // the crowd and the two others
        watchers.insert(frame.watcher);
    }
    EXPECT_EQ(watchers.size(), 3U);
}

/// And after its client's end the connection is over, whatever it was to wait for at most.
TEST_P(EveryWay, AnErrorIsReadBeforeTheEnd) {
    net::ServerOptions options = files.options(GetParam());
    options.linger_timeout_ms = 3'600'000;
    RunningServer running(options);
    {
        WebClient client(port_for(running, GetParam()), GetParam());
        client.send(bytes_to_send(net::Ping{1}));
        EXPECT_EQ(decoded<net::ErrorMessage>(client.receive()).code, ErrorCode::out_of_order);
        EXPECT_THROW(client.receive(), boost::system::system_error);
    }
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 0; }));
}

TEST_P(EveryWay, AStopIsSentToEveryone) {
    RunningServer running(files.options(GetParam()));
    WebClient client(port_for(running, GetParam()), GetParam());
    client.send(bytes_to_send(net::Hello{}));
    decoded<net::Welcome>(client.receive());
    std::thread stopping([&] { running.server().stop(); });
    EXPECT_EQ(decoded<net::ErrorMessage>(client.receive()).code, ErrorCode::stopping);
    EXPECT_THROW(client.receive(), boost::system::system_error);
    stopping.join();
}

TEST_P(EveryWay, HalfAHandshakeIsGivenUpInTime) {
    net::ServerOptions options = files.options(GetParam());
    options.handshake_timeout_ms = 100;
    options.linger_timeout_ms = 50;
    RunningServer running(options);
    TestClient silent(port_for(running, GetParam()));
    TestClient halfway(port_for(running, GetParam()));
    halfway.send_bytes(bytes_in(GetParam() == Way::web_socket
                                    ? "GET / HTTP/1.1\r\nHo"
                                    : std::string_view("\x16\x03\x01\x02", 4)));
    EXPECT_EQ(everything_from(silent), "");
    EXPECT_EQ(everything_from(halfway), "");
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 0; }));
    EXPECT_EQ(running.metrics().failed_handshakes_total, 2U);
}

TEST_P(EveryWay, GarbageInPlaceOfAHandshakeDisturbsNobody) {
    RunningServer running(files.options(GetParam()));
    WebClient good(port_for(running, GetParam()), GetParam());
    good.send(bytes_to_send(net::Hello{}));
    decoded<net::Welcome>(good.receive());
    for (int i = 0; i < 20; ++i) {
        std::string noise(20'000, '\0');
        for (std::size_t at = 0; at < noise.size(); ++at) {
            noise[at] = static_cast<char>((at * 167 + static_cast<std::size_t>(i) * 13) % 251);
        }
        TestClient noisy(port_for(running, GetParam()));
        noisy.send_bytes(bytes_in(noise));
        everything_from(noisy);
    }
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 1; }));
    EXPECT_EQ(running.metrics().failed_handshakes_total, 20U);
    running.step();
    EXPECT_EQ(decoded<net::FrameMessage>(good.receive()).tick, 1U);
}

TEST_P(EveryWay, OneThatNeverReadsIsGivenUpAndCostsBoundedMemory) {
    net::ServerOptions options = files.options(GetParam());
    options.slow_timeout_ms = 100;
    options.linger_timeout_ms = 50;
    RunningServer running(options);
    running.crowd({300'000, 0, 0}, 200);
    WebClient deaf(port_for(running, GetParam()), GetParam());
    deaf.send(bytes_to_send(net::Hello{}));
    decoded<net::Welcome>(deaf.receive());
    for (std::uint32_t step = 1; running.metrics().connections == 1; ++step) {
        try {
            deaf.send(bytes_to_send(net::Move{step, {step % 2 == 0 ? 0 : 300'000, 0, 0}}));
        } catch (const boost::system::system_error&) {
            break;  // closed already
        }
        running.step();
    }
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 0; }));
    EXPECT_EQ(running.metrics().closed_with_error_total, 1U);
    EXPECT_LT(running.metrics().bytes_out_total, 8'000'000U);
}

INSTANTIATE_TEST_SUITE_P(Entrances, EveryWay,
                         testing::Values(Way::tls, Way::web_socket, Way::web_socket_tls),
                         [](const auto& way) {
                             return way.param == Way::tls          ? "Tls"
                                    : way.param == Way::web_socket ? "WebSocket"
                                                                   : "WebSocketOverTls";
                         });

TEST(Tls, PlainMessagesOnItsPortAreRefused) {
    const CertificateFiles files;
    RunningServer running(files.options(Way::tls));
    TestClient plain(running.port());
    plain.send(net::Hello{});
    const std::string answer = everything_from(plain);
    EXPECT_LE(answer.size(), 7U);  // an alert, or nothing
    EXPECT_EQ(running.metrics().players, 0U);
}

TEST(Tls, ACertificateIsExchangedAndWhoIsInStaysIn) {
    const CertificateFiles files;
    RunningServer running(files.options(Way::tls));
    WebClient before(running.port(), Way::tls);
    before.send(bytes_to_send(net::Hello{}));
    decoded<net::Welcome>(before.receive());

    files.show("next.example");
    EXPECT_TRUE(running.server().load_secrets().empty());
    EXPECT_EQ(WebClient(running.port(), Way::tls).certificate_name(), "next.example");
    const auto expect_refused = [&] {
        EXPECT_EQ(running.server().load_secrets().size(), 1U);
        EXPECT_EQ(WebClient(running.port(), Way::tls).certificate_name(), "next.example");
    };
    files.spoil_key();
    expect_refused();
    for (const KeyKind kind : {KeyKind::ec, KeyKind::rsa}) {
        files.show_key_of_another(kind);
        expect_refused();
    }
    files.show_behind_a_passphrase("third.example");
    expect_refused();

    before.send(bytes_to_send(net::Ping{7}));
    EXPECT_EQ(decoded<net::Pong>(before.receive()).nonce, 7U);
    EXPECT_EQ(before.certificate_name(), "localhost");
}

TEST(Tls, AKeyThatEverybodyCanReadIsRefusedWhereOthersCanConnect) {
    using std::filesystem::perms;
    const CertificateFiles files;
    const net::TlsOptions tls = files.options(Way::tls).tls;
    for (const bool is_private : {false, true}) {
        std::filesystem::permissions(
            tls.key, perms::owner_read | (is_private ? perms::group_read : perms::others_read));
        for (const bool others_can_connect : {false, true}) {
            net::TlsContext context(tls, others_can_connect);
            EXPECT_EQ(context.reload().empty(), is_private || !others_can_connect);
        }
    }
}

TEST(Tls, ACertificateIsShownWithTheChainThatFollowsIt) {
    const CertificateFiles files;
    const std::string chain = make_certificate("between").certificate_pem +
                              "Text is no certificate.\n" +
                              make_certificate("above").certificate_pem;
    files.show_with("localhost", chain);
    RunningServer running(files.options(Way::tls));
    WebClient client(running.port(), Way::tls);
    EXPECT_EQ(client.certificate_name(), "localhost");
    EXPECT_EQ(client.chain_names(), (std::vector<std::string>{"localhost", "between", "above"}));

    std::string broken = chain;
    broken.insert(broken.size() / 4, "!");
    files.show_with("next.example", broken);
    const std::vector<std::string> flaws = running.server().load_secrets();
    ASSERT_EQ(flaws.size(), 1U);
    EXPECT_NE(flaws[0].find("certificate: no certificate as PEM: "), std::string::npos) << flaws[0];
    EXPECT_EQ(WebClient(running.port(), Way::tls).certificate_name(), "localhost");
}

TEST(WebSocket, FragmentsMakeUpMessagesWhereverTheyAreCut) {
    const CertificateFiles files;
    RunningServer running(files.options(Way::web_socket));
    for (const std::size_t size : {1U, 2U, 7U, 125U, 126U, 127U}) {
        WebClient client(running.server().web_socket_port(), Way::web_socket);
        client.send(bytes_to_send(net::Hello{}), size);
        decoded<net::Welcome>(client.receive());
        client.ping();  // Beast takes the pong in by itself
        client.send(bytes_to_send(net::Ping{size}), size);
        EXPECT_EQ(decoded<net::Pong>(client.receive()).nonce, size);
        client.close();
    }
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 0; }));
}

/// RFC 6455, 5.5.1. What a peer sends before it has read our Close is passed over, up to its own
/// Close, which is the end.
TEST(WebSocket, AfterItsOwnCloseTheServerAnswersNothing) {
    const CertificateFiles files;
    net::ServerOptions options = files.options(Way::web_socket);
    options.linger_timeout_ms = 3'600'000;
    RunningServer running(options);
    TestClient client(running.server().web_socket_port());
    client.send_bytes(bytes_in(upgrade_request("")));
    std::vector<std::byte> frame;  // masked with zeros
    const auto ping = bytes_to_send(net::Ping{1});
    for (const std::size_t byte : {std::size_t{0x82}, 0x80 | ping.size(), 0UL, 0UL, 0UL, 0UL}) {
        frame.push_back(static_cast<std::byte>(byte));
    }
    frame.insert(frame.end(), ping.begin(), ping.end());
    client.send_bytes(frame);  // not a Hello
    const std::string sent = everything_from(client);
    EXPECT_TRUE(sent.ends_with(std::string_view("\x88\x02\x03\xE8", 4)));  // 1000

    client.send_bytes(bytes_in(std::string_view("\x89\x80\0\0\0\0\x88\x80\0\0\0\0", 12)));
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 0; }));
    EXPECT_EQ(everything_from(client), "");
    EXPECT_FALSE(client.was_reset());
}

TEST(WebSocket, ATextMessageIsRefusedWithItsCode) {
    const CertificateFiles files;
    RunningServer running(files.options(Way::web_socket));
    WebClient client(running.server().web_socket_port(), Way::web_socket);
    client.send_text("hello");
    EXPECT_THROW(client.receive(), boost::system::system_error);
    EXPECT_EQ(client.close_code(), 1003);
}

TEST(WebSocket, AnUpgradeThatIsNoneIsAnsweredWithItsReason) {
    const CertificateFiles files;
    net::ServerOptions options = files.options(Way::web_socket);
    options.web_socket.origins = {"https://play.example"};
    RunningServer running(options);
    const std::pair<std::string, std::string> cases[] = {
        {upgrade_request(""), "101"},
        {upgrade_request("Origin: https://play.example\r\n"), "101"},
        {upgrade_request("Origin: https://evil.example\r\n"), "403"},
        {upgrade_request("Origin: https://play.example.evil\r\n"), "403"},
        {upgrade_request("Content-Length: 5\r\n"), "400"},
        {upgrade_request("", "8"), "426"},
        {upgrade_request("Cookie: " + std::string(9'000, 'c') + "\r\n"), "431"},
        {"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"},
        {"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", "400"},
        {"\r\n\r\n\r\n", "400"},
    };
    for (const auto& [request, status] : cases) {
        TestClient client(running.server().web_socket_port());
        client.send_bytes(bytes_in(request));
        client.end_of_stream();
        const std::string answer = everything_from(client);
        EXPECT_EQ(answer.substr(0, 13), "HTTP/1.1 " + status + ' ') << request.substr(0, 60);
        if (status == "101") {  // RFC 6455, 1.3
            EXPECT_NE(answer.find("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"),
                      std::string::npos);
        }
    }
}

TEST(WebSocket, AnOriginWithAStarIsEveryHostThatEndsSo) {
    const CertificateFiles files;
    net::ServerOptions options = files.options(Way::web_socket);
    options.web_socket.origins = {"https://*.play.example"};
    RunningServer running(options);
    const std::pair<std::string, std::string> cases[] = {
        {"https://eu.play.example", "101"},      {"https://a.b.play.example", "101"},
        {"https://play.example", "403"},         {"https://.play.example", "403"},
        {"http://eu.play.example", "403"},       {"https://evilplay.example", "403"},
        {"https://eu.play.example.evil", "403"}, {"https://eu.play.example:8443", "403"},
    };
    for (const auto& [origin, status] : cases) {
        TestClient client(running.server().web_socket_port());
        client.send_bytes(bytes_in(upgrade_request("Origin: " + origin + "\r\n")));
        client.end_of_stream();
        EXPECT_EQ(everything_from(client).substr(9, 3), status) << origin;
    }
}

TEST(WebSocket, APageThatIsRefusedLearnsWhyAndIsLogged) {
    const CertificateFiles files;
    net::ServerOptions options = files.options(Way::web_socket);
    options.web_socket.origins = {"https://play.example"};
    std::ostringstream text;
    const auto before = spdlog::default_logger();
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)));
    {
        RunningServer running(options);
        spdlog::set_level(spdlog::level::info);
        TestClient client(running.server().web_socket_port());
        client.send_bytes(bytes_in(upgrade_request("Origin: https://evil.example\r\n")));
        client.end_of_stream();
        EXPECT_NE(everything_from(client).find("\r\n\r\nPages of this origin may not connect"),
                  std::string::npos);
        EXPECT_TRUE(eventually([&] { return running.metrics().failed_handshakes_total == 1; }));
    }
    spdlog::set_default_logger(before);
    EXPECT_NE(text.str().find("refused: a web page of the origin \"https://evil.example\""),
              std::string::npos)
        << text.str();
}

namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

/// A handshake of a client with such a context; nothing when it fails. `session`: of the one
/// before.
struct Handshake {
    bool is_done = false;
    bool is_resumed = false;
};
Handshake shake_hands(const Context& context, std::uint16_t port, SSL_SESSION*& session) {
    boost::asio::io_context io;
    boost::asio::ip::tcp::socket socket(io);
    socket.connect({boost::asio::ip::make_address("127.0.0.1"), port});
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()), SSL_free);
    SSL_set_fd(ssl.get(), socket.native_handle());
    if (session != nullptr) {
        SSL_set_session(ssl.get(), session);
    }
    if (SSL_connect(ssl.get()) != 1) {
        return {};
    }
    const bool is_resumed = SSL_session_reused(ssl.get()) == 1;
    // TLS 1.3 sends the ticket after the handshake: with the Welcome it is there.
    const auto hello = bytes_to_send(net::Hello{});
    std::array<std::byte, 4'096> answer;
    if (SSL_write(ssl.get(), hello.data(), static_cast<int>(hello.size())) <= 0 ||
        SSL_read(ssl.get(), answer.data(), static_cast<int>(answer.size())) <= 0) {
        return {};
    }
    SSL_SESSION_free(session);
    session = SSL_get1_session(ssl.get());
    // Else OpenSSL takes the connection for a broken one, and forgets its session.
    SSL_set_shutdown(ssl.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    return {true, is_resumed};
}

}  // namespace

TEST(Tls, ASessionIsResumedOverAnotherConnection) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        const CertificateFiles files;
        RunningServer running(files.options(Way::tls));
        const Context context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
        SSL_CTX_set_max_proto_version(context.get(), version);
        SSL_SESSION* session = nullptr;
        const Handshake first = shake_hands(context, running.port(), session);
        const Handshake second = shake_hands(context, running.port(), session);
        EXPECT_TRUE(first.is_done && !first.is_resumed) << version;
        EXPECT_TRUE(second.is_done && second.is_resumed) << version;
        SSL_SESSION_free(session);
    }
}

TEST(Tls, KeysAreNotExchangedByRsa) {
    const CertificateFiles files;
    const Certificate made = make_certificate("localhost", KeyKind::rsa);
    const KeyFolder folder;
    net::ServerOptions options = files.options(Way::tls);
    options.tls = {folder.write("certificate", made.certificate_pem),
                   folder.write("key", made.key_pem)};
    RunningServer running(options);
    for (const auto& [ciphers, is_done] :
         {std::pair("AES128-GCM-SHA256", false), std::pair("ECDHE-RSA-AES128-GCM-SHA256", true)}) {
        const Context context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
        SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
        SSL_CTX_set_cipher_list(context.get(), ciphers);
        SSL_SESSION* session = nullptr;
        EXPECT_EQ(shake_hands(context, running.port(), session).is_done, is_done) << ciphers;
        SSL_SESSION_free(session);
    }
}

namespace {

/// Passes all on.
class GlassLayer : public net::Layer {
public:
    void take(std::span<const std::byte> below, Bytes& up, Bytes&) override {
        up.insert(up.end(), below.begin(), below.end());
    }
    void wrap(std::span<const std::byte> bytes, Bytes& down) override {
        down.insert(down.end(), bytes.begin(), bytes.end());
    }
    void end(Bytes&) override {}
    [[nodiscard]] State state() const override { return State::open; }
};

class Sender final : public net::Transport::User {
public:
    bool is_sent = false;

private:
    void on_readable() override {}
    void on_sent(const boost::system::error_code&) override { is_sent = true; }
};

}  // namespace

TEST(LayeredTransport, GivesBackTheMemoryOfALargeMessageOnceItIsSent) {
    using boost::asio::ip::tcp;
    constexpr std::size_t kKept = 16'384;
    boost::asio::io_context io;
    tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
    tcp::socket client(io);
    client.connect(acceptor.local_endpoint());
    tcp::socket socket = acceptor.accept();
    socket.non_blocking(true);
    std::vector<std::unique_ptr<net::Layer>> layers;
    layers.push_back(std::make_unique<GlassLayer>());
    layers.push_back(std::make_unique<GlassLayer>());
    const auto sockets = net::SocketIo::make(patient_server().io, io, {});
    const auto transport = std::make_shared<net::LayeredTransport>(
        *sockets, std::move(socket), std::move(layers), tcp::endpoint());
    const auto user = std::make_shared<Sender>();
    transport->attach(*user);
    std::vector<std::byte> frame(16'000'000);  // more than the kernel takes
    boost::system::error_code error;
    EXPECT_FALSE(transport->send({boost::asio::buffer(frame), {}}, user, error));
    transport->trim(kKept);
    EXPECT_GE(transport->memory_bytes(), frame.size());
    sockets->resume();
    std::thread reading([&] { boost::asio::read(client, boost::asio::buffer(frame)); });
    while (!user->is_sent) {
        io.run_one();
    }
    reading.join();
    EXPECT_GE(transport->memory_bytes(), frame.size());
    transport->trim(kKept);
    EXPECT_LE(transport->memory_bytes(), 4 * kKept);
    transport->close();
}

/// A turn that goes on waiting would be work for a connection that is gone.
TEST(LayeredTransport, WaitsForNoTurnOnceItIsClosed) {
    using boost::asio::ip::tcp;
    class SlowLayer final : public GlassLayer {
        [[nodiscard]] bool needs_turn() const override { return true; }
    };
    boost::asio::io_context io;
    tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
    net::HandshakeTurns turns(io);
    const auto sockets = net::SocketIo::make(patient_server().io, io, {});
    sockets->resume();
    std::vector<tcp::socket> clients;
    std::vector<std::shared_ptr<net::LayeredTransport>> transports;
    Sender user;
    for (const net::HandshakeTurns::Address address : {1, 1, 2}) {
        clients.emplace_back(io).connect(acceptor.local_endpoint());
        tcp::socket socket = acceptor.accept();
        socket.non_blocking(true);
        std::vector<std::unique_ptr<net::Layer>> layers;
        layers.push_back(std::make_unique<SlowLayer>());
        transports.push_back(std::make_shared<net::LayeredTransport>(
            *sockets, std::move(socket), std::move(layers), tcp::endpoint()));
        transports.back()->take_turns(turns, address);
        transports.back()->attach(user);
        transports.back()->await_readable();
        boost::asio::write(clients.back(), boost::asio::buffer("x", 1));
    }
    // It waits again as soon as it had its turn: this layer needs one more each time.
    while (turns.waiting() < 3) {
        io.run_one();
    }
    transports[0]->close();
    EXPECT_EQ(turns.waiting(), 2U);
    transports[2]->close();
    io.poll_one();
    transports[1]->close();
    EXPECT_EQ(turns.waiting(), 0U);
    sockets->close();
}

TEST(WebSocket, PongsThatNobodyReadsEndTheConnection) {
    const CertificateFiles files;
    net::ServerOptions options = files.options(Way::web_socket);
    options.bytes_per_second_max = 1U << 30U;
    RunningServer running(options);
    TestClient client(running.server().web_socket_port(), 4'096);
    ASSERT_TRUE(client.send_bytes(bytes_in(upgrade_request(""))));
    std::string pings;
    for (int i = 0; i < 100; ++i) {
        pings += "\x89\xfd" + std::string(4 + 125, '\0');
    }
    // How much it takes before it is closed is up to the kernels' buffers.
    EXPECT_TRUE(eventually([&] { return !client.send_bytes(bytes_in(pings)); }));
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 0; }));
}

/// Where nobody is asked for a token, a foreign page in the operator's browser is nobody to let in.
TEST(WebSocket, WithoutTokensOnlyPagesOfThisMachineConnect) {
    const CertificateFiles files;
    RunningServer running(files.options(Way::web_socket));
    const std::pair<std::string, bool> cases[] = {{"http://localhost", true},
                                                  {"http://localhost:8000", true},
                                                  {"https://127.0.0.1:8000", true},
                                                  {"http://[::1]:8000", true},
                                                  {"https://evil.example", false},
                                                  {"http://localhost.evil.example", false},
                                                  {"http://127.0.0.1.evil.ex", false},
                                                  {"http://10.0.0.1", false},
                                                  {"null", false},
                                                  {"", false},
                                                  {"http://[", false},
                                                  {"localhost", false}};
    for (const auto& [origin, may_connect] : cases) {
        TestClient client(running.server().web_socket_port());
        client.send_bytes(bytes_in(upgrade_request("Origin: " + origin + "\r\n")));
        client.end_of_stream();
        EXPECT_EQ(everything_from(client).substr(9, 3), may_connect ? "101" : "403") << origin;
    }
    EXPECT_TRUE(eventually([&] { return running.metrics().failed_handshakes_total == 8; }));
}

}  // namespace marchland::tests
