#include "compute/cuda/check.cuh"
#include "compute/cuda/device.h"
#include "compute/cuda/device_uuid.h"

namespace systole {
namespace {

/// The compiler's list of its target compute capabilities times ten, ascending.
constexpr int builtArchitectures[] = {__CUDA_ARCH_LIST__};
constexpr int oldestCapability = builtArchitectures[0] / 10;

/// Machine code runs on later chips of its generation; for later generations the driver
/// recompiles it.
int compiledCapability(int device) {
    int best = device;
    for (const int architecture : builtArchitectures)
        if (const int built = architecture / 10; built / 10 == device / 10 && built <= device)
            best = built;
    return best;
}

/// "GPU-8b6a0c5e-…", as nvidia-smi writes it.
std::string uuidText(const cudaUUID_t& uuid) {
    constexpr const char* digits = "0123456789abcdef";
    std::string text = "GPU";
    for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10)
            text += '-';
        const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

CudaDevice describe(int index) {
    cudaDeviceProp properties{};
    cudaCheck(cudaGetDeviceProperties(&properties, index), "reading a device's properties");
    CudaDevice device;
    device.index = index;
    device.name = properties.name;
    device.computeCapability = 10 * properties.major + properties.minor;
    device.multiprocessors = properties.multiProcessorCount;
    device.memoryBytes = properties.totalGlobalMem;
    device.usable = device.computeCapability >= oldestCapability;
    device.compiledFor = compiledCapability(device.computeCapability);
    return device;
}

std::string capabilityText(int capability) {
    return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

std::string whyNone(const CudaStatus& status) {
    for (const CudaDevice& device : status.devices)
        if (device.usable)
            return {};
    if (status.driverVersion == 0)
        return "no NVIDIA driver is loaded";
    if (status.devices.empty())
        return "the NVIDIA driver reports no device";
    return "the device " + status.devices.front().name + " has compute capability " +
           capabilityText(status.devices.front().computeCapability) + "; this build needs " +
           capabilityText(oldestCapability) + " or newer";
}

} // namespace

std::string deviceUuid(int index) {
    cudaDeviceProp properties{};
    cudaCheck(cudaGetDeviceProperties(&properties, index), "reading a device's properties");
    return uuidText(properties.uuid);
}

CudaStatus cudaStatus() {
    CudaStatus status;
    status.built = true;
    try {
        cudaCheck(cudaRuntimeGetVersion(&status.runtimeVersion),
                  "asking for the runtime's version");
        cudaCheck(cudaDriverGetVersion(&status.driverVersion), "asking for the driver's version");
        int count = 0;
        if (status.driverVersion > 0)
            cudaCheck(cudaGetDeviceCount(&count), "counting the devices");
        for (int index = 0; index < count; ++index)
            status.devices.push_back(describe(index));
        status.reason = whyNone(status);
    } catch (const ComputeError& error) {
        status.reason = error.what();
    }
    return status;
}

} // namespace systole
