#include "net/admin/viewers.h"

#include "engine/assert.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <optional>
#include <utility>
#include <netinet/tcp.h>

namespace marchland::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

namespace {

/// Small: what the kernel holds unsent is old when it comes.
constexpr int kSendBufferBytes = 64 * 1024;
constexpr int kNotSentBytes = 16 * 1024;

using NotSentLowAt = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;

}  // namespace

class Viewers::Viewer : public std::enable_shared_from_this<Viewer> {
public:
    Viewer(tcp::socket socket, const Viewers& viewers)
        : stream_(std::move(socket)), viewers_(viewers) {
        error_code ignored;
        stream_.next_layer().set_option(asio::socket_base::send_buffer_size(kSendBufferBytes),
                                        ignored);
        stream_.next_layer().set_option(NotSentLowAt(kNotSentBytes), ignored);
        stream_.binary(true);
        stream_.auto_fragment(false);  // one write for each message
    }

    void start(const Request& request) {
        begin_write();
        stream_.async_accept(request, [self = shared_from_this()](const error_code& error) {
            if (!error) {
                self->is_accepted_ = true;
                self->read();
            }
            self->end_write(error);
        });
    }
    /// Sends the newest message, unless one is under way, or it has that, or closes.
    void offer() {
        const auto message = viewers_.newest_;
        if (is_writing_ || !stream_.is_open() || message == nullptr || message->number == sent_) {
            return;
        }
        begin_write();
        sent_ = message->number;
        stream_.async_write(asio::buffer(message->text),
                            [self = shared_from_this(), message](
                                const error_code& error, std::size_t) { self->end_write(error); });
    }
    /// Does it not take what is under way? Or was a close answered, and its end of the connection
    /// does not come? Keeps in mind when that was seen first. What was offered just before the
    /// answer is under way until then.
    [[nodiscard]] bool is_over(Clock::time_point now) {
        if (is_accepted_ && !stream_.is_open()) {
            seen_closing_ = seen_closing_.value_or(now);
            return now - *seen_closing_ > kCloseMax;
        }
        return is_writing_ && now - began_writing_ > kTakeMax;
    }
    void close() {
        error_code ignored;
        stream_.next_layer().close(ignored);
    }

private:
    void begin_write() {
        is_writing_ = true;
        began_writing_ = Clock::now();
    }
    void end_write(const error_code& error) {
        is_writing_ = false;
        if (error) {
            close();
        } else {
            offer();
        }
    }

    /// A viewer has nothing to send: pings and its close are answered meanwhile, and all else ends
    /// it.
    void read() {
        stream_.async_read_some(
            asio::buffer(&read_, 1),
            [self = shared_from_this()](const error_code&, std::size_t) { self->close(); });
    }

    boost::beast::websocket::stream<tcp::socket, false> stream_;  // nothing is compressed
    const Viewers& viewers_;
    std::uint64_t sent_ = 0;  ///< the number of its newest message
    bool is_accepted_ = false;
    bool is_writing_ = false;
    Clock::time_point began_writing_;
    std::optional<Clock::time_point> seen_closing_;
    std::byte read_{};
};

Viewers::Viewers(asio::io_context& io, std::size_t viewers_max, std::chrono::milliseconds interval,
                 std::function<std::string()> next)
    : viewers_max_(viewers_max), interval_(interval), next_(std::move(next)), timer_(io) {}

Viewers::~Viewers() = default;

bool Viewers::is_full() {
    std::erase_if(viewers_, [](const auto& viewer) { return viewer.expired(); });
    return viewers_.size() >= viewers_max_;
}

void Viewers::adopt(tcp::socket socket, const Request& request) {
    MARCHLAND_ASSERT(!is_full());
    const auto viewer = std::make_shared<Viewer>(std::move(socket), *this);
    viewers_.push_back(viewer);
    viewer->start(request);
    if (!std::exchange(is_looking_, true)) {
        newest_ = nullptr;
        timer_.expires_after(std::chrono::milliseconds(0));
        timer_.async_wait([this](const error_code&) { look(); });
    }
}

void Viewers::look() {
    std::erase_if(viewers_, [](const auto& viewer) { return viewer.expired(); });
    if (viewers_.empty()) {
        is_looking_ = false;
        return;
    }
    // First: whatever is thrown below ends one look.
    timer_.expires_after(interval_);
    timer_.async_wait([this](const error_code&) { look(); });
    std::string text = next_();
    if (!text.empty()) {
        newest_ = std::make_shared<const Message>(Message{++messages_, std::move(text)});
    }
    const auto now = Clock::now();
    for (const auto& weak : viewers_) {
        if (const auto viewer = weak.lock()) {
            if (viewer->is_over(now)) {
                viewer->close();
            } else {
                viewer->offer();
            }
        }
    }
}

}  // namespace marchland::net
