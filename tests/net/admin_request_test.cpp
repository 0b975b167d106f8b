#include "net/admin/admin_request.h"

#include "net/admin/metrics_text.h"
#include "tests/net/token_maker.h"

#include <gtest/gtest.h>

namespace marchland::tests {

namespace {

using net::AdminAnswer;
using net::AdminRequest;

unsigned status_of(const AdminRequest& request, const std::optional<std::string>& token = {}) {
    const auto say = [](const char* what) { return AdminAnswer{200, "text/plain", what}; };
    const net::AdminActions actions{[&] { return say("metrics"); },
                                    [&] { return say("health"); },
                                    [&] { return say("status"); },
                                    [&] { return say("positions"); },
                                    [&](const std::string& text) {
                                        return AdminAnswer{text == "good" ? 200U : 422U, "", text};
                                    },
                                    [&] { return say("stop"); }};
    return net::answer_admin(request, token, actions).status;
}

AdminRequest get(const std::string& target) {
    return {"GET", target, "127.0.0.1:7779", false, "", ""};
}

}  // namespace

TEST(AdminRequests, GoToTheirActions) {
    EXPECT_EQ(status_of(get("/metrics")), 200U);
    EXPECT_EQ(status_of(get("/status?x=1")), 200U);
    EXPECT_EQ(status_of(get("/health")), 200U);
    EXPECT_EQ(status_of(get("/positions")), 200U);
    EXPECT_EQ(status_of(get("/")), 404U);
    EXPECT_EQ(status_of(get("/stop")), 405U);
    EXPECT_EQ(status_of({"POST", "/metrics", "", false, "", ""}), 405U);
    EXPECT_EQ(status_of({"POST", "/stop", "", false, "", ""}), 200U);
    EXPECT_EQ(status_of({"POST", "/layout", "", false, "", "good"}), 200U);
    EXPECT_EQ(status_of({"POST", "/layout", "", false, "", "bad"}), 422U);
}

TEST(AdminRequests, NeedTheTokenWhereThereIsOne) {
    const std::string token = "0123456789abcdef";
    AdminRequest request = get("/metrics");
    EXPECT_EQ(status_of(request, token), 401U);
    for (const auto* const wrong : {"Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdeF",
                                    "0123456789abcdef", "Bearer 0123456789abcdef0"}) {
        request.authorization = wrong;
        EXPECT_EQ(status_of(request, token), 401U) << wrong;
    }
    request.authorization = "Bearer " + token;
    EXPECT_EQ(status_of(request, token), 200U);
}

TEST(AdminToken, IsTheFirstLineOfItsFile) {
    const KeyFolder folder;
    net::AdminOptions options;
    options.is_on = true;
    options.token_file = folder.write("token", "0123456789abcdef\nmore");
    EXPECT_EQ(std::get<0>(net::read_admin_token(options)), "0123456789abcdef");
}

/// A file that is named and holds none is not the same as no file: the one is a flaw, the other asks
/// nobody for a token.
TEST(AdminToken, IsNeverNothingWhereAFileIsNamed) {
    const KeyFolder folder;
    net::AdminOptions options;
    options.is_on = true;
    EXPECT_EQ(std::get<0>(net::read_admin_token(options)), std::nullopt);
    for (const std::string& path :
         {folder.path("missing"), folder.write("empty", ""), folder.write("short", "0123456789"),
          folder.write("second_line", "\n0123456789abcdef")}) {
        options.token_file = path;
        const auto token = net::read_admin_token(options);
        ASSERT_TRUE(std::holds_alternative<net::FileFlaw>(token)) << path;
        EXPECT_TRUE(std::get<net::FileFlaw>(token).reason.starts_with(path));
    }
}

TEST(AdminRequests, AreRefusedToWebPagesWhereNoTokenIsNeeded) {
    AdminRequest request{"POST", "/stop", "127.0.0.1:7779", true, "", ""};
    EXPECT_EQ(status_of(request), 403U);
    request.has_origin = false;
    EXPECT_EQ(status_of(request), 200U);
    request.host = "evil.example:7779";  // a name that resolves to 127.0.0.1
    EXPECT_EQ(status_of(request), 403U);
    for (const auto* const host : {"localhost:7779", "localhost", "[::1]:7779", "10.0.0.1"}) {
        request.host = host;
        EXPECT_EQ(status_of(request), 200U) << host;
    }
}

TEST(MetricsText, IsWhatPrometheusReads) {
    const std::string text = net::metrics_text(
        {{"entities", "Owned.", {{5, "a \"b\""}, {0, "c"}}}, {"frames_total", "Sent.", {{7, ""}}}});
    EXPECT_EQ(text,
              "# HELP marchland_entities Owned.\n# TYPE marchland_entities gauge\n"
              "marchland_entities{shard=\"a \\\"b\\\"\"} 5\nmarchland_entities{shard=\"c\"} 0\n"
              "# HELP marchland_frames_total Sent.\n# TYPE marchland_frames_total counter\n"
              "marchland_frames_total 7\n");
}

}  // namespace marchland::tests
