#include "tools/bots/server_watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <utility>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace marchland::bots {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 5s;
constexpr std::string_view kRequest =
    "GET /status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// The number behind "key": in a JSON object.
std::optional<double> number(std::string_view json, std::string_view key) {
    const std::string quoted = '"' + std::string(key) + "\": ";
    const auto at = json.find(quoted);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view rest = json.substr(at + quoted.size());
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    return error == std::errc{} && value >= 0 ? std::optional(value) : std::nullopt;
}

/// The greatest number in the object behind "key":, whose names have no braces; 0 without any.
double greatest(std::string_view json, std::string_view key) {
    const std::string quoted = '"' + std::string(key) + "\": {";
    const auto at = json.find(quoted);
    double greatest = 0;
    for (auto next = at == std::string_view::npos ? at : at + quoted.size();
         next < json.size() && json[next] != '}'; ++next) {
        if (json.substr(next).starts_with("\": ")) {
            double value = 0;
            std::from_chars(json.data() + next + 3, json.data() + json.size(), value);
            greatest = std::max(greatest, value);
        }
    }
    return greatest;
}

}  // namespace

std::optional<ServerSample> parse_status(std::string_view answer, Instant now) {
    const auto resident = number(answer, "resident_bytes");
    const auto cpu = number(answer, "cpu_seconds_total");
    if (!answer.starts_with("HTTP/1.1 200 ") || !resident || !cpu || *resident > 1e15) {
        return std::nullopt;
    }
    return ServerSample{now, static_cast<std::uint64_t>(*resident), *cpu,
                        greatest(answer, "tick_max_seconds")};
}

void ServerWatch::advance(Instant now) {
    if (socket_.is_open()) {
        if (now - asked_at_ > kPatience) {
            give_up();
        }
    } else if (now >= next_) {
        next_ = now + interval_;
        ask(now);
    }
}

void ServerWatch::ask(Instant now) {
    asked_at_ = now;
    is_asked_ = false;
    answer_.clear();
    socket_ = process::Descriptor(
        ::socket(admin_.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const auto* const where = reinterpret_cast<const sockaddr*>(&admin_.storage);
    if (!socket_.is_open() ||
        (connect(socket_.fd(), where, admin_.bytes) != 0 && errno != EINPROGRESS)) {
        give_up();
        return;
    }
    poller_.add(socket_.fd(), EPOLLOUT, kToken);
}

void ServerWatch::on_event(std::uint32_t events, Instant now) {
    if (!socket_.is_open()) {
        return;
    }
    if (!is_asked_) {
        (events & EPOLLOUT) != 0 ? send_request() : give_up();
    } else {
        read_answer(now);
    }
}

void ServerWatch::send_request() {
    // A new socket has room for so little.
    if (::send(socket_.fd(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(kRequest.size())) {
        give_up();
        return;
    }
    is_asked_ = true;
    poller_.modify(socket_.fd(), EPOLLIN, kToken);
}

void ServerWatch::read_answer(Instant now) {
    std::array<char, 16384> piece{};
    const ssize_t got = recv(socket_.fd(), piece.data(), piece.size(), 0);
    if (got > 0) {
        answer_.append(piece.data(), static_cast<std::size_t>(got));
        if (answer_.size() > kAnswerBytesMax) {
            give_up();
        }
        return;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (const auto sample = parse_status(answer_, now)) {
        keep(*sample);
        socket_.close();
    } else {
        give_up();
    }
}

void ServerWatch::keep(const ServerSample& sample) {
    ++answers_;
    if (std::exchange(is_next_apart_, false) || sample.at - second_began_ >= 1s) {
        second_began_ = sample.at;
        samples_.push_back(sample);
        return;
    }
    const double longest = std::max(samples_.back().tick_max_seconds, sample.tick_max_seconds);
    samples_.back() = sample;
    samples_.back().tick_max_seconds = longest;
}

void ServerWatch::give_up() {
    socket_.close();
    ++failures_;
}

}  // namespace marchland::bots
