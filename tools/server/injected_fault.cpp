#include "tools/server/injected_fault.h"

#include "shards/border/local_transport.h"

#include <atomic>
#include <charconv>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace marchland::server {

namespace {

class FailingTransport final : public shards::LocalTransport {
public:
    FailingTransport(std::size_t ticks_behind_max, InjectedFault injected_fault,
                     std::function<void()> fail_io)
        : LocalTransport(0, ticks_behind_max),
          injected_fault_(injected_fault),
          fail_io_(std::move(fail_io)) {}

    void publish(shards::ShardId from, engine::Tick tick, std::vector<Outgoing>& batches,
                 bool is_whole) override {
        if (tick >= injected_fault_.tick && !has_failed_.exchange(true)) {
            fail();
        }
        LocalTransport::publish(from, tick, batches, is_whole);
    }

private:
    void fail() const {
        if (injected_fault_.kind == InjectedFault::Kind::kThrowInIo) {
            fail_io_();
            return;
        }
        while (injected_fault_.kind == InjectedFault::Kind::kHang) {
            std::this_thread::sleep_for(std::chrono::hours(1));
        }
        throw std::runtime_error("a rehearsed failure");
    }

    const InjectedFault injected_fault_;
    const std::function<void()> fail_io_;
    std::atomic<bool> has_failed_{false};
};

}  // namespace

std::optional<InjectedFault> parse_injected_fault(const std::string& text) {
    const auto at = text.find('@');
    if (at == std::string::npos) {
        return std::nullopt;
    }
    InjectedFault injected_fault;
    const std::string_view kind = std::string_view(text).substr(0, at);
    if (kind == "hang") {
        injected_fault.kind = InjectedFault::Kind::kHang;
    } else if (kind == "throw_in_io") {
        injected_fault.kind = InjectedFault::Kind::kThrowInIo;
    } else if (kind != "throw") {
        return std::nullopt;
    }
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + at + 1, end, injected_fault.tick);
    if (error != std::errc() || rest != end || injected_fault.tick == engine::kNever) {
        return std::nullopt;
    }
    return injected_fault;
}

shards::Zone::MakeTransport fail_as_injected(const InjectedFault& injected_fault,
                                             std::function<void()> fail_io) {
    return [injected_fault, fail_io = std::move(fail_io)](std::size_t ticks_behind_max) {
        return std::make_unique<FailingTransport>(ticks_behind_max, injected_fault, fail_io);
    };
}

}  // namespace marchland::server
