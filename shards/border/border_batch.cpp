#include "shards/border/border_batch.h"

namespace marchland::shards {

bool BorderBatch::is_empty() const {
    return catch_up.departed.empty() && catch_up.forgotten_before == engine::kNever &&
           departed.empty() && ghosts_went.empty() && ghosts_came.empty() && ghosts_moved.empty() &&
           ghosts_changed.empty() && handoffs.empty() && content.empty() && named.empty();
}

void BorderBatch::clear() {
    catch_up.departed.clear();
    catch_up.forgotten_before = engine::kNever;
    departed.clear();
    ghosts_went.clear();
    ghosts_came.clear();
    ghosts_moved.clear();
    ghosts_changed.clear();
    handoffs.clear();
    content.clear();
    named.clear();
}

}  // namespace marchland::shards
