#pragma once

#include "shards/border/local_transport.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace marchland::tests {

/// A transport on which every hand-over between shards takes as long as chance will have it: before
/// and after each call the caller's thread is held up, or gives way, or goes on. What is sent may
/// not depend on that.
class ShakyTransport final : public shards::LocalTransport {
public:
    ShakyTransport(std::size_t ticks_behind_max, std::uint64_t seed)
        : LocalTransport(0, ticks_behind_max), calls_(seed) {}

    [[nodiscard]] bool dismiss(shards::ShardId shard) override {
        shake();
        return LocalTransport::dismiss(shard);
    }
    void publish(shards::ShardId from, engine::Tick tick, std::vector<Outgoing>& batches,
                 bool is_whole) override {
        shake();
        LocalTransport::publish(from, tick, batches, is_whole);
        shake();
    }
    shards::MissingBatches await(engine::Tick tick,
                                 std::chrono::steady_clock::time_point deadline) override {
        const shards::MissingBatches missing = LocalTransport::await(tick, deadline);
        shake();
        return missing;
    }
    engine::Tick collect(shards::ShardId self, engine::Tick tick,
                         std::vector<shards::BorderBatch>& into) override {
        shake();
        const engine::Tick all = LocalTransport::collect(self, tick, into);
        shake();
        return all;
    }

private:
    void shake() {
        // splitmix64 of the number of the call: any thread may come here.
        std::uint64_t chance = calls_.fetch_add(0x9E37'79B9'7F4A'7C15U);
        chance = (chance ^ (chance >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
        chance = (chance ^ (chance >> 27U)) * 0x94D0'49BB'1331'11EBU;
        chance ^= chance >> 31U;
        if (chance % 8 == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(chance / 8 % 2'000));
        } else if (chance % 8 < 4) {
            std::this_thread::yield();
        }
    }

    std::atomic<std::uint64_t> calls_;
};

}  // namespace marchland::tests
