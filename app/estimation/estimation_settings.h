// The settings of a side's estimation, and which finished fields stay valid after a change.
#pragma once

#include "app/tuning/block_tuner.h"
#include "compute/motion/pair_estimator.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct EstimationSettings {
    /// Counts changes of method, parameters, backend, stages and window; represents `make`, which
    /// can't be compared.
    std::uint64_t revision = 0;
    MakeEstimator make; ///< called on the compute thread; empty: nothing is estimated
    // These three are determined by the choice that `make` comes from; see PairSettings.
    MakeEstimator refine{};
    StartError startError = StartError::Fades;
    DrawErrors errors{};
    Backend backend = Backend::Cpu;
    std::vector<std::string> stages{}; ///< stages after the estimation, for chosenStages()
    int window = 0;                    ///< MotionChoice::window

    /// A pair that follows the last one starts from its field; off: every pair starts from zero, so
    /// that the result doesn't depend on earlier estimations, and only such fields are shown. Those
    /// that started otherwise stay cached meanwhile. Fields of a window are estimated in a fixed
    /// order: nothing changes for them.
    bool warmStart = true;

    /// Parameters of `make`, for messages that name one as the cause of a bad motion.
    std::optional<ParamSet> parameters{};

    // These settings don't affect the fields.
    bool enabled = true;
    bool keepEstimating = false; ///< estimate even if a finished field is cached
    int threads = 0;             ///< number of CPU threads; 0: PipelineOptions::threads
    /// Fields of an estimation on the device are also copied to the host.
    bool downloadFields = true;
    /// Results also have the standard error of their motion, as far as the method knows it.
    bool standardErrors = false;
    /// Every CUDA kernel is timed separately. A finished field without such times stays in use, but
    /// the next requested pair is estimated even if its field is cached.
    bool profileKernels = false;
    /// Tuning of CUDA kernels; it affects only sums, in their last bits.
    BlockTuning tuning = BlockTuning::Standard;

    /// True if all settings but `make` are equal.
    bool matches(const EstimationSettings& other) const;
    /// True if fields finished with `earlier` settings are valid with these too: the only rule for
    /// what a change makes outdated.
    bool keepsFieldsOf(const EstimationSettings& earlier) const;
};

} // namespace systole
