#include "compute/methods/ffd/similarity_cuda.cuh"
#include "compute/methods/ffd/similarity_nmi.h"
#include "compute/methods/ffd/similarity_nmi_math.h"
#include "compute/ops/quantiles_cuda.cuh"

#include <algorithm>

namespace systole::gpu {
namespace {

using Count = unsigned long long;

constexpr unsigned pairs = nmiBins * nmiBins;
/// A block fills a multiprocessor, and there is one on each: every block adds its histogram to the
/// one in global memory.
constexpr unsigned valueThreads = 1024;
constexpr unsigned maxBlocks = 264;
constexpr unsigned everyLane = 0xffffffffu;

/// Four voxels in a row, from voxel 4 · vector on; 0 beyond the last.
__device__ inline float4 loadFour(const float* values, std::size_t vector, std::size_t voxels) {
    const std::size_t first = 4 * vector;
    if (first + 3 < voxels)
        return reinterpret_cast<const float4*>(values)[vector];
    return {first < voxels ? values[first] : 0.0f, first + 1 < voxels ? values[first + 1] : 0.0f,
            first + 2 < voxels ? values[first + 2] : 0.0f, 0.0f};
}

/// position() of the scale, without branches.
__device__ inline float positionOn(const BinScale& bins, float gray) {
    return fminf(fmaxf(fmaf(bins.scale, gray, bins.offset), bins.low), bins.high);
}

/// Numbers from 0 to 2²² as integers. Added to 2²³, a number leaves its integer in the lowest bits;
/// conversions have an eighth of the additions' rate.
constexpr float aboveIntegers = 8388608.0f;
__device__ inline unsigned integerIn(float moved) { return __float_as_uint(moved) - 0x4b000000u; }
__device__ inline unsigned floorOf(float v) { return integerIn(__fadd_rd(v, aboveIntegers)); }
__device__ inline unsigned nearestOf(float v) { return integerIn(__fadd_rn(v, aboveIntegers)); }

/// `Copies` histograms in shared memory, the copies of a count side by side. A lane counts in copy
/// lane % Copies: neighboring voxels have similar gray values, and atomics of a warp at one address
/// or bank follow one another. With eight copies that are at most four lanes, however even the
/// image is.
template <unsigned Copies>
struct SharedHistogram {
    unsigned* counts; ///< [row][column][copy]

    __device__ void clear() const {
        for (unsigned i = threadIdx.x; i < pairs * Copies / 4; i += blockDim.x)
            reinterpret_cast<uint4*>(counts)[i] = {0, 0, 0, 0};
    }
    /// Products and roundings as rows::parzenCounts().
    __device__ void add(float fixed, float warped, float weight, const BinScale& fixedScale,
                        const BinScale& warpedScale) const {
        if (!(weight > 0))
            return;
        const unsigned row = floorOf(positionOn(fixedScale, fixed) + 0.5f);
        const float position = positionOn(warpedScale, warped);
        const float below = __fadd_rd(position, aboveIntegers);
        const float t = position - (below - aboveIntegers), s = 1 - t;
        unsigned* const first =
            counts + (row * nmiBins + integerIn(below) - 1) * Copies + threadIdx.x % Copies;
        const float sixth = nmiUnit * weight * (1.0f / 6);
        const auto outer = [sixth](float v) { return sixth * (v * (v * v)); };
        const auto inner = [sixth](float v) {
            return sixth * fmaf(fmaf(3.0f, v, -6.0f) * v, v, 4.0f);
        };
        atomicAdd(first, nearestOf(outer(s)));
        atomicAdd(first + Copies, nearestOf(inner(t)));
        atomicAdd(first + 2 * Copies, nearestOf(inner(s)));
        atomicAdd(first + 3 * Copies, nearestOf(outer(t)));
    }
    __device__ Count sumOf(unsigned pair) const {
        Count sum = 0;
        for (unsigned copy = 0; copy < Copies; ++copy)
            sum += counts[pair * Copies + copy];
        return sum;
    }
};

/// The sum over the lanes, in every lane.
template <typename Number>
__device__ inline Number sumOfWarp(Number value, unsigned lanes = 32) {
    for (unsigned lane = lanes / 2; lane > 0; lane /= 2)
        value += __shfl_xor_sync(everyLane, value, lane);
    return value;
}

/// Computes *nmi and its derivative by each pair of bins, as nmiOf(), in a block of 1024 threads;
/// the histogram becomes zero for the next count. Sums have a fixed order.
__device__ void nmiOfHistogram(Count* histogram, float* table, double* nmi) {
    constexpr unsigned own = pairs / valueThreads, warps = valueThreads / 32, rowLanes = 16;
    static_assert(own == 4 && own * rowLanes == nmiBins);
    __shared__ Count rows[nmiBins], columnParts[warps][nmiBins];
    __shared__ double logColumn[nmiBins], ofPairs[warps], ofMargins[4], totals[2];
    const unsigned thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const auto logOf = [](Count n) { return logOfCount(static_cast<double>(n > 1 ? n : 1)); };
    // A thread has four counts of a row in a line, a warp two rows.
    ulonglong2* const mine = reinterpret_cast<ulonglong2*>(histogram) + 2 * thread;
    const ulonglong2 low = __ldcg(mine), high = __ldcg(mine + 1);
    mine[0] = mine[1] = {0, 0};
    const Count count[own] = {low.x, low.y, high.x, high.y};
    const Count inRow = sumOfWarp(count[0] + count[1] + count[2] + count[3], rowLanes);
    if (lane % rowLanes == 0)
        rows[thread / rowLanes] = inRow;
    double logCount[own], sum = 0;
    for (unsigned n = 0; n < own; ++n) {
        const Count inColumn = count[n] + __shfl_xor_sync(everyLane, count[n], rowLanes);
        if (lane < rowLanes)
            columnParts[warp][own * lane + n] = inColumn;
        logCount[n] = logOf(count[n]);
        sum += static_cast<double>(count[n]) * logCount[n];
    }
    sum = sumOfWarp(sum);
    if (lane == 0)
        ofPairs[warp] = sum;
    __syncthreads();
    // Two warps for the columns, two for the rows.
    if (thread < 2 * nmiBins) {
        Count n = 0;
        if (thread < nmiBins)
            for (unsigned part = 0; part < warps; ++part)
                n += columnParts[part][thread];
        else
            n = rows[thread - nmiBins];
        const double logarithm = logOf(n);
        if (thread < nmiBins)
            logColumn[thread] = logarithm;
        const double inWarp = sumOfWarp(static_cast<double>(n) * logarithm);
        const Count total = sumOfWarp(n);
        if (lane == 0) {
            ofMargins[warp] = inWarp;
            if (warp >= 2)
                totals[warp - 2] = static_cast<double>(total);
        }
    }
    __syncthreads();
    const double all = totals[0] + totals[1];
    const NmiEntropies entropies(all, logOfCount(all > 1 ? all : 1),
                                 (ofMargins[0] + ofMargins[1]) + (ofMargins[2] + ofMargins[3]),
                                 sumOfWarp(ofPairs[lane]));
    const bool comparable = all > 0 && entropies.comparable();
    for (unsigned n = 0; n < own; ++n)
        table[own * thread + n] =
            comparable ? entropies.derivative(static_cast<double>(nmiUnit), logCount[n],
                                              logColumn[own * (lane % rowLanes) + n])
                       : 0.0f;
    if (thread == 0)
        *nmi = comparable ? entropies.nmi() : 1;
}

/// Input and results of the value.
struct NmiArguments {
    const float *fixed, *warped, *weight;
    BinScale fixedScale, warpedScale;
    std::size_t voxels;
    Count* histogram; ///< zero before and after
    GridSum room;
    double* weights; ///< sum of the weights
    float* table;
    double* nmi;
};

/// Every block counts pieces in shared memory, exactly, and adds them to the histogram; the last
/// one to end goes on with it. A copy of a piece has at most nmiVoxels voxels.
template <unsigned Copies>
__global__ void __launch_bounds__(valueThreads)
    valueKernel(const __grid_constant__ NmiArguments in) {
    extern __shared__ uint4 copies[];
    const SharedHistogram<Copies> counts{reinterpret_cast<unsigned*>(copies)};
    constexpr std::size_t piece = nmiVoxels / 4 * Copies;
    const std::size_t vectors = (in.voxels + 3) / 4;
    const std::size_t perBlock = (vectors + gridDim.x - 1) / gridDim.x;
    const std::size_t begin = min(blockIdx.x * perBlock, vectors);
    const std::size_t end = min(begin + perBlock, vectors);
    double2 sum{0, 0};
    for (std::size_t from = begin; from < end; from += piece) {
        const std::size_t until = min(from + piece, end);
        counts.clear();
        __syncthreads();
        for (std::size_t i = from + threadIdx.x; i < until; i += blockDim.x) {
            const float4 f = loadFour(in.fixed, i, in.voxels),
                         m = loadFour(in.warped, i, in.voxels),
                         w = loadFour(in.weight, i, in.voxels);
            sum.x += static_cast<double>((onSumGrid(w.x) + onSumGrid(w.y)) +
                                         (onSumGrid(w.z) + onSumGrid(w.w)));
            counts.add(f.x, m.x, w.x, in.fixedScale, in.warpedScale);
            counts.add(f.y, m.y, w.y, in.fixedScale, in.warpedScale);
            counts.add(f.z, m.z, w.z, in.fixedScale, in.warpedScale);
            counts.add(f.w, m.w, w.w, in.fixedScale, in.warpedScale);
        }
        __syncthreads();
        for (unsigned pair = threadIdx.x; pair < pairs; pair += blockDim.x)
            if (const Count count = counts.sumOf(pair); count > 0)
                atomicAdd(&in.histogram[pair], count);
        __syncthreads();
    }
    double2 total;
    const bool isTotal = gridSum(sum, in.room, total);
    if (isTotal)
        *in.weights = total.x;
    // gridSum() returns true in one thread of the last block.
    if (__syncthreads_or(isTotal))
        nmiOfHistogram(in.histogram, in.table, in.nmi);
}

/// rows::parzenDerivative() on the device. Many parameters because each is an array of its own in
/// device memory.
__global__ void derivativeKernel(const float* fixed, const float* warped, const float* weight,
                                 const BinScale fixedScale, const BinScale warpedScale,
                                 const float* table, std::size_t voxels, float* out) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= voxels)
        return;
    const int row = static_cast<int>(floorf(positionOn(fixedScale, fixed[i]) + 0.5f));
    const float position = positionOn(warpedScale, warped[i]);
    const auto bin = static_cast<int>(position);
    const float t = position - static_cast<float>(bin), r = 1 - t;
    const float* const entries = table + row * nmiBins + bin - 1;
    const auto inner = [](float v) { return v * fused(3.0f, v, -4.0f); };
    float sum = entries[3] * (t * t);
    sum = fused(entries[1], inner(t), sum);
    sum = fused(-entries[2], inner(r), sum);
    sum = fused(-entries[0], r * r, sum);
    const bool inside = position > warpedScale.low && position < warpedScale.high;
    out[i] = inside ? 0.5f * -warpedScale.scale * weight[i] * sum : 0.0f;
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
        const NmiArguments in{images.fixed.data,
                              images.warped.data,
                              images.weight.data,
                              fixedBins_,
                              warpedBins_,
                              n,
                              space_.data(histogram_),
                              room,
                              &sums->similarity.y,
                              space_.data(table_),
                              &sums->similarity.x};
        int shared = 0;
        cudaCheck(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                         log.cuda().device().index),
                  "reading the shared memory per block");
        // Shared memory holds the copies and the sums of nmiOfHistogram().
        constexpr int eight = static_cast<int>(8 * sizeof(unsigned) * pairs) + (20 << 10);
        if (shared >= eight)
            launchValue<8>(in, log);
        else
            launchValue<2>(in, log);
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
    template <unsigned Copies>
    static void launchValue(const NmiArguments& in, LaunchLog& log) {
        constexpr std::size_t sharedBytes = Copies * sizeof(unsigned) * pairs;
        cudaCheck(cudaFuncSetAttribute(valueKernel<Copies>,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(sharedBytes)),
                  "asking for the shared memory of NMI");
        const auto each = static_cast<unsigned>(log.cuda().device().multiprocessors);
        const auto blocks = static_cast<unsigned>(
            std::min<std::size_t>(std::min(each, maxBlocks), in.voxels / 4096 + 1));
        log.launch({"nmi", 12.0 * static_cast<double>(in.voxels) + 20.0 * pairs},
                   valueKernel<Copies>, {dim3(blocks), dim3(valueThreads), sharedBytes}, in);
    }

    /// rangeOf() of similarity_nmi.cpp on the device.
    IntensityScale rangeOf(VolumeView<const float> image, LaunchLog& log) const {
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
    Workspace::Block<float> table_;     ///< derivative by each pair of bins at the last value()
    Workspace::Block<QuantileSearch> search_;
    BinScale fixedBins_, warpedBins_;
};

} // namespace

std::unique_ptr<DeviceSimilarity> makeNmiOnDevice(Workspace& space) {
    return std::make_unique<Nmi>(space);
}

} // namespace systole::gpu
