#include "net/admin/admin_request.h"

#include "net/admin/metrics_text.h"
#include "tests/net/token_maker.h"

#include <gtest/gtest.h>

namespace marchland::tests {

namespace {

using net::AdminAnswer;
using net::AdminRequest;

const std::string kToken = "0123456789abcdef";
const std::string kReadToken = "fedcba9876543210";
const std::string kSession = "marchland_1=abcdef";
constexpr net::AdminPage kPages[] = {{"/", "text/html", "map"}, {"/sign-in", "text/html", "who?"}};

AdminAnswer answer(const AdminRequest& request, const std::optional<std::string>& token = {}) {
    using Role = net::AdminRoute::Role;
    const auto say = [](const char* what) {
        return [what](const net::AdminCall&) { return AdminAnswer{200, "text/plain", what}; };
    };
    const net::AdminActions actions{
        {{"GET", "/healthz", Role::anybody, say("health")},
         {"GET", "/readyz", Role::anybody, say("ready")},
         {"GET", "/metrics", Role::reading, say("metrics")},
         {"GET", "/layout", Role::reading, say("layout")},
         {"POST", "/layout", Role::operating,
          [](const net::AdminCall& call) {
              return AdminAnswer{call.body == "good" ? 200U : 422U, "", std::string(call.who)};
          }},
         {"POST", "/stop", Role::operating, say("stop")},
         {"GET", "/entity/", Role::reading,
          [](const net::AdminCall& call) {
              return AdminAnswer{200, "", "entity " + std::string(call.rest)};
          }}},
        {kPages}};
    const net::AdminTokens tokens{token, token ? std::optional(kReadToken) : std::nullopt};
    return net::answer_admin(request, {tokens, kSession}, actions);
}

unsigned status_of(const AdminRequest& request, const std::optional<std::string>& token = {}) {
    return answer(request, token).status;
}

AdminRequest get(const std::string& target) {
    return {"GET", target, "127.0.0.1:7779", "", "", ""};
}

AdminRequest with_cookie(AdminRequest request, const std::string& cookie) {
    request.cookie = cookie;
    return request;
}

AdminRequest sign_in(const std::string& token, const std::string& origin) {
    return {"POST", "/sign-in", "127.0.0.1:7779", origin, "", token};
}

}  // namespace

TEST(AdminRequests, GoToTheirActions) {
    EXPECT_EQ(status_of(get("/metrics")), 200U);
    EXPECT_EQ(status_of(get("/layout?x=1")), 200U);
    EXPECT_EQ(answer(get("/entity/17")).body, "entity 17");
    EXPECT_EQ(answer(get("/")).body, "map");
    EXPECT_EQ(status_of(get("/map/stream")), net::kSwitchProtocols);
    EXPECT_EQ(answer(get("/nowhere")).body,
              "there are /, /play, /map/stream, GET /healthz, GET /readyz, GET /metrics, GET "
              "/layout, POST "
              "/layout, POST /stop, GET /entity/\n");
    EXPECT_EQ(status_of(get("/nowhere")), 404U);
    EXPECT_EQ(status_of(get("/stop")), 405U);
    EXPECT_EQ(status_of({"POST", "/metrics", "", "", "", ""}), 405U);
    EXPECT_EQ(status_of({"POST", "/stop", "", "", "", ""}), 200U);
    EXPECT_EQ(status_of({"POST", "/layout", "", "", "", "good"}), 200U);
    EXPECT_EQ(status_of({"POST", "/layout", "", "", "", "bad"}), 422U);
}

TEST(AdminRequests, NeedTheTokenWhereThereIsOne) {
    const std::string& token = kToken;
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

TEST(AdminRequests, TheReadingTokenIsForLookingOnly) {
    AdminRequest request = get("/layout");
    request.authorization = "Bearer " + kReadToken;
    EXPECT_EQ(status_of(request, kToken), 200U);
    request.method = "POST";
    request.body = "good";
    EXPECT_EQ(status_of(request, kToken), 403U);
    request.authorization = "Bearer " + kToken;
    request.from = "10.0.0.1";
    EXPECT_EQ(answer(request, kToken).body, "10.0.0.1 (operating token)");
    request.authorization = "";
    EXPECT_EQ(answer(request).body, "10.0.0.1 (no token)");
    EXPECT_EQ(status_of(sign_in(kReadToken, "http://127.0.0.1:7779"), kToken), 204U);
}

TEST(AdminRequests, WhetherTheServerLivesAndIsReadyIsNoSecret) {
    AdminRequest request = get("/healthz");
    request.host = "zone.example";
    EXPECT_EQ(answer(request, kToken).body, "health");
    request.target = "/readyz";
    EXPECT_EQ(answer(request, kToken).body, "ready");
}

TEST(AdminRequests, ABrowserSignsInWithTheTokenAndThenMayLookByItsCookie) {
    EXPECT_EQ(answer(get("/"), kToken).location, "/sign-in");
    EXPECT_EQ(answer(get("/sign-in"), kToken).body, "who?");
    const std::string origin = "http://127.0.0.1:7779";
    EXPECT_EQ(status_of(sign_in("0123456789abcdeF", origin), kToken), 401U);
    EXPECT_EQ(status_of(sign_in("", origin)), 401U);
    const AdminAnswer good = answer(sign_in(kToken, origin), kToken);
    EXPECT_EQ(good.status, 204U);
    EXPECT_EQ(good.cookie, kSession + "; Path=/; HttpOnly; SameSite=Strict");
    for (const std::string& cookie : {kSession, "a=b; " + kSession, kSession + "; c=d"}) {
        EXPECT_EQ(answer(with_cookie(get("/"), cookie), kToken).body, "map") << cookie;
        EXPECT_EQ(status_of(with_cookie(get("/map/stream"), cookie), kToken),
                  net::kSwitchProtocols);
    }
    for (const std::string& wrong : {std::string("; "), kSession + "0", "x" + kSession}) {
        EXPECT_EQ(status_of(with_cookie(get("/map/stream"), wrong), kToken), 401U) << wrong;
    }
}

TEST(AdminRequests, ACookieChangesNothing) {
    const AdminRequest stop{"POST", "/stop", "127.0.0.1:7779", "", "", ""};
    EXPECT_EQ(status_of(with_cookie(stop, kSession), kToken), 401U);
    AdminRequest layout{"POST", "/layout", "127.0.0.1:7779", "", "Bearer " + kToken, "good"};
    EXPECT_EQ(status_of(layout, kToken), 200U);
}

/// A browser sends the cookie of 127.0.0.1 to each of its ports, and with what a page at another
/// port asks for.
TEST(AdminRequests, OfAnotherOriginAreRefusedWhateverTheirCookie) {
    AdminRequest request = with_cookie(get("/map/stream"), kSession);
    for (const auto* const origin : {"http://127.0.0.1:8000", "http://evil.example", "null"}) {
        request.origin = origin;
        EXPECT_EQ(status_of(request, kToken), 403U) << origin;
        EXPECT_EQ(status_of(request), 403U) << origin;
        EXPECT_EQ(status_of(sign_in(kToken, origin), kToken), 403U) << origin;
    }
    EXPECT_EQ(status_of(sign_in(kToken, ""), kToken), 403U);
    for (const auto* const origin : {"http://127.0.0.1:7779", "https://127.0.0.1:7779"}) {
        request.origin = origin;
        EXPECT_EQ(status_of(request, kToken), net::kSwitchProtocols) << origin;
    }
}

TEST(AdminToken, IsTheFirstLineOfItsFile) {
    const KeyFolder folder;
    net::AdminOptions options;
    options.is_on = true;
    options.token_file = folder.write("token", "0123456789abcdef\nmore");
    EXPECT_EQ(std::get<0>(net::read_admin_tokens(options)).operating, "0123456789abcdef");
}

TEST(AdminToken, ToLookAndToOperateAreTwo) {
    const KeyFolder folder;
    net::AdminOptions options;
    options.is_on = true;
    options.token_file = folder.write("token", "0123456789abcdef\n");
    options.read_token_file = folder.write("read", kReadToken);
    EXPECT_EQ(std::get<0>(net::read_admin_tokens(options)).reading, kReadToken);
    options.read_token_file = options.token_file;
    EXPECT_TRUE(std::holds_alternative<net::FileFlaw>(net::read_admin_tokens(options)));
}

/// A file that is named and holds none is not the same as no file: the one is a flaw, the other
/// asks nobody for a token.
TEST(AdminToken, IsNeverNothingWhereAFileIsNamed) {
    const KeyFolder folder;
    net::AdminOptions options;
    options.is_on = true;
    EXPECT_EQ(std::get<0>(net::read_admin_tokens(options)).operating, std::nullopt);
    for (const std::string& path :
         {folder.path("missing"), folder.write("empty", ""), folder.write("short", "0123456789"),
          folder.write("second_line", "\n0123456789abcdef")}) {
        options.token_file = path;
        const auto token = net::read_admin_tokens(options);
        ASSERT_TRUE(std::holds_alternative<net::FileFlaw>(token)) << path;
        EXPECT_TRUE(std::get<net::FileFlaw>(token).reason.starts_with(path));
    }
}

TEST(AdminRequests, AreRefusedToWebPagesWhereNoTokenIsNeeded) {
    AdminRequest request{"POST", "/stop", "127.0.0.1:7779", "http://a.example", "", ""};
    EXPECT_EQ(status_of(request), 403U);
    request.origin = "";
    EXPECT_EQ(status_of(request), 200U);
    request.host = "evil.example:7779";  // a name that resolves to 127.0.0.1
    EXPECT_EQ(status_of(request), 403U);
    for (const auto* const host : {"localhost:7779", "localhost", "[::1]:7779", "10.0.0.1"}) {
        request.host = host;
        EXPECT_EQ(status_of(request), 200U) << host;
    }
}

/// An image of any page is fetched without an Origin, from this machine too.
TEST(AdminRequests, AreRefusedToOtherPagesThatShowNoOrigin) {
    for (const auto* const site : {"cross-site", "same-site", "nonsense"}) {
        AdminRequest request = get("/metrics");
        request.fetch_site = site;
        EXPECT_EQ(status_of(request), 403U) << site;
        EXPECT_EQ(status_of(with_cookie(request, kSession), kToken), 403U) << site;
        request.authorization = "Bearer " + kToken;
        EXPECT_EQ(status_of(request, kToken), 200U) << "a token is what no page has";
        request = get("/");
        request.fetch_site = site;
        EXPECT_EQ(status_of(request), 200U) << "a link to the map";
    }
    for (const auto* const site : {"same-origin", "none"}) {
        AdminRequest request = get("/metrics");
        request.fetch_site = site;
        EXPECT_EQ(status_of(request), 200U) << site;
    }
}

TEST(MetricsText, IsWhatPrometheusReads) {
    net::Metrics metrics;
    auto& entities = net::add_metric(metrics, "entities", "Owned.");
    net::add_sample(entities, 5, {{"shard", "a \"b\""}});
    net::add_sample(entities, 0, {{"shard", "c"}});
    net::add_sample(net::add_metric(metrics, "frames_total", "Sent."), 7);
    net::add_histogram(net::add_metric(metrics, "wait_seconds", "Waits."), {{2, 4}, {1, 2, 3}, 20},
                       0.5);
    EXPECT_EQ(net::metrics_text(metrics),
              "# HELP marchland_entities Owned.\n# TYPE marchland_entities gauge\n"
              "marchland_entities{shard=\"a \\\"b\\\"\"} 5\nmarchland_entities{shard=\"c\"} 0\n"
              "# HELP marchland_frames_total Sent.\n# TYPE marchland_frames_total counter\n"
              "marchland_frames_total 7\n"
              "# HELP marchland_wait_seconds Waits.\n# TYPE marchland_wait_seconds histogram\n"
              "marchland_wait_seconds_count 6\nmarchland_wait_seconds_sum 10\n"
              "marchland_wait_seconds_bucket{le=\"1\"} 1\n"
              "marchland_wait_seconds_bucket{le=\"2\"} 3\n"
              "marchland_wait_seconds_bucket{le=\"+Inf\"} 6\n");
}

}  // namespace marchland::tests
