#include "net/admin/viewers.h"

#include "engine/assert.h"
#include "net/transport/web_socket_frames.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <span>
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
/// Pongs that wait.
constexpr std::size_t kAnswersBytesMax = 4 * 1024;

using NotSentLowAt = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;

}  // namespace

class Viewers::Viewer : public std::enable_shared_from_this<Viewer> {
public:
    Viewer(tcp::socket socket, const Viewers& viewers)
        : socket_(std::move(socket)), viewers_(viewers) {
        error_code ignored;
        socket_.set_option(asio::socket_base::send_buffer_size(kSendBufferBytes), ignored);
        socket_.set_option(NotSentLowAt(kNotSentBytes), ignored);
    }

    void start(const std::string& handshake) {
        const auto bytes = std::as_bytes(std::span(handshake));
        write(std::make_shared<const Message>(Message{0, {bytes.begin(), bytes.end()}}));
        read();
    }
    /// Sends the newest message, unless one is under way or it has that.
    void offer() {
        if (is_writing_) {
            return;
        }
        if (!answers_.empty()) {
            write(std::make_shared<const Message>(Message{sent_, std::exchange(answers_, {})}));
        } else if (viewers_.newest_ != nullptr && viewers_.newest_->number != sent_) {
            write(viewers_.newest_);
        } else if (is_closing_) {
            close();
        }
    }
    [[nodiscard]] bool is_stuck(Clock::time_point now) const {
        return is_writing_ && now - began_writing_ > kTakeMax;
    }
    void close() {
        error_code ignored;
        socket_.close(ignored);
    }

private:
    void write(std::shared_ptr<const Message> message) {
        is_writing_ = true;
        began_writing_ = Clock::now();
        sent_ = message->number;
        const auto buffer = asio::buffer(message->bytes);
        asio::async_write(socket_, buffer,
                          [self = shared_from_this(), message = std::move(message)](
                              const error_code& error, std::size_t) {
                              self->is_writing_ = false;
                              if (error) {
                                  self->close();
                              } else {
                                  self->offer();
                              }
                          });
    }

    /// A viewer has nothing to send: what comes are pongs, pings and its close.
    void read() {
        socket_.async_read_some(
            asio::buffer(read_),
            [self = shared_from_this()](const error_code& error, std::size_t size) {
                if (error) {
                    self->close();
                    return;
                }
                std::vector<std::byte> said;
                const auto result =
                    self->frames_.take(std::span(self->read_).first(size), said, self->answers_);
                if (!said.empty() || self->answers_.size() > kAnswersBytesMax) {
                    self->close();
                } else if (result == WebSocketFrames::Result::more) {
                    self->offer();
                    self->read();
                } else {
                    self->is_closing_ = true;
                    self->offer();
                }
            });
    }

    tcp::socket socket_;
    const Viewers& viewers_;
    std::uint64_t sent_ = 0;  ///< the number of its newest message
    bool is_writing_ = false;
    bool is_closing_ = false;  ///< once it has what is to be sent
    Clock::time_point began_writing_;
    WebSocketFrames frames_;
    std::array<std::byte, 1024> read_{};
    std::vector<std::byte> answers_;
};

Viewers::Viewers(asio::io_context& io, std::size_t viewers_max, std::chrono::milliseconds interval,
                 std::function<std::string()> next)
    : viewers_max_(viewers_max), interval_(interval), next_(std::move(next)), timer_(io) {}

Viewers::~Viewers() = default;

bool Viewers::is_full() {
    std::erase_if(viewers_, [](const auto& viewer) { return viewer.expired(); });
    return viewers_.size() >= viewers_max_;
}

void Viewers::adopt(tcp::socket socket, const std::string& handshake) {
    MARCHLAND_ASSERT(!is_full());
    const auto viewer = std::make_shared<Viewer>(std::move(socket), *this);
    viewers_.push_back(viewer);
    viewer->start(handshake);
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
    const std::string text = next_();
    if (!text.empty()) {
        Message message{++messages_, {}};
        append_binary(std::as_bytes(std::span(text)), message.bytes);
        newest_ = std::make_shared<const Message>(std::move(message));
    }
    const auto now = Clock::now();
    for (const auto& weak : viewers_) {
        if (const auto viewer = weak.lock()) {
            if (viewer->is_stuck(now)) {
                viewer->close();
            } else {
                viewer->offer();
            }
        }
    }
}

}  // namespace marchland::net
