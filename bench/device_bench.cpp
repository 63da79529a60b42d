#include "bench/device_bench.h"

#include "app/base/driver_release.h"
#include "app/task/backend.h"
#include "bench/timing.h"
#include "compute/ops/over_voxels.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

constexpr double budgetSeconds = 0.5; ///< time budget of the repeats of one figure
constexpr std::size_t mebibyte = std::size_t{1} << 20;

} // namespace

std::unique_ptr<BenchDevice> openBenchDevice(const char* benchmark, const MotionMethod& method,
                                             nlohmann::ordered_json& record) {
    const BackendChoice choice = chooseBackend("auto", method);
    if (choice.backend != Backend::Cuda) {
        fmt::print("{}: no CUDA figures ({}); the CPU's follow\n", benchmark, choice.reason);
        record["no_cuda"] = choice.reason;
        return nullptr;
    }
    auto bench = std::make_unique<BenchDevice>();
    std::vector<std::size_t> sizes;
    for (const std::size_t size : {32, 128, 512, 2048})
        if (sizes.empty() || size * mebibyte <= bench->cuda.freeBytes() / 4)
            sizes.push_back(size * mebibyte);
    {
        CudaContext copying; // its two large arrays aren't what the benchmark takes
        bench->speed = measureDeviceSpeed(copying, sizes);
    }
    const CudaStatus status = cudaStatus();
    const CudaDevice& device = bench->cuda.device();
    const DeviceSpeed& speed = bench->speed;
    const std::string release = driverRelease();
    fmt::print("{}: {}, compute capability {}.{}, {} multiprocessors, {}\n", benchmark, device.name,
               device.computeCapability / 10, device.computeCapability % 10, device.multiprocessors,
               bytesText(device.memoryBytes));
    fmt::print("  driver {} (serves CUDA {}), built with CUDA {}; clock in this run {:.0f} MHz\n",
               release.empty() ? "?" : release, cudaVersionText(status.driverVersion),
               cudaVersionText(status.runtimeVersion), speed.clockHertz / 1e6);
    record["device"] = device.name;
    record["driver"] = release;
    record["cuda_runtime"] = cudaVersionText(status.runtimeVersion);
    record["clock_hertz"] = speed.clockHertz;
    fmt::print("  copies on the device, read and written, GB/s:");
    for (const CopySpeed& copy : speed.copies) {
        fmt::print("  {} MiB {:.0f} (kernel) {:.0f} (cudaMemcpy)", copy.bytes / mebibyte,
                   copy.kernel / 1e9, copy.runtime / 1e9);
        record["copies"].push_back({{"bytes", copy.bytes},
                                    {"kernel_bytes_per_second", copy.kernel},
                                    {"runtime_bytes_per_second", copy.runtime}});
    }
    fmt::print("\n  over the bus, pinned: {:.1f} GB/s up, {:.1f} GB/s down\n", speed.upload / 1e9,
               speed.download / 1e9);
    record["copy_bytes_per_second"] = speed.copyBandwidth();
    record["upload_bytes_per_second"] = speed.upload;
    record["download_bytes_per_second"] = speed.download;
    return bench;
}

ExecContext contextOn(BenchDevice& device, ExecContext ctx) {
    ctx.backend = Backend::Cuda;
    ctx.cuda = &device.cuda;
    return ctx;
}

HostPair shiftedTexture(int side, const ExecContext& ctx) {
    const Geometry grid({side, side, side}, {1, 1, 1});
    HostPair pair{
        Volume(grid, *ctx.pool, "texture"), Volume(grid, *ctx.pool, "texture, shifted"), {0, 255}};
    constexpr float shift[3] = {1.3f, -0.7f, 0.4f};
    const auto fill = [&](VolumeView<float> out, float direction) {
        overVoxels(out.size, ctx, [&](int x, int y, int z) {
            const float p = static_cast<float>(x) - direction * shift[0];
            const float q = static_cast<float>(y) - direction * shift[1];
            const float r = static_cast<float>(z) - direction * shift[2];
            out(x, y, z) = 128 + 40 * std::sin(0.31f * p) * std::cos(0.27f * q) +
                           40 * std::sin(0.23f * r + 0.11f * p) +
                           30 * std::sin(0.9f * q) * std::sin(0.8f * r);
        });
    };
    fill(pair.fixed.view(), 0);
    fill(pair.moving.view(), 1);
    return pair;
}

ResidentPair::ResidentPair(const Volume& fixed, const Volume& moving, IntensityScale scale,
                           CudaContext& cuda)
    : cuda_(cuda)
    , fixed_(fixed.geometry, cuda.devicePool(), "fixed frame")
    , moving_(fixed.geometry, cuda.devicePool(), "moving frame")
    , field_(fixed.geometry, cuda.devicePool(), "displacement")
    , scale_(scale) {
    const std::size_t bytes = fixed.voxels.size() * sizeof(float);
    cuda.upload(fixed.voxels.data(), fixed_.voxels.data(), bytes, CudaStream::Compute);
    cuda.upload(moving.voxels.data(), moving_.voxels.data(), bytes, CudaStream::Compute);
    clear();
    cuda.synchronize(CudaStream::Compute);
}

MotionInput ResidentPair::input() const {
    MotionInput input = motionInput(fixed_, moving_, scale_);
    input.space = MemorySpace::Device;
    return input;
}

void ResidentPair::clear() {
    cuda_.zero(field_.components.data(), field_.components.size() * sizeof(float),
               CudaStream::Compute);
}

VectorField ResidentPair::download(BufferPool& pool) {
    VectorField field(field_.geometry, pool, "displacement");
    cuda_.download(field_.components.data(), field.components.data(),
                   field.components.size() * sizeof(float), CudaStream::Compute);
    cuda_.synchronize(CudaStream::Compute);
    return field;
}

double DeviceTimes::kernels() const { return profile.totalSeconds(); }

DeviceTimes timeResident(MotionEstimator& estimator, ResidentPair& pair, bool everyKernel,
                         int repeats, const ExecContext& base) {
    KernelProfile profile;
    ExecContext ctx = base;
    ctx.profile = &profile;
    ctx.profileKernels = everyKernel;
    struct Run {
        double seconds = 0;
        FrameProfile profile;
    };
    std::vector<Run> runs;
    DeviceTimes times;
    const auto once = [&] {
        ctx.throwIfCancelled();
        pair.clear();
        ctx.cuda->synchronize(CudaStream::Compute);
        profile.beginFrame(0);
        const BenchClock::time_point begin = BenchClock::now();
        times.report = estimator.estimate(pair.input(), pair.displacement(), ctx);
        ctx.cuda->synchronize(CudaStream::Compute);
        runs.push_back({secondsSince(begin), profile.endFrame()});
        return runs.back().seconds;
    };
    once();
    runs.clear();
    medianWithin(repeats, budgetSeconds, once);
    Run middle = medianRun(std::move(runs), [](const Run& run) { return run.seconds; });
    times.estimation = middle.seconds;
    times.profile = std::move(middle.profile);
    return times;
}

double timeWithCopies(MotionEstimator& estimator, ResidentPair& pair, const HostPair& host,
                      int repeats, const ExecContext& ctx) {
    const std::size_t voxels = host.fixed.voxels.size();
    Buffer<float> pinned = ctx.cuda->pinnedPool().acquire<float>(5 * voxels, "frames and motion");
    std::copy_n(host.fixed.voxels.data(), voxels, pinned.data());
    std::copy_n(host.moving.voxels.data(), voxels, pinned.data() + voxels);
    Buffer<float> frames = ctx.cuda->devicePool().acquire<float>(2 * voxels, "frames");
    MotionInput input = pair.input();
    input.fixed = {frames.data(), input.fixed.size};
    input.moving = {frames.data() + voxels, input.moving.size};
    const auto once = [&] {
        ctx.throwIfCancelled();
        const BenchClock::time_point begin = BenchClock::now();
        ctx.cuda->upload(pinned.data(), frames.data(), 2 * voxels * sizeof(float),
                         CudaStream::Compute);
        pair.clear();
        estimator.estimate(input, pair.displacement(), ctx);
        ctx.cuda->download(pair.displacement().u, pinned.data() + 2 * voxels,
                           3 * voxels * sizeof(float), CudaStream::Compute);
        ctx.cuda->synchronize(CudaStream::Compute);
        return secondsSince(begin);
    };
    return medianWithin(repeats, budgetSeconds, once);
}

double timeWholeCall(MotionEstimator& estimator, const HostPair& host, int repeats,
                     const ExecContext& ctx) {
    VectorField field(host.fixed.geometry, *ctx.pool, "displacement");
    const auto once = [&] {
        setToRest(field);
        return secondsOf([&] { estimator.estimate(host.input(), field.view(), ctx); });
    };
    return medianWithin(repeats, budgetSeconds, once);
}

} // namespace systole
