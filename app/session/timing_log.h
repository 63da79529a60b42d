// The data of the Timing panel: the stages of the last finished estimations and the rates.
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

/// One finished estimation, with the cost of reading and showing it.
struct TimingSample {
    int fixedFrame = -1, movingFrame = -1;
    /// frameStages() of the method, in that order, then "other": the rest of the estimation.
    std::vector<StageTime> stages;
    double estimationSeconds = 0; ///< wall clock of the estimation only
    double toDeviceBytes = 0;     ///< bytes over the bus to a CUDA device; 0 on the CPU
    double toHostBytes = 0;       ///< bytes over the bus back to the host
    double toGlBytes = 0;         ///< bytes written to OpenGL objects
    int iterations = 0;           ///< iterations on the finest level
    Backend backend = Backend::Cpu;

    double totalSeconds() const; ///< sum over all stages: the estimation, reading and showing
    double seconds(const std::string& stage) const; ///< 0 if the stage is missing
};

/// Measurements of stream and scene for the frame, in addition to its estimation.
struct FrameCosts {
    double readSeconds = 0, toGlSeconds = 0, toGlBytes = 0, renderSeconds = 0;
};
/// `stages`: frameStages() of the estimating method.
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

    /// Tab-separated table in milliseconds, one line per sample below a header.
    std::string text() const;

private:
    std::deque<TimingSample> samples_;
};

} // namespace systole
