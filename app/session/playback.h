// The clock of the viewer: which frame is due. Pure arithmetic on the durations of the frames; the
// caller supplies the elapsed time.
#pragma once

#include "compute/core/sequence.h"

#include <cstdint>
#include <vector>

namespace systole {

enum class PlayOrder {
    Loop,   ///< first to last, then across the closing gap to the first again
    Bounce, ///< first to last and back
    Once    ///< first to last, then pause
};

class Playback {
public:
    static constexpr double minimumSpeed = 0.1;
    static constexpr double maximumSpeed = 4;

    /// Takes durations and times from the sequence and goes to frame 0; speed, order and playing
    /// state are unchanged.
    void setSequence(const Sequence& sequence);
    /// Sets the same sequence with other times (given by the user): the frame stays.
    void setTimes(const Sequence& sequence);

    int frames() const { return static_cast<int>(durations_.size()); }
    int frame() const { return frame_; }

    /// Starts playing; from the first frame if the order is Once and the last frame is shown.
    void play();
    void pause() { playing_ = false; }
    void toggle() { playing_ ? pause() : play(); }
    bool playing() const { return playing_; }

    void setSpeed(double factor); ///< clamped to [minimumSpeed, maximumSpeed]; NaN is ignored
    double speed() const { return speed_; }
    void setOrder(PlayOrder order);
    PlayOrder order() const { return order_; }

    /// Goes to a frame, clamped to the sequence.
    void seek(int frame);
    /// Steps forward or back by some frames. With PlayOrder::Loop the first frame follows the last;
    /// in the other orders both ends stop.
    void step(int frames);

    /// Advances by wall-clock seconds. Does nothing unless playing. Returns the number of frames
    /// that came and went without being frame() after any call: they can't have been shown.
    std::uint64_t advance(double wallSeconds);
    /// Wall-clock seconds until frame() changes; infinite unless playing.
    double secondsToChange() const;

    /// Number of frames that playback skipped since setSequence().
    std::uint64_t dropped() const { return dropped_; }

    bool timeKnown() const { return timeKnown_; }
    /// Time of the frame, from frame 0; NaN if unknown.
    double milliseconds() const;
    /// Time from one frame forward to another, across the closing gap if necessary; less than a
    /// cycle. NaN if unknown.
    double secondsFromTo(int from, int to) const;
    double cycleSeconds() const; ///< NaN if unknown

    /// The frame that the estimation pairs with this one, the next in time: for the last frame it
    /// is frame 0, the closing pair of a cycle. −1 with a single frame.
    int successor(int frame) const;
    /// The frame that playing shows after this one; −1: none, or it rests.
    int upcoming() const;

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
