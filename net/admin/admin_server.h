#pragma once

#include "net/secret_file.h"
#include "net/server_options.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>

namespace marchland::net {

struct AdminAnswer {
    unsigned status = 200;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body = {};
    std::string location = {};  ///< with 303
    std::string cookie = {};    ///< for Set-Cookie
};

/// A file of the pages that the port serves. All of it outlives the server.
struct AdminPage {
    std::string_view path;
    std::string_view content_type;
    std::string_view body;
};

/// The live map: its pages, and what they show.
struct LiveMap {
    std::span<const AdminPage> pages = {};  ///< "/" and "/sign-in" among them
    /// The newest message for all that look (docs/operating.md); empty: none yet. Asked every `interval`
    /// while somebody looks.
    std::function<std::string()> next = {};
    std::chrono::milliseconds interval{200};
};

/// What an operator may ask for. Called on the admin port's thread, one at a time.
struct AdminActions {
    std::function<AdminAnswer()> metrics;                         ///< GET /metrics
    std::function<AdminAnswer()> health;                          ///< GET /health
    std::function<AdminAnswer()> status;                          ///< GET /status
    std::function<AdminAnswer()> positions;                       ///< GET /positions
    std::function<AdminAnswer(const std::string& text)> layout;   ///< POST /layout, a layout file
    std::function<AdminAnswer()> stop;                            ///< POST /stop
    std::function<AdminAnswer()> ready = {};                      ///< GET /readyz
    std::function<AdminAnswer(std::string_view id)> entity = {};  ///< GET /entity/ID
    LiveMap map = {};
};

/// A port for operators and their tools: plain HTTP/1.1, one request a connection; and the live map.
///
/// Who may ask: whoever shows the token of admin.token_file, as "Authorization: Bearer ..."; a browser that
/// signed in with it may look, by a cookie, and change nothing. Without a token file, whoever can connect, which
/// the configuration limits to this machine. Web pages from elsewhere never: requests whose Origin is not where
/// they go to, or without a token for another host's name, are refused.
///
/// Threads  One of its own. Slow and silent connections hold it up for no longer than kTimeout.
/// Bounds   kConnectionsMax at once: one more closes the one that has been silent longest, of the address that
///          has most of them. A header of 8 KiB, a body of 256 KiB. Apart from these admin.viewers_max that look at
///          the map: one more gets 503. See Viewers.
class AdminServer {
public:
    static constexpr std::size_t kConnectionsMax = 16;

    /// `token`: what must be shown, never empty; nothing: nobody is asked for one.
    AdminServer(const AdminOptions& options, std::optional<std::string> token,
                AdminActions actions);
    ~AdminServer();

    /// Binds and starts its thread. An error value when the address cannot be had.
    std::error_code start();
    /// Joins the thread. Requests that are under way get no answer.
    void stop();
    [[nodiscard]] std::uint16_t port() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// The token in a file: its first line; nothing where the options name no file. Or why a file that is
/// named holds none, with its path.
std::variant<std::optional<std::string>, FileFlaw> read_admin_token(const AdminOptions& options);

}  // namespace marchland::net
