#include "compute/methods/ffd/points_cuda.cuh"
#include "compute/methods/ffd/vector_products.h"

#include <algorithm>

namespace systole::gpu {
namespace {

__device__ inline std::size_t firstItem() {
    return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}
__device__ inline std::size_t stride() { return gridDim.x * static_cast<std::size_t>(blockDim.x); }

/// A row of blocks per product; the last block adds the sums of each row: see vector_products.h.
__global__ void productsKernel(const Products products, std::size_t points, GridSum room,
                               double* out) {
    const unsigned row = blockIdx.y;
    double2 sum{0, 0};
    for (int axis = 0; axis < 3; ++axis) {
        const float* const a = products.a[row] + static_cast<std::size_t>(axis) * points;
        const float* const b = products.b[row] + static_cast<std::size_t>(axis) * points;
        double part = 0;
        for (std::size_t i = firstItem(); i < points; i += stride())
            part += static_cast<double>(a[i]) * static_cast<double>(b[i]);
        sum.x += products.weights[row][axis] * part;
    }
    __shared__ bool last;
    sum = blockSum(sum);
    if (threadIdx.x == 0) {
        room.perBlock[row * gridDim.x + blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(room.arrived, 1u) == gridDim.x * gridDim.y - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    for (unsigned r = threadIdx.x / 32; r < gridDim.y; r += blockDim.x / 32) {
        double total = 0;
        if (threadIdx.x % 32 < gridDim.x)
            total = __ldcg(&room.perBlock[r * gridDim.x + threadIdx.x % 32].x);
        for (int lane = 16; lane > 0; lane /= 2)
            total += __shfl_down_sync(0xffffffffu, total, static_cast<unsigned>(lane));
        if (threadIdx.x % 32 == 0)
            out[r] = total;
    }
    if (threadIdx.x == 0)
        *room.arrived = 0;
}

/// A row of blocks per component.
__global__ void combineKernel(float* out, const Combination terms, std::size_t points) {
    const std::size_t i = firstItem();
    if (i >= points)
        return;
    const std::size_t at = blockIdx.y * points + i;
    float sum = terms.factors[0][blockIdx.y] * terms.v[0][at];
#pragma unroll 4
    for (int t = 1; t < terms.count; ++t)
        sum += terms.factors[t][blockIdx.y] * terms.v[t][at];
    out[at] = sum;
}

__global__ void stepKernel(const __grid_constant__ StepLimit limit, const unsigned* longest,
                           const float* from, const float* direction, float* out,
                           std::size_t values) {
    const std::size_t i = firstItem();
    if (i >= values)
        return;
    const double reach = sqrt(static_cast<double>(__uint_as_float(*longest)));
    out[i] = from[i] + static_cast<float>(limit.lengthOf(reach)) * direction[i];
}

__global__ void longestKernel(FieldView<const float> v, float3 unit, std::size_t count,
                              unsigned* out) {
    float longest = 0;
    for (std::size_t i = firstItem(); i < count; i += stride()) {
        const float x = v.u[i] / unit.x, y = v.v[i] / unit.y, z = v.w[i] / unit.z;
        longest = fmaxf(longest, x * x + y * y + z * z);
    }
    for (int lane = 16; lane > 0; lane /= 2)
        longest =
            fmaxf(longest, __shfl_down_sync(0xffffffffu, longest, static_cast<unsigned>(lane)));
    // Bits of floats that aren't negative are ordered as they are.
    if (threadIdx.x % 32 == 0)
        atomicMax(out, __float_as_uint(longest));
}

} // namespace

LaunchShape stridesOver(std::size_t items) {
    constexpr std::size_t block = 256;
    const std::size_t blocks = (items + block - 1) / block;
    return {dim3(static_cast<unsigned>(blocks < sumBlocks ? blocks : sumBlocks)), dim3(block)};
}

Products::Products(Vec3 metric) : metric_(metric) {}

void Products::add(const float* first, const float* second, bool withMetric) {
    a[count] = first;
    b[count] = second;
    for (int axis = 0; axis < 3; ++axis)
        weights[count][axis] = withMetric ? metric_[axis] : 1;
    ++count;
}

void Combination::add(double factor, const float* vector, Vec3 metric) {
    v[count] = vector;
    for (int axis = 0; axis < 3; ++axis)
        factors[count][axis] = static_cast<float>(factor * metric[axis]);
    ++count;
}

void dotProducts(const Products& products, std::size_t points, const GridSum& room, double* out,
                 LaunchLog& log) {
    static_assert(strands::maxBlocks * maxProducts <= sumBlocks);
    const LaunchShape shape{dim3(static_cast<unsigned>(strands::blocksFor(points)),
                                 static_cast<unsigned>(products.count)),
                            dim3(strands::perBlock)};
    log.launch({"dot products", 24.0 * products.count * static_cast<double>(points)},
               productsKernel, shape, products, points, room, out);
}

void combine(float* out, const Combination& sum, std::size_t points, LaunchLog& log) {
    LaunchShape shape = threadsOver(points);
    shape.grid.y = 3;
    log.launch({"combine vectors", 12.0 * (sum.count + 1) * static_cast<double>(points)},
               combineKernel, shape, out, sum, points);
}

void stepWithin(const StepLimit& limit, const unsigned* longest, const float* from,
                const float* direction, float* out, std::size_t points, LaunchLog& log) {
    log.launch({"combine vectors", 36.0 * static_cast<double>(points)}, stepKernel,
               threadsOver(3 * points), limit, longest, from, direction, out, 3 * points);
}

void longest(FieldView<const float> v, Vec3 unit, unsigned* out, LaunchLog& log) {
    const std::size_t count = v.size.voxels();
    log.launch({"longest vector", 12.0 * static_cast<double>(count)}, longestKernel,
               stridesOver(count), v,
               make_float3(static_cast<float>(unit.x), static_cast<float>(unit.y),
                           static_cast<float>(unit.z)),
               count, out);
}

} // namespace systole::gpu
