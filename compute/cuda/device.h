// The CUDA devices of this machine. Works in every build: without CUDA, a driver or a device the
// result reports which of them is missing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace systole {

/// Whether this build contains CUDA kernels. Without them the functions named ...OnDevice and the
/// factories of CUDA implementations are declared but not defined: host code calls them only under
/// `if constexpr (cudaIsBuilt)`, whose discarded branch needs no definition.
#ifdef SYSTOLE_CUDA_IS_BUILT
inline constexpr bool cudaIsBuilt = true;
#else
inline constexpr bool cudaIsBuilt = false;
#endif

struct CudaDevice {
    int index = 0;
    std::string name;
    int computeCapability = 0; ///< times ten: 75 means 7.5
    int multiprocessors = 0;
    std::size_t memoryBytes = 0;
    bool usable = false; ///< this build contains code for its compute capability
    int compiledFor = 0; ///< compute capability of the code that runs there
};

struct CudaStatus {
    bool built = false;     ///< the program was built with CUDA
    int runtimeVersion = 0; ///< 13000 means 13.0; 0 in a build without CUDA
    int driverVersion = 0;  ///< newest runtime that the driver supports; 0: no driver
    std::vector<CudaDevice> devices;
    std::string reason; ///< why no device can be used; empty if one can

    bool usable() const { return reason.empty(); }
};

/// Never throws and never needs a driver; takes no memory on any device.
CudaStatus cudaStatus();

} // namespace systole
