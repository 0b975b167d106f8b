#pragma once

#include "net/admin/viewers.h"
#include "net/regular_file.h"
#include "net/server_options.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::net {

struct AdminAnswer {
    unsigned status = 200;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body = {};
    std::string location = {};             ///< with 303
    std::string cookie = {};               ///< for Set-Cookie
    std::shared_ptr<std::FILE> file = {};  ///< all of it, instead of `body`
    std::vector<std::pair<std::string, std::string>> headers = {};  ///< others, with a file
    /// Not empty: whoever answers waits for others, and the port's thread does not. It is called
    /// now and then until it has put down an answer: true.
    std::function<bool(AdminAnswer&)> later = {};
};

inline AdminAnswer text_answer(unsigned status, const std::string& line) {
    return {.status = status, .body = line + '\n'};
}

/// A file of the pages that the port serves. All of it outlives the server.
struct AdminPage {
    std::string_view path;
    std::string_view content_type;
    std::string_view body;
};

/// The live map: its pages, and what they show.
struct LiveMap {
    std::span<const AdminPage> pages = {};  ///< "/" and "/sign-in" among them
    /// The newest message for all that look (docs/operating.md); empty: none yet. Asked every
    /// `interval` while somebody looks.
    std::function<std::string()> next = {};
    std::chrono::milliseconds interval{200};
};

/// A request that may be answered.
struct AdminCall {
    std::string_view rest;  ///< of the path, where the route's ends in a slash
    std::string_view body;
    std::string_view who;  ///< for the audit line: from where, and with which token
};

/// One thing that may be asked for.
struct AdminRoute {
    /// Who: anybody; whoever may look; whoever may change something.
    enum class Role : std::uint8_t { anybody, reading, operating };

    std::string_view method;  ///< GET or POST
    std::string_view path;    ///< one that ends in a slash is the beginning of others
    Role role = Role::reading;
    std::function<AdminAnswer(const AdminCall&)> answer;
};

/// What may be asked for. Called on the admin port's thread, one at a time. The map's own paths are
/// no routes.
struct AdminActions {
    std::vector<AdminRoute> routes = {};
    LiveMap map = {};
};

/// What must be shown; nothing: nobody is asked for it.
struct AdminTokens {
    std::optional<std::string> operating = {};
    std::optional<std::string> reading = {};  ///< only beside the other one
};

/// Who may ask.
struct AdminKeys {
    AdminTokens tokens = {};
    /// "name=value" of the cookie of whoever signed in: random, and another in each run of the
    /// server.
    std::string session = {};
};

class AdminExchange;
/// Those that are there, the oldest first.
using AdminExchanges = std::list<AdminExchange*>;

/// A port for operators and their tools: plain HTTP/1.1, one request a connection; and the live
/// map.
///
/// Who may ask: whoever shows the token of admin.token_file, as "Authorization: Bearer ..."; with
/// that of admin.read_token_file one may look and change nothing, and so may a browser that signed
/// in with either, by a cookie. Without a token file, whoever can connect, which the configuration
/// limits to this machine. Web pages from elsewhere never: requests whose Origin is not where they
/// go to, or without a token for another host's name, are refused; and all but pages where
/// Sec-Fetch-Site says so.
///
/// Threads  One of its own. Slow and silent connections hold it up for no longer than kTimeout.
/// Bounds   kConnectionsMax at once: one more closes the one that has been silent longest, of the
///          address that has most of them. A header of 8 KiB, a body of 256 KiB. Apart from these
///          admin.viewers_max that look at the map: one more gets 503. See Viewers.
class AdminServer {
public:
    static constexpr std::size_t kConnectionsMax = 16;

    /// No token is empty.
    AdminServer(const AdminOptions& options, AdminTokens tokens, AdminActions actions);
    ~AdminServer();

    /// Binds and starts its thread. An error value when the address cannot be had.
    std::error_code start();
    /// Joins the thread. Requests that are under way get no answer.
    void stop();
    [[nodiscard]] std::uint16_t port() const { return port_; }

private:
    void run();
    void accept();
    void adopt(boost::asio::ip::tcp::socket socket, const boost::asio::ip::address& from);

    const AdminOptions options_;
    const AdminKeys keys_;
    const AdminActions actions_;
    AdminExchanges exchanges_;  ///< outlives io_, whose pending operations hold exchanges
    boost::asio::io_context io_{1};
    Viewers viewers_{io_, options_.viewers_max, actions_.map.interval, actions_.map.next};
    boost::asio::ip::tcp::acceptor acceptor_{io_};
    bool is_accepting_ = false;  ///< or about to, after a pause
    boost::asio::steady_timer pause_{io_};
    std::uint16_t port_ = 0;
    std::thread thread_;
};

/// The tokens in the options' files: their first lines. Or why a file that is named holds none,
/// with its path.
std::variant<AdminTokens, FileFlaw> read_admin_tokens(const AdminOptions& options);

}  // namespace marchland::net
