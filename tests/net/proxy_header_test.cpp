#include "net/proxy_header.h"

#include "tests/net/hex.h"
#include "tests/net/running_server.h"

#include <gtest/gtest.h>

#include <string>

// Who is behind a proxy, and who says so.

namespace marchland::tests {

namespace {

using boost::asio::ip::make_address;
using net::ProxyHeader;

const std::string kSignature = "0d0a0d0a 000d0a51 5549540a ";
/// From 203.0.113.7:4660 to 192.0.2.1:7777.
const std::string kPlayer = kSignature + "21 11 000c cb007107 c0000201 1234 1e61";

std::optional<ProxyHeader> read(const std::string& hex) {
    const auto bytes = bytes_of(hex);
    const auto all = ProxyHeader::bytes_in_all(std::span(bytes).first<ProxyHeader::kFirstBytes>());
    return all == bytes.size() ? ProxyHeader::read(bytes) : std::nullopt;
}

net::ServerOptions behind_proxy(const std::string& proxy) {
    net::ServerOptions options = patient_server();
    options.io_threads = 2;
    options.is_behind_proxy = true;
    options.trusted_proxies = {proxy};
    options.address_limits.connections_max = 1;
    options.address_limits.is_loopback_exempt = false;
    return options;
}

}  // namespace

TEST(ProxyHeader, TellsAnAddressOfEitherKind) {
    const auto v4 = read(kPlayer).value().source.value();
    EXPECT_EQ(v4.address(), make_address("203.0.113.7"));
    EXPECT_EQ(v4.port(), 0x1234);
    const auto v6 = read(kSignature + "21 21 0028 20010db8 00000000 00000000 00000001 " +
                         "20010db8 00000000 00000000 00000002 0050 1e61 04 0001 00");
    EXPECT_EQ(v6.value().source.value().address(), make_address("2001:db8::1"));
    EXPECT_EQ(v6.value().source.value().port(), 0x50);
}

TEST(ProxyHeader, OfAProxyThatSpeaksForItselfTellsNone) {
    EXPECT_EQ(read(kSignature + "20 00 0000").value().source, std::nullopt);
    EXPECT_EQ(read(kSignature + "21 00 0000").value().source, std::nullopt);
}

TEST(ProxyHeader, IsRefusedWhereItContradictsItself) {
    EXPECT_FALSE(read("50524f58 59205443 50342031 20000000"));  // version 1
    EXPECT_FALSE(read(kSignature + "31 11 000c cb007107 c0000201 1234 1e61"));
    EXPECT_FALSE(read(kSignature + "21 11 0004 cb007107"));
    EXPECT_FALSE(read(kSignature + "21 21 000c cb007107 c0000201 1234 1e61"));
    const auto long_one = bytes_of(kSignature + "21 11 ffff");
    EXPECT_FALSE(ProxyHeader::bytes_in_all(std::span(long_one).first<ProxyHeader::kFirstBytes>()));
}

TEST(TrustedProxies, AreThoseOfTheNetworksAndNoOthers) {
    const net::TrustedProxies proxies({"192.0.2.7", "10.0.0.0/9", "2001:db8::/33"});
    for (const auto* const it : {"192.0.2.7", "10.127.255.255", "::ffff:10.1.2.3", "2001:db8::1"}) {
        EXPECT_TRUE(proxies.contain(make_address(it))) << it;
    }
    for (const auto* const it : {"192.0.2.6", "10.128.0.0", "2001:db8:8000::", "::1", "a00::"}) {
        EXPECT_FALSE(proxies.contain(make_address(it))) << it;
    }
}

TEST(BehindAProxy, EachPlayerHasTheLimitsOfItsOwnAddress) {
    RunningServer running(behind_proxy("127.0.0.0/8"));
    TestClient first(running.port());
    first.send_bytes(bytes_of(kPlayer));
    first.join();
    TestClient second(running.port());
    second.send_bytes(bytes_of(kSignature + "21 11 000c cb007108 c0000201 1234 1e61"));
    second.join();
    TestClient third(running.port());
    for (const std::byte byte : bytes_of(kPlayer)) {  // in pieces, as a line may
        third.send_bytes({&byte, 1});
    }
    expect_error(third, net::ErrorCode::address_limit);
}

TEST(BehindAProxy, WhoIsNoneIsClosed) {
    RunningServer running(behind_proxy("127.0.0.2"));
    TestClient stranger(running.port());
    EXPECT_EQ(stranger.receive(), std::nullopt);
    EXPECT_EQ(running.metrics().refused_addresses_total, 1U);
    TestClient garbled("127.0.0.2", running.port());
    garbled.send(net::Hello{});
    EXPECT_EQ(garbled.receive(), std::nullopt);
    EXPECT_EQ(running.metrics().failed_handshakes_total, 1U);
    TestClient proxy("127.0.0.2", running.port());
    proxy.send_bytes(bytes_of(kPlayer));
    proxy.join();
}

TEST(BehindAProxy, WhoSaysNothingIsClosedInTimeOrWhenTheServerStops) {
    net::ServerOptions options = behind_proxy("127.0.0.1");
    options.handshake_timeout_ms = 50;
    {
        RunningServer running(options);
        TestClient silent(running.port());
        EXPECT_EQ(silent.receive(), std::nullopt);
    }
    options.handshake_timeout_ms = 60'000;
    RunningServer running(options);
    TestClient silent(running.port());
    silent.send_bytes(bytes_of("0d0a0d0a"));
}

}  // namespace marchland::tests
