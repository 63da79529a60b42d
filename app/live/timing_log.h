// What the Timing panel draws: the stages of the last finished estimations and the rates.
#pragma once

#include "compute/core/frame_result.h"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace systole {

struct StageTime {
    std::string stage;
    double seconds = 0;
};

/// One finished estimation, with what it cost to read and to show it.
struct TimingSample {
    int fixedFrame = -1, movingFrame = -1;
    std::vector<StageTime> stages; ///< frameStages() of the method, in that order
    double estimationSeconds = 0;  ///< wall clock of the estimation alone
    double toDeviceBytes = 0;      ///< over the bus to a CUDA device; 0 on the CPU
    double toHostBytes = 0;        ///< and back
    double toGlBytes = 0;          ///< written to OpenGL objects
    int iterations = 0;            ///< of the finest level
    Backend backend = Backend::Cpu;

    double totalSeconds() const;
    double seconds(const std::string& stage) const; ///< 0 where it has no such stage
};

/// What stream and scene measured of the frame, besides its estimation.
struct FrameCosts {
    double readSeconds = 0, toGlSeconds = 0, toGlBytes = 0, renderSeconds = 0;
};
/// `stages`: frameStages() of the method that estimated.
TimingSample timingSample(const FrameResult& result, const std::vector<std::string>& stages,
                          const FrameCosts& costs);

class TimingLog {
public:
    static constexpr std::size_t capacity = 120;

    void add(const TimingSample& sample);
    void clear() { samples_.clear(); }
    bool empty() const { return samples_.empty(); }
    const TimingSample& last() const { return samples_.back(); }
    const std::deque<TimingSample>& samples() const { return samples_; } ///< oldest first

    /// Tab-separated, milliseconds, a line per sample under one heading.
    std::string text() const;

private:
    std::deque<TimingSample> samples_;
};

} // namespace systole
