#include "net/mailbox.h"

#include "engine/assert.h"

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>

#include <cerrno>
#include <cstdint>
#include <unistd.h>
#include <utility>
#include <sys/eventfd.h>

namespace marchland::net {

namespace {

int make_eventfd() {
    const int fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (fd < 0) {
        throw boost::system::system_error(errno, boost::system::system_category(), "eventfd");
    }
    return fd;
}

}  // namespace

Mailbox::Mailbox(boost::asio::io_context& io)
    : wake_(io, make_eventfd()), wake_fd_(wake_.native_handle()) {}

template <typename Add>
void Mailbox::change(Add&& add) {
    bool was_empty = false;
    {
        const std::lock_guard lock(mutex_);
        if (is_closed_) {
            return;
        }
        was_empty = mail_.items() == 0;
        if (was_empty) {
            mail_.since = std::chrono::steady_clock::now();
        }
        add(mail_);
    }
    if (was_empty) {
        wake();
    }
}

void Mailbox::post_frames(std::span<const std::shared_ptr<shards::EntityPort>> ports) {
    change([&](Mail& mail) { mail.frames.insert(mail.frames.end(), ports.begin(), ports.end()); });
}

void Mailbox::post(Other other) {
    change([&](Mail& mail) { mail.others.push_back(std::move(other)); });
}

void Mailbox::wake() {
    const std::uint64_t one = 1;
    // Fails only when the counter is at its end, 2^64 wakes that nobody took.
    const ssize_t written = ::write(wake_fd_, &one, sizeof one);
    MARCHLAND_ASSERT(written == sizeof one);
}

void Mailbox::async_wait(std::function<void()> on_mail) {
    wake_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                     [on_mail = std::move(on_mail)](const boost::system::error_code& error) {
                         if (!error) {
                             on_mail();
                         }
                     });
}

void Mailbox::take(Mail& mail) {
    mail.clear();
    // First the counter, then the lists: a post in between wakes once too often, never too seldom.
    std::uint64_t wakes = 0;
    [[maybe_unused]] const ssize_t got = ::read(wake_fd_, &wakes, sizeof wakes);
    const std::lock_guard lock(mutex_);
    std::swap(mail_, mail);
}

void Mailbox::close() {
    Mail dropped;
    {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
        std::swap(mail_, dropped);
    }
    boost::system::error_code ignored;
    wake_.cancel(ignored);
}

}  // namespace marchland::net
