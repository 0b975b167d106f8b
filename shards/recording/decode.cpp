#include "shards/recording/decode.h"

#include "engine/frame/crowd_limits.h"
#include "shards/ids.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace marchland::shards {

namespace {

/// Of an inputs record's second number, which says what else it has.
constexpr std::uint64_t kInputsMax = 2047;
constexpr std::uint64_t kMoveAlone = 1;

/// Reads field by field. Once something is wrong it reports that and goes on with zeros, so that a record
/// is read without a question after each field.
class Fields {
public:
    explicit Fields(engine::VarintReader& reader) : reader_(reader) {}

    [[nodiscard]] bool is_good() const { return problem_ == nullptr; }
    [[nodiscard]] const char* problem() const { return problem_; }
    void refuse(const char* problem) {
        if (problem_ == nullptr) {
            problem_ = problem;
        }
    }

    std::uint64_t number(std::uint64_t max) {
        const std::optional<std::uint64_t> value = reader_.read();
        if (!value) {
            refuse("a number that is cut off or longer than it need be");
        } else if (*value > max) {
            refuse("a number that is out of range");
        }
        return is_good() ? *value : 0;
    }
    template <typename T>
    T whole() {
        return static_cast<T>(number(std::numeric_limits<T>::max()));
    }
    std::int32_t coordinate() {
        using Limits = std::numeric_limits<std::int32_t>;
        const std::int64_t value = engine::unzigzag(whole<std::uint64_t>());
        if (value < Limits::min() || value > Limits::max()) {
            refuse("a length that does not fit 32 bits");
        }
        return is_good() ? static_cast<std::int32_t>(value) : 0;
    }
    bool flag() { return number(1) != 0; }
    std::span<const std::byte> bytes(std::size_t size) {
        const auto taken = reader_.take(size);
        if (!taken) {
            refuse("cut off");
        }
        return is_good() ? *taken : std::span<const std::byte>{};
    }

    engine::EntityId id() { return static_cast<engine::EntityId>(whole<std::uint64_t>()); }
    engine::Position position() {
        engine::Position at;
        at.x = coordinate();
        at.y = coordinate();
        at.z = coordinate();
        return at;
    }
    engine::View view() {
        engine::View view;
        view.shape = static_cast<engine::Shape>(whole<std::uint8_t>());
        for (std::int32_t* const size_mm :
             {&view.radius_mm, &view.leave_radius_mm, &view.half_y_mm, &view.leave_half_y_mm,
              &view.half_z_mm, &view.leave_half_z_mm}) {
            *size_mm = coordinate();
        }
        view.half_opening = whole<engine::Angle>();
        view.leave_half_opening = whole<engine::Angle>();
        return view;
    }
    /// Null where it has no bytes.
    engine::Blob blob(std::size_t size_max) {
        const auto taken = bytes(number(size_max));
        return taken.empty()
                   ? nullptr
                   : std::make_shared<const std::vector<std::byte>>(taken.begin(), taken.end());
    }
    std::vector<engine::StateWrite> state() {
        auto rest = reader_.rest();
        auto writes = engine::unpack_state(rest);
        if (!writes) {
            refuse("a state that is none");
            return {};
        }
        reader_ = engine::VarintReader(rest);
        return std::move(*writes);
    }
    engine::NotifyRange notify() {
        engine::NotifyRange range;
        range.radius_mm = coordinate();
        range.leave_radius_mm = coordinate();
        return range;
    }
    PortState port_state() {
        PortState state;
        state.authority = whole<std::uint8_t>();
        state.speed_percent = whole<std::uint16_t>();
        state.frames_hz = whole<std::uint16_t>();
        state.message_number = whole<std::uint32_t>();
        return state;
    }

private:
    engine::VarintReader& reader_;
    const char* problem_ = nullptr;
};

LayoutRecord read_layout(Fields& fields) {
    LayoutRecord layout;
    layout.from = fields.number(kRecordedTickMax);
    const std::uint64_t count = fields.number(kShardsMax);
    for (std::uint64_t i = 0; i < count && fields.is_good(); ++i) {
        Region region;
        for (const std::byte letter : fields.bytes(fields.number(kRegionNameBytesMax))) {
            region.name += std::to_integer<char>(letter);
        }
        region.area.min_x = fields.coordinate();
        region.area.min_y = fields.coordinate();
        region.area.max_x = fields.coordinate();
        region.area.max_y = fields.coordinate();
        layout.regions.push_back(std::move(region));
    }
    return layout;
}

TickBegin read_tick_begin(Fields& fields, engine::Tick tick_before) {
    const engine::Tick step = fields.number(kRecordedTickMax - tick_before);
    if (step == 0) {
        fields.refuse("a tick that does not come after the one before");
    }
    TickBegin begin{tick_before + step, fields.flag()};
    begin.ring_slowdown = static_cast<std::uint32_t>(fields.number(engine::kRingSlowdownMax));
    if (begin.ring_slowdown == 0) {
        fields.refuse("rings that are slowed no times");
    }
    begin.frame_bytes_max =
        static_cast<std::uint32_t>(fields.number(std::numeric_limits<std::uint32_t>::max()));
    return begin;
}

std::vector<engine::GameMessage> read_messages(Fields& fields) {
    std::vector<engine::GameMessage> messages;
    const std::uint64_t count = fields.number(engine::kMessagesOfAllPortsMax);
    if (count == 0) {
        fields.refuse("messages without any");
    }
    for (std::uint64_t i = 0; i < count && fields.is_good(); ++i) {
        const auto kind = fields.whole<std::uint16_t>();
        messages.push_back({kind, fields.blob(engine::kMessageBytesMax)});
    }
    return messages;
}

InputsRecord read_inputs(Fields& fields) {
    InputsRecord record;
    record.id = fields.id();
    const std::uint64_t asked = fields.number(kInputsMax);
    if (asked == 0) {
        fields.refuse("intents without any");
    }
    Inputs& inputs = record.inputs;
    if ((asked & 1U) != 0) {
        inputs.move = fields.position();
    }
    if ((asked & 2U) != 0) {
        inputs.view = fields.view();
    }
    if ((asked & 4U) != 0) {
        inputs.facing = fields.whole<engine::Angle>();
    }
    if ((asked & 8U) != 0) {
        const auto layers = fields.whole<engine::LayerMask>();
        inputs.layers = {layers, fields.whole<engine::LayerMask>()};
    }
    if ((asked & 16U) != 0) {
        inputs.notify = fields.notify();
    }
    inputs.leave = (asked & 32U) != 0;
    if ((asked & 64U) != 0) {
        inputs.state = fields.state();
    }
    if ((asked & 128U) != 0) {
        inputs.messages = read_messages(fields);
    }
    inputs.keyframe = (asked & 256U) != 0;
    record.has_successor = (asked & 512U) != 0;
    if ((asked & 1024U) != 0) {
        inputs.port_state = fields.port_state();
    }
    return record;
}

JoinRecord read_join(Fields& fields) {
    JoinRecord join;
    engine::Entity& entity = join.entity;
    entity.id = fields.id();
    join.takes_frames = fields.flag();
    entity.position = fields.position();
    entity.layers = fields.whole<engine::LayerMask>();
    entity.layers_seen = fields.whole<engine::LayerMask>();
    entity.view = fields.view();
    entity.facing = fields.whole<engine::Angle>();
    entity.kind = fields.whole<std::uint16_t>();
    entity.notify = fields.notify();
    entity.importance = fields.whole<std::uint8_t>();
    entity.state = engine::with(nullptr, fields.state(), engine::kNever);
    return join;
}

Record read_record(RecordKind kind, Fields& fields, engine::Tick tick_before) {
    switch (kind) {
        case RecordKind::layout:
            return read_layout(fields);
        case RecordKind::tick_begin:
            return read_tick_begin(fields, tick_before);
        case RecordKind::inputs:
            return read_inputs(fields);
        case RecordKind::join:
            return read_join(fields);
        case RecordKind::unframed:
            return Unframed{fields.id()};
        case RecordKind::tick_end: {
            const auto check = fields.bytes(sizeof(std::uint64_t));
            return TickEnd{fields.is_good() ? read_u64(check) : 0};
        }
        case RecordKind::next_part:
            return NextPart{};
        case RecordKind::end:
            return RecordingEnd{};
        case RecordKind::gone:
            return Gone{fields.id()};
    }
    fields.refuse("a record of an unknown kind");
    return RecordingEnd{};
}

}  // namespace

RecordDecoder::RecordDecoder(std::span<const std::byte> payload)
    : reader_(payload), size_(payload.size()) {}

std::optional<MoveRecord> RecordDecoder::take_move() {
    const auto rest = reader_.rest();
    if (rest.empty() || static_cast<RecordKind>(rest[0]) != RecordKind::inputs) {
        return std::nullopt;
    }
    engine::VarintReader reader(rest.subspan(1));
    Fields fields(reader);
    MoveRecord move{fields.id(), {}};
    if (fields.number(kInputsMax) != kMoveAlone) {
        return std::nullopt;
    }
    move.to = fields.position();
    if (!fields.is_good()) {
        return std::nullopt;
    }
    reader_ = reader;
    return move;
}

std::variant<Record, BadRecord> RecordDecoder::next(engine::Tick tick_before) {
    const std::size_t begin = offset();
    Fields fields(reader_);
    const std::byte kind = fields.bytes(1)[0];
    Record record = read_record(static_cast<RecordKind>(kind), fields, tick_before);
    if (!fields.is_good()) {
        return BadRecord{begin, fields.problem()};
    }
    return record;
}

}  // namespace marchland::shards
