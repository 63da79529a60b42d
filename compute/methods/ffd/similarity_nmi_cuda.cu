#include "compute/methods/ffd/similarity_cuda.cuh"
#include "compute/methods/ffd/similarity_nmi.h"
#include "compute/methods/ffd/similarity_nmi_math.h"
#include "compute/ops/quantiles_cuda.cuh"

#include <algorithm>

namespace systole::gpu {
namespace {

using Count = unsigned long long;

constexpr unsigned pairs = nmiBins * nmiBins;
/// Two blocks with 48 registers a thread fill a multiprocessor: the fewer blocks, the fewer counts
/// are added in global memory.
constexpr unsigned countThreads = 640, countBlocks = 264;
constexpr unsigned everyLane = 0xffffffffu;

/// Four voxels in a row, from voxel 4 · vector on; 0 beyond the last.
__device__ inline float4 loadFour(const float* values, std::size_t vector, std::size_t voxels) {
    const std::size_t first = 4 * vector;
    if (first + 3 < voxels)
        return reinterpret_cast<const float4*>(values)[vector];
    return {first < voxels ? values[first] : 0.0f, first + 1 < voxels ? values[first + 1] : 0.0f,
            first + 2 < voxels ? values[first + 2] : 0.0f, 0.0f};
}

/// The four counts of a voxel, from `cell` on; cell −1: none.
struct Added {
    int cell;
    unsigned counts[4];

    __device__ Added(float fixed, float warped, float weight, const BinScale& fixedScale,
                     const BinScale& warpedScale)
        : cell(-1), counts{0, 0, 0, 0} {
        if (!(weight > 0))
            return;
        const int row = static_cast<int>(floorf(fixedScale.position(fixed) + 0.5f));
        const float position = warpedScale.position(warped);
        const auto bin = static_cast<int>(position);
        const ParzenWindow window(position - static_cast<float>(bin));
        cell = row * nmiBins + bin - 1;
        for (int k = 0; k < 4; ++k)
            counts[k] = static_cast<unsigned>(__float2int_rn(nmiUnit * weight * window.weight[k]));
    }
};

/// Rotates the counts, so that the first is that of bin `turn`.
__device__ inline void turnCounts(unsigned (&c)[4], unsigned turn) {
    if (turn & 1) {
        const unsigned first = c[0];
        c[0] = c[1], c[1] = c[2], c[2] = c[3], c[3] = first;
    }
    if (turn & 2) {
        const unsigned first = c[0], second = c[1];
        c[0] = c[2], c[1] = c[3], c[2] = first, c[3] = second;
    }
}

/// By whole warps. Atomics at one address follow one another: where all lanes have the same bins,
/// as in an even background, their sums are added once; elsewhere, since neighbors have similar
/// gray values, each lane begins with another one of its four bins.
__device__ inline void addCounts(Added added, unsigned* counts) {
    int alike;
    __match_all_sync(everyLane, added.cell, &alike);
    if (alike) {
        if (added.cell < 0)
            return;
        for (unsigned& count : added.counts)
            for (int lane = 16; lane > 0; lane /= 2)
                count += __shfl_xor_sync(everyLane, count, lane);
        if (threadIdx.x % 32 != 0)
            return;
    }
    if (added.cell < 0)
        return;
    const unsigned turn = threadIdx.x % 4;
    turnCounts(added.counts, turn);
    for (unsigned k = 0; k < 4; ++k)
        atomicAdd(&counts[static_cast<unsigned>(added.cell) + (turn + k) % 4], added.counts[k]);
}

/// Every block counts pieces of at most nmiVoxels voxels in shared memory, exactly, and adds them;
/// *weights = the sum of the weights.
__global__ void __launch_bounds__(countThreads, 2)
    countKernel(const float* fixed, const float* warped, const float* weight,
                const BinScale fixedScale, const BinScale warpedScale, std::size_t voxels,
                Count* histogram, GridSum room, double* weights) {
    __shared__ unsigned counts[pairs];
    constexpr std::size_t piece = nmiVoxels / 4;
    const std::size_t vectors = (voxels + 3) / 4;
    const std::size_t perBlock = (vectors + gridDim.x - 1) / gridDim.x;
    const std::size_t begin = min(blockIdx.x * perBlock, vectors);
    const std::size_t end = min(begin + perBlock, vectors);
    const unsigned lane = threadIdx.x % 32;
    double2 sum{0, 0};
    for (std::size_t from = begin; from < end; from += piece) {
        const std::size_t until = min(from + piece, end);
        for (unsigned cell = threadIdx.x; cell < pairs; cell += blockDim.x)
            counts[cell] = 0;
        __syncthreads();
        for (std::size_t first = from + threadIdx.x - lane; first < until; first += blockDim.x) {
            float4 f{}, m{}, w{};
            if (first + lane < until) {
                f = loadFour(fixed, first + lane, voxels);
                m = loadFour(warped, first + lane, voxels);
                w = loadFour(weight, first + lane, voxels);
            }
            sum.x += static_cast<double>((w.x + w.y) + (w.z + w.w));
            addCounts({f.x, m.x, w.x, fixedScale, warpedScale}, counts);
            addCounts({f.y, m.y, w.y, fixedScale, warpedScale}, counts);
            addCounts({f.z, m.z, w.z, fixedScale, warpedScale}, counts);
            addCounts({f.w, m.w, w.w, fixedScale, warpedScale}, counts);
        }
        __syncthreads();
        // The thread that adds a cell is the one that clears it for the next piece.
        for (unsigned cell = threadIdx.x; cell < pairs; cell += blockDim.x)
            if (counts[cell] > 0)
                atomicAdd(&histogram[cell], static_cast<Count>(counts[cell]));
    }
    double2 total;
    if (gridSum(sum, room, total))
        *weights = total.x;
}

/// One block: *nmi and its derivative by each pair of bins, as nmiOf(); the histogram becomes zero
/// for the next count.
__global__ void __launch_bounds__(1024) nmiKernel(Count* histogram, float* table, double* nmi) {
    constexpr unsigned own = pairs / 1024, parts = 1024 / nmiBins;
    __shared__ Count columnParts[parts][nmiBins], rowHalves[2 * nmiBins], margins[2][nmiBins];
    __shared__ double logColumn[nmiBins], sums[2];
    const unsigned thread = threadIdx.x, column = thread % nmiBins;
    // Cell thread + 1024 n lies in row thread / 64 + 16 n, in the thread's column.
    Count count[own], inColumn = 0;
    for (unsigned n = 0; n < own; ++n) {
        count[n] = histogram[thread + 1024 * n];
        histogram[thread + 1024 * n] = 0;
        inColumn += count[n];
        Count inWarp = count[n];
        for (unsigned lane = 16; lane > 0; lane /= 2)
            inWarp += __shfl_down_sync(everyLane, inWarp, lane);
        if (thread % 32 == 0)
            rowHalves[(thread + 1024 * n) / 32] = inWarp;
    }
    columnParts[thread / nmiBins][column] = inColumn;
    __syncthreads();
    if (thread < nmiBins) {
        margins[0][thread] = rowHalves[2 * thread] + rowHalves[2 * thread + 1];
        Count inAll = 0;
        for (unsigned part = 0; part < parts; ++part)
            inAll += columnParts[part][thread];
        margins[1][thread] = inAll;
    }
    __syncthreads();
    Count all = 0;
    for (const Count row : margins[0])
        all += row;
    const auto logOf = [](Count n) { return log(static_cast<double>(n > 1 ? n : 1)); };
    // x: Σ n log n over the pairs, y: over both margins.
    double2 sum{0, 0};
    double logCount[own];
    for (unsigned n = 0; n < own; ++n) {
        logCount[n] = logOf(count[n]);
        sum.x += static_cast<double>(count[n]) * logCount[n];
    }
    if (thread < nmiBins) {
        logColumn[thread] = logOf(margins[1][thread]);
        sum.y = static_cast<double>(margins[0][thread]) * logOf(margins[0][thread]) +
                static_cast<double>(margins[1][thread]) * logColumn[thread];
    }
    sum = blockSum(sum);
    if (thread == 0) {
        sums[0] = sum.x;
        sums[1] = sum.y;
    }
    __syncthreads();
    const NmiEntropies entropies(static_cast<double>(all), logOf(all), sums[1], sums[0]);
    const bool comparable = all > 0 && entropies.comparable();
    for (unsigned n = 0; n < own; ++n)
        table[thread + 1024 * n] = comparable ? entropies.derivative(static_cast<double>(nmiUnit),
                                                                     logCount[n], logColumn[column])
                                              : 0.0f;
    if (thread == 0)
        *nmi = comparable ? entropies.nmi() : 1;
}

__global__ void derivativeKernel(const float* fixed, const float* warped, const float* weight,
                                 const BinScale fixedScale, const BinScale warpedScale,
                                 const float* table, std::size_t voxels, float* out) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= voxels)
        return;
    const int row = static_cast<int>(floorf(fixedScale.position(fixed[i]) + 0.5f));
    const float position = warpedScale.position(warped[i]);
    const auto bin = static_cast<int>(position);
    const float t = position - static_cast<float>(bin);
    float sum = 0;
    for (int k = 0; k < 4; ++k)
        sum += table[row * nmiBins + bin - 1 + k] * ParzenWindow::derivative(k, t);
    const bool limited = position <= warpedScale.low || position >= warpedScale.high;
    out[i] = limited ? 0.0f : -warpedScale.scale * weight[i] * sum;
}

class Nmi : public DeviceSimilarity {
public:
    explicit Nmi(Workspace& space)
        : space_(space)
        , histogram_(space.add<Count>("joint histogram", pairs))
        , table_(space.add<float>("histogram's derivative", pairs))
        , search_(space.add<QuantileSearch>("quantiles", 1)) {}

    void begin(const Similarity::Level& level, FfdSums*, const GridSum&, LaunchLog& log) override {
        log.cuda().zero(space_.data(histogram_), sizeof(Count) * pairs, CudaStream::Compute);
        log.cuda().zero(space_.data(search_), sizeof(QuantileSearch), CudaStream::Compute);
        fixedBins_ = fixedBins(rangeOf(level.fixed, log));
        warpedBins_ = warpedBins(rangeOf(level.moving, log));
    }

    void enqueue(const ComparedImages& images, FfdSums* sums, const GridSum& room,
                 LaunchLog& log) override {
        const std::size_t n = images.fixed.voxels();
        const std::size_t blocks = std::min<std::size_t>(countBlocks, n / 4096 + 1);
        log.launch({"joint histogram", 12.0 * static_cast<double>(n)}, countKernel,
                   {dim3(static_cast<unsigned>(blocks)), dim3(countThreads)}, images.fixed.data,
                   images.warped.data, images.weight.data, fixedBins_, warpedBins_, n,
                   space_.data(histogram_), room, &sums->similarity.y);
        log.launch({"nmi of the histogram", 20.0 * pairs}, nmiKernel, {dim3(1), dim3(1024)},
                   space_.data(histogram_), space_.data(table_), &sums->similarity.x);
    }

    double value(const FfdSums& sums) override { return -sums.similarity.x; }

    void derivative(const ComparedImages& images, VolumeView<float> out, LaunchLog& log) override {
        const std::size_t n = out.voxels();
        log.launch({"derivative of nmi", 16.0 * static_cast<double>(n)}, derivativeKernel,
                   threadsOver(n), images.fixed.data, images.warped.data, images.weight.data,
                   fixedBins_, warpedBins_, space_.data(table_), n, out.data);
    }

    double known(double energy) const override { return -energy; }

private:
    /// As rangeOf() in similarity_nmi.cpp.
    GrayRange rangeOf(VolumeView<const float> image, LaunchLog& log) const {
        QuantileSearch* const search = space_.data(search_);
        const QuantilePair ends =
            quantilesOf(image.data, image.voxels(), nmiDarkest, nmiBrightest, search, log);
        if (ends.high > ends.low)
            return {ends.low, ends.high};
        const QuantilePair all = extremesOf(image.data, image.voxels(), search, log);
        return {all.low, all.high > all.low ? all.high : all.low + 1};
    }

    Workspace& space_;
    Workspace::Block<Count> histogram_; ///< zero between two values
    Workspace::Block<float> table_;     ///< of the last value
    Workspace::Block<QuantileSearch> search_;
    BinScale fixedBins_, warpedBins_;
};

} // namespace

std::unique_ptr<DeviceSimilarity> makeNmiOnDevice(Workspace& space) {
    return std::make_unique<Nmi>(space);
}

} // namespace systole::gpu
