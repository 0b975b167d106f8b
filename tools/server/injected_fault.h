#pragma once

#include "shards/zone.h"

#include <functional>
#include <optional>
#include <string>

namespace marchland::server {

/// A failure of a shard, or of an I/O thread, on order: whoever runs servers can see that theirs is
/// noticed and started again.
struct InjectedFault {
    enum class Kind { kThrow, kHang, kThrowInIo };

    Kind kind = Kind::kThrow;
    engine::Tick tick = engine::kNever;  ///< in this one or a later one
};

/// Of "throw@TICK", "hang@TICK" or "throw_in_io@TICK", TICK 1 or more; nothing where it is neither.
std::optional<InjectedFault> parse_injected_fault(const std::string& text);

/// The first shard that is about to publish that tick fails: it throws, or never ends its tick; or
/// it has `fail_io` make an I/O thread fail.
shards::Zone::MakeTransport fail_as_injected(const InjectedFault& injected_fault,
                                             std::function<void()> fail_io);

}  // namespace marchland::server
