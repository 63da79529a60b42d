// A task on a thread of its own while the heart beats, which gives one outcome: one piece of work
// at a time, of which only the newest matters, with memory and a team of threads that stay from one
// to the next.
#pragma once

#include "app/task/status_run.h"
#include "compute/core/error.h"
#include "compute/core/exec.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace systole {

/// `Work` has the types Task and Outcome, both with a `frame`, the outcome also with a `failure`,
/// one sentence, empty: none; and run(Task&, Outcome&, ExecContext&), which fills the outcome.
/// What it throws becomes the failure. A command calls run() itself, or goes through an order of
/// inputs (course_order.h).
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
        : work_(std::forward<Arguments>(arguments)...)
        , runs_(options.threads, std::move(options.notify),
                [this](Task& task, std::uint64_t run, const ExecContext& ctx) {
                    this->run(task, run, ctx);
                }) {}

    /// Cancels an earlier task, whose outcome is dropped.
    void start(Task task) {
        runs_.start(std::move(task), Status{}, [] {});
    }
    void cancel() { runs_.forget(); }
    /// The outcome of the task started last; nothing: it hasn't ended, or its outcome was taken.
    std::optional<Outcome> take() {
        return runs_.use(
            [](Status& status) { return std::exchange(status.outcome, std::nullopt); });
    }
    Progress progress() const {
        return runs_.use([](const Status& status) { return status.progress; });
    }

private:
    struct Status : RunStatus {
        Progress progress;
        std::optional<Outcome> outcome;
    };

    void run(Task& task, std::uint64_t run, const ExecContext& given) {
        ExecContext ctx = given;
        ctx.progress = [&](const std::string& phase, double fraction) {
            runs_.change(run, [&](Status& status) { status.progress = {phase, fraction}; });
        };
        Outcome made;
        made.frame = task.frame;
        const JobEnd end = endOf([&] { work_.run(task, made, ctx); });
        if (end.stopped)
            throw Cancelled();
        made.failure = end.failure;
        runs_.change(run, [&](Status& status) { status.outcome = std::move(made); });
    }

    Work work_;                    ///< used by the thread alone
    StatusRun<Task, Status> runs_; ///< last: its thread uses the work
};

} // namespace systole
