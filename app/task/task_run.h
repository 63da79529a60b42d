// A task on a thread of its own while the heart beats: one piece of work at a time, of which only
// the newest matters, with memory and a team of threads that stay from one to the next.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/newest_job_thread.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace systole {

/// `Work` has the types Task and Outcome, both with a `frame`, the outcome also with a `failure`,
/// one sentence, empty: none; and run(Task&, Outcome&, ExecContext&), which fills the outcome.
/// What it throws becomes the failure. A command calls run() itself.
template <typename Work>
class TaskRun {
public:
    using Task = typename Work::Task;
    using Outcome = typename Work::Outcome;

    struct Options {
        int threads = 1;
        /// Called on the thread when there is progress or an outcome; must not block.
        std::function<void()> notify{};
    };
    struct Progress {
        std::string phase;
        double fraction = 0;
    };

    /// Makes the work of `arguments`. The thread ends, cancelled, with the run.
    template <typename... Arguments>
    explicit TaskRun(Options options, Arguments&&... arguments)
        : notify_(std::move(options.notify))
        , team_(options.threads)
        , work_(std::forward<Arguments>(arguments)...)
        , jobs_({.run = [this](Task& task, const CancelToken& cancel) { run(task, cancel); }}) {}

    /// Cancels an earlier task, whose outcome is dropped.
    void start(Task task) {
        const auto held = jobs_.lock();
        jobs_.cancelRunning();
        outcome_.reset();
        progress_ = {};
        jobs_.put(std::move(task));
    }
    void cancel() {
        const auto held = jobs_.lock();
        jobs_.drop();
        jobs_.cancelRunning();
        outcome_.reset();
    }
    /// The outcome of the task started last; nothing: it hasn't ended, or its outcome was taken.
    std::optional<Outcome> take() {
        const auto held = jobs_.lock();
        return std::exchange(outcome_, std::nullopt);
    }
    Progress progress() const {
        const auto held = jobs_.lock();
        return progress_;
    }

private:
    void run(Task& task, const CancelToken& cancel) {
        ExecContext ctx = contextOf(pool_, team_, cancel);
        ctx.progress = [&](const std::string& phase, double fraction) {
            tell(cancel, [&] { progress_ = {phase, fraction}; });
        };
        Outcome made;
        made.frame = task.frame;
        const JobEnd end = endOf([&] { work_.run(task, made, ctx); });
        made.failure = end.failure;
        if (!end.stopped)
            tell(cancel, [&] { outcome_ = std::move(made); });
    }

    template <typename Change>
    void tell(const CancelToken& cancel, const Change& change) {
        {
            const auto held = jobs_.lock();
            if (cancel.cancelled())
                return;
            change();
        }
        if (notify_)
            notify_();
    }

    const std::function<void()> notify_;
    BufferPool pool_;
    ThreadTeam team_;
    Work work_; ///< used by the thread alone
    // Guarded by the thread's lock.
    Progress progress_;
    std::optional<Outcome> outcome_;
    NewestJobThread<Task> jobs_; ///< last: it uses all of the above
};

} // namespace systole
