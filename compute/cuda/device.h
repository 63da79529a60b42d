// Which CUDA devices this machine has. Works in every build: without CUDA, without a driver and
// without a device the answer says which of them is missing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace systole {

/// Whether this build holds CUDA kernels. Without them the functions named ...OnDevice and the
/// makers of CUDA implementations are declared, but not defined: host code calls them only under
/// `if constexpr (cudaIsBuilt)`, whose discarded branch needs no definition.
#ifdef SYSTOLE_CUDA_IS_BUILT
inline constexpr bool cudaIsBuilt = true;
#else
inline constexpr bool cudaIsBuilt = false;
#endif

struct CudaDevice {
    int index = 0;
    std::string name;
    int computeCapability = 0; ///< 75 is 7.5
    int multiprocessors = 0;
    std::size_t memoryBytes = 0;
    bool usable = false; ///< this build holds code for its compute capability
    int compiledFor = 0; ///< compute capability of the code that runs there
};

struct CudaStatus {
    bool built = false;     ///< the program was built with CUDA
    int runtimeVersion = 0; ///< 13000 is 13.0; 0 when not built
    int driverVersion = 0;  ///< the newest runtime that the driver serves; 0 without a driver
    std::vector<CudaDevice> devices;
    std::string reason; ///< why no device can be used; empty when one can

    bool usable() const { return reason.empty(); }
};

/// Never throws and never needs a driver; takes no memory on any device.
CudaStatus cudaStatus();

} // namespace systole
