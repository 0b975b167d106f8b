#include "engine/frame/content_log.h"

#include <algorithm>
#include <utility>

namespace marchland::engine {

Tick LifeContent::newest_tick() const {
    return log == nullptr ? kNever : log->newest_tick();
}

void ContentLog::attach(Slot slot, const Entity& entity) {
    const LifeContent* const content = kept_.empty() ? nullptr : find(entity.id, entity.birth);
    if (content != nullptr) {
        set_tick(slot, content->newest_tick());
    }
}

void ContentLog::detach(Slot slot) {
    if (to_number(slot) < newest_.size()) {
        newest_[to_number(slot)] = kNever;
    }
}

void ContentLog::note_messages(Slot slot, const Entity& entity,
                               std::span<const KeptMessage> messages, Tick now) {
    LifeContent& content = note({entity.id, entity.birth}, now, now);
    content.log = with(content.log, messages);
    set_tick(slot, now);
}

void ContentLog::absorb(const EntityContent& received, std::optional<Slot> slot, Tick now) {
    const Tick tick = received.life.newest_tick();
    LifeContent& content = note({received.id, received.birth}, tick, now);
    const auto reach_of = [](const MessageLogPtr& log) {
        return log == nullptr || log->messages.empty()
                   ? std::pair{kNever, 0U}
                   : std::pair{log->newest_tick(), log->messages.back().number};
    };
    if (received.life.log != nullptr && reach_of(received.life.log) >= reach_of(content.log)) {
        content.log = received.life.log;
    }
    if (slot) {
        set_tick(*slot, content.newest_tick());
    }
}

const LifeContent* ContentLog::find(EntityId id, Tick birth) const {
    const auto kept = kept_.find({id, birth});
    return kept == kept_.end() ? nullptr : &kept->second.content;
}

LifeContent& ContentLog::note(const Life& life, Tick tick, Tick now) {
    const auto [kept, is_new] = kept_.try_emplace(life);
    if (is_new || kept->second.noted_tick != now) {
        kept->second.noted_tick = now;
        in_order_.push_back({now, life});
    }
    newest_tick_ = std::max(newest_tick_, tick);
    return kept->second.content;
}

void ContentLog::set_tick(Slot slot, Tick tick) {
    if (newest_.size() <= to_number(slot)) {
        newest_.resize(to_number(slot) + std::size_t{1}, kNever);
    }
    newest_[to_number(slot)] = tick;
}

void ContentLog::forget_before(Tick tick) {
    while (!in_order_.empty() && in_order_.front().tick < tick) {
        const auto kept = kept_.find(in_order_.front().life);
        if (kept != kept_.end() && kept->second.content.newest_tick() < tick) {
            kept_.erase(kept);
        }
        in_order_.pop_front();
    }
}

}  // namespace marchland::engine
