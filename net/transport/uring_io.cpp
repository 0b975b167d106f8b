#include "net/transport/uring_io.h"

#include "engine/assert.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <thread>
#include <unistd.h>
#include <utility>
#include <sys/eventfd.h>
#include <sys/syscall.h>

namespace marchland::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::uint16_t kBufferGroup = 0;
constexpr std::uintptr_t kOperationMask = 3;

error_code to_error(int result) {
    return {-result, boost::system::system_category()};
}

void check_submission(int result) {
    MARCHLAND_ASSERT(result >= 0 || result == -EINTR || result == -EAGAIN || result == -EBUSY);
}

/// Sanitizers do not see what the kernel reads. In their builds it is read here as well, after the
/// kernel: so memory that was freed or written by another thread meanwhile is found.
void read_as_the_kernel_did([[maybe_unused]] const IoSocket::Buffers& buffers) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    for (const asio::const_buffer& buffer : buffers) {
        for (std::size_t i = 0; i < buffer.size(); ++i) {
            static_cast<void>(static_cast<const volatile char*>(buffer.data())[i]);
        }
    }
#endif
}

}  // namespace

class UringSocket final : public IoSocket {
public:
    UringSocket(UringIo& io, asio::ip::tcp::socket socket, const asio::ip::tcp::endpoint& from)
        : IoSocket(std::move(socket), from), io_(io) {}
    ~UringSocket() override { close_fd(); }

    void await_readable() override;
    Read read(std::span<std::byte> space, error_code& error) override;
    bool send(const Buffers& buffers, std::shared_ptr<const void> holder,
              error_code& error) override;
    void close() override { close_fd(); }
    [[nodiscard]] bool has_unread() const override { return has_bytes() || IoSocket::has_unread(); }
    [[nodiscard]] bool has_ended() const override {
        return !has_bytes() && (end_.has_value() || IoSocket::has_ended());
    }
    [[nodiscard]] std::size_t memory_bytes() const override { return held_.capacity(); }

private:
    friend class UringIo;
    friend class UringIo::LentBuffer;

    [[nodiscard]] bool has_bytes() const { return !fresh_.empty() || !held_.empty(); }
    UringIo::Entry& entry();
    void hold_rest();
    void close_fd();

    UringIo& io_;
    UringIo::Entry* entry_ = nullptr;  ///< from its first operation on
    bool awaits_readable_ = false;
    std::span<const std::byte> fresh_;  ///< in a buffer of the ring, while the user is notified
    std::vector<std::byte> held_;       ///< before that, what the user did not take
    std::size_t held_read_bytes_ = 0;   ///< of this
    std::optional<error_code> end_;     ///< after all that
};

/// A buffer of the ring that has been filled. What the socket's user leaves in it is copied, then
/// it is the kernel's.
class UringIo::LentBuffer {
public:
    LentBuffer(UringIo& io, Entry& entry, unsigned number, std::size_t bytes)
        : io_(io), entry_(entry), number_(number) {
        if (entry.socket != nullptr) {
            entry.socket->fresh_ = {place(), bytes};
        }
    }
    LentBuffer(const LentBuffer&) = delete;
    LentBuffer& operator=(const LentBuffer&) = delete;
    ~LentBuffer() {
        if (entry_.socket != nullptr) {
            entry_.socket->hold_rest();
        }
        auto* const ring = reinterpret_cast<io_uring_buf_ring*>(io_.buffer_ring_.get());
        io_uring_buf_ring_add(ring, place(), kBufferBytes, static_cast<std::uint16_t>(number_),
                              io_uring_buf_ring_mask(kBuffers), 0);
        io_uring_buf_ring_advance(ring, 1);
    }

private:
    [[nodiscard]] std::byte* place() const { return io_.buffers_.get() + number_ * kBufferBytes; }

    UringIo& io_;
    Entry& entry_;
    const unsigned number_;
};

UringIo::Ring::Ring() {
    io_uring_params params{};
    params.flags = IORING_SETUP_CQSIZE | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER |
                   IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_R_DISABLED;
    params.cq_entries = kCompletionsMax;
    // In a thread of its own: whoever made a ring is interrupted when that ends, and may be in a
    // system call.
    int result = 0;
    std::thread([&] { result = io_uring_queue_init_params(kEntriesMax, &it, &params); }).join();
    if (result < 0) {
        throw_system_error(-result, "io_uring_setup");
    }
    eventfd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    result = eventfd < 0 ? -errno : io_uring_register_eventfd(&it, eventfd);
    if (result < 0) {
        end();
        throw_system_error(-result, "eventfd");
    }
}

void UringIo::Ring::end() {
    io_uring_queue_exit(&it);
    if (eventfd >= 0) {
        ::close(eventfd);
    }
}

UringIo::UringIo(asio::io_context& io, std::chrono::microseconds batch)
    : SocketIo("io_uring", io, batch),
      buffer_ring_(std::make_unique<BufferRing>()),
      buffers_(std::make_unique_for_overwrite<std::byte[]>(kBuffers * kBufferBytes)) {
    io_uring_buf_reg registration{};
    registration.ring_addr = reinterpret_cast<std::uintptr_t>(buffer_ring_.get());
    registration.ring_entries = kBuffers;
    registration.bgid = kBufferGroup;
    if (const int result = io_uring_register_buf_ring(&ring_.it, &registration, 0); result < 0) {
        throw_system_error(-result, "io_uring_register");
    }
    auto* const ring = reinterpret_cast<io_uring_buf_ring*>(buffer_ring_.get());
    io_uring_buf_ring_init(ring);
    for (std::uint16_t i = 0; i < kBuffers; ++i) {
        io_uring_buf_ring_add(ring, buffers_.get() + i * kBufferBytes, kBufferBytes, i,
                              io_uring_buf_ring_mask(kBuffers), i);
    }
    io_uring_buf_ring_advance(ring, kBuffers);
}

std::unique_ptr<IoSocket> UringIo::adopt(asio::ip::tcp::socket socket,
                                         const asio::ip::tcp::endpoint& from) {
    return std::make_unique<UringSocket>(*this, std::move(socket), from);
}

void UringIo::close() {
    SocketIo::close();
    while (closing_ > 0) {
        check_submission(io_uring_submit_and_wait(&ring_.it, 1));
        while (finish_one()) {
        }
    }
}

// The look

SocketIo::Found UringIo::look() {
    io_uring_cq_eventfd_toggle(&ring_.it, false);
    if (io_uring_cq_ready(&ring_.it) == 0) {  // else somebody threw in the last look
        submit();
        ++looks_total_;
    }
    has_something_ = false;
    try {
        for (std::size_t left = unread_.size(); left > 0; --left) {
            Entry& entry = *unread_.front();
            unread_.pop_front();
            entry.is_listed = false;
            tell_readable(entry);
        }
        for (unsigned left = kCompletionsMax; left > 0 && finish_one(); --left) {
        }
    } catch (...) {
        look_soon();  // for the others
        throw;
    }
    return has_something_ ? Found::something : Found::nothing;
}

/// What came before the eventfd was switched on did not show there. Nor does what the kernel left
/// undone: for one call it does some twenty things, and reports by a flag of the ring that there
/// are more.
bool UringIo::await_event() {
    std::uint64_t events = 0;
    [[maybe_unused]] const ssize_t got = ::read(ring_.eventfd, &events, sizeof events);
    io_uring_cq_eventfd_toggle(&ring_.it, true);
    submit();
    const unsigned flags = std::atomic_ref(*ring_.it.sq.kflags).load(std::memory_order_relaxed);
    return io_uring_cq_ready(&ring_.it) == 0 && (flags & IORING_SQ_TASKRUN) == 0;
}

/// A look that follows all that is to be done already, and what that wants to be sent.
void UringIo::look_soon() {
    if (!std::exchange(is_look_posted_, true)) {
        asio::post(io_, [this] {
            is_look_posted_ = false;
            if (!is_closed()) {
                look_early();
            }
        });
    }
}

/// Hands over what waits, and lets the kernel put what came into the buffers. What it cannot take
/// now, for want of memory, stays.
void UringIo::submit() {
    if (!std::exchange(is_enabled_, true)) {
        // Debian's liburing does not export io_uring_enable_rings.
        const long result = ::syscall(SYS_io_uring_register, ring_.it.ring_fd,
                                      IORING_REGISTER_ENABLE_RINGS, nullptr, 0);
        MARCHLAND_ASSERT(result == 0);
    }
    check_submission(io_uring_submit_and_get_events(&ring_.it));
}

/// Where nothing is finished yet and the kernel has more to do, peeking makes it do that.
bool UringIo::finish_one() {
    io_uring_cqe* next = nullptr;
    if (io_uring_peek_cqe(&ring_.it, &next) != 0) {
        return false;
    }
    const std::uint64_t of = next->user_data;
    const int result = next->res;
    const unsigned flags = next->flags;
    io_uring_cqe_seen(&ring_.it, next);  // also if somebody throws
    const auto operation = static_cast<Operation>(of & kOperationMask);
    if (operation == Operation::stop) {
        return true;  // it came too late, and the entry may be another's
    }
    auto& entry = *reinterpret_cast<Entry*>(of & ~kOperationMask);
    if (operation == Operation::receive) {
        on_received(entry, result, flags);
    } else {
        on_sent(entry, result);
    }
    return true;
}

// Entries

UringIo::Entry& UringIo::take_entry(UringSocket& socket, int fd) {
    if (free_entries_.empty()) {
        free_entries_.reserve(entries_.size() + 1);  // to free them allocates nothing
        free_entries_.push_back(&entries_.emplace_back());
    }
    Entry& entry = *free_entries_.back();
    free_entries_.pop_back();
    entry.socket = &socket;
    entry.fd = fd;
    return entry;
}

void UringIo::close(Entry& entry) {
    entry.socket = nullptr;
    ++closing_;
    if (entry.is_receiving && !entry.is_stopped) {
        stop(Operation::receive, entry);
    }
    if (entry.is_sending) {
        stop(Operation::send, entry);
    }
    free_if_over(entry);
}

void UringIo::free_if_over(Entry& entry) {
    if (entry.socket == nullptr && entry.fd >= 0 && !entry.is_receiving && !entry.is_sending) {
        ::close(std::exchange(entry.fd, -1));
        free_entries_.push_back(&entry);
        --closing_;
    }
}

// Operations

io_uring_sqe& UringIo::begin(Operation operation, const Entry& entry) {
    io_uring_sqe* next = io_uring_get_sqe(&ring_.it);
    while (next == nullptr) {
        submit();
        next = io_uring_get_sqe(&ring_.it);
    }
    look_soon();
    io_uring_sqe_set_data64(
        next, reinterpret_cast<std::uintptr_t>(&entry) | static_cast<std::uintptr_t>(operation));
    return *next;
}

void UringIo::receive(Entry& entry) {
    entry.is_receiving = true;
    entry.is_stopped = false;
    io_uring_sqe& it = begin(Operation::receive, entry);
    io_uring_prep_recv_multishot(&it, entry.fd, nullptr, 0, 0);
    it.flags |= IOSQE_BUFFER_SELECT;
    it.buf_group = kBufferGroup;
}

/// Of one buffer is less for the kernel to do than of a list, and mostly one of the two is empty.
void UringIo::send(Entry& entry) {
    constexpr int kFlags = MSG_NOSIGNAL | MSG_WAITALL;
    entry.is_sending = true;
    io_uring_sqe& it = begin(Operation::send, entry);
    const auto& [first, second] = entry.unsent;
    if (first.size() > 0 && second.size() > 0) {
        entry.parts = {{{const_cast<void*>(first.data()), first.size()},
                        {const_cast<void*>(second.data()), second.size()}}};
        entry.message.msg_iov = entry.parts.data();
        entry.message.msg_iovlen = entry.parts.size();
        io_uring_prep_sendmsg(&it, entry.fd, &entry.message, kFlags);
    } else {
        const auto& one = first.size() > 0 ? first : second;
        io_uring_prep_send(&it, entry.fd, one.data(), one.size(), kFlags);
    }
}

/// The operation itself reports its end; this reports nothing, unless there is nothing to stop.
void UringIo::stop(Operation operation, const Entry& entry) {
    const auto of =
        reinterpret_cast<std::uintptr_t>(&entry) | static_cast<std::uintptr_t>(operation);
    io_uring_sqe& it = begin(Operation::stop, entry);
    io_uring_prep_cancel64(&it, of, 0);
    it.flags |= IOSQE_CQE_SKIP_SUCCESS;
}

void UringIo::on_received(Entry& entry, int result, unsigned flags) {
    if ((flags & IORING_CQE_F_MORE) == 0) {
        entry.is_receiving = false;
    }
    if ((flags & IORING_CQE_F_BUFFER) != 0) {
        const LentBuffer buffer(*this, entry, flags >> IORING_CQE_BUFFER_SHIFT,
                                static_cast<std::size_t>(std::max(result, 0)));
        tell_readable(entry);
    } else if (entry.socket != nullptr && result != -ENOBUFS && result != -ECANCELED) {
        entry.socket->end_ = result == 0 ? error_code(asio::error::eof) : to_error(result);
        tell_readable(entry);
    }
    free_if_over(entry);
    // It was stopped, or there was no buffer, and its user awaits more.
    if (entry.socket != nullptr && entry.socket->awaits_readable_ && !entry.is_receiving &&
        !entry.socket->has_bytes() && !entry.socket->end_) {
        receive(entry);
    }
}

void UringIo::list_unread(Entry& entry) {
    if (!std::exchange(entry.is_listed, true)) {
        unread_.push_back(&entry);
        look_soon();
    }
}

/// As long as there is something and somebody who awaits it; the end is reported once.
void UringIo::tell_readable(Entry& entry) {
    bool has_more = true;
    while (has_more && entry.socket != nullptr && entry.socket->awaits_readable_) {
        has_more = entry.socket->has_bytes();
        if (has_more || entry.socket->end_) {
            has_something_ = true;
            entry.socket->awaits_readable_ = false;
            entry.socket->user_->on_readable();
        }
    }
}

void UringIo::on_sent(Entry& entry, int result) {
    entry.is_sending = false;
    error_code error;
    if (result >= 0) {
        read_as_the_kernel_did(entry.unsent);
        UringSocket::advance(entry.unsent, static_cast<std::size_t>(result));
    } else if (result != -EAGAIN && result != -EINTR) {
        error = to_error(result);
    }
    if (entry.socket != nullptr && !error && asio::buffer_size(entry.unsent) > 0) {
        send(entry);
        return;
    }
    const auto held = std::exchange(entry.holder, nullptr);
    if (entry.socket != nullptr) {
        entry.socket->user_->on_sent(error);
    }
    free_if_over(entry);
}

// The socket

UringIo::Entry& UringSocket::entry() {
    if (entry_ == nullptr) {
        entry_ = &io_.take_entry(*this, fd_);
    }
    return *entry_;
}

void UringSocket::await_readable() {
    if (!is_open()) {
        return;
    }
    awaits_readable_ = true;
    if (!fresh_.empty()) {
        return;  // who notifies it goes on
    }
    if (!held_.empty() || end_) {
        io_.list_unread(entry());
    } else if (!entry().is_receiving) {
        io_.receive(entry());
    }
}

Transport::Read UringSocket::read(std::span<std::byte> space, error_code& error) {
    error = {};
    std::size_t bytes = 0;
    if (!held_.empty()) {
        bytes = std::min(space.size(), held_.size() - held_read_bytes_);
        std::memcpy(space.data(), held_.data() + held_read_bytes_, bytes);
        held_read_bytes_ += bytes;
        if (held_read_bytes_ == held_.size()) {
            std::vector<std::byte>().swap(held_);  // "= {}" would keep the memory
            held_read_bytes_ = 0;
        }
    } else if (!fresh_.empty()) {
        bytes = std::min(space.size(), fresh_.size());
        std::memcpy(space.data(), fresh_.data(), bytes);
        fresh_ = fresh_.subspan(bytes);
    } else {
        error = end_.value_or(asio::error::would_block);
    }
    return {bytes, bytes};
}

/// What comes after it waits in the kernel.
void UringSocket::hold_rest() {
    if (fresh_.empty()) {
        return;
    }
    try {
        held_.insert(held_.end(), fresh_.begin(), fresh_.end());
        if (awaits_readable_) {  // its user threw
            io_.list_unread(*entry_);
        }
        if (entry_->is_receiving && !entry_->is_stopped) {
            io_.stop(UringIo::Operation::receive, *entry_);
            entry_->is_stopped = true;
        }
    } catch (const std::exception&) {  // of memory: this is called as a LentBuffer ends
        end_ = asio::error::no_memory;
    }
    fresh_ = {};
}

bool UringSocket::send(const Buffers& buffers, std::shared_ptr<const void> holder,
                       error_code& error) {
    MARCHLAND_ASSERT(!entry().is_sending && asio::buffer_size(buffers) > 0);
    error = {};
    entry().unsent = buffers;
    entry().holder = std::move(holder);
    io_.send(entry());
    return false;
}

void UringSocket::close_fd() {
    if (!is_open()) {
        return;
    }
    if (entry_ != nullptr) {
        fd_ = -1;
        io_.close(*std::exchange(entry_, nullptr));
    } else {
        ::close(std::exchange(fd_, -1));
    }
}

}  // namespace marchland::net
