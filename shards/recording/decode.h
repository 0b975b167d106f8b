#pragma once

#include "engine/frame/varint.h"
#include "engine/ids.h"
#include "shards/recording/format.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace marchland::shards {

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

    /// The next record where it is of inputs that are nothing but a move, as nearly all are; else nothing is read. Quicker than next().
    [[nodiscard]] std::optional<MoveRecord> take_move();
    /// The next record; not at the end. `tick_before`: the last tick that was begun. After an error
    /// the rest is not to be read.
    std::variant<Record, BadRecord> next(engine::Tick tick_before);

private:
    engine::VarintReader reader_;
    std::size_t size_;
};

using engine::read_u32;
using engine::read_u64;

}  // namespace marchland::shards
