// What a proxy sends before a client's bytes. The first byte says whether the signature comes
// before the rest (odd), or the rest is all of it. Read as the listener does: 16 bytes say how many
// there are in all. Whose connection it is said to be is, byte for byte, what the header has.

#include "net/proxy_header.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace {

using namespace marchland;
using net::ProxyHeader;
using tests::demand;

constexpr std::array<std::uint8_t, 12> kSignature{0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D,
                                                  0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A};

/// The part of a header that says so.
void check_source(const boost::asio::ip::tcp::endpoint& source, std::span<const std::byte> header) {
    std::vector<std::uint8_t> expected;
    const auto append = [&expected](const auto& bytes) {
        expected.insert(expected.end(), bytes.begin(), bytes.end());
    };
    const bool is_v4 = source.address().is_v4();
    is_v4 ? append(source.address().to_v4().to_bytes())
          : append(source.address().to_v6().to_bytes());
    const std::size_t address_bytes = expected.size();
    append(std::array{static_cast<std::uint8_t>(source.port() >> 8U),
                      static_cast<std::uint8_t>(source.port() & 0xFFU)});
    const auto addresses = header.subspan(ProxyHeader::kFirstBytes);
    std::vector<std::byte> said(addresses.begin(),
                                addresses.begin() + static_cast<std::ptrdiff_t>(address_bytes));
    // Its port comes after the server's address, which is as long.
    const auto port = addresses.subspan(2 * address_bytes, 2);
    said.insert(said.end(), port.begin(), port.end());
    demand(
        header[12] == std::byte{0x21} && header[13] == (is_v4 ? std::byte{0x11} : std::byte{0x21}),
        "a header of another kind tells an address");
    demand(std::ranges::equal(std::as_bytes(std::span(expected)), said),
           "a connection is taken for another's");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    std::vector<std::byte> sent;
    const auto append = [&sent](std::span<const std::uint8_t> bytes) {
        std::ranges::copy(std::as_bytes(bytes), std::back_inserter(sent));
    };
    if (data[0] % 2 == 1) {
        append(kSignature);
    }
    append(std::span(data, size).subspan(1));
    if (sent.size() < ProxyHeader::kFirstBytes) {
        return 0;
    }
    const auto bytes = ProxyHeader::bytes_in_all(std::span(sent).first<ProxyHeader::kFirstBytes>());
    demand(!bytes || (*bytes >= ProxyHeader::kFirstBytes && *bytes <= ProxyHeader::kBytesMax),
           "a header has more bytes than it may");
    if (!bytes || *bytes > sent.size()) {
        return 0;
    }
    sent.resize(*bytes);
    sent.shrink_to_fit();  // so that a sanitizer sees whoever reads beyond it
    if (const auto header = ProxyHeader::read(sent); header && header->source) {
        check_source(*header->source, sent);
    }
    return 0;
}
