#pragma once

#include "shards/entity_port.h"
#include "net/intents_cell.h"

#include <cstddef>

namespace marchland::net {

class Directory;

/// A port whose intents wait in a cell that any thread may fill: a client's session and services, side
/// by side. The Directory finds it by its entity's id.
class CellPort : public shards::EntityPort {
public:
    explicit CellPort(std::size_t client_events_max) : intents_(client_events_max) {}

    /// Any thread.
    [[nodiscard]] IntentsCell& intents() { return intents_; }
    /// Any thread: the game takes the entity out of the zone.
    virtual void dismiss() { intents_.put_leave(); }

protected:
    /// For on_removed(): from here on nobody finds it.
    void leave_directory();

    IntentsCell intents_;

private:
    friend class Directory;
    Directory* directory_ = nullptr;  ///< set before the entity joins; null: nobody is to find it
    engine::EntityId entity_{};
};

}  // namespace marchland::net
