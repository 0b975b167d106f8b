#include "net/admin/admin_server.h"

#include "engine/assert.h"
#include "shards/pin_thread.h"
#include "net/admin/admin_request.h"
#include "net/transport/socket_io.h"

#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/file_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <openssl/rand.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <unistd.h>
#include <utility>

namespace marchland::net {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr auto kTimeout = std::chrono::seconds(5);
constexpr auto kPauseAfterFailure = std::chrono::milliseconds(100);
constexpr auto kLookAgain = std::chrono::milliseconds(10);
constexpr int kBacklog = 128;
constexpr std::size_t kHeaderBytesMax = std::size_t{8} * 1024;
constexpr std::size_t kBodyBytesMax = std::size_t{256} * 1024;
constexpr std::size_t kTokenBytesMin = 16;
/// Only what the port itself serves, and in no frame of another page.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' "
    "ws: wss:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// "marchland_1f2e…=3d4c…": a name of its own for each run, for a browser keeps cookies of a host's
/// ports together.
std::string random_session() {
    std::array<unsigned char, 36> random{};
    if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
        return "";  // then nobody signs in
    }
    std::string session = "marchland_";
    for (std::size_t i = 0; i < random.size(); ++i) {
        session += fmt::format("{}{:02x}", i == 4 ? "=" : "", random[i]);
    }
    return session;
}

}  // namespace

/// One request and its answer. Its pending operation holds it.
class AdminExchange : public std::enable_shared_from_this<AdminExchange> {
public:
    AdminExchange(tcp::socket socket, const asio::ip::address& from, const AdminKeys& keys,
                  const AdminActions& actions, Viewers& viewers, AdminExchanges& others)
        : stream_(std::move(socket)),
          from_(from),
          keys_(keys),
          actions_(actions),
          viewers_(viewers),
          others_(others),
          place_(others.insert(others.end(), this)) {
        parser_.header_limit(kHeaderBytesMax);
        parser_.body_limit(kBodyBytesMax);
    }
    ~AdminExchange() { leave(); }

    [[nodiscard]] const asio::ip::address& from() const { return from_; }
    /// Has it shown a whole request, that may be answered?
    [[nodiscard]] bool has_asked() const { return has_asked_; }
    /// Others need its place.
    void give_up() {
        leave();
        stream_.close();
    }

    void start() {
        stream_.expires_after(kTimeout);
        http::async_read(stream_, buffer_, parser_,
                         [self = shared_from_this()](const error_code& error, std::size_t) {
                             self->answer(error);
                         });
    }

private:
    void leave() {
        if (!std::exchange(has_left_, true)) {
            others_.erase(place_);
        }
    }

    void answer(const error_code& error) {
        if (error == http::error::body_limit || error == http::error::header_limit) {
            write(text_answer(413, "too large"));
        } else if (error &&
                   error.category() != make_error_code(http::error::bad_method).category()) {
            return;  // gone, or too slow
        } else if (error) {
            write(text_answer(400, "not HTTP/1.1"));
        } else {
            has_asked_ = true;
            const auto& request = parser_.get();
            AdminAnswer answer = answer_admin(
                {std::string(request.method_string()), std::string(request.target()),
                 std::string(request[http::field::host]), std::string(request[http::field::origin]),
                 std::string(request[http::field::authorization]), request.body(),
                 std::string(request[http::field::cookie]), from_.to_string(),
                 std::string(request["Sec-Fetch-Site"])},
                keys_, actions_);
            if (answer.status == kSwitchProtocols) {
                open_map();
            } else {
                write(std::move(answer));
            }
        }
    }

    /// RFC 6455, 4.2.
    void open_map() {
        const auto& request = parser_.get();
        if (viewers_.is_full()) {
            write(text_answer(503, "as many look at the map as may: admin.viewers_max"));
        } else if (!boost::beast::websocket::is_upgrade(request) ||
                   request[http::field::sec_websocket_key].empty() ||
                   request[http::field::sec_websocket_version] != "13" || buffer_.size() != 0) {
            write(text_answer(426, "for a WebSocket, version 13"));
        } else {
            leave();
            stream_.expires_never();
            viewers_.adopt(stream_.release_socket(), request);
        }
    }

    void write(AdminAnswer answer) {
        if (answer.later) {
            look_again(std::move(answer.later));
            return;
        }
        if (answer.file != nullptr) {
            write_file(answer);
            return;
        }
        response_.result(answer.status);
        response_.set(http::field::content_type, answer.content_type);
        response_.set(http::field::cache_control, "no-store");
        response_.set("Content-Security-Policy", kContentPolicy);
        response_.set("X-Content-Type-Options", "nosniff");
        if (!answer.location.empty()) {
            response_.set(http::field::location, answer.location);
        }
        if (!answer.cookie.empty()) {
            response_.set(http::field::set_cookie, answer.cookie);
        }
        if (answer.status == 426) {
            response_.set(http::field::upgrade, "websocket");
        }
        response_.keep_alive(false);
        response_.body() = std::move(answer.body);
        response_.prepare_payload();
        stream_.expires_after(kTimeout);
        http::async_write(
            stream_, response_,
            [self = shared_from_this()](const error_code&, std::size_t) { self->end_answer(); });
    }

    /// Whoever answers gives up by itself, sooner or later.
    void look_again(std::function<bool(AdminAnswer&)> later) {
        pause_.expires_after(kLookAgain);
        pause_.async_wait(
            [self = shared_from_this(), later = std::move(later)](const error_code&) mutable {
                AdminAnswer answer;
                if (self->has_left_) {
                    return;
                }
                if (later(answer)) {
                    self->write(std::move(answer));
                } else {
                    self->look_again(std::move(later));
                }
            });
    }

    void write_file(const AdminAnswer& answer) {
        http::file_body::value_type body;
        boost::beast::file opened;
        opened.native_handle(::dup(::fileno(answer.file.get())));
        error_code error;
        body.reset(std::move(opened), error);
        if (error) {
            write(text_answer(500, error.message()));
            return;
        }
        file_.emplace(http::status::ok, 11, std::move(body));
        file_->set(http::field::content_type, answer.content_type);
        for (const auto& [name, value] : answer.headers) {
            file_->set(name, value);
        }
        file_->set(http::field::cache_control, "no-store");
        file_->keep_alive(false);
        file_->prepare_payload();
        file_writer_.emplace(*file_);
        write_more();
    }
    /// The time limit is each piece's: a long file takes as long as it takes.
    void write_more() {
        stream_.expires_after(kTimeout);
        http::async_write_some(stream_, *file_writer_,
                               [self = shared_from_this()](const error_code& error, std::size_t) {
                                   if (!error && !self->file_writer_->is_done()) {
                                       self->write_more();
                                   } else if (!error) {
                                       self->end_answer();
                                   }
                               });
    }

    void end_answer() {
        error_code ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        discard();
    }
    /// Until its end closes, too, or the time is over: were the socket closed with bytes unread,
    /// the kernel would reset it, and the answer might never be seen.
    void discard() {
        stream_.async_read_some(asio::buffer(discarded_),
                                [self = shared_from_this()](const error_code& error, std::size_t) {
                                    if (!error) {
                                        self->discard();
                                    }
                                });
    }

    boost::beast::tcp_stream stream_;
    asio::steady_timer pause_{stream_.get_executor()};
    const asio::ip::address from_;
    bool has_asked_ = false;
    bool has_left_ = false;
    boost::beast::flat_buffer buffer_{kHeaderBytesMax + kBodyBytesMax};
    http::request_parser<http::string_body> parser_;
    http::response<http::string_body> response_;
    std::optional<http::response<http::file_body>> file_;
    std::optional<http::response_serializer<http::file_body>> file_writer_;
    std::array<std::byte, 4096> discarded_;
    const AdminKeys& keys_;
    const AdminActions& actions_;
    Viewers& viewers_;
    AdminExchanges& others_;
    const AdminExchanges::iterator place_;
};

namespace {

/// Who goes when all places are taken: of the address that has most of them the one that has been
/// silent longest, or, where all have asked, the oldest.
AdminExchange& first_to_go(const AdminExchanges& exchanges) {
    MARCHLAND_ASSERT(!exchanges.empty());
    std::map<asio::ip::address, std::size_t> held;
    for (const AdminExchange* const it : exchanges) {
        ++held[it->from()];
    }
    const auto rank = [&](const AdminExchange* it) {
        return std::pair(held.at(it->from()), !it->has_asked());
    };
    return **std::ranges::max_element(exchanges, {}, rank);  // the first of equals: the oldest
}

}  // namespace

AdminServer::AdminServer(const AdminOptions& options, AdminTokens tokens, AdminActions actions)
    : options_(options), keys_{std::move(tokens), random_session()}, actions_(std::move(actions)) {
    const auto is_empty = [](const auto& token) { return token && token->empty(); };
    MARCHLAND_ASSERT(!is_empty(keys_.tokens.operating) && !is_empty(keys_.tokens.reading));
    MARCHLAND_ASSERT(keys_.tokens.operating || !keys_.tokens.reading);
}

AdminServer::~AdminServer() {
    stop();
}

std::error_code AdminServer::start() {
    error_code error = bind_to(acceptor_, options_.address, options_.port);
    if (!error) {
        acceptor_.listen(kBacklog, error);
    }
    if (error) {
        return error;
    }
    port_ = acceptor_.local_endpoint(error).port();
    accept();
    thread_ = std::thread([this] {
        shards::name_this_thread("admin");
        run();
    });
    return {};
}

void AdminServer::stop() {
    if (thread_.joinable()) {
        io_.stop();
        thread_.join();
    }
}

/// What is thrown ends the exchange that it was thrown for.
void AdminServer::run() {
    for (bool has_failed = false;;) {
        try {
            if (std::exchange(has_failed, false) && !is_accepting_) {
                accept();
            }
            io_.run();
            return;
        } catch (const std::exception& failure) {
            has_failed = true;
            spdlog::error("an exchange of the admin port ends: {}", failure.what());
        }
    }
}

void AdminServer::accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
        is_accepting_ = false;
        if (error) {  // out of descriptors: others go first
            is_accepting_ = true;
            pause_.expires_after(kPauseAfterFailure);
            pause_.async_wait([this](const error_code&) { accept(); });
            return;
        }
        error_code gone;
        const tcp::endpoint from = socket.remote_endpoint(gone);
        if (!gone) {
            adopt(std::move(socket), from.address());
        }
        accept();
    });
    is_accepting_ = true;
}

void AdminServer::adopt(tcp::socket socket, const asio::ip::address& from) {
    if (exchanges_.size() >= kConnectionsMax) {
        first_to_go(exchanges_).give_up();
    }
    std::make_shared<AdminExchange>(std::move(socket), from, keys_, actions_, viewers_, exchanges_)
        ->start();
}

namespace {

std::variant<std::string, FileFlaw> read_token(const std::string& file, bool others_can_connect) {
    const auto bytes = read_private_file(file, others_can_connect);
    if (const auto* const flaw = std::get_if<FileFlaw>(&bytes)) {
        return FileFlaw{file + ": " + flaw->reason};
    }
    const auto& text = std::get<std::string>(bytes);
    std::string token = text.substr(0, text.find_first_of("\r\n"));
    if (token.size() < kTokenBytesMin) {
        return FileFlaw{file + ": its first line is shorter than 16 bytes"};
    }
    return token;
}

}  // namespace

std::variant<AdminTokens, FileFlaw> read_admin_tokens(const AdminOptions& options) {
    AdminTokens tokens;
    if (!options.is_on || options.token_file.empty()) {
        return tokens;
    }
    const bool others_can_connect = !is_loopback(options.address);
    for (const auto& [file, token] : {std::pair(&options.token_file, &tokens.operating),
                                      std::pair(&options.read_token_file, &tokens.reading)}) {
        if (file->empty()) {
            continue;
        }
        auto read = read_token(*file, others_can_connect);
        if (auto* const flaw = std::get_if<FileFlaw>(&read)) {
            return std::move(*flaw);
        }
        *token = std::get<std::string>(std::move(read));
    }
    if (tokens.operating == tokens.reading) {
        return FileFlaw{options.read_token_file + ": is the token of admin.token_file, too"};
    }
    return tokens;
}

}  // namespace marchland::net
