#include "tools/server/rehearsal.h"

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

class FailingCarrier final : public shards::Carrier {
public:
    FailingCarrier(std::unique_ptr<shards::Carrier> carrier, Rehearsal rehearsal,
                   std::function<void()> fail_io)
        : carrier_(std::move(carrier)), rehearsal_(rehearsal), fail_io_(std::move(fail_io)) {}

    void admit(shards::ShardId shard, engine::Tick first) override {
        carrier_->admit(shard, first);
    }
    [[nodiscard]] bool dismiss(shards::ShardId shard) override { return carrier_->dismiss(shard); }
    void publish(shards::ShardId from, engine::Tick tick, std::vector<Outgoing>& batches,
                 bool is_whole) override {
        if (tick >= rehearsal_.tick && !has_failed_.exchange(true)) {
            fail();
        }
        carrier_->publish(from, tick, batches, is_whole);
    }
    std::size_t await(engine::Tick tick, std::chrono::steady_clock::time_point deadline) override {
        return carrier_->await(tick, deadline);
    }
    engine::Tick collect(shards::ShardId self, engine::Tick tick,
                         std::vector<shards::BorderBatch>& into) override {
        return carrier_->collect(self, tick, into);
    }
    void recycle(shards::BorderBatch batch) override { carrier_->recycle(std::move(batch)); }
    shards::BorderBatch fresh_batch() override { return carrier_->fresh_batch(); }
    void close() override { carrier_->close(); }

private:
    void fail() const {
        if (rehearsal_.kind == Rehearsal::Kind::kThrowInIo) {
            fail_io_();
            return;
        }
        while (rehearsal_.kind == Rehearsal::Kind::kHang) {
            std::this_thread::sleep_for(std::chrono::hours(1));
        }
        throw std::runtime_error("a rehearsed failure");
    }

    const std::unique_ptr<shards::Carrier> carrier_;
    const Rehearsal rehearsal_;
    const std::function<void()> fail_io_;
    std::atomic<bool> has_failed_{false};
};

}  // namespace

std::optional<Rehearsal> parse_rehearsal(const std::string& text) {
    const auto at = text.find('@');
    if (at == std::string::npos) {
        return std::nullopt;
    }
    Rehearsal rehearsal;
    const std::string_view kind = std::string_view(text).substr(0, at);
    if (kind == "hang") {
        rehearsal.kind = Rehearsal::Kind::kHang;
    } else if (kind == "throw_in_io") {
        rehearsal.kind = Rehearsal::Kind::kThrowInIo;
    } else if (kind != "throw") {
        return std::nullopt;
    }
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + at + 1, end, rehearsal.tick);
    if (error != std::errc() || rest != end || rehearsal.tick == engine::kNever) {
        return std::nullopt;
    }
    return rehearsal;
}

shards::Zone::WrapCarrier fail_as_rehearsed(const Rehearsal& rehearsal,
                                            std::function<void()> fail_io) {
    return [rehearsal, fail_io = std::move(fail_io)](std::unique_ptr<shards::Carrier> carrier) {
        return std::make_unique<FailingCarrier>(std::move(carrier), rehearsal, fail_io);
    };
}

}  // namespace marchland::server
