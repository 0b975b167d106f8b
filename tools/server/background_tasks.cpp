#include "tools/server/background_tasks.h"

#include <exception>
#include <utility>

namespace marchland::server {

bool BackgroundTasks::ask(std::function<void()> run, std::chrono::milliseconds wait_max) {
    const auto task = std::make_shared<BackgroundTask>();
    task->run = std::move(run);
    auto is_done = task->is_done.get_future();
    {
        const std::lock_guard lock(mutex_);
        if (has_ended_) {
            return false;
        }
        background_tasks_.push_back(task);
    }
    if (is_done.wait_for(wait_max) != std::future_status::ready) {
        const std::lock_guard lock(mutex_);
        if (std::erase(background_tasks_, task) != 0) {
            return false;
        }
    }
    return is_done.get();  // or will be: it is being done
}

void BackgroundTasks::run() {
    for (;;) {
        std::shared_ptr<BackgroundTask> task;
        {
            const std::lock_guard lock(mutex_);
            if (background_tasks_.empty()) {
                return;
            }
            task = std::move(background_tasks_.front());
            background_tasks_.erase(background_tasks_.begin());
        }
        try {
            task->run();
            task->is_done.set_value(true);
        } catch (...) {
            task->is_done.set_exception(std::current_exception());
            throw;
        }
    }
}

void BackgroundTasks::end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    for (const auto& task : std::exchange(background_tasks_, {})) {
        task->is_done.set_value(false);
    }
}

}  // namespace marchland::server
