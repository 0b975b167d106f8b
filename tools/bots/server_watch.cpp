#include "tools/bots/server_watch.h"

#include <boost/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

namespace marchland::bots {
namespace {

using namespace std::chrono_literals;
using boost::system::error_code;
namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace json = boost::json;

constexpr auto kPatience = 5s;

/// Nothing unless it is a number of 0 or more.
std::optional<double> number(const json::value* value) {
    error_code error;
    const double number = value != nullptr ? value->to_number<double>(error) : -1;
    return !error && number >= 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<ServerSample> parse_status(unsigned code, std::string_view body, Instant now) {
    error_code error;
    const json::value status = json::parse(body, error);
    if (error || !status.is_object() || code != 200) {
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

ServerWatch::ServerWatch(const client::Address& admin, Clock::duration interval)
    : interval_(interval), request_(http::verb::get, "/status", 11) {
    std::memcpy(admin_.data(), &admin.storage, admin.bytes);
    admin_.resize(admin.bytes);
    request_.set(http::field::host, "localhost");
    request_.keep_alive(false);
}

void ServerWatch::advance(Instant now) {
    if (!request_under_way_ && now >= next_) {
        next_ = now + interval_;
        ask();
    }
    io_.restart();
    io_.poll();
}

void ServerWatch::ask() {
    UnderWay& it = request_under_way_.emplace(io_);
    it.parser.body_limit(kAnswerBytesMax);
    it.stream.expires_after(kPatience);
    it.stream.async_connect(admin_, [this, &it](error_code unconnected) {
        if (unconnected) {
            end(std::nullopt);
            return;
        }
        http::async_write(it.stream, request_, [this, &it](error_code unsent, std::size_t) {
            if (unsent) {
                end(std::nullopt);
                return;
            }
            http::async_read(
                it.stream, it.buffer, it.parser, [this, &it](error_code unread, std::size_t) {
                    const auto& answer = it.parser.get();
                    end(unread ? std::nullopt
                               : parse_status(answer.result_int(), answer.body(), Clock::now()));
                });
        });
    });
}

void ServerWatch::end(const std::optional<ServerSample>& sample) {
    if (sample) {
        keep(*sample);
    } else {
        ++failures_;
    }
    request_under_way_.reset();
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

}  // namespace marchland::bots
