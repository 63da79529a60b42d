// The method of estimation and its parameters as a user chose them. Plain data; every change counts
// its revision up, so that the estimation hears of it.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/motion_estimator.h"
#include "compute/core/params.h"

#include <cstdint>
#include <string>
#include <vector>

namespace systole {

/// The method of estimation and its parameters, as the user left them.
struct MotionChoice {
    const MotionMethod* method; ///< of motionMethods(); never null
    std::string preset;         ///< that the parameters started from; empty for the defaults
    ParamSet parameters;
    Backend backend = Backend::Cpu;
    std::string backendReason;         ///< why this one, for people
    std::vector<std::string> stages{}; ///< that follow, as in chosenStages()
    bool enabled = true;
    bool keepEstimating = false; ///< while playing, ignore finished fields
    std::uint64_t revision = 0;  ///< of method, parameters, backend, stages: fields become outdated

    /// The first method in its default preset.
    MotionChoice();
    /// To be compared with: the same on the CPU when the other is CUDA, else the reference
    /// implementation, as far as the method has it.
    static MotionChoice toCompareWith(const MotionChoice& other);
    void choose(const MotionMethod& other);
    void choosePreset(const std::string& name);
    /// Checked by the parameter table; throws ComputeError.
    void set(const std::string& id, ParamValue value);
    /// "auto" or the name of a backend. Throws ComputeError if it is unavailable.
    void chooseBackend(const std::string& asked);
    void setBackend(Backend other);
    bool hasStage(const std::string& text) const;
    void setStage(const std::string& text, bool on);
    /// Method, preset, parameters, backend and stages of the other.
    void copyFrom(const MotionChoice& other);

private:
    void chooseBestBackend();
};

} // namespace systole
