// Packed moves from a stranger, of a frame and of a service's MoveMany alike. The first byte is the
// quantum less 1; the rest is the block.

#include "net/packed_moves.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

namespace {

using namespace marchland;
using tests::demand;

std::vector<std::byte> pack(const std::vector<net::Moved>& moves) {
    std::vector<std::byte> packed;
    engine::EntityId previous{};
    for (const net::Moved& move : moves) {
        std::array<std::byte, net::kMovedBytesMax> bytes{};
        const std::byte* const end =
            net::pack_move(move, to_number(move.entity) - to_number(previous), bytes.data());
        packed.insert(packed.end(), std::as_const(bytes).data(), end);
        previous = move.entity;
    }
    return packed;
}

/// Positions that were sent before, the ends of the world among them.
constexpr std::array kSent = {engine::Position{0, 0, 0},
                              engine::Position{INT32_MAX, INT32_MAX, INT32_MAX},
                              engine::Position{INT32_MIN, INT32_MIN, INT32_MIN}};

void check_position(const net::Moved& move, std::int32_t quantum_mm) {
    for (const engine::Position sent : kSent) {
        const auto now = net::position_after(move, sent, quantum_mm);
        const std::int64_t x = (move.is_relative ? sent.x : 0) + move.x * quantum_mm;
        demand(!now || now->x == x, "x is not what was said");
        demand(now || move.is_relative || quantum_mm != 1, "a position is none");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const auto block = std::as_bytes(std::span(data, size)).subspan(1);
    std::vector<net::Moved> moves;
    if (!net::unpack_moves(block, moves)) {
        return 0;
    }
    demand(std::ranges::is_sorted(moves, std::ranges::less_equal{}, &net::Moved::entity),
           "ids do not ascend");
    for (const net::Moved& move : moves) {
        demand(to_number(move.entity) < net::kEntityIdEnd, "an id that packs into no head");
        check_position(move, data[0] + 1);
    }
    // It was in the shortest form, but for a z of 0 that follows.
    const std::vector<std::byte> packed = pack(moves);
    demand(packed.size() <= block.size(), "a number was longer than needed");
    std::vector<net::Moved> again;
    demand(net::unpack_moves(packed, again) && again == moves, "moves are lost in packing");
    return 0;
}
