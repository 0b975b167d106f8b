#pragma once

#include "shards/entity_port.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

namespace marchland::net {

struct AskedFor;
class NoticeQueue;

/// What other threads send to one I/O thread: ports with a frame waiting, ports that have room for
/// a message again, ports whose entity is out of the zone, queues with notices of players for a
/// service, and players whom a service lets in or refuses.
///
/// Threads  post, post_frames: any. The rest: the I/O thread.
/// Bounds   A port is in `frames` at most once (it has at most one frame waiting), has Room at most
///          once (its session asks for no more before it was notified), and is Removed at most once
///          in its life; a queue is there at most once (it is posted again when it was read to its
///          end); a player once.
/// Cost     A wake (one write to an eventfd) for each post into an empty mailbox, not for each
///          port; no allocation once the lists have grown.
class Mailbox {
public:
    using Ports = std::vector<std::shared_ptr<shards::EntityPort>>;
    struct Room {
        std::shared_ptr<shards::EntityPort> port;  ///< that has it again, for a message
    };
    struct Removed {
        std::shared_ptr<shards::EntityPort> port;  ///< whose entity is out of the zone
    };
    using Other =
        std::variant<Room, Removed, std::shared_ptr<NoticeQueue>, std::shared_ptr<AskedFor>>;
    struct Mail {
        Ports frames;
        std::vector<Other> others;  ///< to be handled after the frames, in this order
        std::chrono::steady_clock::time_point since;  ///< when the first of it came

        [[nodiscard]] std::size_t items() const { return frames.size() + others.size(); }
        void clear() {
            frames.clear();
            others.clear();
        }
    };

    /// Throws boost::system::system_error when the system gives no eventfd.
    explicit Mailbox(boost::asio::io_context& io);

    void post_frames(std::span<const std::shared_ptr<shards::EntityPort>> ports);
    void post(Other other);

    /// Calls `on_mail` once, when there is some.
    void async_wait(std::function<void()> on_mail);
    /// Takes all there is into `mail`, whose memory the mailbox goes on with. What is still in it,
    /// since something was thrown while it was handled, is dropped.
    void take(Mail& mail);

    /// Takes no more mail and drops what there is; a pending wait ends without a call.
    void close();

private:
    template <typename Add>
    void change(Add&& add);
    void wake();

    boost::asio::posix::stream_descriptor wake_;
    const int wake_fd_;  ///< for the other threads: wake_ itself is the I/O thread's

    /// Guards what is below, while ports are copied in or the lists are swapped. The lists are the
    /// message; a post to the io_context instead would allocate for each.
    std::mutex mutex_;
    Mail mail_;
    bool is_closed_ = false;
};

}  // namespace marchland::net
