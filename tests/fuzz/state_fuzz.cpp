// A state whose file has been changed by a stranger or a broken disk: pieces of four bytes say
// where (two bytes), by how much (one), and whether the file ends there (the last one is 255). What
// comes out of it is what went in, or an error.

#include "shards/recording/records.h"
#include "shards/state/store.h"
#include "tests/fuzz/fuzz_target.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace marchland;
using tests::demand;
namespace fs = std::filesystem;

std::string text_of(const shards::KeptZone& zone) {
    std::string text = std::to_string(zone.tick) + ' ' + std::to_string(zone.next_id) + ' ' +
                       std::to_string(zone.next_owner);
    for (const shards::KeptEntity& kept : zone.entities) {
        shards::Bytes bytes;
        shards::encode_join(kept.entity, kept.takes_frames, bytes);
        text += '\n' + std::to_string(kept.entity.birth) + ' ' + std::to_string(kept.owner.number) +
                ' ' + std::to_string(kept.owner.ref) + ' ' +
                std::to_string(kept.port.message_number) + ' ' +
                std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    for (const shards::KeptSession& session : zone.sessions) {
        text += '\n' + std::to_string(session.key.number) + ' ' + session.subject + ' ' +
                session.claims + ' ' + std::to_string(session.generation);
    }
    for (const shards::KeptBan& ban : zone.bans) {
        text += '\n' + ban.subject + ' ' + ban.address + ' ' + std::to_string(ban.until_s);
    }
    for (const shards::Region& region : zone.layout) {
        text += '\n' + region.name + ' ' + std::to_string(region.area.max_x);
    }
    return text;
}

shards::StoreOptions with_slots() {
    engine::StateSlots slots(2);
    slots[0].name = "score";
    slots[1].name = "note";
    slots[1].type = engine::StateType::bytes;
    slots[1].bytes_max = engine::kBlobBytesMax;
    return {.slots = slots};
}

/// A small state in a folder of its own, and its file's bytes.
class Sound {
public:
    Sound() {
        shards::KeptChanges changes;
        changes.zone.tick = 77;
        for (std::uint64_t id = 1; id <= 40; ++id) {
            shards::KeptEntity kept;
            kept.entity.id = engine::EntityId{id};
            kept.entity.birth = id;
            kept.entity.position = {static_cast<std::int32_t>(id) * 1'000, -5, 0};
            kept.entity.view = engine::View::circle(50, 60);
            const std::vector<engine::StateWrite> writes{
                {0, static_cast<std::int64_t>(id)},
                {1, std::make_shared<const std::vector<std::byte>>(id * 9, std::byte{7})}};
            kept.entity.state = engine::with(nullptr, writes, id);
            kept.owner = {id % 3, static_cast<std::uint32_t>(id)};
            changes.zone.entities.push_back(std::move(kept));
            changes.zone.sessions.push_back(
                {{shards::SessionKey::Kind::player, id}, "ann", R"({"team":1})", 3});
        }
        changes.zone.layout = {{"west", {-9, -9, -1, 9}}, {"east", {0, -9, 9, 9}}};
        changes.bans = {{{"bob", "", 5, "no reason"}}};
        {
            auto opened = shards::StateStore::open(folder, with_slots());
            auto& store = *std::get<0>(opened);
            demand(std::holds_alternative<shards::KeptZone>(store.load()), "cannot be read");
            demand(!store.write(changes, 1'000), "cannot be written");
        }
        std::ifstream file(folder / "state.db", std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(file), {});
        text = text_of(std::get<shards::KeptZone>(load(bytes)));
    }
    ~Sound() { fs::remove_all(folder); }

    [[nodiscard]] std::variant<shards::KeptZone, std::string> load(const std::string& file) const {
        for (const char* const name : {"state.db-wal", "state.db-shm"}) {
            fs::remove(folder / name);
        }
        std::ofstream(folder / "state.db", std::ios::binary) << file;
        auto opened = shards::StateStore::open_to_read(folder, with_slots());
        if (auto* const flaw = std::get_if<std::string>(&opened)) {
            return std::move(*flaw);
        }
        return std::get<0>(opened)->load();
    }

    const fs::path folder =
        fs::temp_directory_path() / ("marchland-state-fuzz-" + std::to_string(::getpid()));
    std::string bytes;
    std::string text;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Sound sound;
    std::string file = sound.bytes;
    for (std::size_t i = 0; i + 4 <= size; i += 4) {
        const std::size_t at =
            (data[i] | (static_cast<std::size_t>(data[i + 1]) << 8U)) % sound.bytes.size();
        if (data[i + 3] == 255) {
            file.resize(std::min(file.size(), at));
        } else if (at < file.size()) {
            file[at] = static_cast<char>(file[at] + data[i + 2]);
        }
    }
    const auto back = sound.load(file);
    if (const auto* const zone = std::get_if<shards::KeptZone>(&back)) {
        demand(text_of(*zone) == sound.text, "a damaged state is taken for another");
    } else {
        demand(std::get<1>(back).find("state.db") != std::string::npos, "an error without a place");
    }
    return 0;
}
