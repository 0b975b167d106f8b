#include "net/auth/token_gate.h"

#include "net/admin/admin_server.h"
#include "tests/net/hex.h"
#include "tests/net/token_maker.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>
#include <unistd.h>
#include <sys/stat.h>

namespace marchland::tests {

namespace {

using net::Permit;
using net::TokenAlgorithm;
using std::chrono::seconds;
using std::chrono::system_clock;

const std::string kGateSecret = "0123456789abcdef0123456789abcdef";
constexpr std::string_view kClaims = R"({"aud":"zone","exp":2000})";

constexpr system_clock::time_point at(std::int64_t second) {
    return system_clock::time_point(seconds(second));
}

/// A gate with a secret ("old"), a key pair ("new") and an audience ("zone").
class Gate {
public:
    Gate() : gate_(options()) {
        const auto flaws = gate_.reload();
        EXPECT_TRUE(flaws.empty()) << flaws.front();
    }

    std::variant<Permit, std::string> check(const std::string& token, std::int64_t second = 1000) {
        return gate_.check(token, at(second));
    }
    bool takes(const std::string& token, std::int64_t second = 1000) {
        return std::holds_alternative<Permit>(check(token, second));
    }
    /// Signed with the secret.
    std::variant<Permit, std::string> check_claims(std::string_view claims) {
        return check(hs256_token(claims, kGateSecret));
    }

    KeyFolder folder;
    Ed25519Pair pair;

    net::AuthOptions options() {
        net::AuthOptions options;
        options.mode = net::AuthOptions::Mode::jwt;
        options.audience = "zone";
        options.leeway_s = 10;
        options.keys = {{folder.write("old", kGateSecret + "\n"), TokenAlgorithm::hs256, "old"},
                        {folder.write("new", pair.public_pem()), TokenAlgorithm::eddsa, "new"}};
        return options;
    }

    net::TokenGate& gate() { return gate_; }

private:
    net::TokenGate gate_;
};

/// Deflated claims (RFC 1951), 2 KB of them. Inflated they are 2 MB, a list of 688,345 empty lists.
std::string bomb() {
    const auto begin = bytes_of(
        "edc2b10980301000c05dbe4ef15866959022605ab51144717707f18e7b629c6bd4b8f76d4689791d5197cc2c31"
        "a2"
        "b6d68b");
    const auto end = bytes_of("faf3d9df0f");
    std::string bytes(reinterpret_cast<const char*>(begin.data()), begin.size());
    bytes.append(2'000, '\xAA');
    return bytes.append(reinterpret_cast<const char*>(end.data()), end.size());
}

/// The most memory that this process had since forget_peak(), or has.
std::size_t kib_of_status(const std::string& field) {
    std::ifstream status("/proc/self/status");
    std::string name;
    while (status >> name && name != field + ':') {
        status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    std::size_t kib = 0;
    status >> kib;
    return kib;
}

/// From here on VmHWM counts anew (proc(5), clear_refs). False where the kernel cannot.
bool forget_peak() {
    return static_cast<bool>(std::ofstream("/proc/self/clear_refs") << "5" << std::flush);
}

std::string reason(const std::variant<Permit, std::string>& answer) {
    const auto* const text = std::get_if<std::string>(&answer);
    return text == nullptr ? "" : *text;
}

}  // namespace

TEST(TokenGate, ASecretThatEverybodyCanReadIsRefusedWhereOthersCanConnect) {
    using std::filesystem::perms;
    const KeyFolder folder;
    net::AuthOptions options;
    options.mode = net::AuthOptions::Mode::jwt;
    const std::string path = folder.write("secret", kGateSecret);
    options.keys = {{path, TokenAlgorithm::hs256, ""}};
    net::AdminOptions admin;
    admin.is_on = true;
    admin.token_file = path;
    for (const bool is_private : {false, true}) {
        std::filesystem::permissions(
            path, perms::owner_read | (is_private ? perms::group_read : perms::others_read));
        for (const bool others_can_connect : {false, true}) {
            net::TokenGate gate(options, others_can_connect);
            EXPECT_EQ(gate.reload().empty(), is_private || !others_can_connect);
            admin.address = others_can_connect ? "0.0.0.0" : "127.0.0.1";
            EXPECT_EQ(std::holds_alternative<net::FileFlaw>(net::read_admin_tokens(admin)),
                      !is_private && others_can_connect);
        }
    }
}

TEST(TokenGate, TakesTokensOfEitherAlgorithm) {
    Gate gate;
    EXPECT_EQ(reason(gate.check(hs256_token(kClaims, kGateSecret))), "");
    EXPECT_EQ(reason(gate.check(gate.pair.token(kClaims))), "");
}

TEST(TokenGate, RefusesWhatNoKeySigned) {
    Gate gate;
    EXPECT_FALSE(gate.takes(hs256_token(kClaims, "another secret of thirty-two byte")));
    EXPECT_FALSE(gate.takes(Ed25519Pair().token(kClaims)));
    EXPECT_FALSE(gate.takes(""));
    EXPECT_FALSE(gate.takes("a.b.c"));
    EXPECT_FALSE(gate.takes(std::string(100'000, 'a')));
}

TEST(TokenGate, RefusesAlgorithmNone) {
    Gate gate;
    for (const auto* const none : {"none", "None", "NONE", "nOnE"}) {
        const std::string header = std::string(R"({"kid":"old","alg":")") + none + "\"}";
        EXPECT_FALSE(gate.takes(unsigned_token(header, kClaims) + '.')) << none;
        EXPECT_FALSE(gate.takes(unsigned_token(header, kClaims))) << none;
        EXPECT_FALSE(gate.takes(hs256_token(kClaims, kGateSecret, header))) << none;
    }
    EXPECT_FALSE(gate.takes(hs256_token(kClaims, kGateSecret, R"({"typ":"JWT","kid":"old"})")));
}

TEST(TokenGate, TakesNoPublicKeyForASecret) {
    Gate gate;
    const std::string pem = gate.pair.public_pem();
    EXPECT_FALSE(gate.takes(hs256_token(kClaims, pem)));
    EXPECT_FALSE(gate.takes(hs256_token(kClaims, pem, R"({"alg":"HS256","kid":"new"})")));
    EXPECT_FALSE(gate.takes(hs256_token(kClaims, pem, R"({"alg":"EdDSA","kid":"new"})")));
    EXPECT_FALSE(gate.takes(hs256_token(kClaims, kGateSecret, R"({"alg":"HS512","kid":"old"})")));
}

TEST(TokenGate, NeverTakesAKeyFromATokensHeader) {
    Gate gate;
    const Ed25519Pair strange;
    const std::string with_url = R"({"alg":"EdDSA","kid":"new","jku":"http://127.0.0.1:9/keys"})";
    EXPECT_FALSE(gate.takes(strange.token(kClaims, with_url)));
    const std::string with_key =
        R"({"alg":"EdDSA","kid":"new","jwk":{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}})";
    EXPECT_FALSE(gate.takes(strange.token(kClaims, with_key)));
}

TEST(TokenGate, RefusesExtensionsThatATokenCallsCritical) {
    Gate gate;
    EXPECT_FALSE(
        gate.takes(gate.pair.token(kClaims, R"({"alg":"EdDSA","kid":"new","crit":["x"],"x":1})")));
}

TEST(TokenGate, InflatesNothingAndTakesNoTokenInAToken) {
    Gate gate;
    const std::string token = base64url(R"({"alg":"HS256","kid":"old","zip":"DEF"})") + '.' +
                              base64url(bomb()) + '.' + base64url(std::string(32, '\0'));
    gate.takes(hs256_token(kClaims, "another secret of thirty-two byte"));  // what libraries keep
    ASSERT_TRUE(forget_peak());
    const std::size_t before_kib = kib_of_status("VmRSS");
    ASSERT_GT(before_kib, 0U);
    EXPECT_FALSE(gate.takes(token));
    EXPECT_LE(kib_of_status("VmHWM"), before_kib + 1024);

    for (const auto* const more : {R"("zip":"DEF")", R"("b64":false)", R"("cty":"JWT")"}) {
        const std::string header = std::string(R"({"alg":"HS256","kid":"old",)") + more + '}';
        EXPECT_FALSE(gate.takes(hs256_token(kClaims, kGateSecret, header))) << more;
    }
    EXPECT_FALSE(gate.takes(
        hs256_token(kClaims, kGateSecret, R"({"kid":"old","alg":"HS256","alg":"HS256"})")));
}

/// IoThreads check at the same time, and a reload exchanges the keys under them.
TEST(TokenGate, ChecksInSeveralThreadsWhileKeysAreExchanged) {
    Gate gate;
    const std::string token = gate.pair.token(kClaims);
    const auto check_often = [&] {
        for (int i = 0; i < 200; ++i) {
            ASSERT_TRUE(gate.takes(token));
        }
    };
    std::thread one(check_often);
    std::thread two(check_often);
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(gate.gate().reload().empty());
    }
    one.join();
    two.join();
}

TEST(TokenGate, AKeyIdChoosesAmongKeysButNeverTheAlgorithm) {
    Gate gate;
    EXPECT_TRUE(gate.takes(gate.pair.token(kClaims, R"({"alg":"EdDSA","kid":"new"})")));
    EXPECT_FALSE(gate.takes(gate.pair.token(kClaims, R"({"alg":"EdDSA","kid":"old"})")));
    EXPECT_FALSE(gate.takes(gate.pair.token(kClaims, R"({"alg":"EdDSA","kid":"neither"})")));
}

TEST(TokenGate, WithSeveralKeysATokenThatNamesNoneIsRefused) {
    Gate gate;
    EXPECT_NE(
        reason(gate.check(hs256_token(kClaims, kGateSecret, R"({"alg":"HS256"})"))).find("'kid'"),
        std::string::npos);
    EXPECT_FALSE(gate.takes(gate.pair.token(kClaims, R"({"alg":"EdDSA"})")));
    EXPECT_FALSE(gate.takes(gate.pair.token(kClaims, R"({"alg":"EdDSA","kid":1})")));
}

TEST(TokenGate, AsksOfSixteenKeysOnlyTheOneThatIsNamed) {
    const KeyFolder folder;
    net::AuthOptions options{net::AuthOptions::Mode::jwt, "zone", 10, {}};
    for (int i = 0; i < 16; ++i) {
        const std::string number = std::to_string(i);
        options.keys.push_back(
            {folder.write(number, kGateSecret + number), TokenAlgorithm::hs256, "k" + number});
    }
    net::TokenGate gate(options);
    ASSERT_TRUE(gate.reload().empty());
    const auto is_taken = [&](int signed_by, int named) {
        const std::string header = R"({"alg":"HS256","kid":"k)" + std::to_string(named) + "\"}";
        return std::holds_alternative<Permit>(gate.check(
            hs256_token(kClaims, kGateSecret + std::to_string(signed_by), header), at(1000)));
    };
    for (int i = 0; i < 16; ++i) {
        EXPECT_TRUE(is_taken(i, i));
        EXPECT_FALSE(is_taken(i, (i + 1) % 16)) << "though another key has signed it";
    }
}

TEST(TokenGate, TheOnlyKeyTakesTokensThatNameNoneOrIt) {
    const KeyFolder folder;
    for (const std::string kid : {"", "old"}) {
        net::TokenGate gate({net::AuthOptions::Mode::jwt,
                             "zone",
                             10,
                             {{folder.write("old", kGateSecret), TokenAlgorithm::hs256, kid}}});
        ASSERT_TRUE(gate.reload().empty());
        for (const auto* const header : {R"({"alg":"HS256"})", R"({"alg":"HS256","kid":"old"})"}) {
            EXPECT_TRUE(std::holds_alternative<Permit>(
                gate.check(hs256_token(kClaims, kGateSecret, header), at(1000))));
        }
    }
}

TEST(TokenGate, SeveralKeysWithoutAKidEachAreNoList) {
    Gate gate;
    std::vector<net::TokenKeyFile> keys = gate.options().keys;
    keys[1].kid = "old";
    EXPECT_EQ(gate.gate().reload(keys).size(), 1U);
    keys[1].kid = "";
    EXPECT_EQ(gate.gate().reload(keys).size(), 1U);
    EXPECT_TRUE(gate.takes(gate.pair.token(kClaims))) << "the list before stayed";
}

TEST(TokenGate, ATokenHoldsFromNbfToExpWithLeeway) {
    Gate gate;
    const std::string token = hs256_token(R"({"aud":"zone","nbf":1000,"exp":2000})", kGateSecret);
    EXPECT_FALSE(gate.takes(token, 989));
    EXPECT_TRUE(gate.takes(token, 990));
    EXPECT_TRUE(gate.takes(token, 2009));
    EXPECT_FALSE(gate.takes(token, 2010));
}

TEST(TokenGate, ATokenWithoutAnEndOrWithAnOddOneIsRefused) {
    Gate gate;
    for (const auto* const exp :
         {R"("2000")", "-1", "null", "true", "1e300", "9223372036854775807", "[2000]"}) {
        const std::string claims = std::string(R"({"aud":"zone","exp":)") + exp + '}';
        EXPECT_NE(reason(gate.check_claims(claims)), "") << exp;
    }
    EXPECT_NE(reason(gate.check_claims(R"({"aud":"zone"})")), "");
    EXPECT_EQ(reason(gate.check_claims(R"({"aud":"zone","exp":2000.5})")), "");
}

TEST(TokenGate, ATokenForAnotherAudienceIsRefused) {
    Gate gate;
    EXPECT_EQ(reason(gate.check_claims(R"({"aud":["shop","zone"],"exp":2000})")), "");
    for (const auto* const aud : {R"("shop")", R"(["shop"])", "[]", "1", R"("zone\u0000")", "{}"}) {
        const std::string claims = std::string(R"({"exp":2000,"aud":)") + aud + '}';
        EXPECT_NE(reason(gate.check_claims(claims)), "") << aud;
    }
    EXPECT_NE(reason(gate.check_claims(R"({"exp":2000})")), "");
}

TEST(TokenGate, ClaimsSayWhatItsBearerMay) {
    Gate gate;
    const auto answer = gate.check_claims(
        R"({"aud":"zone","exp":2000,"role":"player","kind":65535,"sub":"n\nk\u001b",)"
        R"("spawn":{"x":-2147483648,"y":5},"view_leave_radius_mm_max":80000,"frames_hz":30,"more":[{}]})");
    ASSERT_EQ(reason(answer), "");
    const Permit expected{Permit::Role::player,
                          std::uint16_t{65'535},
                          engine::Position{INT32_MIN, 5, 0},
                          80'000,
                          std::uint16_t{30},
                          "n\nk\x1b"};
    EXPECT_EQ(std::get<Permit>(answer), expected);
}

TEST(TokenGate, APlayersClaimsMeanNothingInAServicesToken) {
    Gate gate;
    const auto answer = gate.check_claims(
        R"({"aud":"zone","exp":2000,"role":"service","sub":"wolves","kind":-1,"spawn":{"x":1},)"
        R"("view_leave_radius_mm_max":80000})");
    ASSERT_EQ(reason(answer), "");
    EXPECT_EQ(std::get<Permit>(answer), (Permit{Permit::Role::service, {}, {}, {}, {}, "wolves"}));
}

TEST(TokenGate, ClaimsOutOfRangeAreRefused) {
    Gate gate;
    for (const auto* const claim :
         {R"("role":"admin")", R"("role":1)", R"("kind":65536)", R"("kind":-1)", R"("kind":"1")",
          R"("kind":1.0)", R"("spawn":[0,0])", R"("spawn":{"x":1})", R"("spawn":null)",
          R"("spawn":{"x":1,"y":2147483648})", R"("sub":7)", R"("sub":["eve"])", R"("sub":null)",
          R"("view_leave_radius_mm_max":-1)"}) {
        const std::string claims = std::string(R"({"aud":"zone","exp":2000,)") + claim + '}';
        EXPECT_NE(reason(gate.check_claims(claims)), "") << claim;
    }
    EXPECT_NE(reason(gate.check_claims(R"({"aud":"zone","exp":2000,"exp":1})")), "");
}

TEST(TokenGate, KeysAreExchangedByReadingTheirFilesAgain) {
    Gate gate;
    const Ed25519Pair next;
    gate.folder.write("new", next.public_pem());
    EXPECT_FALSE(gate.takes(next.token(kClaims)));
    EXPECT_TRUE(gate.gate().reload().empty());
    EXPECT_TRUE(gate.takes(next.token(kClaims)));
    EXPECT_FALSE(gate.takes(gate.pair.token(kClaims)));
}

TEST(TokenGate, TakesAnotherListOfKeysWholeOrNotAtAll) {
    Gate gate;
    const Ed25519Pair next;
    const net::TokenKeyFile added{gate.folder.write("next", next.public_pem()),
                                  net::TokenAlgorithm::eddsa, "new"};
    const net::TokenKeyFile missing{gate.folder.path("nowhere"), net::TokenAlgorithm::eddsa,
                                    "more"};
    EXPECT_EQ(gate.gate().reload({added, missing}).size(), 1U);
    EXPECT_FALSE(gate.takes(next.token(kClaims)));
    EXPECT_TRUE(gate.gate().reload().empty()) << "the list before stayed";
    EXPECT_TRUE(gate.takes(gate.pair.token(kClaims)));
    EXPECT_TRUE(gate.gate().reload({added}).empty());
    EXPECT_TRUE(gate.gate().reload().empty());
    EXPECT_TRUE(gate.takes(next.token(kClaims)));
    EXPECT_FALSE(gate.takes(gate.pair.token(kClaims)));
}

TEST(TokenGate, AFileThatIsNoKeyIsReportedAndTheKeysStay) {
    Gate gate;
    gate.folder.write("old", "short\n");
    gate.folder.write("new", "no PEM");
    const auto flaws = gate.gate().reload();
    ASSERT_EQ(flaws.size(), 2U);
    EXPECT_NE(flaws[0].find("old: is shorter than 32 bytes"), std::string::npos) << flaws[0];
    EXPECT_NE(flaws[1].find("new: holds no public key"), std::string::npos) << flaws[1];
    EXPECT_TRUE(gate.takes(hs256_token(kClaims, kGateSecret)));
    gate.folder.write("old", gate.pair.public_pem());
    EXPECT_NE(gate.gate().reload()[0].find("is a PEM file"), std::string::npos);
}

TEST(TokenGate, APipeInTheKeysPlaceIsReportedAndNotWaitedFor) {
    Gate gate;
    const std::string file = gate.folder.path("old");
    ASSERT_EQ(unlink(file.c_str()), 0);
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    EXPECT_EQ(gate.gate().reload(),
              std::vector<std::string>{file + ": is a pipe, not a regular file"});
    EXPECT_TRUE(gate.takes(hs256_token(kClaims, kGateSecret)));
}

TEST(TokenGate, OpenToAllAsksForNoToken) {
    const net::TokenGate gate{net::AuthOptions{}};
    EXPECT_EQ(std::get<Permit>(gate.check("", at(0))), Permit{});
}

RC_GTEST_PROP(TokenGate, RefusesATokenOfWhichAnyCharacterIsAnother, ()) {
    static Gate gate;
    static const std::string token = gate.pair.token(kClaims);
    RC_ASSERT(gate.takes(token));
    std::string changed = token;
    const auto place = *rc::gen::inRange<std::size_t>(0, token.size());
    changed[place] = *rc::gen::elementOf(std::string("ABCDEFGHIXYZabcxyz0189-_.= "));
    RC_PRE(changed != token);
    RC_ASSERT(!gate.takes(changed));
}

RC_GTEST_PROP(TokenGate, TakesSignedClaimsOfAnyBytesWithoutFailing, (const std::string& claims)) {
    static Gate gate;
    RC_ASSERT(!gate.takes(hs256_token(claims, kGateSecret)));
    RC_ASSERT(!gate.takes(claims));
}

}  // namespace marchland::tests
