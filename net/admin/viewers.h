#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace marchland::net {

/// Those who look at the live map, over WebSocket: binary messages, each a whole picture.
///
///   every interval, while anybody looks: next() ──► one message ──► who has taken the one before
///
/// Threads  The admin port's.
/// Bounds   viewers_max; a viewer has one message under way, and none waits for it: when it has
///          taken that one it gets the newest. One that takes none for kTakeMax is closed; one
///          whose close was answered, after kCloseMax.
/// Cost     next() once an interval, however many look; nothing while nobody does.
class Viewers {
public:
    static constexpr std::chrono::seconds kTakeMax{10};
    static constexpr std::chrono::seconds kCloseMax{1};

    /// `next`: the newest message; empty: there is none yet.
    Viewers(boost::asio::io_context& io, std::size_t viewers_max,
            std::chrono::milliseconds interval, std::function<std::string()> next);
    ~Viewers();

    [[nodiscard]] bool is_full();
    using Request = boost::beast::http::request<boost::beast::http::string_body>;
    /// `request` asks for a WebSocket. Not while is_full().
    void adopt(boost::asio::ip::tcp::socket socket, const Request& request);

private:
    class Viewer;
    struct Message {
        std::uint64_t number = 0;
        std::string text;
    };

    void look();

    const std::size_t viewers_max_;
    const std::chrono::milliseconds interval_;
    const std::function<std::string()> next_;
    /// What each of them waits for holds it. The list may hold some that are gone.
    std::vector<std::weak_ptr<Viewer>> viewers_;
    bool is_looking_ = false;
    std::shared_ptr<const Message> newest_;  ///< null: nobody has looked
    std::uint64_t messages_ = 0;
    boost::asio::steady_timer timer_;
};

}  // namespace marchland::net
