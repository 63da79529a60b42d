// Whose work comes first where several contexts use one device.
#pragma once

#include "compute/cuda/context.h"

namespace systole {

/// Gives the Compute work of this context, from now on, a lower priority than that of the other
/// contexts, which have a motion or a picture to finish: what runs already isn't interrupted, but
/// its next blocks wait. Throws ComputeError. Defined in builds with CUDA (cudaIsBuilt).
void giveWay(CudaContext& cuda);

} // namespace systole
