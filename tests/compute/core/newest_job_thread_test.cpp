// The thread that takes the newest job. Every step waits for the one before it, however slow the
// machine is.
#include "compute/core/newest_job_thread.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace systole {
namespace {

/// Its jobs end when they are let go or cancelled.
class NewestJobThreadTest : public ::testing::Test {
protected:
    void start(bool ready = true) {
        mayRun = ready;
        jobs = std::make_unique<NewestJobThread<int>>(NewestJobThread<int>::Hooks{
            .run = [this](int& job, const CancelToken& token) { run(job, token); },
            .begin = [this] { note(begun); },
            .ready = [this](const int&) { return mayRun; },
            .taken = [this](int& job) { job *= 10; }});
    }
    void run(int job, const CancelToken& token) {
        std::unique_lock lock(mutex);
        started.push_back(job);
        changed.notify_all();
        while (letGo < job && !token.cancelled())
            changed.wait_for(lock, std::chrono::milliseconds(1));
        (token.cancelled() ? cancelled : done).push_back(job);
        changed.notify_all();
    }
    void note(bool& flag) {
        const std::lock_guard lock(mutex);
        flag = true;
        changed.notify_all();
    }
    template <typename Condition>
    bool becomes(Condition condition) {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, std::chrono::seconds(60), condition);
    }
    void release(int job) {
        const std::lock_guard lock(mutex);
        letGo = job;
        changed.notify_all();
    }
    void put(int job) {
        const auto lock = jobs->lock();
        jobs->put(job);
    }

    std::mutex mutex;
    std::condition_variable changed;
    std::vector<int> started, done, cancelled;
    int letGo = 0; ///< jobs up to this one end
    bool begun = false;
    bool mayRun = true;                         ///< guarded by the thread's lock
    std::unique_ptr<NewestJobThread<int>> jobs; ///< first to go
};

TEST_F(NewestJobThreadTest, BeginsBeforeAnyJobAndRunsWhatWasTaken) {
    start();
    ASSERT_TRUE(becomes([&] { return begun; }));
    release(1000);
    put(1);
    ASSERT_TRUE(becomes([&] { return done == std::vector{10}; }));
}

TEST_F(NewestJobThreadTest, TheNewestOfThoseThatWaitWins) {
    start();
    put(1);
    ASSERT_TRUE(becomes([&] { return started.size() == 1; }));
    for (int job = 2; job < 6; ++job)
        put(job);
    {
        const auto lock = jobs->lock();
        EXPECT_EQ(jobs->waiting(), std::optional(5));
        EXPECT_TRUE(jobs->hasReady());
    }
    release(1000);
    ASSERT_TRUE(becomes([&] { return done.size() == 2; }));
    EXPECT_EQ(done, (std::vector{10, 50}));
}

TEST_F(NewestJobThreadTest, CancelReachesTheJobUnderWayAndNotTheNext) {
    start();
    put(1);
    ASSERT_TRUE(becomes([&] { return started.size() == 1; }));
    {
        const auto lock = jobs->lock();
        EXPECT_FALSE(jobs->runningCancelled());
        jobs->cancelRunning();
        jobs->put(2);
    }
    ASSERT_TRUE(becomes([&] { return started.size() == 2; }));
    EXPECT_EQ(cancelled, std::vector{10});
    release(1000);
    ASSERT_TRUE(becomes([&] { return done == std::vector{20}; }));
}

TEST_F(NewestJobThreadTest, WhatIsDroppedIsNotBegun) {
    start();
    put(1);
    ASSERT_TRUE(becomes([&] { return started.size() == 1; }));
    put(2);
    {
        const auto lock = jobs->lock();
        jobs->drop();
        EXPECT_FALSE(jobs->awaited());
    }
    release(10);
    ASSERT_TRUE(becomes([&] { return done.size() == 1; }));
    release(1000);
    put(3);
    ASSERT_TRUE(becomes([&] { return done.size() == 2; }));
    EXPECT_EQ(started, (std::vector{10, 30}));
}

TEST_F(NewestJobThreadTest, WhatIsNotReadyWaitsUntilItIs) {
    start(false);
    release(1000);
    put(1);
    {
        const auto lock = jobs->lock();
        EXPECT_FALSE(jobs->hasReady());
        EXPECT_EQ(jobs->waiting(), std::optional(1));
        mayRun = true;
        jobs->wake();
    }
    ASSERT_TRUE(becomes([&] { return done == std::vector{10}; }));
}

TEST_F(NewestJobThreadTest, EndsByCancellingWhatRunsAndForgettingWhatWaits) {
    start();
    put(1);
    ASSERT_TRUE(becomes([&] { return started.size() == 1; }));
    put(2);
    jobs.reset();
    EXPECT_EQ(cancelled, std::vector{10});
    EXPECT_EQ(started, std::vector{10});
}

} // namespace
} // namespace systole
