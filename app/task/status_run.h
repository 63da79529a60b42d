// A long task on a thread of its own that shows what it has while it runs, and keeps it when it is
// stopped.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/newest_job_thread.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace systole {

/// Status that every such task reports.
struct RunStatus {
    std::uint64_t run = 0; ///< counts start(); 0: there was none
    std::string name;      ///< the current task, as the user sees it
    bool running = false;
    bool stopped = false; ///< stop() ended it early
    std::string failure;  ///< one sentence; empty: none
    std::string note;     ///< one sentence, such as why the device isn't used; empty: none
};

/// `Status` is a RunStatus. Its lock also guards what the owner shares with the work; make it the
/// owner's last member.
template <typename Task, typename Status>
class StatusRun {
public:
    /// Does the task with the number `run`, on the thread. What it throws becomes the failure.
    using Work = std::function<void(Task&, std::uint64_t run, const ExecContext&)>;

    /// `notify` is called on the thread when the status changed; must not block; may be empty.
    StatusRun(int threads, std::function<void()> notify, Work work)
        : notify_(std::move(notify))
        , work_(std::move(work))
        , team_(threads)
        , jobs_({.run = [this](Job& job, const CancelToken& cancel) { run(job, cancel); }}) {}

    /// Cancels an earlier run and forgets it; calls also() with the lock. Returns at once.
    template <typename Also>
    void start(Task task, Status status, const Also& also) {
        const auto held = lock();
        jobs_.cancelRunning();
        status.run = status_.run + 1;
        status.running = true;
        status_ = std::move(status);
        also();
        jobs_.put({std::move(task), status_.run});
    }
    /// Ends the run within 0.2 s; what it has stays. Returns at once.
    void stop() {
        const auto held = lock();
        jobs_.cancelRunning();
        if (!jobs_.waiting())
            return;
        jobs_.drop(); // it hadn't begun
        status_.running = false;
        status_.stopped = true;
    }
    /// Cancels the run and forgets it with all that it has. Returns at once.
    void forget() {
        const auto held = lock();
        jobs_.cancelRunning();
        jobs_.drop();
        Status none;
        none.run = status_.run + 1; // the run under way changes nothing any more
        status_ = std::move(none);
    }
    /// Returns use(Status&), called with the lock.
    template <typename Use>
    auto use(const Use& use) {
        const auto held = lock();
        return use(status_);
    }
    template <typename Use>
    auto use(const Use& use) const {
        const auto held = lock();
        return use(status_);
    }
    /// also(Status&) with the lock adds what the owner keeps.
    template <typename Also>
    Status status(const Also& also) const {
        const auto held = lock();
        Status status = status_;
        also(status);
        return status;
    }
    Status status() const {
        return status([](Status&) {});
    }
    /// change(Status&) with the lock, and notifies; unless another run has begun.
    template <typename Change>
    void change(std::uint64_t run, const Change& change) {
        {
            const auto held = lock();
            if (status_.run != run)
                return;
            change(status_);
        }
        if (notify_)
            notify_();
    }
    auto lock() const { return jobs_.lock(); }
    BufferPool& pool() { return pool_; }

private:
    struct Job {
        Task task;
        std::uint64_t run = 0;
    };

    void run(Job& job, const CancelToken& cancel) {
        const ExecContext ctx = contextOf(pool_, team_, cancel);
        const JobEnd end = endOf([&] { work_(job.task, job.run, ctx); });
        change(job.run, [&](Status& status) {
            status.running = false;
            status.stopped = end.stopped;
            status.failure = end.failure;
        });
    }

    const std::function<void()> notify_;
    const Work work_;
    BufferPool pool_;
    ThreadTeam team_;
    Status status_;             ///< guarded by the lock
    NewestJobThread<Job> jobs_; ///< last: it uses all of the above
};

} // namespace systole
