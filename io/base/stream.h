// Decodes frames ahead on its own thread into a ring within a byte budget.
#pragma once

#include "compute/core/buffer.h"
#include "compute/core/sequence.h"

#include <cstdint>
#include <memory>

namespace systole {

enum class StreamMode {
    EveryFrame, ///< next() gives frame after frame and waits for each: for commands
    Newest,     ///< request any frame; the nearest are decoded first; late ones are dropped
    Preload     ///< the whole sequence is decoded once and kept, as far as the budget goes
};

struct StreamCounters {
    std::uint64_t read = 0;    ///< frames decoded
    std::uint64_t shown = 0;   ///< frames returned by frame() or next(), each change counted once
    std::uint64_t dropped = 0; ///< frames that the clock passed without their being returned
    double lastReadSeconds = 0;
    double latencySeconds = 0; ///< time from the last request to its frame's arrival
    std::size_t residentBytes = 0;
    std::size_t budgetBytes = 0;
};

class FrameStream {
public:
    /// Starts the reading thread. `budgetBytes` bounds the decoded frames held by the stream (at
    /// least three frames are always held). Frames come from `pool`.
    FrameStream(Sequence sequence, StreamMode mode, std::size_t budgetBytes, BufferPool& pool);
    ~FrameStream(); ///< stops the thread

    const Sequence& sequence() const;

    /// Modes Newest and Preload: the frame if it is decoded, else null; never waits. The request
    /// sets what is decoded next: this frame, then the ones after it in playing order (cyclic).
    /// Rethrows as FileError what went wrong while reading this frame.
    std::shared_ptr<const Volume> frame(int index);
    /// Waits until the frame is decoded.
    std::shared_ptr<const Volume> wait(int index);
    /// The frame if it is decoded, else null. Changes neither the decoding order nor the counters.
    std::shared_ptr<const Volume> peek(int index) const;
    /// Mode EveryFrame: the next frame, null after the last.
    std::shared_ptr<const Volume> next();

    /// The clock passed from one frame to another without showing `frames` in between.
    void countDropped(std::uint64_t frames);
    StreamCounters counters() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
