#include "net/server.h"

#include "engine/assert.h"
#include "net/lane.h"
#include "net/listener.h"

#include <boost/system/system_error.hpp>
#include <spdlog/spdlog.h>

#include <utility>
#include <vector>

namespace marchland::net {

class Server::Impl {
public:
    explicit Impl(ServerOptions options)
        : options_(std::move(options)),
          counters_(std::make_unique<LaneCounters[]>(options_.io_threads)) {
        MARCHLAND_ASSERT(options_.io_threads >= 1 && options_.io_threads <= 64);
    }

    std::error_code start(shards::Zone& zone);
    void stop();
    [[nodiscard]] std::uint16_t port() const { return listener_->port(); }
    [[nodiscard]] std::uint32_t lane_count() const { return options_.io_threads; }
    [[nodiscard]] ServerMetrics metrics() const;
    [[nodiscard]] Lane& lane(std::uint32_t number) {
        MARCHLAND_ASSERT(number < lanes_.size());
        return *lanes_[number];
    }

private:
    void make_lanes(shards::Zone& zone);

    const ServerOptions options_;
    /// One for each lane, from the beginning: so metrics may be read at any time.
    const std::unique_ptr<LaneCounters[]> counters_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::unique_ptr<Listener>
        listener_;  ///< destroyed before the lanes, the first of which runs it
    bool is_running_ = false;
};

std::error_code Server::Impl::start(shards::Zone& zone) {
    MARCHLAND_ASSERT(lanes_.empty());
    MARCHLAND_ASSERT(zone.options().world.contains(options_.default_spawn));
    MARCHLAND_ASSERT(engine::leave_reach_mm(options_.default_view) <=
                     zone.options().leave_radius_mm_max);
    boost::system::error_code error;
    try {
        make_lanes(zone);
        listener_ = std::make_unique<Listener>(options_, lanes_);
        error = listener_->open();
    } catch (const boost::system::system_error& failure) {  // no descriptors for epoll or eventfd
        error = failure.code();
    }
    if (error) {
        listener_.reset();
        lanes_.clear();
        return error;
    }
    for (const auto& lane : lanes_) {
        lane->start();
    }
    is_running_ = true;
    const bool is_v6 = options_.address.find(':') != std::string::npos;
    spdlog::info("listening on {}:{}", is_v6 ? '[' + options_.address + ']' : options_.address,
                 port());
    return {};
}

void Server::Impl::make_lanes(shards::Zone& zone) {
    for (std::uint32_t i = 0; i < options_.io_threads; ++i) {
        lanes_.push_back(std::make_unique<Lane>(i, options_, zone, counters_[i]));
    }
}

void Server::Impl::stop() {
    if (!is_running_) {
        return;
    }
    is_running_ = false;
    // First the listener: then no lane is given a connection after it was told to stop.
    listener_->close();
    for (const auto& lane : lanes_) {
        lane->stop_soon();
    }
    for (const auto& lane : lanes_) {
        lane->join();
    }
    spdlog::info("stopped listening");
}

ServerMetrics Server::Impl::metrics() const {
    ServerMetrics sum;
    const auto add = [](std::uint64_t& to, const LaneCounters::Counter& counter) {
        to += counter.load(std::memory_order_relaxed);
    };
    for (std::uint32_t i = 0; i < options_.io_threads; ++i) {
        const LaneCounters& lane = counters_[i];
        add(sum.connections, lane.connections);
        add(sum.players, lane.players);
        add(sum.ports, lane.ports);
        add(sum.connections_total, lane.connections_total);
        add(sum.accept_failures_total, lane.accept_failures_total);
        add(sum.closed_with_error_total, lane.closed_with_error_total);
        add(sum.bytes_in_total, lane.bytes_in_total);
        add(sum.bytes_out_total, lane.bytes_out_total);
        add(sum.messages_in_total, lane.messages_in_total);
        add(sum.sends_total, lane.sends_total);
    }
    return sum;
}

Server::Server(ServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Server::~Server() {
    stop();
}

std::error_code Server::start(shards::Zone& zone) {
    return impl_->start(zone);
}

void Server::stop() {
    impl_->stop();
}

std::uint16_t Server::port() const {
    return impl_->port();
}

ServerMetrics Server::metrics() const {
    return impl_->metrics();
}

std::uint32_t Server::lane_count() const {
    return impl_->lane_count();
}

void Server::post(std::uint32_t lane, std::span<const std::shared_ptr<shards::EntityPort>> ports) {
    impl_->lane(lane).mailbox().post_frames(ports);
}

}  // namespace marchland::net
