#include "tools/bench/zone_player.h"

#include "net/frame_writer.h"

#include <string_view>

namespace marchland::bench {
namespace {

/// As a client's session has it (net/player_port.cpp).
constexpr std::size_t kFrameBytesAtFirst = 512;

}  // namespace

ZonePlayer::ZonePlayer(const Walker& walker, const bool& is_listening)
    : walker_(walker), is_listening_(is_listening), builder_(kFrameBytesAtFirst) {}

bool ZonePlayer::put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                           const shards::FrameNotes& notes) {
    const auto bytes = net::write_frame(
        builder_, {0, notes.border_stale, notes.time_scale_percent, notes.server_time_us}, frame,
        entities);
    bytes_total_ += bytes.size();
    moves_total_ += frame.moves.size();
    if (is_listening_) {
        digest_.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    return true;
}

}  // namespace marchland::bench
