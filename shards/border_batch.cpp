#include "shards/border_batch.h"

namespace marchland::shards {

bool BorderBatch::is_empty() const {
    return departed.empty() && ghosts_went.empty() && ghosts_came.empty() && ghosts_moved.empty() &&
           ghosts_changed.empty() && handoffs.empty() && news.empty() && named.empty();
}

void BorderBatch::clear() {
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
