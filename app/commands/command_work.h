// What the work of a command runs in.
#pragma once

#include "app/commands/interrupt.h"
#include "app/commands/progress.h"
#include "compute/core/exec.h"
#include "compute/core/machine.h"

#include <functional>
#include <utility>

namespace systole {

/// Threads and memory of a command, and its end by Ctrl+C. Construct it before anything else that
/// starts threads (InterruptWatch).
class CommandWork {
public:
    /// `threads` 0: all of the hardware; `abandon` as InterruptWatch has it.
    explicit CommandWork(
        int threads, std::function<void()> abandon = [] {})
        : watch_([cancel = cancel_]() mutable { cancel.cancel(); }, std::move(abandon))
        , resources_(threads, describeMachine().availableBytes / 10 * 9) {}

    /// Ends by Cancelled when the user interrupts. Lives as long as this object.
    ExecContext context() {
        ExecContext ctx = resources_.context();
        ctx.cancel = cancel_;
        return ctx;
    }
    BufferPool& pool() { return resources_.pool(); }
    int threads() { return resources_.threads().threads(); }

    /// work(ctx), with a bar of its progress, whose line is gone afterwards.
    static auto withBar(ExecContext ctx, const auto& work) {
        ProgressBar bar;
        ctx.progress = bar.reporter();
        return work(std::as_const(ctx));
    }
    auto run(const auto& task) { return withBar(context(), task); }

private:
    CancelToken cancel_;
    InterruptWatch watch_;
    ExecResources resources_; ///< the last tenth of the memory is left to the rest of the system
};

} // namespace systole
