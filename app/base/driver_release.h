// The NVIDIA driver and CUDA's runtime, in words for records.
#pragma once

#include <string>

namespace systole {

/// Release of the driver from its kernel module, such as "580.65.06"; empty if unknown.
std::string driverRelease();
/// 13000 is "13.0".
std::string cudaVersionText(int version);

} // namespace systole
