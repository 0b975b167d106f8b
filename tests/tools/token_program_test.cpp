#include "tools/token/token_program.h"

#include "net/auth/token_gate.h"
#include "tests/net/token_maker.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <variant>
#include <vector>
#include <sys/stat.h>

namespace marchland::token {

namespace {

struct Ended {
    int exit_code = 0;
    std::string output;
    std::string errors;
};

Ended run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "marchland-token");
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) {
        argv.push_back(argument.c_str());
    }
    std::ostringstream out;
    std::ostringstream err;
    const int exit_code =
        run_program(static_cast<int>(argv.size()), argv.data(), "version", out, err);
    return {exit_code, out.str(), err.str()};
}

std::string without_newline(std::string text) {
    text.pop_back();
    return text;
}

/// Key files of either algorithm, made by the program, and a configuration with them.
class TokenProgram : public testing::Test {
protected:
    TokenProgram() {
        EXPECT_EQ(run({"new-key", "--out", private_, "--public", public_}).exit_code, 0);
        EXPECT_EQ(run({"new-key", "--algorithm", "HS256", "--out", secret_}).exit_code, 0);
        config_ = folder_.write("zone.toml",
                                "[auth]\nmode = \"jwt\"\naudience = \"zone\"\nkeys = [\n"
                                "{ file = \"" +
                                    public_ + "\", algorithm = \"EdDSA\", kid = \"a\" },\n" +
                                    "{ file = \"" + secret_ +
                                    "\", algorithm = \"HS256\", kid = \"b\" }]\n");
    }

    std::string sign(const std::string& key, const std::string& kid,
                     std::vector<std::string> more = {}) {
        if (!kid.empty()) {
            more.insert(more.begin(), {"--kid", kid});
        }
        more.insert(more.begin(), {"sign", "--key", key, "--audience", "zone"});
        const Ended ended = run(more);
        EXPECT_EQ(ended.exit_code, 0) << ended.errors;
        return without_newline(ended.output);
    }
    Ended explain(const std::string& token) { return run({"explain", "--config", config_, token}); }

    const tests::KeyFolder folder_;
    const std::string private_ = folder_.path("private.pem");
    const std::string public_ = folder_.path("public.pem");
    const std::string secret_ = folder_.path("secret");
    std::string config_;
};

}  // namespace

TEST_F(TokenProgram, SignsWithEitherKindOfKeyWhatAServerTakes) {
    net::AuthOptions options{
        net::AuthOptions::Mode::jwt,
        "zone",
        0,
        {{public_, net::TokenAlgorithm::eddsa, "a"}, {secret_, net::TokenAlgorithm::hs256, "b"}}};
    options.claims_for_services = {"name", "level"};
    net::TokenGate gate(options);
    ASSERT_TRUE(gate.reload().empty());
    const std::vector<std::string> claims = {"--subject",
                                             "ann",
                                             "--kind",
                                             "7",
                                             "--spawn-mm",
                                             "-5,6",
                                             "--view-leave-radius-mm-max",
                                             "80000",
                                             "--frames-hz",
                                             "5",
                                             "--claim",
                                             "name=Ann",
                                             "--claim",
                                             "level=[7]"};
    for (const auto& [key, kid] : {std::pair(private_, "a"), std::pair(secret_, "b")}) {
        const auto permit = gate.check(sign(key, kid, claims), std::chrono::system_clock::now());
        ASSERT_TRUE(std::holds_alternative<net::Permit>(permit)) << std::get<std::string>(permit);
        const net::Permit expected{net::Permit::Role::player,
                                   std::uint16_t{7},
                                   engine::Position{-5, 6, 0},
                                   80'000,
                                   std::uint16_t{5},
                                   "ann",
                                   R"({"level":[7],"name":"Ann"})"};
        EXPECT_EQ(std::get<net::Permit>(permit), expected);
    }
}

TEST_F(TokenProgram, KeysThatSignAreForTheirOwnerOnlyAndNeverOverwritten) {
    struct stat file {};
    ASSERT_EQ(stat(private_.c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777U, 0600U);
    const Ended again = run({"new-key", "--algorithm", "HS256", "--out", secret_});
    EXPECT_EQ(again.exit_code, 1);
    EXPECT_NE(again.errors.find("secret: cannot be made"), std::string::npos) << again.errors;
    const std::string near = std::filesystem::relative(folder_.path("near"));
    const Ended relative = run({"new-key", "--algorithm", "HS256", "--out", near});
    EXPECT_NE(relative.output.find("file = \"/"), std::string::npos) << relative.output;
}

TEST_F(TokenProgram, LeavesNoKeyBehindWhoseOtherHalfCannotBeWritten) {
    const std::string key = folder_.path("new.pem");
    for (const std::string& wrong : {folder_.path("no/public.pem"), public_, key}) {
        const Ended ended = run({"new-key", "--out", key, "--public", wrong});
        EXPECT_EQ(ended.exit_code, 1);
        EXPECT_NE(ended.errors.find(wrong + ": cannot be made"), std::string::npos) << ended.errors;
        EXPECT_FALSE(std::filesystem::exists(key));
    }
    EXPECT_TRUE(std::filesystem::exists(public_));
    EXPECT_EQ(run({"new-key", "--out", private_, "--public", folder_.path("b")}).exit_code, 1);
    EXPECT_TRUE(std::filesystem::exists(private_));
}

TEST_F(TokenProgram, ExplainsWhatATokenHoldsAndWhyItWouldBeRefused) {
    const Ended good = explain(sign(private_, "a", {"--subject", "ann"}));
    EXPECT_EQ(good.exit_code, 0) << good.output;
    EXPECT_NE(good.output.find(R"("sub":"ann")"), std::string::npos) << good.output;
    EXPECT_NE(good.output.find("lets its bearer in"), std::string::npos) << good.output;

    const auto refusal = [&](const std::string& token) {
        const Ended ended = explain(token);
        EXPECT_EQ(ended.exit_code, 1);
        return ended.output.substr(std::min(ended.output.find("refused: "), ended.output.size()));
    };
    EXPECT_EQ(refusal(sign(private_, "a", {"--valid-in-s", "1000"})),
              "refused: it is not valid yet\n");
    EXPECT_EQ(refusal(sign(private_, "b")), "refused: no key of this server has signed it\n");
    EXPECT_EQ(refusal(sign(private_, "")),
              "refused: it names no key ('kid'), and this server has several\n");
    EXPECT_EQ(refusal("a.b.c"), "refused: it is no token that is signed with HS256 or EdDSA\n");
    EXPECT_EQ(refusal(sign(private_, "a", {"--spawn-mm", "0,2000000000"})),
              "refused: position (0, 2000000000) is outside the world\n");
    EXPECT_EQ(
        explain(sign(private_, "a", {"--spawn-mm", "0,2000000000", "--role", "service"})).exit_code,
        0);
    EXPECT_EQ(refusal(sign(private_, "a", {"--subject", std::string(2'000, 'a')})),
              "refused: a Hello with it is longer than limits.message_bytes_max\n");
}

TEST_F(TokenProgram, AnswersInJson) {
    const std::string token = sign(secret_, "b", {"--valid-in-s", "1000"});
    const Ended ended = run({"explain", "--json", "--config", config_, token});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(
        ended.output.rfind(R"({"header":{"alg":"HS256","typ":"JWT","kid":"b"},"claims":{)", 0), 0U)
        << ended.output;
    EXPECT_NE(ended.output.find(R"("is_accepted":false,"refused_because":"it is not valid yet"})"),
              std::string::npos)
        << ended.output;
    const Ended unchecked = run({"explain", "--json", "x"});
    EXPECT_EQ(unchecked.exit_code, 0);
    EXPECT_EQ(unchecked.output,
              "{\"header\":null,\"claims\":null,\"is_accepted\":null,\"refused_because\":null}\n");
}

TEST_F(TokenProgram, RefusesWhatIsNoKeyAndBadArguments) {
    const std::string short_secret = folder_.write("short", "short\n");
    EXPECT_EQ(run({"sign", "--key", short_secret, "--audience", "zone"}).exit_code, 2);
    EXPECT_EQ(run({"sign", "--key", public_, "--audience", "zone"}).exit_code, 2);
    EXPECT_EQ(run({"sign", "--key", folder_.path("none"), "--audience", "zone"}).exit_code, 2);
    EXPECT_EQ(run({"new-key", "--out", folder_.path("new")}).exit_code, 2);
    EXPECT_EQ(run({"explain", ""}).exit_code, 2);
    EXPECT_EQ(run({"sign", "--key", private_, "--audience", "zone", "--kid", ""}).exit_code, 2);
    for (const auto* const claim : {"name", "=Ann", "frames_hz=7", "name=\xff"}) {
        EXPECT_EQ(
            run({"sign", "--key", private_, "--audience", "zone", "--claim", claim}).exit_code, 2);
    }
    EXPECT_EQ(run({}).exit_code, 2);
    EXPECT_NE(run({"dance"}).errors.find("dance"), std::string::npos);
    EXPECT_EQ(run({"--help"}).exit_code, 0);
}

}  // namespace marchland::token
