// The clock of the viewer: which frame is to be shown now. Pure arithmetic on the durations of the
// frames; the caller brings the passing time.
#pragma once

#include "compute/core/sequence.h"

#include <cstdint>
#include <vector>

namespace systole {

enum class PlayOrder {
    Loop,  ///< first to last, then over the closing gap to the first again
    Bounce ///< first to last and back
};

class Playback {
public:
    static constexpr double minimumSpeed = 0.1;
    static constexpr double maximumSpeed = 4;

    /// Takes durations and times from the sequence and goes to frame 0, keeping speed, order and
    /// whether it plays.
    void setSequence(const Sequence& sequence);
    /// The same sequence with other times (the user gave them): the frame stays.
    void setTimes(const Sequence& sequence);

    int frames() const { return static_cast<int>(durations_.size()); }
    int frame() const { return frame_; }

    void play() { playing_ = frames() > 1; }
    void pause() { playing_ = false; }
    void toggle() { playing_ ? pause() : play(); }
    bool playing() const { return playing_; }

    void setSpeed(double factor); ///< clamped to [minimumSpeed, maximumSpeed]; NaN is ignored
    double speed() const { return speed_; }
    void setOrder(PlayOrder order);
    PlayOrder order() const { return order_; }

    /// Goes to a frame, clamped to the sequence.
    void seek(int frame);
    /// Goes some frames on or back, over the ends of the sequence.
    void step(int frames);

    /// Lets wall-clock seconds pass. Does nothing unless it plays. Returns how many frames became
    /// due and passed again without having been frame() after any call: they can't have been shown.
    std::uint64_t advance(double wallSeconds);
    /// Wall-clock seconds until frame() changes; infinite unless it plays.
    double secondsToChange() const;

    /// Frames of playback that passed unseen since setSequence().
    std::uint64_t dropped() const { return dropped_; }

    bool timeKnown() const { return timeKnown_; }
    /// Of the frame, from frame 0; NaN when unknown.
    double milliseconds() const;
    /// Of the frame, as a part of the cycle, in [0, 100); NaN when time is unknown.
    double phasePercent() const;

    /// The frame that the estimation pairs with this one, the next in time: of the last frame it is
    /// frame 0, the closing pair of a cycle. −1 with a single frame.
    int successor(int frame) const;

private:
    struct Slot {
        int frame = 0;
        double seconds = 0;
    };
    void rebuildSlots();
    void enterSlotOf(int frame);

    std::vector<double> durations_; ///< seconds from each frame to the next, cyclic
    std::vector<double> times_;     ///< seconds since frame 0
    bool timeKnown_ = false;
    std::vector<Slot> slots_; ///< one period of the playing order
    double periodSeconds_ = 0;
    std::size_t slot_ = 0;
    double inSlot_ = 0; ///< seconds of sequence time spent in the slot
    int frame_ = 0;
    bool playing_ = false;
    double speed_ = 1;
    PlayOrder order_ = PlayOrder::Loop;
    std::uint64_t dropped_ = 0;
};

} // namespace systole
