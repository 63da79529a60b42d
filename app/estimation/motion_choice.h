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
    std::string backendReason;         ///< why this backend, for the user
    std::vector<std::string> stages{}; ///< stages that follow, in the format of chosenStages()
    bool enabled = true;
    bool keepEstimating = false; ///< while playing, ignore finished fields
    std::uint64_t revision = 0;  ///< method, parameters, backend, stages: a change outdates fields

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
    /// Copies method, preset, parameters, backend and stages of the other.
    void copyFrom(const MotionChoice& other);

private:
    void chooseBestBackend();
};

} // namespace systole
