// The NVIDIA driver and CUDA's runtime, in words for records.
#pragma once

#include <string>

namespace systole {

/// As the kernel module says it, such as 580.65.06; empty where it doesn't.
std::string driverRelease();
/// 13000 is "13.0".
std::string cudaVersionText(int version);

} // namespace systole
