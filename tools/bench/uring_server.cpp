#include "tools/bench/uring_server.h"

#include "engine/assert.h"

#include <array>
#include <cerrno>
#include <exception>
#include <future>
#include <liburing.h>
#include <memory>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>

namespace marchland::bench {

namespace {

constexpr std::uint16_t kBuffers = 4'096;
constexpr std::size_t kBufferBytes = 256;  ///< more than a client sends in a tick
constexpr unsigned kEntries = 4'096;
constexpr __kernel_timespec kBatch{0, 5'000'000};

process::Descriptor checked(int descriptor, const char* what) {
    if (descriptor < 0) {
        fail_with_errno(what);
    }
    return process::Descriptor(descriptor);
}

}  // namespace

class UringServer::Loop {
public:
    Loop(UringServer& server, std::size_t clients) : server_(server), clients_(clients) {
        io_uring_params params{};
        params.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP | IORING_SETUP_SINGLE_ISSUER |
                       IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_R_DISABLED;
        params.cq_entries = 4 * kEntries;
        check(io_uring_queue_init_params(kEntries, &ring_, &params), "io_uring_setup");
        io_uring_buf_reg registration{};
        registration.ring_addr = reinterpret_cast<std::uintptr_t>(&buffer_ring_);
        registration.ring_entries = kBuffers;
        check(io_uring_register_buf_ring(&ring_, &registration, 0), "io_uring_register");
        io_uring_buf_ring_init(buffer_ring());
        for (std::uint16_t i = 0; i < kBuffers; ++i) {
            give_back(i);
        }
    }
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    ~Loop() { io_uring_queue_exit(&ring_); }

    void run() {
        // Debian's liburing does not export io_uring_enable_rings.
        const long enabled = ::syscall(SYS_io_uring_register, ring_.ring_fd,
                                       IORING_REGISTER_ENABLE_RINGS, nullptr, 0);
        MARCHLAND_ASSERT(enabled == 0);
        io_uring_prep_multishot_accept(next(kAccept), server_.listener_.fd(), nullptr, nullptr, 0);
        await_wake();
        while (!server_.is_over_) {
            io_uring_submit_and_wait(&ring_, 1);
            if (!is_woken_) {
                io_uring_cqe* first = nullptr;
                __kernel_timespec batch = kBatch;
                io_uring_submit_and_wait_timeout(&ring_, &first, static_cast<unsigned>(clients_),
                                                 &batch, nullptr);
            }
            finish_all();
            if (std::exchange(is_woken_, false) && !server_.is_over_) {
                await_wake();
                send(server_.tick_);
            }
        }
    }

private:
    static constexpr std::uint64_t kAccept = 1ULL << 32U;
    static constexpr std::uint64_t kWake = 2ULL << 32U;
    static constexpr std::uint64_t kReceive = 3ULL << 32U;  ///< + client
    static constexpr std::uint64_t kSend = 4ULL << 32U;     ///< + bytes

    static void check(int result, const char* what) {
        if (result < 0) {
            throw std::system_error(-result, std::generic_category(), what);
        }
    }
    io_uring_buf_ring* buffer_ring() { return reinterpret_cast<io_uring_buf_ring*>(&buffer_ring_); }
    void give_back(std::uint16_t buffer) {
        io_uring_buf_ring_add(buffer_ring(), buffers_[buffer].data(), kBufferBytes, buffer,
                              io_uring_buf_ring_mask(kBuffers), 0);
        io_uring_buf_ring_advance(buffer_ring(), 1);
    }
    io_uring_sqe* next(std::uint64_t of) {
        io_uring_sqe* entry = io_uring_get_sqe(&ring_);
        while (entry == nullptr) {
            io_uring_submit(&ring_);
            entry = io_uring_get_sqe(&ring_);
        }
        io_uring_sqe_set_data64(entry, of);
        return entry;
    }
    void await_wake() {
        io_uring_prep_read(next(kWake), server_.wake_.fd(), &wakes_, sizeof wakes_, 0);
    }
    void receive(std::size_t client) {
        io_uring_sqe* const entry = next(kReceive + client);
        io_uring_prep_recv_multishot(entry, sockets_[client].fd(), nullptr, 0, 0);
        entry->flags |= IOSQE_BUFFER_SELECT;
        entry->buf_group = 0;
    }
    /// All clients have read the tick before: the kernel has room for a frame.
    void send(std::size_t tick) {
        for (std::size_t i = 0; i < sockets_.size(); ++i) {
            const auto frame = server_.script_.frame(tick, i);
            io_uring_prep_send(next(kSend + frame.size()), sockets_[i].fd(), frame.data(),
                               frame.size(), MSG_NOSIGNAL);
        }
        io_uring_submit(&ring_);
        finish_all();
    }
    void finish_all() {
        io_uring_cqe* done = nullptr;
        while (io_uring_peek_cqe(&ring_, &done) == 0) {
            finish(done->user_data, done->res, done->flags);
            io_uring_cqe_seen(&ring_, done);
        }
    }
    void finish(std::uint64_t of, int result, unsigned flags) {
        constexpr std::uint64_t kKind = ~std::uint64_t{0xffffffff};
        const auto value = static_cast<std::size_t>(of & ~kKind);
        if ((of & kKind) == kAccept && result >= 0) {
            const int at_once = 1;
            ::setsockopt(result, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
            sockets_.emplace_back(result);
            receive(sockets_.size() - 1);
            server_.client_count_ = sockets_.size();
        } else if ((of & kKind) == kWake) {
            is_woken_ = true;
        } else if ((of & kKind) == kSend) {
            MARCHLAND_ASSERT(static_cast<std::size_t>(result) == value);
            ++server_.writes_;
        } else if ((of & kKind) == kReceive) {
            if ((flags & IORING_CQE_F_BUFFER) != 0) {
                server_.bytes_in_ += static_cast<std::uint64_t>(result);
                give_back(static_cast<std::uint16_t>(flags >> IORING_CQE_BUFFER_SHIFT));
            }
            if ((flags & IORING_CQE_F_MORE) == 0 && (result > 0 || result == -ENOBUFS)) {
                receive(value);
            }
        }
    }

    UringServer& server_;
    const std::size_t clients_;
    alignas(4'096) std::array<io_uring_buf, kBuffers> buffer_ring_{};
    std::array<std::array<std::byte, kBufferBytes>, kBuffers> buffers_;
    io_uring ring_{};
    std::vector<process::Descriptor> sockets_;  ///< in the order of their coming
    std::uint64_t wakes_ = 0;
    bool is_woken_ = false;
};

UringServer::UringServer(const FrameScript& script, std::size_t clients)
    : script_(script),
      wake_(checked(::eventfd(0, EFD_CLOEXEC), "eventfd")),
      listener_(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    if (::bind(listener_.fd(), reinterpret_cast<const sockaddr*>(&address), bytes) != 0 ||
        ::listen(listener_.fd(), SOMAXCONN) != 0 ||
        ::getsockname(listener_.fd(), reinterpret_cast<sockaddr*>(&address), &bytes) != 0) {
        fail_with_errno("listen");
    }
    port_ = ntohs(address.sin_port);
    // Made in the thread that runs it, or the clients' would be interrupted when it ends.
    const auto made = std::make_shared<std::promise<void>>();
    thread_ = std::thread([this, clients, made] {
        std::unique_ptr<Loop> loop;
        try {
            loop = std::make_unique<Loop>(*this, clients);
            made->set_value();
        } catch (...) {
            made->set_exception(std::current_exception());
            return;
        }
        loop->run();
    });
    try {
        made->get_future().get();
    } catch (...) {
        thread_.join();
        throw;
    }
}

UringServer::~UringServer() {
    is_over_ = true;
    start_tick();
    thread_.join();
}

void UringServer::start_tick() {
    tick_ = next_tick_++;
    const std::uint64_t one = 1;
    const ssize_t written = ::write(wake_.fd(), &one, sizeof one);
    MARCHLAND_ASSERT(written == sizeof one);
}

}  // namespace marchland::bench
