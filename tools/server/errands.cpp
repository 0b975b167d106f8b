#include "tools/server/errands.h"

#include <utility>

namespace marchland::server {

std::optional<std::string> Errands::ask(std::function<std::string()> run,
                                        std::chrono::milliseconds wait_max) {
    const auto errand = std::make_shared<Errand>();
    errand->run = std::move(run);
    auto answer = errand->answer.get_future();
    {
        const std::lock_guard lock(mutex_);
        errands_.push_back(errand);
    }
    if (answer.wait_for(wait_max) == std::future_status::ready) {
        return answer.get();
    }
    {
        const std::lock_guard lock(mutex_);
        if (std::erase(errands_, errand) != 0) {
            return std::nullopt;
        }
    }
    return answer.get();  // it is being done
}

void Errands::run() {
    std::vector<std::shared_ptr<Errand>> errands;
    {
        const std::lock_guard lock(mutex_);
        errands.swap(errands_);
    }
    for (const auto& errand : errands) {
        errand->answer.set_value(errand->run());
    }
}

}  // namespace marchland::server
