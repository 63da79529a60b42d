// Whose work comes first where several contexts use one device.
#pragma once

#include "compute/cuda/context.h"

namespace systole {

/// From now on the Compute work of this context comes after that of the others, which have a motion
/// or a picture to finish: what runs already isn't interrupted, but its next blocks wait. Throws
/// ComputeError. Defined in builds with CUDA (cudaIsBuilt).
void giveWay(CudaContext& cuda);

} // namespace systole
