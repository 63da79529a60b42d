// Resources of a command's work: threads, memory, cancellation by Ctrl+C.
#pragma once

#include "app/cli/interrupt.h"
#include "app/cli/progress.h"
#include "compute/core/exec.h"
#include "compute/core/machine.h"

namespace systole {

/// Threads and memory of a command, and its end by Ctrl+C. Construct it before anything else that
/// starts threads (InterruptWatch).
class CommandWork {
public:
    /// `threads` 0: all of the hardware.
    explicit CommandWork(int threads)
        : watch_([cancel = cancel_]() mutable { cancel.cancel(); })
        , resources_(threads, describeMachine().availableBytes / 10 * 9) {}

    /// A context without progress. Work in it throws Cancelled when the user interrupts.
    ExecContext context() {
        ExecContext ctx = resources_.context();
        ctx.cancel = cancel_;
        return ctx;
    }
    int threads() { return resources_.threads().threads(); }

    /// task(ctx), with a bar of its progress, which is gone at its end.
    template <typename Task>
    auto run(const Task& task) {
        ProgressBar bar;
        ExecContext ctx = context();
        ctx.progress = bar.reporter();
        return task(ctx);
    }

private:
    CancelToken cancel_;
    InterruptWatch watch_;
    ExecResources resources_; ///< the last tenth of the memory is left to the rest of the system
};

} // namespace systole
