#include "app/estimation/cycle_queue.h"

#include <algorithm>
#include <utility>

namespace systole {
namespace {

bool contains(const std::vector<int>& frames, int frame) {
    return std::ranges::find(frames, frame) != frames.end();
}

} // namespace

void CycleQueue::start(int frames, int first) {
    stop();
    total_ = frames;
    first_ = first;
    discarded_ = 0;
    failed_ = false;
    generation_.reset();
    for (int step = 0; step < frames; ++step)
        todo_.push_back((first + step) % frames);
}

void CycleQueue::stop() {
    todo_.clear();
    requested_.clear();
}

std::optional<int> CycleQueue::next(const PipelineStatus& status, int preferred) {
    if (!running())
        return std::nullopt;
    if (generation_ && *generation_ != status.generation)
        start(total_, first_);
    if (!generation_)
        cancelled_ = status.cancelled;
    generation_ = status.generation;
    takeFinished(status);
    std::erase_if(todo_, [&](int frame) { return contains(status.cachedFrames, frame); });
    if (todo_.empty() || contains(requested_, status.waitingFrame))
        return std::nullopt;
    return contains(todo_, preferred) ? preferred : todo_.front();
}

/// Removes requested frames that neither wait nor are being estimated: they are finished.
void CycleQueue::takeFinished(const PipelineStatus& status) {
    const bool cancelled = status.cancelled != cancelled_;
    cancelled_ = status.cancelled;
    bool failed = false;
    const std::vector<int> asked = std::exchange(requested_, {});
    for (const int frame : asked) {
        const bool cached = contains(status.cachedFrames, frame);
        if (frame == status.estimatingFrame || (frame == status.waitingFrame && !cached))
            requested_.push_back(frame);
        else if (!cached && !status.message.empty())
            failed = true;
        else if (!cached && cancelled)
            todo_.push_back(frame);
        else if (!cached)
            ++discarded_;
    }
    if (failed)
        fail();
}

void CycleQueue::fail() {
    stop();
    failed_ = true;
}

void CycleQueue::requested(int frame) {
    std::erase(todo_, frame);
    requested_.push_back(frame);
}

} // namespace systole
