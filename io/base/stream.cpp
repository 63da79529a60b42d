#include "io/base/stream.h"

#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "io/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;
using FramePointer = std::shared_ptr<const Volume>;

constexpr std::size_t fewestFrames = 3;

} // namespace

struct FrameStream::Impl {
    const Sequence sequence;
    const StreamMode mode;
    BufferPool& pool;
    const std::size_t frameBytes;
    const int capacity; ///< frames held at most, the one being decoded included

    mutable std::mutex mutex;
    std::condition_variable wanted;  ///< the reader waits for work
    std::condition_variable arrived; ///< callers wait for a frame
    FramePointer known;              ///< used by the reader's thread only
    std::vector<FramePointer> resident;
    std::vector<std::exception_ptr> failures;
    std::vector<int> awaited; ///< frames that callers inside wait() need
    int residentCount = 0;
    int target = 0; ///< the frame asked for last, or the one that next() gives next
    int lastShown = -1;
    std::optional<Clock::time_point> requestedAt; ///< set while the requested frame is missing
    StreamCounters counters;
    bool stopping = false;
    std::thread reader; ///< last: starts when everything else is there

    Impl(Sequence opened, StreamMode streamMode, std::size_t budgetBytes, BufferPool& framePool)
        : sequence(std::move(opened))
        , mode(streamMode)
        , pool(framePool)
        , frameBytes(sequence.geometry.voxels() * sizeof(float))
        , capacity(static_cast<int>(
              std::min(static_cast<std::size_t>(sequence.frames),
                       std::max(fewestFrames, budgetBytes / std::max<std::size_t>(1, frameBytes)))))
        , resident(static_cast<std::size_t>(sequence.frames))
        , failures(static_cast<std::size_t>(sequence.frames)) {
        counters.budgetBytes = budgetBytes;
        reader = std::thread([this] { readAhead(); });
    }

    ~Impl() {
        {
            const std::lock_guard lock(mutex);
            stopping = true;
        }
        wanted.notify_all();
        arrived.notify_all();
        reader.join();
    }

    int frameAhead(int steps) const { return (target + steps) % sequence.frames; }
    static std::size_t at(int frame) { return static_cast<std::size_t>(frame); }

    bool missing(int frame) const { return !resident[at(frame)] && !failures[at(frame)]; }

    /// The frame that is worth decoding now: one that somebody waits for, else the nearest.
    std::optional<int> nextToRead() const {
        for (const int frame : awaited)
            if (missing(frame))
                return frame;
        for (int steps = 0; steps < capacity; ++steps) {
            if (mode == StreamMode::EveryFrame && target + steps >= sequence.frames)
                break;
            const int frame = frameAhead(steps);
            if (missing(frame))
                return frame;
        }
        return std::nullopt;
    }

    void discard(int frame) {
        if (!resident[at(frame)])
            return;
        resident[at(frame)].reset();
        --residentCount;
    }

    /// Gives up the frames that playing reaches last until `held` frames are left.
    void makeRoom(int held) {
        for (int steps = sequence.frames - 1; steps >= 0 && residentCount > held; --steps) {
            const int frame = frameAhead(steps);
            if (std::find(awaited.begin(), awaited.end(), frame) == awaited.end())
                discard(frame);
        }
    }

    void readAhead() {
        std::unique_lock lock(mutex);
        while (!stopping) {
            const std::optional<int> frame = nextToRead();
            if (!frame) {
                wanted.wait(lock);
                continue;
            }
            makeRoom(capacity - 1);
            lock.unlock();
            FramePointer volume;
            std::exception_ptr failure;
            const Clock::time_point start = Clock::now();
            try {
                volume = decode(*frame);
            } catch (...) {
                failure = std::current_exception();
            }
            const double seconds = secondsSince(start);
            lock.lock();
            if (failure) {
                failures[at(*frame)] = failure;
            } else {
                resident[at(*frame)] = std::move(volume);
                ++residentCount;
                ++counters.read;
                counters.lastReadSeconds = seconds;
            }
            if (*frame == target && requestedAt) {
                counters.latencySeconds = secondsSince(*requestedAt);
                requestedAt.reset();
            }
            arrived.notify_all();
        }
    }

    /// Frames with equal masks of known voxels, as those of a sector, share one.
    FramePointer decode(int frame) {
        auto volume = std::make_shared<Volume>(decodeFrame(sequence, frame, pool, "frames"));
        if (volume->known && known &&
            std::ranges::equal(volume->known->voxels.span(), known->voxels.span()))
            volume->known = known;
        if (volume->known)
            known = volume->known;
        return volume;
    }

    void aimAt(int frame) {
        if (frame < 0 || frame >= sequence.frames)
            throw FileError(
                fmt::format("{}: frame {} was requested, but there are only frames 0 to {}",
                            sequence.name, frame, sequence.frames - 1));
        const bool there = resident[at(frame)] != nullptr;
        if (frame != target || (!there && !requestedAt))
            requestedAt = there ? std::nullopt : std::optional(Clock::now());
        if (there)
            counters.latencySeconds = 0;
        target = frame;
        wanted.notify_one();
    }

    /// The frame, or what went wrong with it, or null while it isn't there.
    FramePointer take(int frame) {
        if (const std::exception_ptr failure = failures[at(frame)]) {
            try {
                std::rethrow_exception(failure);
            } catch (const OutOfMemory&) {
                failures[at(frame)] = nullptr; // memory may have become free when it is asked again
                throw;
            }
        }
        const FramePointer& volume = resident[at(frame)];
        if (volume && frame != lastShown) {
            lastShown = frame;
            ++counters.shown;
        }
        return volume;
    }

    bool settled(int frame) const { return stopping || resident[at(frame)] || failures[at(frame)]; }
};

FrameStream::FrameStream(Sequence sequence, StreamMode mode, std::size_t budgetBytes,
                         BufferPool& pool)
    : impl_(std::make_unique<Impl>(std::move(sequence), mode, budgetBytes, pool)) {}

FrameStream::~FrameStream() = default;

const Sequence& FrameStream::sequence() const { return impl_->sequence; }

std::shared_ptr<const Volume> FrameStream::frame(int index) {
    const std::lock_guard lock(impl_->mutex);
    impl_->aimAt(index);
    return impl_->take(index);
}

std::shared_ptr<const Volume> FrameStream::wait(int index) {
    std::unique_lock lock(impl_->mutex);
    Impl& my = *impl_;
    my.aimAt(index);
    my.awaited.push_back(index);
    my.arrived.wait(lock, [&] { return my.settled(index); });
    my.awaited.erase(std::find(my.awaited.begin(), my.awaited.end(), index));
    return my.take(index);
}

std::shared_ptr<const Volume> FrameStream::peek(int index) const {
    const std::lock_guard lock(impl_->mutex);
    return index >= 0 && index < impl_->sequence.frames ? impl_->resident[Impl::at(index)]
                                                        : nullptr;
}

std::shared_ptr<const Volume> FrameStream::next() {
    Impl& my = *impl_;
    std::unique_lock lock(my.mutex);
    if (my.target >= my.sequence.frames)
        return nullptr;
    const int frame = my.target;
    if (!my.settled(frame) && !my.requestedAt)
        my.requestedAt = Clock::now();
    my.arrived.wait(lock, [&] { return my.settled(frame); });
    FramePointer volume = my.take(frame);
    my.discard(frame);
    ++my.target;
    my.wanted.notify_one();
    return volume;
}

void FrameStream::countDropped(std::uint64_t frames) {
    const std::lock_guard lock(impl_->mutex);
    impl_->counters.dropped += frames;
}

StreamCounters FrameStream::counters() const {
    const std::lock_guard lock(impl_->mutex);
    StreamCounters now = impl_->counters;
    now.residentBytes = static_cast<std::size_t>(impl_->residentCount) * impl_->frameBytes;
    return now;
}

} // namespace systole
