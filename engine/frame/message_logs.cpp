#include "engine/frame/message_logs.h"

#include <algorithm>
#include <utility>

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

/// The log with more messages, in order and later than all in it. `log` may be null: none yet.
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

}  // namespace

void MessageLogs::attach(Slot slot, const Entity& entity) {
    if (const MessageLogPtr* const log = find({entity.id, entity.birth})) {
        newest_.set(slot, (*log)->newest_tick());
    }
}

void MessageLogs::detach(Slot slot) {
    newest_.set(slot, kNever);
}

void MessageLogs::note_messages(Slot slot, const Entity& entity,
                                std::span<const KeptMessage> messages, Tick now) {
    MessageLogPtr& log = note({entity.id, entity.birth}, now, now);
    log = with(log, messages);
    newest_.set(slot, now);
}

void MessageLogs::absorb(const EntityMessages& received, std::optional<Slot> slot, Tick now) {
    MessageLogPtr& log = note(received.life, received.log->newest_tick(), now);
    const auto reach_of = [](const MessageLog& of) {
        return std::pair{of.newest_tick(), of.messages.empty() ? 0U : of.messages.back().number};
    };
    if (log == nullptr || reach_of(*received.log) >= reach_of(*log)) {
        log = received.log;
    }
    if (slot) {
        newest_.set(*slot, log->newest_tick());
    }
}

const MessageLogPtr* MessageLogs::find(const Life& life) const {
    const auto kept = kept_.find(life);
    return kept == kept_.end() ? nullptr : &kept->second.log;
}

MessageLogPtr& MessageLogs::note(const Life& life, Tick tick, Tick now) {
    const auto [kept, is_new] = kept_.try_emplace(life);
    if (is_new || kept->second.noted_tick != now) {
        kept->second.noted_tick = now;
        in_order_.push_back({now, life});
    }
    newest_tick_ = std::max(newest_tick_, tick);
    return kept->second.log;
}

void MessageLogs::forget_before(Tick tick) {
    while (!in_order_.empty() && in_order_.front().tick < tick) {
        const auto kept = kept_.find(in_order_.front().life);
        if (kept != kept_.end() && kept->second.log->newest_tick() < tick) {
            kept_.erase(kept);
        }
        in_order_.pop_front();
    }
}

}  // namespace marchland::engine
