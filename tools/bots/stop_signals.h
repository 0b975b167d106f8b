#pragma once

#include "tools/bots/descriptor.h"

namespace marchland::bots {

/// SIGINT and SIGTERM as something to read, so that no handler runs in the middle of anything. To
/// be made before any thread: the signals are blocked from then on.
class StopSignals {
public:
    StopSignals();

    /// Readable when a signal has come.
    [[nodiscard]] int fd() const { return signals_.fd(); }
    /// Takes one signal; false when there is none.
    bool take();

private:
    Descriptor signals_;
};

}  // namespace marchland::bots
