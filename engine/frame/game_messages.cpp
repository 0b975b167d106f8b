#include "engine/frame/game_messages.h"

#include <algorithm>
#include <cstddef>

namespace marchland::engine {
namespace {

/// The place of the oldest that is kept.
std::size_t first_kept(std::span<const KeptMessage> messages) {
    std::size_t first = messages.size();
    std::size_t cost = 0;
    while (first > 0) {
        const KeptMessage& message = messages[first - 1];
        cost += message.cost();
        if (cost > MessageLog::kBytesMax && message.tick != messages.back().tick) {
            break;
        }
        --first;
    }
    return first;
}

}  // namespace

MessageLogPtr with(const MessageLogPtr& log, std::span<const KeptMessage> messages) {
    auto longer = std::make_shared<MessageLog>();
    if (log != nullptr) {
        *longer = *log;
    }
    std::vector<KeptMessage>& all = longer->messages;
    all.insert(all.end(), messages.begin(), messages.end());
    const std::size_t first = first_kept(all);
    if (first > 0) {
        longer->lost_tick = all[first - 1].tick;
        all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
    }
    return longer;
}

}  // namespace marchland::engine
