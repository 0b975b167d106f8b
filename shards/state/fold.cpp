#include "shards/state/fold.h"

#include "shards/recording/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

namespace marchland::shards {

namespace {

template <typename Key>
void sort_once_each(std::vector<Key>& keys) {
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

}  // namespace

KeptChanges take_orphans(KeptZone& zone) {
    using Kind = SessionKey::Kind;
    KeptChanges changes;
    static_cast<KeptHead&>(changes.zone) = zone;
    std::set<SessionKey> sessions;
    for (const KeptSession& session : zone.sessions) {
        sessions.insert(session.key);
    }
    std::set<SessionKey> needed;  // by somebody who is there
    std::erase_if(zone.entities, [&](const KeptEntity& kept) {
        const SessionKey key = kept.owner.number == 0
                                   ? SessionKey{Kind::player, to_number(kept.entity.id)}
                                   : SessionKey{Kind::service, kept.owner.number};
        if (!sessions.contains(key)) {
            changes.gone.push_back(kept.entity.id);
            return true;
        }
        needed.insert(key);
        return false;
    });
    std::erase_if(zone.sessions, [&](const KeptSession& session) {
        const bool is_orphan = session.key.kind == Kind::player && !needed.contains(session.key);
        if (is_orphan) {
            changes.ended.push_back(session.key);
        }
        return is_orphan;
    });
    return changes;
}

/// Who comes and goes while nobody takes anything leaves nothing behind.
template <typename Key, typename Kept, typename Rows>
void Fold::note(Key key, Row<Kept>& row, Change change, std::vector<Key>& to_take,
                const Rows& rows) {
    constexpr std::size_t kPrunedAt = 1'024;
    if (row.change >= change) {
        return;
    }
    row.change = change;
    if (to_take.size() >= 2 * rows.size() + kPrunedAt) {
        std::erase_if(to_take, [&](Key each) {
            const auto found = rows.find(each);
            return found == rows.end() || found->second.change != change;
        });
    }
    to_take.push_back(key);
}

/// The rows among `keys` that have changed, and those of `gone` that are not back.
template <typename Key, typename Rows, typename Kept>
void Fold::take_rows(std::vector<Key> keys, Rows& rows, std::vector<Kept>& changed,
                     std::vector<Key>& gone) {
    std::ranges::sort(keys);
    for (const Key key : keys) {
        const auto row = rows.find(key);
        if (row != rows.end() && std::exchange(row->second.change, Change::none) != Change::none) {
            row->second.is_taken = true;
            changed.push_back(row->second.kept);
        }
    }
    sort_once_each(gone);
    std::erase_if(gone, [&rows](Key key) { return rows.contains(key); });
}

Fold::Fold(KeptZone before)
    : head_(before), layout_(std::move(before.layout)), bans_(std::move(before.bans)) {
    for (KeptEntity& kept : before.entities) {
        const engine::EntityId id = kept.entity.id;
        rows_[id] = {std::move(kept), Change::none, true};
    }
    for (KeptSession& session : before.sessions) {
        const SessionKey key = session.key;
        sessions_[key] = {std::move(session), Change::none, true};
    }
}

std::optional<std::string> Fold::apply(std::span<const std::byte> payload) {
    RecordDecoder decoder(payload);
    while (!decoder.is_at_end()) {
        if (const auto move = decoder.take_move()) {
            if (auto flaw = apply(*move)) {
                return fmt::format("tick {}: {}", decoded_tick_, *flaw);
            }
            continue;
        }
        const auto decoded = decoder.next(decoded_tick_);
        if (const auto* const bad = std::get_if<BadRecord>(&decoded)) {
            return fmt::format("byte {} of a tick's records: {}", bad->offset, bad->reason);
        }
        if (auto flaw = apply(std::get<Record>(decoded))) {
            return fmt::format("tick {}: {}", decoded_tick_, *flaw);
        }
    }
    return std::nullopt;
}

std::optional<std::string> Fold::apply(const Record& record) {
    if (const auto* const inputs = std::get_if<InputsRecord>(&record)) {
        return apply(*inputs);
    }
    if (const auto* const begin = std::get_if<TickBegin>(&record)) {
        if (begin->tick <= head_.tick) {
            return fmt::format("tick {} comes after tick {}", begin->tick, head_.tick);
        }
        head_.tick = decoded_tick_ = begin->tick;
    } else if (const auto* const joined = std::get_if<JoinRecord>(&record)) {
        join(*joined);
    } else if (const auto* const gone = std::get_if<Gone>(&record)) {
        if (!remove(gone->id) && !is_lenient_) {
            return fmt::format("entity {} is gone and was not there", to_number(gone->id));
        }
    } else if (const auto* const layout = std::get_if<LayoutRecord>(&record)) {
        is_layout_new_ = is_layout_new_ || layout_ != layout->regions;
        layout_ = layout->regions;
    }
    return std::nullopt;
}

std::optional<std::string> Fold::apply(const InputsRecord& record) {
    const auto found = rows_.find(record.id);
    if (found == rows_.end()) {
        return nobody_asked(record.id);
    }
    const Inputs& inputs = record.inputs;
    if (inputs.leave) {
        static_cast<void>(remove(record.id));
        return std::nullopt;
    }
    auto& row = found->second;
    engine::Entity& entity = row.kept.entity;
    Change change = Change::none;
    const auto take = [&change](auto& value, const auto& newer, Change what) {
        if (newer) {
            value = *newer;
            change = std::max(change, what);
        }
    };
    take(entity.position, inputs.move, Change::place);
    take(entity.facing, inputs.facing, Change::place);
    take(entity.view, inputs.view, Change::whole);
    take(entity.notify, inputs.notify, Change::whole);
    take(row.kept.port, inputs.port_state, Change::whole);
    if (!inputs.state.empty()) {
        entity.state = engine::with(entity.state, inputs.state, head_.tick);
        change = Change::whole;
    }
    if (inputs.layers) {
        entity.layers = inputs.layers->layers;
        entity.layers_seen = inputs.layers->layers_seen;
        change = Change::whole;
    }
    note(record.id, row, change, change == Change::place ? moved_ : changed_, rows_);
    return std::nullopt;
}

std::optional<std::string> Fold::apply(const MoveRecord& record) {
    const auto row = rows_.find(record.id);
    if (row == rows_.end()) {
        return nobody_asked(record.id);
    }
    row->second.kept.entity.position = record.to;
    note(record.id, row->second, Change::place, moved_, rows_);
    return std::nullopt;
}

std::optional<std::string> Fold::nobody_asked(engine::EntityId id) const {
    if (is_lenient_) {
        return std::nullopt;
    }
    return fmt::format("entity {} is asked something and is not there", to_number(id));
}

void Fold::join(const JoinRecord& record) {
    const engine::EntityId id = record.entity.id;
    const auto [place, is_new] = rows_.try_emplace(id);
    auto& row = place->second;
    const engine::Tick birth = is_new ? head_.tick : row.kept.entity.birth;
    row.kept.entity = record.entity;
    row.kept.entity.birth = birth;
    row.kept.takes_frames = record.takes_frames;
    if (const auto owner = owners_to_come_.extract(id)) {
        row.kept.owner = owner.mapped();
    }
    note(id, row, Change::whole, changed_, rows_);
    has_somebody_come_ = true;
    head_.next_id = std::max(head_.next_id, to_number(id) + 1);
}

bool Fold::remove(engine::EntityId id) {
    const auto row = rows_.find(id);
    if (row == rows_.end()) {
        return false;
    }
    if (row->second.is_taken) {
        gone_.push_back(id);
    }
    rows_.erase(row);
    close({SessionKey::Kind::player, to_number(id)});
    return true;
}

void Fold::open(KeptSession session) {
    const SessionKey key = session.key;
    if (key.kind == SessionKey::Kind::service) {
        head_.next_owner = std::max(head_.next_owner, key.number + 1);
    }
    auto& row = sessions_[key];
    row.kept = std::move(session);
    note(key, row, Change::whole, changed_sessions_, sessions_);
}

void Fold::renew(KeptSession session) {
    const SessionKey key = session.key;
    const auto found = sessions_.find(key);
    if (found != sessions_.end() && found->second.kept != session &&
        found->second.kept.generation <= session.generation) {
        found->second.kept = std::move(session);
        note(key, found->second, Change::whole, changed_sessions_, sessions_);
    }
}

void Fold::close(SessionKey session) {
    const auto found = sessions_.find(session);
    if (found == sessions_.end()) {
        return;
    }
    if (found->second.is_taken) {
        ended_.push_back(session);
    }
    sessions_.erase(found);
}

void Fold::set_bans(std::vector<KeptBan> bans) {
    bans_ = std::move(bans);
    are_bans_new_ = true;
}

bool Fold::has_arrivals() const {
    return has_somebody_come_ || !gone_.empty() || !changed_sessions_.empty() || !ended_.empty() ||
           is_layout_new_ || are_bans_new_;
}

KeptChanges Fold::take_changes(Which which) {
    KeptChanges changes;
    static_cast<KeptHead&>(changes.zone) = head_;
    if (std::exchange(is_layout_new_, false)) {
        changes.zone.layout = layout_;
    }
    if (std::exchange(are_bans_new_, false)) {
        changes.bans = bans_;
    }
    has_somebody_come_ = false;
    auto ids = std::exchange(changed_, {});
    if (which == Which::all) {
        ids.insert(ids.end(), moved_.begin(), moved_.end());
        moved_.clear();
    }
    changes.gone = std::exchange(gone_, {});
    take_rows(std::move(ids), rows_, changes.zone.entities, changes.gone);
    changes.ended = std::exchange(ended_, {});
    take_rows(std::exchange(changed_sessions_, {}), sessions_, changes.zone.sessions,
              changes.ended);
    return changes;
}

KeptZone Fold::whole() const {
    KeptZone zone;
    static_cast<KeptHead&>(zone) = head_;
    zone.layout = layout_;
    zone.bans = bans_;
    for (const auto& [id, row] : rows_) {
        zone.entities.push_back(row.kept);
    }
    std::ranges::sort(zone.entities, {}, [](const KeptEntity& kept) { return kept.entity.id; });
    for (const auto& [key, session] : sessions_) {
        zone.sessions.push_back(session.kept);
    }
    return zone;
}

}  // namespace marchland::shards
