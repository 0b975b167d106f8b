#include "shards/zone_query.h"

#include <algorithm>
#include <utility>

namespace marchland::shards {

void ZoneQuery::ask(const ZoneQuestion& question, const std::function<Roll()>& call) {
    const std::lock_guard lock(mutex_);
    Roll roll = call();
    question_ = question;
    missing_ = std::move(roll.shards);
    answers_.clear();
    from_.store(roll.from, std::memory_order_relaxed);
}

std::optional<std::vector<ShardAnswer>> ZoneQuery::take() {
    const std::lock_guard lock(mutex_);
    return missing_.empty() ? std::optional(forget()) : std::nullopt;
}

std::optional<std::vector<ShardAnswer>> ZoneQuery::wait(std::chrono::milliseconds wait_max) {
    std::unique_lock lock(mutex_);
    const bool is_whole = is_whole_.wait_for(lock, wait_max, [this] { return missing_.empty(); });
    std::vector<ShardAnswer> answers = forget();
    return is_whole ? std::optional(std::move(answers)) : std::nullopt;
}

std::vector<ShardAnswer> ZoneQuery::forget() {
    from_.store(kNobodyAsks, std::memory_order_relaxed);
    missing_.clear();
    return std::exchange(answers_, {});
}

std::optional<ZoneQuestion> ZoneQuery::question_to(ShardId shard) {
    const std::lock_guard lock(mutex_);
    const bool is_missing = std::ranges::find(missing_, shard) != missing_.end();
    return is_missing ? std::optional(question_) : std::nullopt;
}

void ZoneQuery::put_down(ShardAnswer answer) {
    const std::lock_guard lock(mutex_);
    if (std::erase(missing_, answer.shard) == 0) {
        return;
    }
    answers_.push_back(std::move(answer));
    if (missing_.empty()) {
        from_.store(kNobodyAsks, std::memory_order_relaxed);
        is_whole_.notify_one();
    }
}

std::vector<Counted> all_of(const std::vector<ShardAnswer>& answers) {
    std::vector<Counted> all;
    for (const ShardAnswer& answer : answers) {
        all.insert(all.end(), answer.counted.begin(), answer.counted.end());
    }
    std::ranges::sort(all, {}, &Counted::id);
    return all;
}

}  // namespace marchland::shards
