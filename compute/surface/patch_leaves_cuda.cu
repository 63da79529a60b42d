#include "compute/cuda/kernel_support.cuh"
#include "compute/surface/patch_leaves_cuda.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace systole::gpu {
namespace {

using nlm::features;
using nlm::LeafBox;
using nlm::leafSize;

/// Elements before they are ordered: their features, [k · count + e], and the largest of them.
struct Unordered {
    VolumeView<const float> phi;
    const int* band;
    int count, radius;
    float* feature;
    float* scales;

    __device__ float& featureOf(int e, int k) const {
        return feature[std::ptrdiff_t{k} * count + e];
    }
    __device__ Voxel voxelOf(int e) const { return nlm::voxelAt(phi.size, band[e]); }
};

/// The arrays of a LeavesView, to be written.
struct LeafArrays {
    int leaves;
    int* element;
    float* feature;
    int* voxel;
    LeafBox* boxes;
};

__global__ void featureKernel(const __grid_constant__ Unordered all) {
    const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    float f[features] = {};
    if (e < all.count) {
        const Voxel p = all.voxelOf(e);
        nlm::featuresOf(
            all.radius,
            [&](int n) { return all.phi.data[nlm::patchOffset(all.phi.size, p, all.radius, n)]; },
            f);
        for (int k = 0; k < features; ++k)
            all.featureOf(e, k) = f[k];
    }
    float largest = 0;
    for (int k = 0; k < features; ++k)
        largest = fmaxf(largest, fabsf(f[k]));
    // Bits of numbers that aren't negative rank as these do.
    const unsigned maxLength = warpMax(__float_as_uint(largest)),
                   rest = warpMax(__float_as_uint(f[4]));
    if (threadIdx.x % 32 == 0) {
        atomicMax(reinterpret_cast<unsigned*>(all.scales), maxLength);
        atomicMax(reinterpret_cast<unsigned*>(all.scales) + 1, rest);
    }
}

__global__ void codeKernel(const __grid_constant__ Unordered all, DeviceLeaves::Order order,
                           std::uint64_t* codes, int* element) {
    const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (e >= all.count)
        return;
    std::uint32_t at[4] = {};
    if (order == DeviceLeaves::Order::Features) {
        for (int k = 0; k < 4; ++k)
            at[k] = nlm::mortonPlace(all.featureOf(e, k), all.scales[0]);
    } else {
        const Voxel p = all.voxelOf(e);
        for (int axis = 0; axis < 3; ++axis)
            at[axis] = static_cast<std::uint32_t>(p[axis]);
    }
    codes[e] = nlm::mortonCode(at, order == DeviceLeaves::Order::Features ? 4 : 3);
    element[e] = e;
}

__device__ float warpLeast(float value) {
    for (int lane = 16; lane > 0; lane /= 2)
        value = fminf(value, __shfl_xor_sync(0xffffffffu, value, lane));
    return value;
}
__device__ float warpLargest(float value) { return -warpLeast(-value); }

/// A warp per leaf.
__global__ void leafKernel(const __grid_constant__ Unordered all, const int* order,
                           const __grid_constant__ LeafArrays to) {
    const int leaf = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / leafSize);
    const int lane = static_cast<int>(threadIdx.x % leafSize);
    if (leaf >= to.leaves)
        return;
    const int place = leaf * leafSize + lane;
    const int e = order[min(place, all.count - 1)];
    to.element[place] = place < all.count ? e : -1;
    const Voxel p = all.voxelOf(e);
    for (int k = 0; k < features + 3; ++k) {
        float value;
        if (k < features) {
            value = all.featureOf(e, k);
            to.feature[(std::ptrdiff_t{leaf} * features + k) * leafSize + lane] = value;
        } else {
            to.voxel[(std::ptrdiff_t{leaf} * 3 + k - features) * leafSize + lane] = p[k - features];
            value = static_cast<float>(p[k - features]);
        }
        const float low = warpLeast(value), high = warpLargest(value);
        if (lane == 0) {
            to.boxes[leaf].low[k] = low;
            to.boxes[leaf].high[k] = high;
        }
    }
}

/// Rest of number n of a patch: `value` minus the constant and linear parts (features 0 to 3).
__device__ float restAt(const LeavesView& v, int leaf, int lane, int n, float value) {
    const int side = nlm::patchSide(v.radius);
    const int offsets[3] = {n % side - v.radius, n / side % side - v.radius,
                            n / side / side - v.radius};
    const float* const f = v.feature + std::ptrdiff_t{leaf} * features * leafSize + lane;
    const float spread = static_cast<float>(side * side * (v.radius * (v.radius + 1) * side / 3));
    const float perLength = 1 / sqrtf(spread);
    value -= f[0] / sqrtf(static_cast<float>(side * side * side));
    for (int axis = 0; axis < 3; ++axis)
        value -= f[(1 + axis) * leafSize] * static_cast<float>(offsets[axis]) * perLength;
    return value;
}

/// A warp per leaf and stretch of numbers, a lane per patch.
__global__ void gatherKernel(const __grid_constant__ LeavesView v, const PatchChunk chunk) {
    const int within = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / leafSize);
    const int lane = static_cast<int>(threadIdx.x % leafSize);
    const int leaf = chunk.first + within;
    if (leaf >= chunk.last)
        return;
    const int numbers = nlm::patchNumbers(v.radius), row = rowLength(numbers),
              halves = halfLength(numbers);
    const int* const at = v.voxel + std::ptrdiff_t{leaf} * 3 * leafSize + lane;
    const Voxel p{at[0], at[leafSize], at[2 * leafSize]};
    const std::ptrdiff_t place = std::ptrdiff_t{within} * leafSize + lane;
    const float scale = v.scales[1] > 0 ? 1 / v.scales[1] : 0;
    for (int n = 0; n < halves; ++n) {
        const float value =
            n < numbers ? v.phi.data[nlm::patchOffset(v.phi.size, p, v.radius, n)] : 0;
        if (chunk.leaves && n < numbers)
            chunk.leaves[(std::ptrdiff_t{within} * numbers + n) * leafSize + lane] = value;
        if (chunk.rows && n < row)
            chunk.rows[place * row + n] = value;
        if (chunk.rests)
            chunk.rests[place * halves + n] =
                __float2half_rn(n < numbers ? scale * restAt(v, leaf, lane, n, value) : 0.0f);
    }
}

} // namespace

DeviceLeaves::DeviceLeaves(VolumeView<const float> phi, const int* band, int elements, int radius,
                           Order order, LaunchLog& log) {
    CudaContext& cuda = log.cuda();
    BufferPool& pool = cuda.devicePool();
    const int leaves = divideUp(elements, leafSize);
    const auto places = static_cast<std::size_t>(leaves) * leafSize;
    const auto count = static_cast<std::size_t>(elements);
    scales_ = pool.acquire<float>(2, "patches, scales");
    feature_ = pool.acquire<float>(places * features, "patches, features");
    element_ = pool.acquire<int>(places, "patches, order");
    voxel_ = pool.acquire<int>(places * 3, "patches, voxels");
    boxes_ = pool.acquire<LeafBox>(static_cast<std::size_t>(leaves), "patches, boxes");
    Buffer<float> ofElements =
        pool.acquire<float>(count * features, "patches, features, unordered");
    Buffer<std::uint64_t> codes = pool.acquire<std::uint64_t>(2 * count, "patches, codes");
    Buffer<int> ranks = pool.acquire<int>(2 * count, "patches, ranks");

    cuda.zero(scales_.data(), 2 * sizeof(float), CudaStream::Compute);
    const Unordered all{phi, band, elements, radius, ofElements.data(), scales_.data()};
    const double n = elements, patchBytes = 4.0 * nlm::patchNumbers(radius);
    log.launch({"nlm features", n * patchBytes}, featureKernel, threadsOver(count), all);
    log.launch({"nlm codes", n * 28}, codeKernel, threadsOver(count), all, order, codes.data(),
               ranks.data());
    const int* ordered = ranks.data();
    Buffer<std::byte> room;
    if (order != Order::Band) {
        std::size_t bytes = 0;
        const auto sort = [&](void* temporary) {
            cudaCheck(cub::DeviceRadixSort::SortPairs(
                          temporary, bytes, codes.data(), codes.data() + count, ranks.data(),
                          ranks.data() + count, elements, 0, 64, log.stream()),
                      "ordering the patches");
        };
        sort(nullptr);
        room = pool.acquire<std::byte>(bytes, "patches, ordering");
        log.begin({"nlm order", 8 * 24 * n}, nullptr, {});
        sort(room.data());
        log.end();
        ordered = ranks.data() + count;
    }
    log.launch({"nlm leaves", n * (2 * 32 + 4)}, leafKernel, threadsOver(places), all, ordered,
               LeafArrays{leaves, element_.data(), feature_.data(), voxel_.data(), boxes_.data()});
    view_ = {phi,           band,           elements,        leaves,
             radius,        scales_.data(), element_.data(), feature_.data(),
             voxel_.data(), boxes_.data()};
}

void DeviceLeaves::gather(const PatchChunk& chunk, LaunchLog& log) const {
    const auto places = static_cast<std::size_t>(chunk.last - chunk.first) * leafSize;
    const int numbers = nlm::patchNumbers(view_.radius);
    const int written = (chunk.leaves ? numbers : 0) + (chunk.rows ? rowLength(numbers) : 0) +
                        (chunk.rests ? halfLength(numbers) / 2 : 0);
    log.launch({"nlm gather", 4.0 * static_cast<double>(places) * (numbers + written)},
               gatherKernel, threadsOver(places), view_, chunk);
}

} // namespace systole::gpu
