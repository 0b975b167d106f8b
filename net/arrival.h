#pragma once

#include "net/address_table.h"
#include "net/transport/transport.h"

#include <cstdint>
#include <memory>

namespace marchland::net {

/// A connection on its way from the listener to its I/O thread.
struct Arrival {
    enum class Refusal : std::uint8_t { none, full, address_limit };

    std::unique_ptr<Transport> transport;
    AddressTable::Slot slot;
    Refusal refusal = Refusal::none;  ///< else: what it is sent before it is closed
};

}  // namespace marchland::net
