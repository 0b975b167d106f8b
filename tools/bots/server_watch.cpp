#include "tools/bots/server_watch.h"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <utility>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace marchland::bots {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

constexpr auto kPatience = 5s;
constexpr std::string_view kRequest =
    "GET /status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Nothing unless it is a number of 0 or more.
std::optional<double> number(const json::value* value) {
    boost::system::error_code error;
    const double number = value != nullptr ? value->to_number<double>(error) : -1;
    return !error && number >= 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<ServerSample> parse_status(std::string_view answer, Instant now) {
    const std::size_t body = std::min(answer.find("\r\n\r\n"), answer.size());
    boost::system::error_code error;
    const json::value status = json::parse(answer.substr(body), error);
    if (error || !status.is_object() || !answer.starts_with("HTTP/1.1 200 ")) {
        return std::nullopt;
    }
    const json::object& figures = status.get_object();
    const auto resident = number(figures.if_contains("resident_bytes"));
    const auto cpu = number(figures.if_contains("cpu_seconds_total"));
    if (!resident || !cpu || *resident > 1e15) {
        return std::nullopt;
    }
    ServerSample sample{now, static_cast<std::uint64_t>(*resident), *cpu};
    const json::value* const ticks = figures.if_contains("tick_max_seconds");
    if (ticks != nullptr && ticks->is_object()) {
        for (const auto& [shard, longest] : ticks->get_object()) {
            sample.tick_max_seconds =
                std::max(sample.tick_max_seconds, number(&longest).value_or(0));
        }
    }
    return sample;
}

std::size_t unsent_bytes_max(std::istream& table, std::uint16_t local_port) {
    constexpr unsigned kListening = 10;
    std::size_t most = 0;
    for (std::string line; std::getline(table, line);) {
        unsigned port = 0;
        unsigned state = 0;
        std::size_t unsent = 0;
        // sl, local_address, rem_address, st, tx_queue:rx_queue
        const int read =
            std::sscanf(line.c_str(), " %*d: %*[0-9A-F]:%x %*s %x %zx:", &port, &state, &unsent);
        if (read == 3 && port == local_port && state != kListening) {
            most = std::max(most, unsent);
        }
    }
    return most;
}

std::size_t unsent_bytes_max_at(std::uint16_t local_port) {
    std::ifstream v4("/proc/net/tcp");
    std::ifstream v6("/proc/net/tcp6");
    return std::max(unsent_bytes_max(v4, local_port), unsent_bytes_max(v6, local_port));
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
