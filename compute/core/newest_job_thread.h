// A thread of its own for work of which only the newest matters: what waits gives way to what is
// asked for later, and what is under way can be cancelled.
#pragma once

#include "compute/core/error.h"
#include "compute/core/exec.h"

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace systole {

/// How a job ended that must not throw.
struct JobEnd {
    bool stopped = false; ///< cancelled
    std::string failure;  ///< error message, one sentence; empty: no error
};

/// Execution context for the work of a thread, on the CPU and without progress.
inline ExecContext contextOf(BufferPool& pool, ThreadTeam& threads, const CancelToken& cancel) {
    ExecContext ctx;
    ctx.pool = &pool;
    ctx.threads = &threads;
    ctx.cancel = cancel;
    return ctx;
}

template <typename Work>
JobEnd endOf(Work&& work) {
    try {
        work();
    } catch (const Cancelled&) {
        return {true, {}};
    } catch (const std::bad_alloc&) {
        return {false, "the memory of this machine is too short"};
    } catch (const std::exception& error) {
        return {false, error.what()};
    }
    return {};
}

/// Its lock also guards what the owner shares with the thread. Make it the owner's last member, so
/// that the thread ends before what it uses.
template <typename Job>
class NewestJobThread {
public:
    using Lock = std::unique_lock<std::mutex>;

    /// All are called on the thread; only `run` must be there.
    struct Hooks {
        /// Does a job, without the lock. The token is set when the job is cancelled. Must not
        /// throw.
        std::function<void(Job&, const CancelToken&)> run;
        /// Called once before the first job, without the lock.
        std::function<void()> begin{};
        /// Whether the waiting job may be taken, with the lock; otherwise it keeps waiting until
        /// wake(). Empty: always.
        std::function<bool(const Job&)> ready{};
        /// The job is being taken: with the lock, before anybody can see that it waits no longer.
        std::function<void(Job&)> taken{};
        /// Waits until awaited(), with the lock, which it may let go meanwhile. Empty: wait().
        std::function<void(Lock&)> idle{};
    };

    explicit NewestJobThread(Hooks hooks) : hooks_(std::move(hooks)) {
        thread_ = std::thread([this] { work(); });
    }
    /// Cancels what is under way, drops what waits, joins.
    ~NewestJobThread() {
        {
            const Lock held = lock();
            stopping_ = true;
            running_.cancel();
        }
        wake_.notify_all();
        thread_.join();
    }
    NewestJobThread(const NewestJobThread&) = delete;
    NewestJobThread& operator=(const NewestJobThread&) = delete;

    Lock lock() const { return Lock(mutex_); }

    // All that follows wants the lock to be held.

    /// Takes the place of a job that waits.
    void put(Job job) {
        waiting_ = std::move(job);
        wake_.notify_all();
    }
    void drop() { waiting_.reset(); }
    /// The job under way, or else the one that was.
    void cancelRunning() { running_.cancel(); }
    bool runningCancelled() const { return running_.cancelled(); }
    const std::optional<Job>& waiting() const { return waiting_; }
    /// A job waits that may be taken.
    bool hasReady() const { return waiting_ && (!hooks_.ready || hooks_.ready(*waiting_)); }
    /// The thread has something to do: a job, or to end.
    bool awaited() const { return stopping_ || hasReady(); }

    /// Call this when the state that `ready` or a waiting condition depends on has changed.
    void wake() { wake_.notify_all(); }
    template <typename Condition>
    void wait(Lock& held, Condition condition) {
        wake_.wait(held, condition);
    }
    /// False: the condition isn't true at that time.
    template <typename Time, typename Condition>
    bool waitUntil(Lock& held, Time time, Condition condition) {
        return wake_.wait_until(held, time, condition);
    }

private:
    void work() {
        if (hooks_.begin)
            hooks_.begin();
        for (;;) {
            Lock held = lock();
            if (hooks_.idle)
                hooks_.idle(held);
            else
                wait(held, [this] { return awaited(); });
            if (stopping_)
                return;
            Job job = *std::exchange(waiting_, std::nullopt);
            const CancelToken token = running_ = CancelToken();
            if (hooks_.taken)
                hooks_.taken(job);
            held.unlock();
            hooks_.run(job, token);
        }
    }

    const Hooks hooks_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    bool stopping_ = false;
    std::optional<Job> waiting_;
    CancelToken running_;
    std::thread thread_; ///< last: it uses all of the above
};

} // namespace systole
