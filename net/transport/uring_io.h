#pragma once

#include "net/transport/socket_io.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <liburing.h>
#include <memory>
#include <vector>
#include <sys/socket.h>
#include <sys/uio.h>

namespace marchland::net {

class UringSocket;

/// SocketIo over an io_uring of its own.
///
/// In   Each socket has one receive, which goes on until it is stopped (multishot). The kernel puts
///      what comes into the buffers of the ring, which all sockets share. The look that finds a
///      full one calls the user, who copies it out, and it is the kernel's again. What the user
///      does not take is copied to the socket, and the receive is stopped: TCP slows the sender
///      down, and nobody keeps a buffer from others.
/// Out  Sends wait in the submission queue until the handler that runs is over, and a look hands
///      over all at once. What the kernel can do it has done when that look goes on. If a socket is
///      full its send stays with the kernel until all of it went: that is what makes its user wait.
/// End  close() stops what is under way. The descriptor is closed, the holder let go of and the
///      entry given to another socket once the kernel has reported of each operation that it is
///      over.
///
/// Bounds   kEntriesMax operations in one submission: more are several. kBuffers of kBufferBytes;
///          where they run out, receives go on when they are back. A socket holds unread what two
///          calls of the kernel receive, of 32 buffers at most each.
/// Cost     One io_uring_enter for each look and some twenty messages, none for a send; no memory
///          is allocated for either. 2 MiB of buffers, half of one of queues.
/// Wakes    The ring's eventfd is switched on only while Asio waits for it.
/// Kernel   6.1 or later. Files are not registered with the ring: that made no difference that
///          could be measured.
class UringIo final : public SocketIo {
public:
    /// Throws boost::system::system_error where the kernel or its policy (kernel.io_uring_disabled,
    /// seccomp) refuses.
    UringIo(boost::asio::io_context& io, std::chrono::microseconds batch);
    ~UringIo() override { close(); }

    std::unique_ptr<IoSocket> adopt(boost::asio::ip::tcp::socket socket,
                                    const boost::asio::ip::tcp::endpoint& from) override;
    void close() override;

private:
    friend class UringSocket;
    class LentBuffer;

    static constexpr unsigned kEntriesMax = 1'024;
    static constexpr unsigned kCompletionsMax = 8'192;  ///< beyond them the kernel keeps a list
    static constexpr std::uint16_t kBuffers = 1'024;    ///< a power of two
    static constexpr std::size_t kBufferBytes = 2'048;

    struct Ring {
        Ring();
        Ring(const Ring&) = delete;
        Ring& operator=(const Ring&) = delete;
        ~Ring() { end(); }
        void end();

        io_uring it{};
        /// The kernel writes here if there is something. To poll the ring itself would not do: it
        /// is not readable before the kernel is asked.
        int eventfd = -1;
    };
    struct alignas(4'096) BufferRing {
        std::array<io_uring_buf, kBuffers> buffers{};
    };

    /// What the kernel does for one socket. It knows the place of this: so this outlives the
    /// socket.
    struct Entry {
        UringSocket* socket = nullptr;  ///< null: closed
        int fd = -1;
        bool is_receiving = false;
        bool is_stopped = false;  ///< the receive: it was asked to end
        bool is_sending = false;
        bool is_listed = false;  ///< in unread_
        IoSocket::Buffers unsent;
        std::array<iovec, 2> parts{};  ///< `unsent`, as the kernel wants it
        msghdr message{};
        std::shared_ptr<const void> holder;  ///< of `unsent`
    };
    enum class Operation : std::uint8_t { receive, send, stop };

    Found look() override;
    [[nodiscard]] int descriptor() const override { return ring_.eventfd; }
    [[nodiscard]] bool await_event() override;
    void look_soon();
    void submit();
    [[nodiscard]] bool finish_one();

    Entry& take_entry(UringSocket& socket, int fd);
    void close(Entry& entry);
    void free_if_over(Entry& entry);

    io_uring_sqe& begin(Operation operation, const Entry& entry);
    void receive(Entry& entry);
    void send(Entry& entry);
    void stop(Operation operation, const Entry& entry);

    void on_received(Entry& entry, int result, unsigned flags);
    void on_sent(Entry& entry, int result);
    void tell_readable(Entry& entry);
    void list_unread(Entry& entry);

    Ring ring_;
    const std::unique_ptr<BufferRing> buffer_ring_;
    const std::unique_ptr<std::byte[]> buffers_;
    std::deque<Entry> entries_;  ///< which do not move
    std::vector<Entry*> free_entries_;
    std::deque<Entry*> unread_;  ///< whose users await what their sockets hold already
    std::size_t closing_ = 0;    ///< entries without a socket that are not free
    bool is_enabled_ = false;    ///< the ring, by the I/O thread: no other may submit from then on
    bool is_look_posted_ = false;
    bool has_something_ = false;  ///< in this look, that there is something to be read
};

}  // namespace marchland::net
