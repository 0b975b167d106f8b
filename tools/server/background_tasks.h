#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

namespace marchland::server {

/// What other threads want done on the main one, which owns the zone's threads.
///
/// The mutex guards the list: whoever asks waits for an answer, so a mailbox would be no simpler.
class BackgroundTasks {
public:
    /// Any thread but the main one: waits until it is done. False when it was not begun in time, or
    /// before the end, and so never will be. Throws what it throws.
    bool ask(std::function<void()> task, std::chrono::milliseconds wait_max);

    /// The main thread: does all that was asked for and has not been given up. Throws what it
    /// throws, which goes to who asked for it, too.
    void run();
    /// Nothing more is begun, and nobody waits.
    void end();

private:
    struct BackgroundTask {
        std::function<void()> run;
        std::promise<bool> is_done;
    };

    std::mutex mutex_;
    bool has_ended_ = false;
    std::vector<std::shared_ptr<BackgroundTask>> background_tasks_;
};

}  // namespace marchland::server
