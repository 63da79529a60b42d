#include "compute/cuda/launch.cuh"
#include "compute/cuda/speed.h"

#include <algorithm>

namespace systole {
namespace {

constexpr int copyThreads = 256;
constexpr int valuesAThread = 4;
constexpr int passes = 10;
constexpr std::size_t hostCopyBytes = std::size_t{64} << 20;

__global__ void copyKernel(const float4* __restrict__ from, float4* __restrict__ to,
                           std::size_t count) {
    const std::size_t first =
        static_cast<std::size_t>(blockIdx.x) * (copyThreads * valuesAThread) + threadIdx.x;
    float4 value[valuesAThread];
#pragma unroll
    for (int n = 0; n < valuesAThread; ++n)
        if (const std::size_t i = first + static_cast<std::size_t>(n * copyThreads); i < count)
            value[n] = from[i];
#pragma unroll
    for (int n = 0; n < valuesAThread; ++n)
        if (const std::size_t i = first + static_cast<std::size_t>(n * copyThreads); i < count)
            to[i] = value[n];
}

/// Spins for `nanoseconds` and stores how many cycles and nanoseconds that took.
__global__ void spinKernel(long long nanoseconds, long long* cyclesAndNanoseconds) {
    const auto now = [] {
        long long time;
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
        return time;
    };
    const long long begin = now(), firstCycle = clock64();
    while (now() - begin < nanoseconds) {
    }
    cyclesAndNanoseconds[0] = clock64() - firstCycle;
    cyclesAndNanoseconds[1] = now() - begin;
}

double clockOf(CudaContext& cuda, LaunchLog& log) {
    constexpr long long milliseconds = 1'000'000;
    Buffer<long long> answer = cuda.devicePool().acquire<long long>(2, "clock");
    long long host[2] = {0, 1};
    log.launch({"clock"}, spinKernel, {dim3(1), dim3(1)}, 10 * milliseconds, answer.data());
    cuda.download(answer.data(), host, sizeof host, CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    log.clear();
    return 1e9 * static_cast<double>(host[0]) / static_cast<double>(std::max(host[1], 1LL));
}

/// Bytes per second of the launches that `enqueue` logs, the best of several passes.
template <typename Enqueue>
double best(LaunchLog& log, double bytes, const Enqueue& enqueue) {
    double seconds = 0;
    for (int pass = 0; pass < passes; ++pass) {
        log.clear();
        {
            const LaunchLog::Stage stage(log, "copy");
            enqueue();
        }
        log.cuda().synchronize(CudaStream::Compute);
        KernelProfile profile;
        profile.beginFrame(0);
        log.resolve(profile);
        const double time = profile.endFrame().seconds("copy");
        seconds = pass == 0 ? time : std::min(seconds, time);
    }
    log.clear();
    return seconds > 0 ? bytes / seconds : 0;
}

} // namespace

double DeviceSpeed::copyBandwidth() const {
    const auto largest =
        std::max_element(copies.begin(), copies.end(),
                         [](const CopySpeed& a, const CopySpeed& b) { return a.bytes < b.bytes; });
    return largest == copies.end() ? 0 : std::max(largest->kernel, largest->runtime);
}

DeviceSpeed measureDeviceSpeed(CudaContext& cuda, const std::vector<std::size_t>& copyBytes) {
    LaunchLog log(cuda, LaunchLog::Timing::Stages);
    DeviceSpeed speed;
    const std::size_t most = *std::max_element(copyBytes.begin(), copyBytes.end());
    const std::size_t room = std::max(most, hostCopyBytes) / sizeof(float4);
    Buffer<float4> from = cuda.devicePool().acquire<float4>(room, "bandwidth"),
                   to = cuda.devicePool().acquire<float4>(room, "bandwidth");
    cuda.zero(from.data(), room * sizeof(float4), CudaStream::Compute);
    for (const std::size_t bytes : copyBytes) {
        const std::size_t count = bytes / sizeof(float4);
        const auto blocks =
            static_cast<unsigned>((count + copyThreads * valuesAThread - 1) /
                                  static_cast<std::size_t>(copyThreads * valuesAThread));
        const double moved = 2.0 * static_cast<double>(bytes);
        CopySpeed copy;
        copy.bytes = bytes;
        copy.kernel = best(log, moved, [&] {
            log.launch({"copy/kernel", moved}, copyKernel, {dim3(blocks), dim3(copyThreads)},
                       from.data(), to.data(), count);
        });
        copy.runtime = best(log, moved, [&] {
            cuda.copyOnDevice(from.data(), to.data(), bytes, CudaStream::Compute);
        });
        speed.copies.push_back(copy);
    }
    Buffer<char> host = cuda.pinnedPool().acquire<char>(hostCopyBytes, "bandwidth");
    std::fill_n(host.data(), hostCopyBytes, char{0});
    speed.upload = best(log, static_cast<double>(hostCopyBytes), [&] {
        cuda.upload(host.data(), to.data(), hostCopyBytes, CudaStream::Compute);
    });
    speed.download = best(log, static_cast<double>(hostCopyBytes), [&] {
        cuda.download(to.data(), host.data(), hostCopyBytes, CudaStream::Compute);
    });
    speed.clockHertz = clockOf(cuda, log);
    return speed;
}

} // namespace systole
