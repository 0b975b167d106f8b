#include "tests/config/test_folder.h"

#include <gtest/gtest.h>

// Who may come in, and how: what the sections about access ask of one another.

namespace marchland::config {

namespace {

using Errors = std::vector<std::string>;

const std::string kJwt =
    "[auth]\nmode = \"jwt\"\naudience = \"zone\"\nkeys = [{ file = \"k\", algorithm = \"EdDSA\" "
    "}]\n";

}  // namespace

TEST(Settings, OneSubjectIsOneEntityOnlyWhereThereAreSubjects) {
    TestFolder folder;
    EXPECT_EQ(
        folder.errors_of("[auth]\nsecond_login = \"replace\"\n"),
        Errors{"zone.toml:2:16: auth.second_login: needs mode \"jwt\": without tokens nobody has "
               "a subject"});
}

TEST(Settings, WhoSaysWhoseAConnectionIsMustBeTrusted) {
    TestFolder folder;
    const std::string behind = "[server]\nproxy_protocol = true\n";
    EXPECT_EQ(folder.errors_of(behind).at(0).substr(0, 71),
              "zone.toml:2:18: server.trusted_proxies: is needed with proxy_protocol\n ");
    EXPECT_EQ(folder.errors_of(behind + "trusted_proxies = [\"10.0.0.0/8\", \"::1\"]\n"), Errors{});
    for (const auto* const wrong : {"shield.example", "10.0.0.0/33", "10.0.0.0/", "::/129", "1.2.3",
                                    "10.0.0.0/4294967296", "::/4294967296", "10.0.0.0/-1"}) {
        EXPECT_EQ(folder.errors_of(behind + "trusted_proxies = [\"" + wrong + "\"]\n").size(), 1U)
            << wrong;
    }
}

TEST(Settings, AStarStandsForTheFirstLabelsOfAnOriginOnly) {
    TestFolder folder;
    const auto errors = [&](const std::string& origin) {
        return folder.errors_of("[websocket]\norigins = [\"" + origin + "\"]\n").size();
    };
    EXPECT_EQ(errors("https://*.play.example"), 0U);
    for (const auto* const wrong :
         {"*", "https://*", "https://*.", "https://play.*", "https://a*.play.example",
          "https://*.*.example", "https://play.example:*", "*://play.example"}) {
        EXPECT_EQ(errors(wrong), 1U) << wrong;
    }
}

TEST(Access, WithoutTokensOnlyThisMachineMayConnect) {
    const TestFolder folder;
    for (const auto* const address : {"127.0.0.1", "127.1.2.3", "::1"}) {
        EXPECT_EQ(folder.errors_of("[server]\naddress = \"" + std::string(address) + "\"\n"),
                  Errors{});
    }
    EXPECT_EQ(folder.errors_of("[server]\naddress = \"0.0.0.0\"\n"),
              Errors{"zone.toml:2:11: server.address: \"0.0.0.0\" lets others connect than this "
                     "machine, and auth.mode is \"none\"\n"
                     "  hint: [auth] mode = \"jwt\" asks for tokens; see docs/security.md"});
    EXPECT_EQ(folder.errors_of("[websocket]\nenabled = true\naddress = \"::\"\n").size(), 1U);
    EXPECT_EQ(folder.errors_of("[websocket]\naddress = \"::\"\n"), Errors{});
    EXPECT_EQ(folder.errors_of("[server]\naddress = \"0.0.0.0\"\n" + kJwt), Errors{});
}

TEST(Access, TokensNeedAnAudienceAndKeys) {
    const TestFolder folder;
    const Errors errors = folder.errors_of("[auth]\nmode = \"jwt\"\n");
    ASSERT_EQ(errors.size(), 2U);
    EXPECT_EQ(errors[0].substr(0, 31), "zone.toml:2:8: auth.audience: i");
    EXPECT_EQ(errors[1].substr(0, 27), "zone.toml:2:8: auth.keys: i");
}

TEST(Access, AKeyStatesItsAlgorithm) {
    const TestFolder folder;
    EXPECT_EQ(folder.errors_of("[auth]\nkeys = [{ file = \"k\" }]\n"),
              Errors{"zone.toml:2:9: auth.keys.algorithm: is missing\n"
                     "  hint: needed here: file, algorithm"});
    EXPECT_EQ(folder.errors_of("[auth]\nkeys = [{ file = \"k\", algorithm = \"none\" }]\n"),
              Errors{"zone.toml:2:35: auth.keys.algorithm: \"none\" is none of HS256, EdDSA"});
}

TEST(Access, OfSeveralKeysEachHasAKidOfItsOwn) {
    const TestFolder folder;
    const auto with_kids = [&](const std::string& one, const std::string& other) {
        const std::string key = "{ file = \"k\", algorithm = \"EdDSA\"";
        return folder.errors_of("[auth]\nmode = \"jwt\"\naudience = \"zone\"\nkeys = [" + key +
                                one + " }, " + key + other + " }]\n");
    };
    EXPECT_EQ(with_kids(", kid = \"a\"", ", kid = \"b\""), Errors{});
    EXPECT_EQ(
        with_kids(", kid = \"a\"", ""),
        Errors{"zone.toml:4:8: auth.keys: where there are several keys each needs a kid, which "
               "tokens name\n"
               "  hint: { file = \"login.pem\", algorithm = \"EdDSA\", kid = \"2026\" }"});
    EXPECT_EQ(with_kids(", kid = \"a\"", ", kid = \"a\"").size(), 1U);
}

TEST(Access, TlsNeedsCertificateAndKey) {
    const TestFolder folder;
    EXPECT_EQ(folder.errors_of("[server]\ntls = true\n"),
              (Errors{"zone.toml:2:7: tls.certificate: is needed where TLS is used",
                      "zone.toml:2:7: tls.key: is needed where TLS is used"}));
}

TEST(Access, AnAdminPortForOthersNeedsAToken) {
    const TestFolder folder;
    EXPECT_EQ(folder.errors_of("[admin]\nenabled = true\naddress = \"10.0.0.1\"\n"),
              Errors{"zone.toml:3:11: admin.token_file: is needed where others than this machine "
                     "can connect (\"10.0.0.1\")"});
}

TEST(Access, EachEntranceHasAPortOfItsOwn) {
    const TestFolder folder;
    EXPECT_EQ(folder.errors_of("[websocket]\nenabled = true\nport = 7777\n"),
              Errors{"zone.toml:3:8: websocket.port: is server.port, too, at an address of both\n"
                     "  hint: each entrance needs a port of its own"});
    EXPECT_EQ(folder.errors_of("[websocket]\nport = 7777\n"), Errors{}) << "it is off";
    EXPECT_EQ(folder.errors_of("[server]\nport = 0\n[admin]\nenabled = true\nport = 0\n"),
              Errors{});
    const auto count_with = [&](const std::string& server, const std::string& admin) {
        return folder
            .errors_of("[server]\naddress = \"" + server + "\"\n[admin]\nenabled = true\n" +
                       "port = 7777\ntoken_file = \"t\"\naddress = \"" + admin + "\"\n" + kJwt)
            .size();
    };
    EXPECT_EQ(count_with("127.0.0.1", "127.0.0.2"), 0U);
    EXPECT_EQ(count_with("0.0.0.0", "::1"), 0U);
    EXPECT_EQ(count_with("0.0.0.0", "127.0.0.1"), 1U);
    EXPECT_EQ(count_with("127.0.0.1", "0.0.0.0"), 1U);
    EXPECT_EQ(count_with("::", "127.0.0.1"), 1U);
    EXPECT_EQ(count_with("::1", "0:0:0:0:0:0:0:1"), 1U);
}

TEST(Access, OriginsAreSchemeAndHost) {
    const TestFolder folder;
    EXPECT_EQ(folder.errors_of("[websocket]\norigins = [\"https://a.example\", \"null\"]\n"),
              Errors{});
    for (const auto* const origin :
         {"a.example", "https://a.example/", "https://", "", "https://a\\u0000.example",
          "https://a b.example", "https://a.example?x", "https://*.a.example#x",
          "https://me@a.example", "https://a.example:", "https://a.example:0443", "https://:8443",
          "https://a.example:65536", "https://a.example:game"}) {
        EXPECT_EQ(
            folder.errors_of("[websocket]\norigins = [\"" + std::string(origin) + "\"]\n").size(),
            1U)
            << origin;
    }
}

TEST(Access, OriginsThatNoBrowserSendsAreErrorsThatSayTheRightOne) {
    const TestFolder folder;
    for (const auto& [origin, sent] : {std::pair("HTTPS://a.example", "https://a.example"),
                                       {"https://*.A.example", "https://*.a.example"},
                                       {"https://a.example:443", "https://a.example"},
                                       {"http://[::1]:80", "http://[::1]"}}) {
        const auto errors =
            folder.errors_of("[websocket]\norigins = [\"" + std::string(origin) + "\"]\n");
        ASSERT_EQ(errors.size(), 1U) << origin;
        EXPECT_TRUE(errors[0].ends_with(std::string("never matches: browsers send ") + sent))
            << errors[0];
    }
    EXPECT_EQ(folder.errors_of("[websocket]\norigins = [\"http://a.example:443\", "
                               "\"https://a.example:8443\", \"http://[2001:db8::80]\"]\n"),
              Errors{});
}

TEST(Access, PathsAreRelativeToTheirFile) {
    const TestFolder folder;
    const auto file = folder.write("zone.toml", "[tls]\nkey = \"tls/../key.pem\"\n");
    const auto config = folder.load(file);
    ASSERT_TRUE(config);
    EXPECT_EQ(config->server.tls.key, (file.parent_path() / "key.pem").string());
    EXPECT_EQ(config->server.tls.certificate, "");
}

}  // namespace marchland::config
