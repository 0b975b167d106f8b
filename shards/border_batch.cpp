#include "shards/border_batch.h"

namespace marchland::shards {

bool BorderBatch::is_empty() const {
    return bygones.departed.empty() && bygones.forgotten_before == engine::kNever &&
           departed.empty() && ghosts_went.empty() && ghosts_came.empty() && ghosts_moved.empty() &&
           ghosts_changed.empty() && handoffs.empty() && news.empty() && named.empty();
}

void BorderBatch::clear() {
    bygones.departed.clear();
    bygones.forgotten_before = engine::kNever;
    departed.clear();
    ghosts_went.clear();
    ghosts_came.clear();
    ghosts_moved.clear();
    ghosts_changed.clear();
    handoffs.clear();
    news.clear();
    named.clear();
}

}  // namespace marchland::shards
