#include "engine/frame/frame_messages.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace marchland::engine {
namespace {

/// No source has this id and birth: it stands for all sources of which no more is kept in mind, and
/// comes before them.
constexpr Known kAllSources{};

/// So many sources are kept in mind for a watcher, however long some shard is late.
constexpr std::size_t kSentMessagesMax = 4'096;

std::pair<Tick, std::uint32_t> place_of(const KeptMessage& message) {
    return {message.tick, message.number};
}

/// Up to where all sources count as sent.
std::pair<Tick, std::uint32_t> all_sent_until(std::span<const SentMessages> sent_messages) {
    const bool is_some = !sent_messages.empty() && sent_messages.front().source == kAllSources;
    return is_some ? std::pair(sent_messages.front().tick, sent_messages.front().number)
                   : std::pair(kNever, 0U);
}

/// Up to where those of this source were sent; before all messages if none was.
std::pair<Tick, std::uint32_t> sent_until(std::span<const SentMessages> sent_messages,
                                          const Known& source) {
    const auto found = std::lower_bound(
        sent_messages.begin(), sent_messages.end(), source,
        [](const SentMessages& a, const Known& sought) { return a.source < sought; });
    const auto all = all_sent_until(sent_messages);
    return found != sent_messages.end() && found->source == source
               ? std::max(all, std::pair(found->tick, found->number))
               : all;
}

/// Beyond kSentMessagesMax all but the newest, half as many, give way to one tick up to which
/// everything counts as sent: so nothing is sent twice. True then: what a late shard still has to
/// send of these ticks is lost.
bool make_room(std::vector<SentMessages>& sent_messages) {
    if (sent_messages.size() <= kSentMessagesMax) {
        return false;
    }
    const Tick all = all_sent_until(sent_messages).first;
    std::erase_if(sent_messages, [all](const SentMessages& each) {
        return each.tick <= all && each.source != kAllSources;
    });
    if (sent_messages.size() <= kSentMessagesMax) {
        return false;
    }
    std::vector<Tick> ticks(sent_messages.size());
    std::transform(sent_messages.begin(), sent_messages.end(), ticks.begin(),
                   [](const SentMessages& each) { return each.tick; });
    const auto last = ticks.end() - static_cast<std::ptrdiff_t>(kSentMessagesMax / 2 + 1);
    std::nth_element(ticks.begin(), last, ticks.end());
    std::erase_if(sent_messages, [last](const SentMessages& each) { return each.tick <= *last; });
    sent_messages.insert(sent_messages.begin(),
                         {kAllSources, *last, std::numeric_limits<std::uint32_t>::max()});
    return true;
}

}  // namespace

bool FrameMessages::goes_before(const Found& a, const Found& b) {
    return std::tuple(a.message->tick, a.source, a.message->number) <
           std::tuple(b.message->tick, b.source, b.message->number);
}

void FrameMessages::find_messages(const World& world, const Watcher& watcher,
                                  std::span<const Slot> slots, const std::uint64_t* stayed,
                                  std::span<const Known> gone) {
    sent_until_ = watcher.synced_tick;
    if (watcher.past == Watcher::Past::forgotten && world.forgotten_before != kNever) {
        // What is left of it by chance is lost like the rest.
        sent_until_ = std::max(sent_until_, world.forgotten_before - 1);
    }
    found_.clear();
    sent_messages_now_.clear();
    lost_ = false;
    sent_before_ = world.sent_messages[to_number(watcher.slot)];
    if (world.message_logs.newest_tick() > sent_until_) {
        look_around(world, slots, stayed, false);
        for (const Known& source : gone) {
            add_life(world, source, sent_until_);
        }
    }
    if (watcher.has_waiting_messages) {
        for (const Waiting::Message& message : world.waiting[to_number(watcher.slot)].messages) {
            found_.push_back({{message.source, message.birth}, &message.message});
        }
    }
    std::sort(found_.begin(), found_.end(), goes_before);
}

void FrameMessages::take_from(std::vector<Found>::iterator first, Room& room) {
    for (auto found = first; found != found_.end(); ++found) {
        found->is_sent = room.take(FrameCost::kMessage +
                                   static_cast<std::int64_t>(found->message->bytes().size()));
    }
}

void FrameMessages::take_entered(const World& world, std::span<const Slot> slots,
                                 const std::uint64_t* entered, Room& room) {
    if (is_idle_ || world.message_logs.newest_tick() <= sent_until_) {
        return;
    }
    const auto before = static_cast<std::ptrdiff_t>(found_.size());
    look_around(world, slots, entered, true);
    std::sort(found_.begin() + before, found_.end(), goes_before);
    take_from(found_.begin() + before, room);
}

void FrameMessages::give(const World& world, Frame& frame, Watcher& watcher, bool complete) {
    std::vector<SentMessages>& sent_messages_before = world.sent_messages[to_number(frame.watcher)];
    sent_before_ = {};
    if (complete) {
        std::vector<SentMessages>().swap(sent_messages_before);  // with its memory
    } else {
        keep_in_mind(sent_messages_before);
        lost_ = make_room(sent_messages_before) || lost_;
    }
    watcher.has_sent_messages = !sent_messages_before.empty();
    std::sort(found_.begin(), found_.end(), goes_before);
    frame_messages_.clear();
    for (const Found& found : found_) {
        if (found.is_sent) {
            frame_messages_.push_back({found.source.id, found.message->tick, found.message->kind,
                                       found.message->bytes()});
        }
    }
    frame.is_over_budget = frame.is_over_budget || frame_messages_.size() < found_.size();
    if (!world.waiting.empty()) {
        Waiting& waiting = world.waiting[to_number(frame.watcher)];
        keep_waiting(waiting);
        watcher.has_waiting_messages = !waiting.messages.empty();
    }
    frame.messages = frame_messages_;
    frame.messages_lost = lost_;
}

/// No more than Waiting::kMessageBytesMax.
void FrameMessages::keep_waiting(Waiting& waiting) {
    waited_.clear();
    std::size_t bytes = 0;
    for (auto found = found_.rbegin(); found != found_.rend(); ++found) {
        if (found->is_sent) {
            continue;
        }
        bytes += found->message->cost();
        if (bytes > Waiting::kMessageBytesMax) {
            lost_ = true;
            break;
        }
        waited_.push_back({found->source.id, found->source.birth, *found->message});
    }
    std::reverse(waited_.begin(), waited_.end());
    waited_.swap(waiting.messages);
}

/// Of each source the last place; `sent_messages_now_` may have several, `sent_messages_before` one
/// that was passed.
void FrameMessages::keep_in_mind(std::vector<SentMessages>& sent_messages_before) const {
    if (sent_messages_now_.empty()) {
        return;
    }
    sent_messages_before.insert(sent_messages_before.end(), sent_messages_now_.begin(),
                                sent_messages_now_.end());
    std::sort(sent_messages_before.begin(), sent_messages_before.end(),
              [](const SentMessages& a, const SentMessages& b) {
                  return std::tuple(a.source, b.tick, b.number) <
                         std::tuple(b.source, a.tick, a.number);
              });
    const auto end = std::unique(
        sent_messages_before.begin(), sent_messages_before.end(),
        [](const SentMessages& a, const SentMessages& b) { return a.source == b.source; });
    sent_messages_before.erase(end, sent_messages_before.end());
}

void FrameMessages::look_around(const World& world, std::span<const Slot> slots,
                                const std::uint64_t* sources, bool are_new) {
    for_each_place(sources, words_for(slots.size()), [&](std::uint32_t place) {
        if (world.message_logs.tick_of(slots[place]) > sent_until_) {
            const Entity& entity = world.entities.at(slots[place]);
            add_life(world, {entity.id, entity.birth}, are_new ? world.now - 1 : sent_until_);
        }
    });
}

/// What the log dropped counts as lost only where it is of a later tick than the watcher was sent
/// up to: what is older was sent, or reported as lost, by then. To compare ticks is enough: a log
/// drops nothing of its newest tick, so of the last tick that the watcher was sent from, all was
/// there.
void FrameMessages::add_life(const World& world, const Known& source, Tick after) {
    const MessageLogPtr* const kept = world.message_logs.find(source);
    if (kept == nullptr) {
        return;
    }
    const MessageLog& log = **kept;
    const auto sent_messages = sent_until(sent_before_, source);
    const auto sent =
        std::max(sent_messages, std::pair(after, std::numeric_limits<std::uint32_t>::max()));
    const auto first = std::upper_bound(
        log.messages.begin(), log.messages.end(), sent,
        [](const auto& place, const KeptMessage& message) { return place < place_of(message); });
    for (auto message = first; message != log.messages.end(); ++message) {
        found_.push_back({source, &*message});
    }
    if (!log.messages.empty()) {
        const KeptMessage& last = log.messages.back();
        sent_messages_now_.push_back({source, last.tick, last.number});
    }
    lost_ = lost_ || log.lost_tick > std::max(after, sent_messages.first);
}

}  // namespace marchland::engine
