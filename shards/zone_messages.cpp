#include "shards/zone_messages.h"

#include "engine/geometry.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace marchland::shards {

bool Audience::holds(const engine::Entity& entity, engine::Dimensions dimensions) const {
    const bool is_inside = !within || engine::is_within(entity.position, within->centre,
                                                        within->radius_mm, dimensions);
    return is_inside && (!layers || (entity.layers_seen & *layers) != 0);
}

std::size_t ZoneMessage::bytes() const {
    constexpr std::size_t kOverhead = 128;
    return kOverhead + engine::bytes_of(message.payload).size() +
           (audience.to ? audience.to->size() * sizeof(engine::EntityId) : 0);
}

void ZoneMessages::add(engine::Tick tick, ZoneMessage message) {
    const std::lock_guard lock(mutex_);
    bytes_ += message.bytes();
    kept_.push_back({tick, std::make_shared<const ZoneMessage>(std::move(message))});
    while (!kept_.empty() && (bytes_ > bytes_max_ || kept_.front().tick + kTicksMax < tick)) {
        bytes_ -= kept_.front().message->bytes();
        lost_tick_ = kept_.front().tick;
        kept_.pop_front();
    }
    newest_tick_.store(tick, std::memory_order_relaxed);
}

engine::Tick ZoneMessages::collect(engine::Tick after, engine::Tick through,
                                   std::vector<Kept>& into) const {
    const std::lock_guard lock(mutex_);
    const auto first = std::ranges::upper_bound(kept_, after, {}, &Kept::tick);
    const auto end = std::ranges::upper_bound(kept_, through, {}, &Kept::tick);
    if (first < end) {
        std::copy(first, end, std::back_inserter(into));
    }
    return lost_tick_;
}

}  // namespace marchland::shards
