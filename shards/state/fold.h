#pragma once

#include "engine/entity.h"
#include "engine/ids.h"
#include "shards/layout/layout.h"
#include "shards/recording/records.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace marchland::shards {

/// Whose an entity is: 0 is a player's own, any other number is one service's. `ref`: the service's
/// name for it.
struct Owner {
    std::uint64_t number = 0;
    std::uint32_t ref = 0;

    friend bool operator==(const Owner&, const Owner&) = default;
};

/// A player's session has its entity's id, a service's its number as an owner.
struct SessionKey {
    enum class Kind : std::uint8_t { player, service };
    Kind kind = Kind::player;
    std::uint64_t number = 0;

    friend auto operator<=>(const SessionKey&, const SessionKey&) = default;
};

struct KeptEntity {
    /// What is about single ticks, all but its birth, is not kept.
    engine::Entity entity;
    bool takes_frames = true;
    Owner owner;
    PortState port = {};
};

struct KeptSession {
    SessionKey key;
    std::string subject;  ///< of its token; empty: nobody knows
    std::string claims;   ///< likewise; those that services are sent
    /// Resume tokens of older generations are good for nothing any more.
    std::uint32_t generation = 0;

    friend bool operator==(const KeptSession&, const KeptSession&) = default;
};

/// Who may not come in: a token's subject, or else an address.
struct KeptBan {
    std::string subject;
    std::string address;
    std::int64_t until_s = 0;  ///< since 1970; 0: until it is lifted
    std::string reason;

    friend bool operator==(const KeptBan&, const KeptBan&) = default;
};

/// What a zone has once: the row of the table `zone`.
struct KeptHead {
    /// Of a store: the newest that any shard has run. Of a fold: the newest that it has applied.
    engine::Tick tick = engine::kNever;
    std::uint64_t server_time_us = 0;  ///< when that was due
    std::int64_t written_at_us = 0;    ///< since 1970, when it was written
    // Neither was ever given, nor any greater one.
    std::uint64_t next_id = 1;
    std::uint64_t next_owner = 1;
};

/// All of a zone that survives a restart.
struct KeptZone : KeptHead {
    std::vector<Region> layout;         ///< in force; none: nobody has set one
    std::vector<KeptEntity> entities;   ///< ids ascending
    std::vector<KeptSession> sessions;  ///< keys ascending
    std::vector<KeptBan> bans;
};

/// What is to be written so that a store holds what a fold holds: rows that are new or have
/// changed, whole, and those that are no more. `zone.layout` is empty where it has not changed; of
/// bans, `bans` is all or nothing.
struct KeptChanges {
    KeptZone zone;
    std::optional<std::vector<KeptBan>> bans = {};
    std::vector<engine::EntityId> gone;
    std::vector<SessionKey> ended;
};

/// Takes out what nobody would come back for: entities without a session of their player or
/// service, and players' sessions whose entity never came. What is to be written of that.
KeptChanges take_orphans(KeptZone& zone);

/// The table of what survives, made from what the shards record of each tick: records hold absolute
/// values, so the newest of each kind wins, and nothing is computed again.
///
///   ticks   [join 7 at (0, 0)] [7 moves to (5, 0)] [7 leaves]
///   table    7: (0, 0)          7: (5, 0)           -
///
/// A join of an id that the table has already is an entity that a start has put back into its zone:
/// birth, owner and what its port knows stay what they were.
///
/// The server's part (owners, sessions, bans) comes besides, and before the entity's join: so
/// whoever has an entity's row has its owner's and its session's, too. A player's session ends with
/// its entity.
///
/// Threads  One at a time.
/// Errors   apply() says why bytes are no ticks of this zone; then the table is good for nothing.
/// Cost     O(1) for each record, and a logarithm for those of sessions.
class Fold {
public:
    explicit Fold(KeptZone before = {});

    /// Whole ticks, as TickMerge puts them together: each later than the one before.
    [[nodiscard]] std::optional<std::string> apply(std::span<const std::byte> payload);
    /// The ticks that come are not whole, since a shard hangs in its part: it may have handed over
    /// who joined there. What is said of somebody who never came is left out, and no error.
    void set_lenient(bool is_lenient) { is_lenient_ = is_lenient; }

    /// The entity that is about to join is a service's.
    void own(engine::EntityId entity, Owner owner) { owners_to_come_[entity] = owner; }
    /// It does not join.
    void disown(engine::EntityId entity) { owners_to_come_.erase(entity); }
    void open(KeptSession session);
    /// Its client has shown a newer token, or has other claims. Nothing happens where there is no
    /// such session, or it has a newer token.
    void renew(KeptSession session);
    void close(SessionKey session);
    /// All of them, whenever one comes or goes.
    void set_bans(std::vector<KeptBan> bans);

    /// Has anything come or gone since the last take_changes(), an entity, a session, a layout or a
    /// ban?
    [[nodiscard]] bool has_arrivals() const;
    enum class Which : std::uint8_t { all_but_moves, all };
    /// What has changed since it was taken last. What a service does in one tick, to several
    /// entities, is taken together; only where they are and face may be older. (Not so where a
    /// shard hung in that tick: its part is not known.)
    [[nodiscard]] KeptChanges take_changes(Which which);

    /// Of it, tick and the ids that follow are kept up to date.
    [[nodiscard]] const KeptHead& head() const { return head_; }
    /// Of the rows; what they point to is left out.
    [[nodiscard]] std::size_t memory_bytes() const {
        return rows_.size() * sizeof(*rows_.begin()) +
               sessions_.size() * sizeof(*sessions_.begin());
    }
    /// The whole table, for tests and reports.
    [[nodiscard]] KeptZone whole() const;

private:
    /// Since it was taken: whatever has, its key is in the list of those that are to be.
    enum class Change : std::uint8_t { none, place, whole };
    template <typename Kept>
    struct Row {
        Kept kept;
        Change change = Change::none;
        bool is_taken = false;  ///< ever: so it is to be taken, too, that it is gone
    };
    template <typename Key, typename Kept, typename Rows>
    static void note(Key key, Row<Kept>& row, Change change, std::vector<Key>& to_take,
                     const Rows& rows);
    template <typename Key, typename Rows, typename Kept>
    static void take_rows(std::vector<Key> keys, Rows& rows, std::vector<Kept>& changed,
                          std::vector<Key>& gone);

    [[nodiscard]] std::optional<std::string> apply(const Record& record);
    [[nodiscard]] std::optional<std::string> apply(const InputsRecord& record);
    [[nodiscard]] std::optional<std::string> apply(const MoveRecord& record);
    void join(const JoinRecord& record);
    [[nodiscard]] bool remove(engine::EntityId id);
    [[nodiscard]] std::optional<std::string> nobody_asked(engine::EntityId id) const;

    KeptHead head_;
    engine::Tick decoded_tick_ = engine::kNever;  ///< what the next one is counted from
    bool is_lenient_ = false;
    std::vector<Region> layout_;
    bool is_layout_new_ = false;
    std::vector<KeptBan> bans_;
    bool are_bans_new_ = false;
    std::unordered_map<engine::EntityId, Row<KeptEntity>> rows_;  ///< nothing depends on its order
    std::unordered_map<engine::EntityId, Owner> owners_to_come_;
    std::map<SessionKey, Row<KeptSession>> sessions_;

    // What is to be taken. Some may be here twice, or be no more. No longer than the table, or a
    // little, however long nobody takes it.
    std::vector<engine::EntityId> moved_;
    std::vector<engine::EntityId> changed_;  ///< in more than that
    bool has_somebody_come_ = false;
    std::vector<engine::EntityId> gone_;
    std::vector<SessionKey> changed_sessions_;
    std::vector<SessionKey> ended_;
};

}  // namespace marchland::shards
