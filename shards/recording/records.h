#pragma once

#include "engine/entity.h"
#include "engine/frame/varint.h"
#include "engine/ids.h"
#include "shards/entity_port.h"
#include "shards/layout/layout.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace marchland::shards {

// The content of a recording: docs/recording.md has it byte by byte.
//
//   part    = head, block...              a file; the next part goes on where this one ends
//   head    = magic, version, part number, recording number, options' size, options, checksum
//   block   = size, checksum, checksum of these two, payload
//   payload = record...                   whole ticks, or what is between them

inline constexpr std::string_view kRecordingMagic = "MARCHREC";
inline constexpr std::uint32_t kRecordingVersion = 5;
inline constexpr std::size_t kBlockHeadBytes = 12;
inline constexpr std::size_t kBlockBytesMax = std::size_t{64} << 20U;
inline constexpr std::size_t kOptionsBytesMax = 4'096;
inline constexpr std::size_t kRegionNameBytesMax = 1'024;

/// Good for many ticks; a thousand million years of them. Bounds what a foreign file may ask for.
inline constexpr engine::Tick kRecordedTickMax = engine::Tick{1} << 62U;

enum class RecordKind : std::uint8_t {
    layout = 1,
    tick_begin = 2,
    inputs = 3,
    join = 4,
    unframed = 5,
    tick_end = 6,
    next_part = 7,
    end = 8,
    /// In no recording, since a replay removes by itself: in the records that the state is made
    /// from.
    gone = 9,
};

/// The zone has these regions from tick `from` on; the first one of a recording from the start.
struct LayoutRecord {
    engine::Tick from = engine::kNever;
    std::vector<Region> regions;
};

/// A tick that some shard ran. Ticks that no shard ran (one before took so long) have no record.
struct TickBegin {
    engine::Tick tick = engine::kNever;
    /// Some shard did not run it, or went on without another's border: frames of it, and of ticks
    /// after it, may differ from what was sent.
    bool is_stale = false;
    // As in Pace.
    std::uint32_t ring_slowdown = 1;
    std::uint32_t frame_bytes_max = 0;
};

/// What an entity's client or service asked for; of one that joined in this tick, after its join.
struct InputsRecord {
    engine::EntityId id{};
    Inputs inputs;
    /// Another port has taken the place of the one before: what is asked for may be both ports'
    /// messages.
    bool has_successor = false;
};

/// An InputsRecord that holds nothing but where the entity moves.
struct MoveRecord {
    engine::EntityId id{};
    engine::Position to;
};

struct JoinRecord {
    engine::Entity entity;
    bool takes_frames = true;
};

/// A watcher that got no frame in this tick: not its turn, or its client could take none.
struct Unframed {
    engine::EntityId id{};
};

struct TickEnd {
    std::uint64_t frames_check = 0;  ///< the sum of frame_check over all frames
};

struct NextPart {};
struct RecordingEnd {};

/// The zone took the entity out though nobody asked for that.
struct Gone {
    engine::EntityId id{};
};

using Record = std::variant<LayoutRecord, TickBegin, InputsRecord, JoinRecord, Unframed, TickEnd,
                            NextPart, RecordingEnd, Gone>;

using Bytes = std::vector<std::byte>;

// Each appends one record of a recording, the kind included. Values are the zone's own, and so
// within its limits.

void encode_layout(engine::Tick from, const Layout& layout, Bytes& out);
/// `before`: the tick that was recorded before, or kNever.
void encode_tick_begin(const TickBegin& begin, engine::Tick before, Bytes& out);
void encode_inputs(engine::EntityId id, const Inputs& inputs, bool has_successor, Bytes& out);
void encode_join(const engine::Entity& entity, bool takes_frames, Bytes& out);
void encode_unframed(engine::EntityId id, Bytes& out);
void encode_gone(engine::EntityId id, Bytes& out);
void encode_tick_end(std::uint64_t frames_check, Bytes& out);
/// One that is nothing but its kind.
void encode_mark(RecordKind kind, Bytes& out);

/// Its bytes alone.
void append_text(std::string_view text, Bytes& out);

/// Why bytes are no record. Anything that no recorder writes is refused, also where it could be
/// made sense of: a second spelling would be a second thing to test.
struct BadRecord {
    std::size_t offset = 0;  ///< of the record in the payload
    std::string reason;
};

/// Reads the records of one block's payload, which outlives it.
///
/// Errors  Values: of the form only. Whether a record makes sense in its zone (a position in the
///         world, an id that lives) is for whoever has the zone.
/// Cost    Nothing is allocated beyond what a record has bytes for.
class RecordDecoder {
public:
    explicit RecordDecoder(std::span<const std::byte> payload);

    [[nodiscard]] bool is_at_end() const { return reader_.is_at_end(); }
    /// Where the next record begins.
    [[nodiscard]] std::size_t offset() const { return size_ - reader_.rest().size(); }

    /// The next record where it is of inputs that are nothing but a move, as nearly all are; else
    /// nothing is read. Quicker than next().
    [[nodiscard]] std::optional<MoveRecord> take_move();
    /// The next record; not at the end. `tick_before`: the last tick that was begun. After an error
    /// the rest is not to be read.
    std::variant<Record, BadRecord> next(engine::Tick tick_before);

private:
    engine::VarintReader reader_;
    std::size_t size_;
};

using engine::append_u32;
using engine::append_u64;
using engine::read_u32;
using engine::read_u64;

}  // namespace marchland::shards
