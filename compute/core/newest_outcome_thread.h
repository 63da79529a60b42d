// A thread of its own for tasks with an outcome each, of which only the newest matters: with memory
// and a team of threads that stay from task to task.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/newest_job_thread.h"

#include <functional>
#include <optional>
#include <utility>

namespace systole {

/// A task has a `frame`; an outcome has it, too, and a `failure`, one sentence, empty: none. Make
/// it the owner's last member, so that the thread ends before what it uses.
template <typename Task, typename Outcome>
class NewestOutcomeThread {
public:
    using Lock = typename NewestJobThread<Task>::Lock;
    /// Fills an outcome, on the thread. What it throws becomes the failure.
    using Work = std::function<void(Task&, Outcome&, ExecContext&)>;

    /// `notify` may be empty; it is called on the thread when there is an outcome.
    NewestOutcomeThread(int threads, std::function<void()> notify, Work work)
        : notify_(std::move(notify))
        , work_(std::move(work))
        , team_(threads)
        , jobs_({.run = [this](Task& task, const CancelToken& cancel) { run(task, cancel); }}) {}

    /// Cancels an earlier task, whose outcome is dropped; calls also() with the lock.
    template <typename Also>
    void start(Task task, Also&& also) {
        const Lock held = lock();
        jobs_.cancelRunning();
        outcome_.reset();
        also();
        jobs_.put(std::move(task));
    }
    void start(Task task) {
        start(std::move(task), [] {});
    }
    void cancel() {
        const Lock held = lock();
        jobs_.drop();
        jobs_.cancelRunning();
        outcome_.reset();
    }
    /// That of the task started last, once.
    std::optional<Outcome> take() {
        const Lock held = lock();
        return std::exchange(outcome_, std::nullopt);
    }
    /// For what the owner shares with its work.
    Lock lock() const { return jobs_.lock(); }

private:
    void run(Task& task, const CancelToken& cancel) {
        ExecContext ctx;
        ctx.pool = &pool_;
        ctx.threads = &team_;
        ctx.cancel = cancel;
        Outcome made;
        made.frame = task.frame;
        const JobEnd end = endOf([&] { work_(task, made, ctx); });
        made.failure = end.failure;
        {
            const Lock held = lock();
            if (end.stopped || cancel.cancelled())
                return;
            outcome_ = std::move(made);
        }
        if (notify_)
            notify_();
    }

    const std::function<void()> notify_;
    const Work work_;
    BufferPool pool_;
    ThreadTeam team_;
    std::optional<Outcome> outcome_; ///< guarded by the lock
    NewestJobThread<Task> jobs_;     ///< last: it uses all of the above
};

} // namespace systole
