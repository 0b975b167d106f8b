// Recordings from a stranger. The first byte chooses: even, the rest is a file as it is, and is
// only read; odd, it is the payload of one block with right checksums, and is run in a small world
// and folded.

#include "shards/recording/crc32c.h"
#include "shards/recording/options_text.h"
#include "shards/recording/recording_reader.h"
#include "shards/recording/records.h"
#include "shards/state/fold.h"
#include "tools/trace/replay_run.h"
#include "tests/fuzz/fuzz_target.h"

#include <cstdlib>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

namespace {

using namespace marchland;
using tests::demand;

void append(std::string_view text, shards::Bytes& out) {
    for (const char letter : text) {
        out.push_back(static_cast<std::byte>(letter));
    }
}

std::string text_of(const shards::Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A world of 1 m by 1 m with few cells: it is made anew for each input.
std::string small_world() {
    shards::ZoneOptions options;
    options.world = {0, 0, 999, 999};
    options.leave_radius_mm_max = 300;
    options.notify_leave_radius_mm_max = 500;
    options.frame_gap_ticks_max = 3;
    options.cell_mm = 250;
    options.slots.resize(2);
    options.slots[0].name = "health";
    options.slots[1].name = "facing";
    options.slots[1].writer = engine::StateWriter::facing;
    return shards::options_text(options);
}

std::string file_with(std::span<const std::byte> payload) {
    const std::string options = small_world();
    shards::Bytes file;
    append(shards::kRecordingMagic, file);
    shards::append_u32(shards::kRecordingVersion, file);
    shards::append_u32(0, file);
    shards::append_u64(7, file);
    shards::append_u32(static_cast<std::uint32_t>(options.size()), file);
    append(options, file);
    shards::append_u32(shards::crc32c(file), file);
    shards::Bytes block;
    shards::append_u32(static_cast<std::uint32_t>(payload.size()), block);
    shards::append_u32(shards::crc32c(payload), block);
    shards::append_u32(shards::crc32c(block), block);
    file.insert(file.end(), block.begin(), block.end());
    file.insert(file.end(), payload.begin(), payload.end());
    return text_of(file);
}

shards::RecordingReader reader_of(std::string file) {
    return shards::RecordingReader(
        "fuzz", [file = std::move(file)](std::uint32_t part) -> std::unique_ptr<std::istream> {
            return part == 0 ? std::make_unique<std::istringstream>(file) : nullptr;
        });
}

void read(shards::RecordingReader reader) {
    if (reader.open()) {
        return;
    }
    auto next = reader.next();
    while (std::holds_alternative<shards::Record>(next)) {
        next = reader.next();
    }
}

void run(shards::RecordingReader reader) {
    if (reader.open()) {
        std::abort();  // our own head
    }
    trace::EventLog log;
    trace::ReplayRun replay(reader, {}, log);
    auto stepped = replay.step();
    while (std::holds_alternative<bool>(stepped) && std::get<bool>(stepped)) {
        stepped = replay.step();
    }
}

/// A move alone is read in two ways, which say the same.
void read_moves(std::span<const std::byte> payload) {
    shards::RecordDecoder decoder(payload);
    engine::Tick tick = engine::kNever;
    while (!decoder.is_at_end()) {
        shards::RecordDecoder quick = decoder;
        const auto move = quick.take_move();
        demand(move || quick.offset() == decoder.offset(),
               "nothing is read where there is no move");
        const auto read = decoder.next(tick);
        const auto* const record = std::get_if<shards::Record>(&read);
        if (record == nullptr) {
            demand(!move, "a move that is no record");
            return;
        }
        if (const auto* const begin = std::get_if<shards::TickBegin>(record)) {
            tick = begin->tick;
        }
        const auto* const inputs = std::get_if<shards::InputsRecord>(record);
        demand(!move || (inputs != nullptr && inputs->id == move->id &&
                         inputs->inputs.move == move->to && quick.offset() == decoder.offset()),
               "a move that is another record");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const auto rest = std::as_bytes(std::span(data, size)).subspan(1);
    if (data[0] % 2 == 0) {
        read(reader_of({reinterpret_cast<const char*>(rest.data()), rest.size()}));
    } else {
        run(reader_of(file_with(rest)));
        read_moves(rest);
        shards::Fold fold;
        static_cast<void>(fold.apply(rest));
    }
    return 0;
}
