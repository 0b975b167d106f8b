// Tokens from a stranger. The first byte chooses what the rest is:
//
//   0  a token, as it is: no fuzzer can sign, so nothing of it may be let in
//   1  claims, signed with the zone's secret
//   2  a token's header; its claims are good, and it is signed with the zone's secret
//   3  the same, signed with the zone's public key, as if that were a secret

#include "net/auth/token_gate.h"
#include "net/auth/token_key.h"
#include "net/permit_rules.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/net/token_maker.h"

#include <chrono>
#include <string>
#include <variant>

namespace {

using namespace marchland;
using tests::demand;

constexpr std::string_view kSecret = "thirty-two bytes of a test secret";
constexpr std::string_view kGoodClaims = R"({"aud":"zone","exp":2000000000})";
constexpr std::chrono::system_clock::time_point kNow{std::chrono::seconds(1'700'000'000)};

class Door {
public:
    Door() : gate_(options()) { demand(gate_.reload().empty(), "the keys cannot be read"); }

    [[nodiscard]] std::optional<net::Permit> let_in(const std::string& token) const {
        auto checked = gate_.check(token, kNow);
        if (const auto* const reason = std::get_if<std::string>(&checked)) {
            demand(!reason->empty(), "a refusal without a reason");
            return std::nullopt;
        }
        return std::get<net::Permit>(std::move(checked));
    }
    [[nodiscard]] const std::string& public_pem() const { return public_pem_; }

private:
    [[nodiscard]] net::AuthOptions options() const {
        using enum net::TokenAlgorithm;
        return {net::AuthOptions::Mode::jwt,
                "zone",
                30,
                {{folder_.write("secret", kSecret), hs256, "old"},
                 {folder_.write("public", public_pem_), eddsa, "new"}}};
    }

    const std::string public_pem_ = tests::Ed25519Pair().public_pem();
    const tests::KeyFolder folder_;
    net::TokenGate gate_;
};

void check_permit(const net::Permit& permit) {
    const std::string subject = net::logged_subject(permit);
    demand(subject.size() <= net::kLoggedSubjectBytesMax, "a long name for the log");
    for (const char letter : subject) {
        demand(letter >= ' ' && letter <= '~', "a name that forges lines of the log");
    }
    demand(permit.leave_radius_mm_max.value_or(0) >= 0, "a view of less than nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Door door;
    if (size == 0) {
        return 0;
    }
    const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 4) {
        case 0:
            demand(!door.let_in(rest), "a token that nobody signed is let in");
            break;
        case 1:
            if (const auto permit = door.let_in(tests::hs256_token(rest, kSecret))) {
                check_permit(*permit);
            }
            break;
        case 2: {
            const std::string token = tests::hs256_token(kGoodClaims, kSecret, rest);
            const auto header = net::header_of(token);
            demand(!door.let_in(token) || header->algorithm == net::TokenAlgorithm::hs256,
                   "a token is checked with another algorithm than it names");
            break;
        }
        default:
            demand(!door.let_in(tests::hs256_token(kGoodClaims, door.public_pem(), rest)),
                   "a public key is taken for a secret");
    }
    return 0;
}
