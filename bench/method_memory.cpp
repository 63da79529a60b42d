#include "bench/benchmarks.h"
#include "bench/device_bench.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace systole {
namespace {

/// Bytes that an estimator holds on the device between two pairs, by the device's own count: of
/// the pool, and what CUDA takes outside of it.
std::size_t heldOnDevice(MotionEstimator& estimator, const HostPair& pair,
                         const ExecContext& base) {
    CudaContext cuda;
    ResidentPair resident(pair.fixed, pair.moving, pair.scale, cuda);
    const std::size_t before = cuda.freeBytes();
    ExecContext ctx = base;
    ctx.backend = Backend::Cuda;
    ctx.cuda = &cuda;
    estimator.estimate(resident.input(), resident.displacement(), ctx);
    cuda.synchronize(CudaStream::Compute);
    const std::size_t after = cuda.freeBytes();
    return before - std::min(before, after);
}

/// Text of a number of bytes, or null, per voxel.
std::string perVoxel(const Json& bytes, std::size_t voxels) {
    return bytes.is_null()
               ? "–"
               : fmt::format("{:.1f}", bytes.get<double>() / static_cast<double>(voxels));
}

/// Bytes by what the estimator says, for a host and a device, and by the device.
Json bytesOf(const MotionMethod& method, const std::string& preset, const HostPair& pair,
             const ExecContext& ctx, bool onDevice) {
    const Size3 size = pair.fixed.geometry.size();
    const Vec3 spacing = pair.fixed.geometry.spacing();
    const ParamSet parameters(*method.parameters, preset);
    Json bytes{{"cpu", nullptr}, {"cuda", nullptr}, {"held", nullptr}};
    bytes["cpu"] = method.make(parameters, Backend::Cpu)->memoryEstimate(size, spacing);
    if (std::ranges::find(method.backends, Backend::Cuda) == method.backends.end())
        return bytes;
    const auto estimator = method.make(parameters, Backend::Cuda);
    bytes["cuda"] = estimator->memoryEstimate(size, spacing);
    try {
        if (onDevice)
            bytes["held"] = heldOnDevice(*estimator, pair, ctx);
    } catch (const Cancelled&) {
        throw;
    } catch (const ComputeError& error) {
        bytes["problem"] = error.what();
    }
    return bytes;
}

} // namespace

void benchMethodMemory(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const bool onDevice = cudaStatus().usable();
    fmt::print(
        "method-memory: bytes per voxel beside frames and motion: as the estimator says, and "
        "as the device counts them between two pairs{}\n",
        onDevice ? "" : " (no device here)");
    for (const int side : options.sides.empty() ? std::vector<int>{128} : options.sides) {
        const HostPair pair = shiftedTexture(side, ctx);
        const std::size_t voxels = pair.fixed.geometry.size().voxels();
        fmt::print("  {0}×{0}×{0}\n    {1:<12} {2:<12} {3:>8} {4:>8} {5:>8}\n", side, "method",
                   "preset", "CPU", "CUDA", "counted");
        for (const MotionMethod& method : motionMethods())
            for (const std::string& preset : method.parameters->presets()) {
                ctx.throwIfCancelled();
                const Json bytes = bytesOf(method, preset, pair, ctx, onDevice);
                fmt::print("    {:<12} {:<12} {:>8} {:>8} {:>8} {}\n", method.name, preset,
                           perVoxel(bytes["cpu"], voxels), perVoxel(bytes["cuda"], voxels),
                           perVoxel(bytes["held"], voxels), bytes.value("problem", ""));
                record["sides"][std::to_string(side)][method.name][preset] = bytes;
            }
    }
}

} // namespace systole
