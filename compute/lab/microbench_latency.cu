// Latencies: chains in which each access or operation depends on the previous one, timed with the
// multiprocessor's clock. A chain is a loop, so that the compilers can't move it past the clock
// reads, and long, so that reading the clock is negligible.
#include "compute/core/median.h"
#include "compute/core/random.h"
#include "compute/lab/microbench_latency.cuh"

#include <algorithm>
#include <vector>

namespace systole::lab {
namespace {

constexpr std::size_t lineBytes = 128;
constexpr int warp = 32;

struct Answer {
    long long cycles;
    unsigned long long last; ///< result of the chain, so that it isn't optimized away
};

/// One warm-up run, then the median cycles of latencyRuns runs.
template <typename Launch>
double medianCycles(LaunchLog& log, const Launch& launch) {
    CudaContext& cuda = log.cuda();
    Buffer<Answer> answer = cuda.devicePool().acquire<Answer>(1, "latency");
    std::vector<double> cycles;
    for (int run = -1; run < latencyRuns; ++run) {
        launch(answer.data());
        Answer host{};
        cuda.download(answer.data(), &host, sizeof host, CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
        log.clear();
        if (run >= 0)
            cycles.push_back(static_cast<double>(host.cycles));
    }
    return median(std::move(cycles));
}

// --- memory ---

enum class Through { FirstCache, SecondCache };

/// Loads the address stored at an address.
template <Through Way>
__device__ unsigned long long follow(unsigned long long at) {
    unsigned long long next;
    if constexpr (Way == Through::FirstCache)
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    else
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    return next;
}

constexpr int hopsATrip = 8;

template <Through Way>
__global__ void chase(unsigned long long start, int tripsForWarmth, int trips, Answer* answer) {
    unsigned long long at = start;
    for (int trip = 0; trip < tripsForWarmth; ++trip)
        at = follow<Way>(at);
    const long long begin = clock64();
    for (int trip = 0; trip < trips; ++trip)
#pragma unroll
        for (int hop = 0; hop < hopsATrip; ++hop)
            at = follow<Way>(at);
    answer->cycles = clock64() - begin;
    answer->last = at;
}

constexpr int sharedNodes = 1024;

__global__ void chaseShared(int step, int trips, Answer* answer) {
    __shared__ unsigned next[sharedNodes];
    const auto base = static_cast<unsigned>(__cvta_generic_to_shared(next));
    for (int i = 0; i < sharedNodes; ++i)
        next[i] = base + static_cast<unsigned>(sizeof(unsigned)) *
                             static_cast<unsigned>((i + step) % sharedNodes);
    __syncthreads();
    unsigned at = base;
    const long long begin = clock64();
    for (int trip = 0; trip < trips; ++trip)
#pragma unroll
        for (int hop = 0; hop < hopsATrip; ++hop)
            asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(at) : "memory");
    answer->cycles = clock64() - begin;
    answer->last = at;
}

__global__ void link(char* base, const unsigned long long* offsets, int nodes) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < nodes)
        *reinterpret_cast<char**>(base + offsets[i]) = base + offsets[(i + 1) % nodes];
}

/// Builds a closed chain of addresses in random order over `bytes` of memory, each in its own cache
/// line. Returns its start.
unsigned long long makeChain(LaunchLog& log, char* base, std::size_t bytes, int nodes) {
    const std::size_t share = bytes / static_cast<std::size_t>(nodes);
    std::vector<unsigned long long> offsets(static_cast<std::size_t>(nodes));
    for (std::size_t i = 0; i < offsets.size(); ++i)
        offsets[i] = i * share + randomBits(1, 0, i) % (share / lineBytes) * lineBytes;
    for (std::size_t i = offsets.size() - 1; i > 0; --i)
        std::swap(offsets[i], offsets[randomBits(1, 1, i) % (i + 1)]);
    CudaContext& cuda = log.cuda();
    auto device = cuda.devicePool().acquire<unsigned long long>(offsets.size(), "latency");
    cuda.upload(offsets.data(), device.data(), offsets.size() * sizeof offsets[0],
                CudaStream::Compute);
    log.launch({"link"}, link, {dim3(static_cast<unsigned>((nodes + 255) / 256)), dim3(256)}, base,
               device.data(), nodes);
    cuda.synchronize(CudaStream::Compute);
    return reinterpret_cast<unsigned long long>(base) + offsets[0];
}

double hopCycles(LaunchLog& log, unsigned long long start, Through way, int hopsForWarmth, int hops,
                 const LatencyRoom* flushed) {
    const double cycles = medianCycles(log, [&](Answer* answer) {
        if (flushed)
            log.cuda().zero(flushed->flush, flushed->bytes, CudaStream::Compute);
        log.launch({"chase"},
                   way == Through::FirstCache ? chase<Through::FirstCache>
                                              : chase<Through::SecondCache>,
                   {dim3(1), dim3(1)}, start, hopsForWarmth, hops / hopsATrip, answer);
    });
    return cycles / hops;
}

// --- departure delay ---

constexpr int streamThreads = 1024;
constexpr int loadsAhead = 16;

/// One block, so one multiprocessor: each warp streams 128 bytes per load, with more requests in
/// flight than needed to hide any latency.
__global__ void stream(const float* from, int rounds, Answer* answer) {
    const float* at = from + threadIdx.x;
    float sum = 0;
    __syncthreads();
    const long long begin = clock64();
    for (int round = 0; round < rounds; ++round) {
        float value[loadsAhead];
#pragma unroll
        for (int i = 0; i < loadsAhead; ++i)
            asm volatile("ld.global.cg.f32 %0, [%1];"
                         : "=f"(value[i])
                         : "l"(at + i * streamThreads)
                         : "memory");
#pragma unroll
        for (int i = 0; i < loadsAhead; ++i)
            sum += value[i];
        at += loadsAhead * streamThreads;
    }
    __syncthreads();
    const long long end = clock64();
    if (threadIdx.x == 0)
        answer->cycles = end - begin;
    if (sum == 1) // never true (the memory is zero), but the compiler can't know
        answer->last = 1;
}

// --- operations ---

// As in the kernels: IEEE division and square root, the library's exponential and logarithm. The
// arguments keep every chain on the operation's normal path.
struct Add {
    static __device__ float next(float x, float a) { return x + a; }
};
struct Multiply {
    static __device__ float next(float x, float a) { return x * a; }
};
struct FusedMultiplyAdd {
    static __device__ float next(float x, float a) { return fmaf(x, a, a); }
};
struct Divide {
    static __device__ float next(float x, float a) { return a / x; }
};
struct SquareRoot {
    static __device__ float next(float x, float) { return sqrtf(x); }
};
struct Exponential {
    static __device__ float next(float x, float) { return expf(-x); }
};
/// Includes an addition that keeps the chain positive.
struct LogarithmAndAdd {
    static __device__ float next(float x, float a) { return logf(x) + a; }
};

/// Operations per iteration: enough to make the loop overhead negligible, few enough for the
/// instruction cache.
template <typename Operation>
constexpr int operationsATrip = 16;
template <>
constexpr int operationsATrip<Add> = 128;
template <>
constexpr int operationsATrip<Multiply> = 128;
template <>
constexpr int operationsATrip<FusedMultiplyAdd> = 128;

template <typename Operation>
__global__ void operate(float x, float a, int trips, Answer* answer) {
    const long long begin = clock64();
    for (int trip = 0; trip < trips; ++trip)
#pragma unroll
        for (int i = 0; i < operationsATrip<Operation>; ++i)
            x = Operation::next(x, a);
    const long long end = clock64();
    if (threadIdx.x == 0) {
        answer->cycles = end - begin;
        answer->last = __float_as_uint(x);
    }
}

constexpr int integerTriplets = 64;

/// Typical index arithmetic: multiply-add, logical operation and addition, alternating.
__global__ void operateOnIntegers(unsigned x, unsigned a, unsigned b, int trips, Answer* answer) {
    const long long begin = clock64();
    for (int trip = 0; trip < trips; ++trip)
#pragma unroll
        for (int i = 0; i < integerTriplets; ++i)
            x = ((x * a + b) ^ a) + b;
    const long long end = clock64();
    if (threadIdx.x == 0) {
        answer->cycles = end - begin;
        answer->last = x;
    }
}

constexpr int operationTrips = 256;

template <typename Operation>
double operationCycles(LaunchLog& log, float x, float a) {
    const double cycles = medianCycles(log, [&](Answer* answer) {
        log.launch({"operate"}, operate<Operation>, {dim3(1), dim3(warp)}, x, a, operationTrips,
                   answer);
    });
    return cycles / (operationTrips * operationsATrip<Operation>);
}

} // namespace

void measureMemoryLatencies(LaunchLog& log, const LatencyRoom& room, model::GpuMachine& machine) {
    // Twice as many nodes as are visited, so that none is visited twice.
    constexpr int globalNodes = 4096;
    machine.globalLatency = hopCycles(log, makeChain(log, room.room, room.bytes, globalNodes),
                                      Through::SecondCache, 0, globalNodes / 2, &room);

    constexpr int cachedNodes = 2048;
    const std::size_t cached =
        std::clamp<std::size_t>(machine.l2Bytes / 4, cachedNodes * lineBytes, std::size_t{4} << 20);
    machine.l2Latency = hopCycles(log, makeChain(log, room.room, cached, cachedNodes),
                                  Through::SecondCache, cachedNodes, cachedNodes, nullptr);

    constexpr int nearNodes = 64;
    machine.l1Latency = hopCycles(log, makeChain(log, room.room, nearNodes * lineBytes, nearNodes),
                                  Through::FirstCache, nearNodes, 32 * nearNodes, nullptr);

    constexpr int sharedHops = 4096;
    constexpr int step = 33; // stride that visits all banks
    machine.sharedLatency =
        medianCycles(log,
                     [&](Answer* answer) {
                         log.launch({"chase shared"}, chaseShared, {dim3(1), dim3(1)}, step,
                                    sharedHops / hopsATrip, answer);
                     }) /
        sharedHops;
}

void measureDepartureDelay(LaunchLog& log, const LatencyRoom& room, model::GpuMachine& machine) {
    constexpr std::size_t bytesARound = streamThreads * loadsAhead * sizeof(float);
    constexpr std::size_t maxBytes = std::size_t{32} << 20;
    const auto rounds = static_cast<int>(std::min(room.bytes, maxBytes) / bytesARound);
    log.cuda().zero(room.room, room.bytes, CudaStream::Compute);
    const double cycles = medianCycles(log, [&](Answer* answer) {
        log.cuda().zero(room.flush, room.bytes, CudaStream::Compute);
        log.launch({"stream"}, stream, {dim3(1), dim3(streamThreads)},
                   reinterpret_cast<const float*>(room.room), rounds, answer);
    });
    machine.departureDelay =
        cycles / (static_cast<double>(rounds) * loadsAhead * (streamThreads / warp));
}

void measureOperationLatencies(LaunchLog& log, model::GpuMachine& machine) {
    model::OperationLatencies& latency = machine.latency;
    latency.add = operationCycles<Add>(log, 0.0f, 0.5f);
    latency.multiply = operationCycles<Multiply>(log, 2.0f, 1.0f);
    latency.fusedMultiplyAdd = operationCycles<FusedMultiplyAdd>(log, 0.0f, 0.5f);
    latency.divide = operationCycles<Divide>(log, 1.5f, 2.0f);
    latency.squareRoot = operationCycles<SquareRoot>(log, 3.0f, 0.0f);
    latency.exponential = operationCycles<Exponential>(log, 1.0f, 0.0f);
    latency.logarithm = operationCycles<LogarithmAndAdd>(log, 2.0f, 3.0f) - latency.add;
    latency.integer = medianCycles(log,
                                   [&](Answer* answer) {
                                       log.launch({"operate on integers"}, operateOnIntegers,
                                                  {dim3(1), dim3(warp)}, 1u, 1664525u, 1013904223u,
                                                  operationTrips, answer);
                                   }) /
                      (3.0 * operationTrips * integerTriplets);
}

} // namespace systole::lab
