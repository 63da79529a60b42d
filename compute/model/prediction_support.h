// Shared by the models: the transfer term, and the cases that no model predicts.
#pragma once

#include "compute/model/prediction.h"

namespace systole::model {

/// Comu_bytes / Comu_BW (Wu et al., eq. 23), half of the bytes each way; 0: no transfer, or unknown
/// bandwidth.
double transferSeconds(const GpuMachine& machine, const KernelWork& work);

/// Why no model can predict this, for Prediction::boundBy; empty: it can be predicted.
std::string whyNoPrediction(const KernelWork& work, const Occupancy& active);

/// The last warp of a block may have fewer threads.
double warpsPerBlock(const GpuMachine& machine, const KernelWork& work);

} // namespace systole::model
