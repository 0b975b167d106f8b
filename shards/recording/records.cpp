#include "shards/recording/records.h"

#include "engine/assert.h"
#include "engine/frame/crowd_limits.h"
#include "shards/ids.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace marchland::shards {

namespace {

using engine::append_varint;

/// Appends field by field. Whatever a reader holds a field to is no matter here: values are sound.
class FieldWriter {
public:
    explicit FieldWriter(Bytes& out) : out_(out) {}

    template <typename T>
    void number(const T& value, std::uint64_t /*max*/ = 0) {
        append_varint(static_cast<std::uint64_t>(value), out_);
    }
    void length(std::int64_t mm) { append_varint(engine::zigzag(mm), out_); }
    void text(const std::string& text, std::size_t /*size_max*/) {
        append_varint(text.size(), out_);
        append_text(text, out_);
    }
    void blob(const engine::Blob& blob, std::size_t /*size_max*/) {
        const auto bytes = engine::bytes_of(blob);
        append_varint(bytes.size(), out_);
        out_.insert(out_.end(), bytes.begin(), bytes.end());
    }
    void state(const std::vector<engine::StateWrite>& writes) {
        engine::append_packed(writes, out_);
    }
    void state(const engine::StatePtr& state) {
        engine::append_packed(engine::writes_of(state), out_);
    }
    template <typename Item, typename Visit>
    void list(const std::vector<Item>& items, std::size_t /*count_max*/, Visit&& visit) {
        append_varint(items.size(), out_);
        for (const Item& item : items) {
            visit(item);
        }
    }
    template <typename T>
    const T& there(const std::optional<T>& value) {
        return *value;
    }
    void expect(bool /*is_sound*/, const char* /*problem*/) {}

private:
    Bytes& out_;
};

template <typename T>
constexpr std::uint64_t max_of() {
    if constexpr (std::is_enum_v<T>) {
        return max_of<std::underlying_type_t<T>>();
    } else {
        return std::numeric_limits<T>::max();
    }
}

/// Reads field by field. Once something is wrong it reports that and goes on with zeros, so that a
/// record is read without a question after each field.
class FieldReader {
public:
    explicit FieldReader(engine::VarintReader& reader) : reader_(reader) {}

    [[nodiscard]] bool is_good() const { return problem_ == nullptr; }
    [[nodiscard]] const char* problem() const { return problem_; }
    void expect(bool is_sound, const char* problem) {
        if (!is_sound && problem_ == nullptr) {
            problem_ = problem;
        }
    }

    std::uint64_t take_number(std::uint64_t max) {
        const std::optional<std::uint64_t> value = reader_.read();
        expect(value.has_value(), "a number that is cut off or longer than it need be");
        expect(value <= max, "a number that is out of range");
        return is_good() ? *value : 0;
    }
    std::span<const std::byte> take_bytes(std::size_t size) {
        const auto taken = reader_.take(size);
        expect(taken.has_value(), "cut off");
        return is_good() ? *taken : std::span<const std::byte>{};
    }

    template <typename T>
    void number(T& value, std::uint64_t max = max_of<T>()) {
        value = static_cast<T>(take_number(max));
    }
    template <typename T>
    void length(T& mm) {
        using Limits = std::numeric_limits<std::int32_t>;
        const std::int64_t value = engine::unzigzag(take_number(max_of<std::uint64_t>()));
        expect(value >= Limits::min() && value <= Limits::max(),
               "a length that does not fit 32 bits");
        mm = is_good() ? static_cast<std::int32_t>(value) : 0;
    }
    void text(std::string& text, std::size_t size_max) {
        const auto bytes = take_bytes(take_number(size_max));
        text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        // It is printed, and a terminal would obey it.
        expect(std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }),
               "a name with control characters");
    }
    /// Null where it has no bytes.
    void blob(engine::Blob& blob, std::size_t size_max) {
        const auto bytes = take_bytes(take_number(size_max));
        blob = bytes.empty() ? nullptr : std::make_shared<const Bytes>(bytes.begin(), bytes.end());
    }
    void state(std::vector<engine::StateWrite>& writes) {
        auto rest = reader_.rest();
        auto unpacked = engine::unpack_state(rest);
        expect(unpacked.has_value(), "a state that is none");
        if (unpacked) {
            reader_ = engine::VarintReader(rest);
            writes = *std::move(unpacked);
        }
    }
    void state(engine::StatePtr& state) {
        std::vector<engine::StateWrite> writes;
        this->state(writes);
        state = engine::with(nullptr, writes, engine::kNever);
    }
    template <typename Item, typename Visit>
    void list(std::vector<Item>& items, std::size_t count_max, Visit&& visit) {
        const std::uint64_t count = take_number(count_max);
        for (std::uint64_t i = 0; i < count && is_good(); ++i) {
            visit(items.emplace_back());
        }
    }
    template <typename T>
    T& there(std::optional<T>& value) {
        return value.emplace(T{});  // clang 14 takes no emplace() of a nested struct with defaults
    }

private:
    engine::VarintReader& reader_;
    const char* problem_ = nullptr;
};

// Each record's fields, in their order: to write them and to read them.

void visit_position(auto& fields, auto& at) {
    fields.length(at.x);
    fields.length(at.y);
    fields.length(at.z);
}

void visit_view(auto& fields, auto& view) {
    fields.number(view.shape);
    for (auto* const size_mm : {&view.radius_mm, &view.leave_radius_mm, &view.half_y_mm,
                                &view.leave_half_y_mm, &view.half_z_mm, &view.leave_half_z_mm}) {
        fields.length(*size_mm);
    }
    fields.number(view.half_opening);
    fields.number(view.leave_half_opening);
}

void visit_notify(auto& fields, auto& range) {
    fields.length(range.radius_mm);
    fields.length(range.leave_radius_mm);
}

void visit_layout(auto& fields, auto& layout) {
    fields.number(layout.from, kRecordedTickMax);
    fields.list(layout.regions, kShardsMax, [&](auto& region) {
        fields.text(region.name, kRegionNameBytesMax);
        fields.length(region.area.min_x);
        fields.length(region.area.min_y);
        fields.length(region.area.max_x);
        fields.length(region.area.max_y);
    });
}

/// All but the tick.
void visit_tick_begin(auto& fields, auto& begin) {
    fields.number(begin.is_stale);
    fields.number(begin.ring_slowdown, engine::kRingSlowdownMax);
    fields.expect(begin.ring_slowdown != 0, "rings that are slowed no times");
    fields.number(begin.frame_bytes_max);
}

// What an inputs record has, as its second number says.
constexpr std::uint64_t kMove = 1;
constexpr std::uint64_t kView = 2;
constexpr std::uint64_t kFacing = 4;
constexpr std::uint64_t kLayers = 8;
constexpr std::uint64_t kNotify = 16;
constexpr std::uint64_t kLeave = 32;
constexpr std::uint64_t kState = 64;
constexpr std::uint64_t kMessages = 128;
constexpr std::uint64_t kKeyframe = 256;
constexpr std::uint64_t kSuccessor = 512;
constexpr std::uint64_t kPortState = 1'024;
constexpr std::uint64_t kAllInputs = 2'047;

/// All but the move, which comes before.
void visit_inputs(auto& fields, std::uint64_t has, auto& inputs) {
    if ((has & kView) != 0) {
        visit_view(fields, fields.there(inputs.view));
    }
    if ((has & kFacing) != 0) {
        fields.number(fields.there(inputs.facing));
    }
    if ((has & kLayers) != 0) {
        auto& layers = fields.there(inputs.layers);
        fields.number(layers.layers);
        fields.number(layers.layers_seen);
    }
    if ((has & kNotify) != 0) {
        visit_notify(fields, fields.there(inputs.notify));
    }
    if ((has & kState) != 0) {
        fields.state(inputs.state);
    }
    if ((has & kMessages) != 0) {
        fields.list(inputs.messages, engine::kMessagesOfAllPortsMax, [&](auto& message) {
            fields.number(message.kind);
            fields.blob(message.payload, engine::kMessageBytesMax);
        });
        fields.expect(!inputs.messages.empty(), "messages without any");
    }
    if ((has & kPortState) != 0) {
        auto& state = fields.there(inputs.port_state);
        fields.number(state.authority);
        fields.number(state.speed_percent);
        fields.number(state.frames_hz);
        fields.number(state.message_number);
    }
}

void visit_join(auto& fields, auto& entity, auto& takes_frames) {
    fields.number(entity.id);
    fields.number(takes_frames);
    visit_position(fields, entity.position);
    fields.number(entity.layers);
    fields.number(entity.layers_seen);
    visit_view(fields, entity.view);
    fields.number(entity.facing);
    fields.number(entity.kind);
    visit_notify(fields, entity.notify);
    fields.number(entity.importance);
    fields.state(entity.state);
}

}  // namespace

void append_text(std::string_view text, Bytes& out) {
    const auto bytes = std::as_bytes(std::span(text));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void encode_mark(RecordKind kind, Bytes& out) {
    out.push_back(static_cast<std::byte>(kind));
}

void encode_layout(engine::Tick from, const Layout& layout, Bytes& out) {
    LayoutRecord record{from, {}};
    for (const ShardId shard : layout.shards()) {
        record.regions.push_back(layout.region(shard));
    }
    encode_mark(RecordKind::layout, out);
    FieldWriter fields(out);
    visit_layout(fields, std::as_const(record));
}

void encode_tick_begin(const TickBegin& begin, engine::Tick before, Bytes& out) {
    MARCHLAND_ASSERT(begin.tick > before);
    encode_mark(RecordKind::tick_begin, out);
    append_varint(begin.tick - before, out);
    FieldWriter fields(out);
    visit_tick_begin(fields, begin);
}

void encode_inputs(engine::EntityId id, const Inputs& inputs, bool has_successor, Bytes& out) {
    // All of nearly every record: it is appended at once.
    std::array<std::byte, 1 + 5 * engine::kVarintBytesMax> begin{};
    std::byte* end = begin.data();
    *end++ = static_cast<std::byte>(RecordKind::inputs);
    end = engine::write_varint(to_number(id), end);
    const std::uint64_t has =
        (inputs.move ? kMove : 0) | (inputs.view ? kView : 0) | (inputs.facing ? kFacing : 0) |
        (inputs.layers ? kLayers : 0) | (inputs.notify ? kNotify : 0) |
        (inputs.leave ? kLeave : 0) | (inputs.state.empty() ? 0 : kState) |
        (inputs.messages.empty() ? 0 : kMessages) | (inputs.keyframe ? kKeyframe : 0) |
        (has_successor ? kSuccessor : 0) | (inputs.port_state ? kPortState : 0);
    end = engine::write_varint(has, end);
    if (inputs.move) {
        for (const std::int64_t coordinate : {inputs.move->x, inputs.move->y, inputs.move->z}) {
            end = engine::write_varint(engine::zigzag(coordinate), end);
        }
    }
    out.insert(out.end(), begin.data(), end);
    FieldWriter fields(out);
    visit_inputs(fields, has, inputs);
}

void encode_join(const engine::Entity& entity, bool takes_frames, Bytes& out) {
    encode_mark(RecordKind::join, out);
    FieldWriter fields(out);
    visit_join(fields, entity, takes_frames);
}

void encode_unframed(engine::EntityId id, Bytes& out) {
    encode_mark(RecordKind::unframed, out);
    append_varint(to_number(id), out);
}

void encode_gone(engine::EntityId id, Bytes& out) {
    encode_mark(RecordKind::gone, out);
    append_varint(to_number(id), out);
}

void encode_tick_end(std::uint64_t frames_check, Bytes& out) {
    encode_mark(RecordKind::tick_end, out);
    append_u64(frames_check, out);
}

namespace {

TickBegin read_tick_begin(FieldReader& fields, engine::Tick tick_before) {
    const engine::Tick step = fields.take_number(kRecordedTickMax - tick_before);
    fields.expect(step != 0, "a tick that does not come after the one before");
    TickBegin begin{tick_before + step};
    visit_tick_begin(fields, begin);
    return begin;
}

InputsRecord read_inputs(FieldReader& fields) {
    InputsRecord record;
    fields.number(record.id);
    const std::uint64_t has = fields.take_number(kAllInputs);
    fields.expect(has != 0, "inputs without any");
    if ((has & kMove) != 0) {
        visit_position(fields, record.inputs.move.emplace());
    }
    visit_inputs(fields, has, record.inputs);
    record.inputs.leave = (has & kLeave) != 0;
    record.inputs.keyframe = (has & kKeyframe) != 0;
    record.has_successor = (has & kSuccessor) != 0;
    return record;
}

/// One that is nothing but an id.
template <typename OfId>
OfId read_id(FieldReader& fields) {
    OfId record;
    fields.number(record.id);
    return record;
}

Record read_record(RecordKind kind, FieldReader& fields, engine::Tick tick_before) {
    switch (kind) {
        case RecordKind::layout: {
            LayoutRecord layout;
            visit_layout(fields, layout);
            return layout;
        }
        case RecordKind::tick_begin:
            return read_tick_begin(fields, tick_before);
        case RecordKind::inputs:
            return read_inputs(fields);
        case RecordKind::join: {
            JoinRecord join;
            visit_join(fields, join.entity, join.takes_frames);
            return join;
        }
        case RecordKind::unframed:
            return read_id<Unframed>(fields);
        case RecordKind::tick_end: {
            const auto check = fields.take_bytes(sizeof(std::uint64_t));
            return TickEnd{fields.is_good() ? read_u64(check) : 0};
        }
        case RecordKind::next_part:
            return NextPart{};
        case RecordKind::end:
            return RecordingEnd{};
        case RecordKind::gone:
            return read_id<Gone>(fields);
    }
    fields.expect(false, "a record of an unknown kind");
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
    FieldReader fields(reader);
    MoveRecord move;
    fields.number(move.id);
    if (fields.take_number(kAllInputs) != kMove) {
        return std::nullopt;
    }
    visit_position(fields, move.to);
    if (!fields.is_good()) {
        return std::nullopt;
    }
    reader_ = reader;
    return move;
}

std::variant<Record, BadRecord> RecordDecoder::next(engine::Tick tick_before) {
    const std::size_t begin = offset();
    FieldReader fields(reader_);
    const std::byte kind = fields.take_bytes(1)[0];
    Record record = read_record(static_cast<RecordKind>(kind), fields, tick_before);
    if (!fields.is_good()) {
        return BadRecord{begin, fields.problem()};
    }
    return record;
}

}  // namespace marchland::shards
