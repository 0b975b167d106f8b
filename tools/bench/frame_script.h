#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace marchland::bench {

/// The frames that a server sent in some ticks, one to each client, to be sent again by another.
///
/// Shape   ticks x clients, in the order of add(): all clients of a tick, then those of the next.
class FrameScript {
public:
    explicit FrameScript(std::size_t clients) : clients_(clients) {}

    /// So much can be added while somebody reads what is there already.
    void reserve(std::size_t frames, std::size_t bytes) {
        ends_.reserve(frames);
        bytes_.reserve(bytes);
    }
    void clear() {
        bytes_.clear();
        ends_.clear();
    }
    void add(std::span<const std::byte> frame) {
        bytes_.insert(bytes_.end(), frame.begin(), frame.end());
        ends_.push_back(bytes_.size());
    }
    /// Of a tick that was added whole.
    [[nodiscard]] std::span<const std::byte> frame(std::size_t tick, std::size_t client) const {
        const std::size_t place = tick * clients_ + client;
        const std::size_t begin = place == 0 ? 0 : ends_.at(place - 1);
        return std::span(bytes_).subspan(begin, ends_.at(place) - begin);
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_.size(); }

private:
    const std::size_t clients_;
    std::vector<std::byte> bytes_;
    std::vector<std::size_t> ends_;
};

}  // namespace marchland::bench
