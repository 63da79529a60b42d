// What the models share: the transfer term and the cases that none of them predicts.
#pragma once

#include "compute/model/prediction.h"

namespace systole::model {

/// Comu_bytes / Comu_BW (Wu et al., eq. 23), half of the bytes each way; 0: nothing is
/// transferred, or the bandwidth isn't known.
double transferSeconds(const GpuMachine& machine, const KernelWork& work);

/// Empty: it can be predicted; else why not, in words for Prediction::boundBy.
std::string whyNoPrediction(const KernelWork& work, const Occupancy& active);

} // namespace systole::model
