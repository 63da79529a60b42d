// Shared by the CUDA benchmarks: the device with its speed measured in the same run, images in its
// memory, and times of an estimation on it.
#pragma once

#include "compute/core/motion_start.h"
#include "compute/core/volume.h"
#include "compute/cuda/context.h"
#include "compute/cuda/speed.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>

namespace systole {

struct BenchDevice {
    CudaContext cuda;
    DeviceSpeed speed;
};

/// Prints and records device, driver, clock and bandwidths measured now. Null if `method` can't run
/// on a device here: reported in one line beginning with the benchmark's name, and recorded.
std::unique_ptr<BenchDevice> openBenchDevice(const char* benchmark, const MotionMethod& method,
                                             nlohmann::ordered_json& record);

/// The context with this device as its backend.
ExecContext contextOn(BenchDevice& device, ExecContext ctx);

/// Two frames on the host, with the scale of their gray values.
struct HostPair {
    Volume fixed, moving;
    IntensityScale scale;

    MotionInput input() const { return motionInput(fixed, moving, scale); }
};

/// Multi-scale texture and the same shifted by (1.3, −0.7, 0.4) voxels: only for timing, and much
/// faster to create than a phantom.
HostPair shiftedTexture(int side, const ExecContext& ctx);

/// Copies of two frames on a device, with a buffer for their motion.
class ResidentPair {
public:
    ResidentPair(const Volume& fixed, const Volume& moving, IntensityScale scale,
                 CudaContext& cuda);

    MotionInput input() const;
    FieldView<float> displacement() { return field_.view(); }
    void clear(); ///< the displacement becomes zero, on the Compute stream
    VectorField download(BufferPool& pool);

private:
    CudaContext& cuda_;
    Volume fixed_, moving_;
    VectorField field_;
    IntensityScale scale_;
};

/// Times of one estimation from a zero field, in seconds.
struct DeviceTimes {
    double estimation = 0; ///< wall clock from the call until the device is done, median
    FrameProfile profile;  ///< profile of the median run; with kernel times if requested
    MotionReport report;

    double kernels() const; ///< sum of the stages' event times
};

/// Frames and displacement stay on the device. At most `repeats` runs within half a second, after
/// one that warms up.
DeviceTimes timeResident(MotionEstimator& estimator, ResidentPair& pair, bool everyKernel,
                         int repeats, const ExecContext& ctx);

/// Frames from pinned memory, estimation, displacement back into pinned memory: wall clock. Not
/// warmed up: time it after timeResident.
double timeWithCopies(MotionEstimator& estimator, ResidentPair& pair, const HostPair& host,
                      int repeats, const ExecContext& ctx);

/// estimate() on host memory, as called by other code: wall clock.
double timeWholeCall(MotionEstimator& estimator, const HostPair& host, int repeats,
                     const ExecContext& ctx);

} // namespace systole
