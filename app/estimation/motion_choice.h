// The estimation method and its parameters as chosen by the user. Plain data; every change
// increments its revision, so that the estimation notices it.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/motion_estimator.h"
#include "compute/core/params.h"

#include <cstdint>
#include <string>
#include <vector>

namespace systole {

/// The estimation method and its parameters, as the user left them.
struct MotionChoice {
    const MotionMethod* method; ///< one of motionMethods(); never null
    std::string preset;         ///< preset that the parameters started from; empty for the defaults
    ParamSet parameters;
    Backend backend = Backend::Cpu;
    std::string backendReason;         ///< reason for this backend, for the user
    std::vector<std::string> stages{}; ///< stages after the estimation, for chosenStages()
    /// 0: motion from each frame to the next. Else motion since the first frame, each voxel's
    /// trajectory smoothed over this many frames (compute/motion/trajectory_filter.h); 1: as it is.
    int window = 0;
    bool enabled = true;
    bool keepEstimating = false; ///< while playing, ignore finished fields
    /// Counts changes of method, parameters, backend, stages and window, which outdate fields.
    std::uint64_t revision = 0;

    /// Selects the first method with its default preset.
    MotionChoice();
    /// The default choice for the other side of a comparison: the same on the CPU if the first is
    /// CUDA, else the reference implementation, as far as the method has it.
    static MotionChoice toCompareWith(const MotionChoice& other);
    void choose(const MotionMethod& other);
    void choosePreset(const std::string& name);
    /// Checked by the parameter table; throws ComputeError.
    void set(const std::string& id, ParamValue value);
    /// Takes "auto" or the name of a backend. Throws ComputeError if it is unavailable.
    void chooseBackend(const std::string& asked);
    void setBackend(Backend other);
    bool hasStage(const std::string& text) const;
    void setStage(const std::string& text, bool on);
    /// 0, or a window that a TrajectoryFilter takes. Throws ComputeError for others.
    void setWindow(int frames);
    /// Copies method, preset, parameters, backend, stages and window of the other.
    void copyFrom(const MotionChoice& other);

private:
    void chooseBestBackend();
};

/// The windows that the panels offer, 0 first.
const std::vector<int>& offeredWindows();
/// "previous frame", "first frame" or "window of 5 frames".
std::string referenceText(const MotionChoice& choice);
/// Overload with the pair that is shown: "previous: 3 → 4", "first: 0 → 4", "window of 5: 0 → 4".
std::string referenceText(const MotionChoice& choice, int fixedFrame, int movingFrame);

} // namespace systole
