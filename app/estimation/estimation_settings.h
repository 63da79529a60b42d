// What a side's motion is estimated with, and which finished fields are still good after a change.
#pragma once

#include "app/tuning/block_tuner.h"
#include "compute/motion/pair_estimator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace systole {

struct EstimationSettings {
    /// Counts changes of method, parameters, backend and stages; it stands for `make`, which can't
    /// be compared.
    std::uint64_t revision = 0;
    MakeEstimator make; ///< called on the compute thread; empty: nothing is estimated
    Backend backend = Backend::Cpu;
    std::vector<std::string> stages{}; ///< as in chosenStages()
    /// A pair that follows the last one starts from its field; off: every pair starts from zero, so
    /// that the result doesn't depend on what was estimated before.
    bool warmStart = true;

    // Whatever these are, fields stay what they are.
    bool enabled = true;
    bool keepEstimating = false; ///< estimate also where a finished field is at hand
    int threads = 0;             ///< of the processor; 0: as the options say
    /// Fields of an estimation on the device are also brought to the host.
    bool downloadFields = true;
    /// Every CUDA kernel is timed apart. A finished field without such times stays in use, but the
    /// next pair that is asked for is estimated even if its field is at hand.
    bool profileKernels = false;
    /// Of CUDA kernels; whatever it is, only sums differ by it, in their last bits.
    BlockTuning tuning = BlockTuning::Standard;

    /// The same in all but `make`.
    bool matches(const EstimationSettings& other) const;
    /// Fields that were finished with `earlier` settings are good with these too: the one rule of
    /// what a change makes outdated.
    bool keepsFieldsOf(const EstimationSettings& earlier) const;
};

} // namespace systole
