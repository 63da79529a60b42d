#include "app/session/playback.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole {

void Playback::setSequence(const Sequence& sequence) {
    frame_ = 0;
    dropped_ = 0;
    setTimes(sequence);
}

void Playback::setTimes(const Sequence& sequence) {
    durations_.clear();
    times_.clear();
    double time = 0;
    for (int frame = 0; frame < sequence.frames; ++frame) {
        durations_.push_back(sequence.secondsToNext(frame));
        times_.push_back(time);
        time += durations_.back();
    }
    timeKnown_ = sequence.timeKnown();
    playing_ = playing_ && frames() > 1;
    rebuildSlots();
    enterSlotOf(std::clamp(frame_, 0, std::max(0, frames() - 1)));
}

void Playback::rebuildSlots() {
    slots_.clear();
    const int last = frames() - 1;
    if (order_ != PlayOrder::Bounce || last < 1) {
        for (int frame = 0; frame <= last; ++frame)
            slots_.push_back({frame, durations_[static_cast<std::size_t>(frame)]});
    } else {
        for (int frame = 0; frame < last; ++frame)
            slots_.push_back({frame, durations_[static_cast<std::size_t>(frame)]});
        // A frame played backwards lasts as long as the step to the frame before it.
        for (int frame = last; frame > 0; --frame)
            slots_.push_back({frame, durations_[static_cast<std::size_t>(frame - 1)]});
    }
    periodSeconds_ = 0;
    for (const Slot& slot : slots_)
        periodSeconds_ += slot.seconds;
}

void Playback::enterSlotOf(int frame) {
    // The first slots run forward through the sequence; the last frame of a bounce starts its way
    // back. In both orders the first slot of a frame has the frame's own number.
    frame_ = frame;
    slot_ = static_cast<std::size_t>(frame);
    inSlot_ = 0;
}

void Playback::play() {
    playing_ = frames() > 1;
    if (playing_ && order_ == PlayOrder::Once && frame_ == frames() - 1)
        enterSlotOf(0);
}

void Playback::setSpeed(double factor) {
    if (!std::isnan(factor))
        speed_ = std::clamp(factor, minimumSpeed, maximumSpeed);
}

void Playback::setOrder(PlayOrder order) {
    if (order == order_)
        return;
    order_ = order;
    rebuildSlots();
    if (frames() > 0)
        enterSlotOf(frame_);
}

void Playback::seek(int frame) {
    if (frames() > 0)
        enterSlotOf(std::clamp(frame, 0, frames() - 1));
}

void Playback::step(int count) {
    if (frames() < 1)
        return;
    const int n = frames();
    enterSlotOf(order_ == PlayOrder::Loop ? ((frame_ + count) % n + n) % n
                                          : std::clamp(frame_ + count, 0, n - 1));
}

std::uint64_t Playback::advance(double wallSeconds) {
    if (!playing_ || !(wallSeconds > 0) || !(periodSeconds_ > 0))
        return 0;
    inSlot_ += wallSeconds * speed_;
    std::uint64_t entered = 0;
    if (order_ != PlayOrder::Once && inSlot_ >= periodSeconds_) {
        const double periods = std::floor(inSlot_ / periodSeconds_);
        inSlot_ -= periods * periodSeconds_;
        entered += static_cast<std::uint64_t>(periods) * slots_.size();
    }
    while (inSlot_ >= slots_[slot_].seconds) {
        if (order_ == PlayOrder::Once && slot_ + 1 == slots_.size()) {
            playing_ = false;
            inSlot_ = 0;
            break;
        }
        inSlot_ -= slots_[slot_].seconds;
        slot_ = (slot_ + 1) % slots_.size();
        ++entered;
    }
    frame_ = slots_[slot_].frame;
    const std::uint64_t passed = entered > 1 ? entered - 1 : 0;
    dropped_ += passed;
    return passed;
}

double Playback::secondsToChange() const {
    if (!playing_ || slots_.empty())
        return std::numeric_limits<double>::infinity();
    return (slots_[slot_].seconds - inSlot_) / speed_;
}

double Playback::milliseconds() const {
    return timeKnown_ && frames() > 0 ? 1000 * times_[static_cast<std::size_t>(frame_)]
                                      : unknownTime;
}

double Playback::secondsFromTo(int from, int to) const {
    if (!timeKnown_ || frames() < 1)
        return unknownTime;
    const double seconds =
        times_[static_cast<std::size_t>(to)] - times_[static_cast<std::size_t>(from)];
    return to < from ? seconds + cycleSeconds() : seconds;
}

double Playback::cycleSeconds() const {
    return timeKnown_ && frames() > 0 ? times_.back() + durations_.back() : unknownTime;
}

int Playback::upcoming() const {
    const bool ends = order_ == PlayOrder::Once && slot_ + 1 == slots_.size();
    return playing_ && !slots_.empty() && !ends ? slots_[(slot_ + 1) % slots_.size()].frame : -1;
}

int Playback::successor(int frame) const { return frames() > 1 ? (frame + 1) % frames() : -1; }

} // namespace systole
