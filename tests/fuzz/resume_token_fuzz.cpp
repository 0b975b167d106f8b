// Resume tokens from a stranger. The first byte chooses what the rest is:
//
//   0  a token, as it is: no fuzzer can sign, so it names no session
//   1  a session and a generation, which are signed, and what is changed in the token then

#include "net/resume_token.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace {

using namespace marchland;
using tests::demand;

constexpr std::uint64_t kZone = 0x9d2f6a1c0b3e4855;

/// Bytes of the input, in order; 0 after its end.
std::uint64_t take_number(std::span<const std::byte>& bytes, std::size_t size) {
    std::uint64_t number = 0;
    size = std::min(size, bytes.size());
    std::memcpy(&number, bytes.data(), size);
    bytes = bytes.subspan(size);
    return number;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const net::ResumeTokens tokens(net::ResumeTokens::Key{std::byte{7}}, kZone);
    static const net::ResumeTokens others(net::ResumeTokens::Key{std::byte{7}}, kZone + 1);
    if (size == 0) {
        return 0;
    }
    auto rest = std::as_bytes(std::span(data, size)).subspan(1);
    if (data[0] % 2 == 0) {
        demand(!tokens.check(rest), "a token that nobody signed names a session");
        return 0;
    }
    const net::SessionPass pass{
        {static_cast<shards::SessionKey::Kind>(take_number(rest, 1) % 2), take_number(rest, 8)},
        static_cast<std::uint32_t>(take_number(rest, 4))};
    auto token = tokens.sign(pass);
    demand(tokens.check(token) == pass, "a token is not what was signed");
    demand(!others.check(token), "a token is good for another zone");
    while (!rest.empty()) {
        const std::size_t place = take_number(rest, 1) % token.size();
        const auto change = static_cast<std::byte>(take_number(rest, 1));
        token[place] ^= change;
    }
    demand(token == tokens.sign(pass) || !tokens.check(token), "a forged token names a session");
    return 0;
}
