#include "shards/pin_thread.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace marchland::shards::testing {
namespace {

int cores_of_this_thread() {
    cpu_set_t set;
    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    return CPU_COUNT(&set);
}

/// Pins a thread of its own, and tells on which core it is then.
int core_after_pinning(std::uint32_t turn, std::uint32_t cores) {
    int core = -1;
    std::thread([&] {
        EXPECT_FALSE(pin_this_thread(turn, cores));
        EXPECT_EQ(cores_of_this_thread(), 1);
        core = sched_getcpu();
    }).join();
    return core;
}

TEST(PinThread, LeavesAThreadOneCoreAndTheOthersAll) {
    const int before = cores_of_this_thread();
    core_after_pinning(0, 1);
    EXPECT_EQ(cores_of_this_thread(), before);
}

TEST(PinThread, GoesRoundTheCoresItMayUse) {
    const auto allowed = static_cast<std::uint32_t>(cores_of_this_thread());
    EXPECT_EQ(core_after_pinning(0, 1), core_after_pinning(7, 1));
    EXPECT_EQ(core_after_pinning(1, 1'000), core_after_pinning(1 + allowed, 1'000));
    if (allowed > 1) {
        EXPECT_NE(core_after_pinning(0, 2), core_after_pinning(1, 2));
    }
}

TEST(PinThread, FreesOneThatWasStartedByAPinnedOne) {
    const int allowed = cores_of_this_thread();
    std::thread([&] {
        EXPECT_FALSE(pin_this_thread(0, 1));
        unpin_if_inherited();
        EXPECT_EQ(cores_of_this_thread(), 1) << "it was pinned itself";
        std::thread([&] {
            EXPECT_EQ(cores_of_this_thread(), 1);
            unpin_if_inherited();
            EXPECT_EQ(cores_of_this_thread(), allowed);
        }).join();
    }).join();
}

TEST(PinThread, NamesThreadsOfTheExecutorAndLeavesTheFirstOneTheProgramsName) {
    const auto name = [] {
        char text[16] = {};
        EXPECT_EQ(pthread_getname_np(pthread_self(), text, sizeof text), 0);
        return std::string(text);
    };
    unpin_if_inherited();
    EXPECT_EQ(name(), std::string(program_invocation_short_name).substr(0, 15));
    std::thread([&] {
        unpin_if_inherited();
        EXPECT_EQ(name(), "executor");
    }).join();
}

}  // namespace
}  // namespace marchland::shards::testing
