// What the Timing panel draws: the stages of the last finished estimations and the rates.
#pragma once

#include "compute/core/frame_result.h"

#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace systole {

inline constexpr std::size_t profileStageCount = std::size(profileStages);

/// One finished estimation, with what it cost to read and to show it.
struct TimingSample {
    int fixedFrame = -1, movingFrame = -1;
    std::array<double, profileStageCount> seconds{}; ///< in the order of profileStages
    double estimationSeconds = 0;                    ///< wall clock of the estimation alone
    double toDeviceBytes = 0; ///< over the bus to a CUDA device; 0 on the CPU
    double toHostBytes = 0;   ///< and back
    double toGlBytes = 0;     ///< written to OpenGL objects
    int sweeps = 0;
    Backend backend = Backend::Cpu;

    double totalSeconds() const;
};

/// readSeconds and toGl...: of the frame's other stations, measured by stream and scene.
TimingSample timingSample(const FrameResult& result, double readSeconds, double toGlSeconds,
                          double toGlBytes, double renderSeconds);

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
