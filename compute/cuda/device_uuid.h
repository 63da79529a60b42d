// The name by which a GPU is the same for every process of a host.
#pragma once

#include <string>

namespace systole {

/// UUID of cudaStatus().devices[index]: "GPU-8b6a0c5e-…", as CUDA_VISIBLE_DEVICES takes it. Throws
/// ComputeError. Only in builds with CUDA (cudaIsBuilt).
std::string deviceUuid(int index);

} // namespace systole
