#include "compute/motion/spread_pairs.h"

#include "compute/core/error.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace systole {
namespace {
constexpr auto cancelInterval = std::chrono::milliseconds(50); ///< a cancellation is seen so soon
}

struct SpreadPairs::Impl {
    Impl(Work given, const ExecContext& ctx)
        : work(std::move(given))
        , outer(ctx)
        , base(ctx)
        , toTake(work.firstFrame)
        , nextRead(work.firstFrame) {
        work.settings.mayUseCpu = false;
        base.progress = {};
        base.iteration = {};
        for (const std::shared_ptr<CudaContext>& device : work.workers)
            if (device)
                turns[device->device().index];
        base.cancel = {}; // its own: the end of this object cancels, too
    }

    /// Also where the thread of a later worker can't be started.
    ~Impl() {
        const std::lock_guard lock(mutex);
        base.cancel.cancel();
        changed.notify_all();
    }

    /// The first pair of the next chain that may begin; none: all have begun.
    std::optional<int> beginChain() {
        std::unique_lock lock(mutex);
        const auto workers = static_cast<int>(work.workers.size());
        changed.wait(lock, [&] {
            return failure || base.cancel.cancelled() || toBegin >= pairs() ||
                   toBegin < taken() + (workers + 1) * work.chain;
        });
        if (failure || base.cancel.cancelled() || toBegin >= pairs())
            return std::nullopt;
        return work.firstFrame + std::exchange(toBegin, toBegin + work.chain);
    }
    int pairs() const { return work.lastFrame - work.firstFrame; }
    int taken() const { return toTake - work.firstFrame; }

    /// Reads up to this frame what others haven't; a frame is let go after its last use.
    std::shared_ptr<const Volume> frame(int index) {
        const std::lock_guard reading(readMutex);
        for (; nextRead <= index; ++nextRead) {
            const bool inOneChain = (nextRead - work.firstFrame) % work.chain != 0;
            const bool end = nextRead == work.firstFrame || nextRead == work.lastFrame;
            if (std::exchange(reads, true))
                throw ComputeError("an earlier frame couldn't be read");
            read[nextRead] = {work.next(), inOneChain || end ? 1 : 2};
            reads = false;
        }
        const auto found = read.find(index);
        std::shared_ptr<const Volume> volume = found->second.volume;
        if (--found->second.uses == 0)
            read.erase(found);
        return volume;
    }

    std::unique_lock<std::mutex> turnOn(const CudaContext* device) {
        const auto found = device ? turns.find(device->device().index) : turns.end();
        return found != turns.end() ? std::unique_lock(found->second)
                                    : std::unique_lock<std::mutex>();
    }

    void run(const std::shared_ptr<CudaContext>& device) {
        try {
            const auto workers = static_cast<int>(work.workers.size());
            ThreadTeam team(std::max(1, base.threads->threads() / workers));
            KernelProfile profile;
            ExecContext ctx = base;
            ctx.threads = &team;
            ctx.profile = &profile;
            PairEstimator estimator({.openDevice = [&](const FramePair&) { return device; }});
            PairSettings settings = work.settings;
            if (!device)
                settings.backend = Backend::Cpu;
            estimator.begin(std::move(settings));
            while (const std::optional<int> first = beginChain())
                runChain(*first, estimator, device.get(), ctx);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure)
                failure = std::current_exception();
            changed.notify_all();
        }
    }

    void runChain(int first, PairEstimator& estimator, const CudaContext* device,
                  const ExecContext& ctx) {
        const int last = std::min(first + work.chain, work.lastFrame);
        std::shared_ptr<const Volume> fixed = frame(first);
        for (int at = first; at < last; ++at) {
            const std::shared_ptr<const Volume> moving = frame(at + 1);
            const auto turn = turnOn(device);
            Estimated made{
                estimator.estimate({fixed, moving, at, at + 1}, ctx, {.warmStart = at > first}),
                estimator.report()};
            made.result.device.reset(); // its memory is for the next pairs
            fixed = moving;
            const std::lock_guard lock(mutex);
            done.emplace(at, std::move(made));
            changed.notify_all();
        }
    }

    struct Read {
        std::shared_ptr<const Volume> volume;
        int uses = 0;
    };

    Work work;
    const ExecContext outer;
    ExecContext base;
    std::mutex mutex, readMutex;
    /// A mutex per number of a device; complete before any worker runs.
    std::map<int, std::mutex> turns;
    std::condition_variable changed;
    int toBegin = 0; ///< pairs of the chains that have begun
    int toTake;      ///< fixed frame
    std::map<int, Estimated> done;
    std::exception_ptr failure;
    // Guarded by readMutex.
    bool reads = false; ///< next() is at work, or has thrown: what it would give then isn't known
    int nextRead;
    std::map<int, Read> read;
    std::vector<std::jthread> threads; ///< last: they use all of the above
};

SpreadPairs::SpreadPairs(Work work, const ExecContext& ctx)
    : impl_(std::make_unique<Impl>(std::move(work), ctx)) {
    for (const std::shared_ptr<CudaContext>& device : impl_->work.workers)
        impl_->threads.emplace_back([impl = impl_.get(), device] { impl->run(device); });
}

SpreadPairs::~SpreadPairs() = default;

std::unique_lock<std::mutex> SpreadPairs::turnOn(const CudaContext* device) {
    return impl_->turnOn(device);
}

SpreadPairs::Estimated SpreadPairs::take() {
    std::unique_lock lock(impl_->mutex);
    while (!impl_->changed.wait_for(lock, cancelInterval, [&] {
        return impl_->failure || impl_->done.contains(impl_->toTake);
    }))
        impl_->outer.throwIfCancelled();
    if (impl_->failure)
        std::rethrow_exception(impl_->failure);
    Estimated made = std::move(impl_->done.extract(impl_->toTake).mapped());
    ++impl_->toTake;
    impl_->changed.notify_all();
    return made;
}

} // namespace systole
