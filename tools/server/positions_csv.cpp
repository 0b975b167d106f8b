#include "tools/server/positions_csv.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <iterator>

namespace marchland::server {
namespace {

void append_metres(std::int32_t mm, std::string& out) {
    const std::int64_t size = std::abs(std::int64_t{mm});
    fmt::format_to(std::back_inserter(out), ",{}{}.{:03}", mm < 0 ? "-" : "", size / 1'000,
                   size % 1'000);
}

}  // namespace

std::string positions_csv(std::span<const shards::Counted> counted) {
    std::string out = "t,id,x,y,z\n";
    for (const shards::Counted& one : counted) {
        fmt::format_to(std::back_inserter(out), "0,{}", to_number(one.id));
        append_metres(one.position.x, out);
        append_metres(one.position.y, out);
        append_metres(one.position.z, out);
        out += '\n';
    }
    return out;
}

}  // namespace marchland::server
