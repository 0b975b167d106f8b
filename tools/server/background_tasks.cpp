#include "tools/server/background_tasks.h"

#include <utility>

namespace marchland::server {

std::optional<std::string> BackgroundTasks::ask(std::function<std::string()> run,
                                                std::chrono::milliseconds wait_max) {
    const auto task = std::make_shared<BackgroundTask>();
    task->run = std::move(run);
    auto answer = task->answer.get_future();
    {
        const std::lock_guard lock(mutex_);
        if (has_ended_) {
            return std::nullopt;
        }
        background_tasks_.push_back(task);
    }
    if (answer.wait_for(wait_max) == std::future_status::ready) {
        return answer.get();
    }
    {
        const std::lock_guard lock(mutex_);
        if (std::erase(background_tasks_, task) != 0) {
            return std::nullopt;
        }
    }
    return answer.get();  // it is being done
}

void BackgroundTasks::run() {
    std::vector<std::shared_ptr<BackgroundTask>> background_tasks;
    {
        const std::lock_guard lock(mutex_);
        background_tasks.swap(background_tasks_);
    }
    for (const auto& task : background_tasks) {
        task->answer.set_value(task->run());
    }
}

void BackgroundTasks::end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    for (const auto& task : std::exchange(background_tasks_, {})) {
        task->answer.set_value(std::nullopt);
    }
}

}  // namespace marchland::server
