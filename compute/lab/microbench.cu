#include "compute/core/median.h"
#include "compute/cuda/launch.cuh"
#include "compute/cuda/speed.h"
#include "compute/lab/microbench.h"
#include "compute/lab/microbench_latency.cuh"

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

namespace systole::lab {
namespace {

/// 256 MiB, allocated twice: far larger than any L2 cache.
constexpr std::size_t roomBytes = std::size_t{256} << 20;
constexpr std::size_t hostBytes = std::size_t{64} << 20;
constexpr int runs = 7;

template <typename Measure>
double medianOfRuns(const Measure& measure) {
    std::vector<double> values;
    for (int run = 0; run < runs; ++run)
        values.push_back(measure());
    return median(std::move(values));
}

const char* architectureOf(int capability) {
    return capability >= 100  ? "Blackwell"
           : capability >= 90 ? "Hopper"
           : capability >= 89 ? "Ada"
           : capability >= 80 ? "Ampere"
           : capability >= 75 ? "Turing"
                              : "Volta";
}

/// Event time of the work that `enqueue` puts on the stream.
template <typename Enqueue>
double stageSeconds(LaunchLog& log, const Enqueue& enqueue) {
    log.clear();
    {
        const LaunchLog::Stage stage(log, "solve");
        enqueue();
    }
    log.cuda().synchronize(CudaStream::Compute);
    KernelProfile profile;
    profile.beginFrame(0);
    log.resolve(profile);
    log.clear();
    return profile.endFrame().seconds("solve");
}

constexpr int readThreads = 1024;
constexpr int readsAhead = 4;

/// The whole grid reads the same `count` values repeatedly, bypassing L1.
__global__ void readAgain(const float4* from, int count, int rounds, float* sink) {
    const int threads = static_cast<int>(gridDim.x) * readThreads;
    int at = static_cast<int>(blockIdx.x) * readThreads + static_cast<int>(threadIdx.x);
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
        float4 value[readsAhead];
#pragma unroll
        for (int i = 0; i < readsAhead; ++i) {
            at = at < count ? at : at % count;
            value[i] = __ldcg(from + at);
            at += threads;
        }
#pragma unroll
        for (int i = 0; i < readsAhead; ++i)
            sum += value[i].x + value[i].y + value[i].z + value[i].w;
    }
    if (sum == 1) // never true (the memory is zero), but the compiler can't know
        *sink = sum;
}

double l2Bandwidth(LaunchLog& log, char* room, const model::GpuMachine& machine) {
    constexpr int rounds = 128;
    const std::size_t bytes =
        std::clamp<std::size_t>(machine.l2Bytes / 4, std::size_t{256} << 10, std::size_t{16} << 20);
    const auto blocks = static_cast<unsigned>(2 * machine.multiprocessors);
    log.cuda().zero(room, bytes + sizeof(float), CudaStream::Compute);
    const double seconds = medianOfRuns([&] {
        return stageSeconds(log, [&] {
            log.launch({"read again"}, readAgain, {dim3(blocks), dim3(readThreads)},
                       reinterpret_cast<const float4*>(room),
                       static_cast<int>(bytes / sizeof(float4)), rounds,
                       reinterpret_cast<float*>(room + bytes));
        });
    });
    return static_cast<double>(sizeof(float4)) * readsAhead * rounds * readThreads * blocks /
           seconds;
}

constexpr int emptyLaunches = 500;

__global__ void empty() {}

__global__ void keepBusy(long long cycles) {
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

/// Time between empty kernels while the host is ahead: it fills the queue during keepBusy.
double launchOverhead(LaunchLog& log, const model::GpuMachine& machine) {
    constexpr double secondsAhead = 0.01;
    return medianOfRuns([&] {
               keepBusy<<<1, 1, 0, log.stream()>>>(
                   static_cast<long long>(secondsAhead * machine.clockHertz));
               return stageSeconds(log, [&] {
                   for (int i = 0; i < emptyLaunches; ++i)
                       empty<<<1, 32, 0, log.stream()>>>();
                   cudaCheck(cudaGetLastError(), "launching empty kernels");
               });
           }) /
           emptyLaunches;
}

/// Bytes per second of a synchronous copy, wall clock.
template <typename Copy>
double copyBandwidth(CudaContext& cuda, const Copy& copy) {
    const double seconds = medianOfRuns([&] {
        const auto begin = std::chrono::steady_clock::now();
        copy();
        cuda.synchronize(CudaStream::Copy);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
    return static_cast<double>(hostBytes) / seconds;
}

void measureTransfers(CudaContext& cuda, char* device, model::GpuMachine& machine) {
    const auto up = [&](const char* host) {
        return copyBandwidth(cuda,
                             [&, host] { cuda.upload(host, device, hostBytes, CudaStream::Copy); });
    };
    const auto down = [&](char* host) {
        return copyBandwidth(
            cuda, [&, host] { cuda.download(device, host, hostBytes, CudaStream::Copy); });
    };
    Buffer<char> pinned = cuda.pinnedPool().acquire<char>(hostBytes, "bandwidth");
    std::fill_n(pinned.data(), hostBytes, char{0});
    machine.uploadPinned = up(pinned.data());
    machine.downloadPinned = down(pinned.data());
    std::vector<char> pageable(hostBytes);
    machine.uploadPageable = up(pageable.data());
    machine.downloadPageable = down(pageable.data());
}

std::map<std::string, std::string> sourcesOfMeasurement() {
    const std::string runtime = "reported by the CUDA runtime on this machine";
    const std::string copies = "measured: 64 MiB, wall clock, median of 7";
    return {
        {"", "measured on this machine by systole lab --measure"},
        {"name", runtime},
        {"computeCapability", runtime},
        {"multiprocessors", runtime},
        {"memoryBytes", runtime},
        {"l2Bytes", runtime},
        {"architecture", "from the compute capability"},
        {"clockHertz", "measured: cycles over time of a kernel that spins for 10 ms after copies"},
        {"memoryBandwidth", "measured: copy of 256 MiB on the device, read plus written, best"},
        {"globalLatency", "measured: chain of 2048 loads at random addresses in 256 MiB with L2 "
                          "flushed, TLB misses included, median of 5"},
        {"l2Latency", "measured: chain of 2048 loads that bypass L1 and hit L2"},
        {"l1Latency", "measured: chain of 2048 loads in 8 KiB"},
        {"sharedLatency", "measured: chain of 4096 loads from shared memory"},
        {"departureDelay", "measured: cycles per warp load of one multiprocessor streaming 32 MiB "
                           "from memory, 32 warps with 16 loads in flight each"},
        {"latency", "measured: chains of dependent operations in one warp, median of 5"},
        {"l2Bandwidth", "measured: all multiprocessors read a quarter of L2, at most 16 MiB, 16 "
                        "bytes per thread and load, median of 7"},
        {"uploadPinned", copies},
        {"downloadPinned", copies},
        {"uploadPageable", copies},
        {"downloadPageable", copies},
        {"launchOverhead", "measured: 500 empty kernels that were already queued"},
    };
}

model::GpuMachine dataSheet(const CudaContext& cuda) {
    const CudaDevice& device = cuda.device();
    int l2 = 0;
    cudaCheck(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device.index),
              "querying the L2 cache size");
    model::GpuMachine machine;
    machine.name = device.name;
    machine.computeCapability = device.computeCapability;
    machine.architecture = architectureOf(device.computeCapability);
    machine.multiprocessors = device.multiprocessors;
    machine.memoryBytes = device.memoryBytes;
    machine.l2Bytes = static_cast<std::size_t>(l2);
    return machine;
}

} // namespace

model::GpuMachine measureMachine(CudaContext& cuda,
                                 const std::function<void(const std::string&, double)>& progress) {
    const auto tell = [&](const char* what, double done) {
        if (progress)
            progress(what, done);
    };
    model::GpuMachine machine = dataSheet(cuda);
    LaunchLog log(cuda, LaunchLog::Timing::Stages);

    tell("device memory and clock", 0);
    // First, with copies of 256 MiB: the clocks ramp up.
    const DeviceSpeed speed = measureDeviceSpeed(cuda, {roomBytes});
    machine.memoryBandwidth = speed.copyBandwidth();
    machine.clockHertz = speed.clockHertz;

    Buffer<char> room = cuda.devicePool().acquire<char>(roomBytes, "measuring"),
                 flush = cuda.devicePool().acquire<char>(roomBytes, "measuring");
    const LatencyRoom latencyRoom{room.data(), flush.data(), roomBytes};
    machine.launchOverhead = launchOverhead(log, machine);
    tell("L2 bandwidth", 0.3);
    machine.l2Bandwidth = l2Bandwidth(log, room.data(), machine);
    tell("memory latencies", 0.4);
    measureMemoryLatencies(log, latencyRoom, machine);
    tell("departure delay", 0.5);
    measureDepartureDelay(log, latencyRoom, machine);
    tell("operation latencies", 0.6);
    measureOperationLatencies(log, machine);
    tell("copies between host and device", 0.7);
    measureTransfers(cuda, room.data(), machine);
    tell("done", 1);

    machine.measured = true;
    machine.sources = sourcesOfMeasurement();
    return machine;
}

} // namespace systole::lab
