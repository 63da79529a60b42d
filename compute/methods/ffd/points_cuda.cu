#include "compute/methods/ffd/points_cuda.cuh"

namespace systole::gpu {
namespace {

__device__ inline std::size_t firstItem() {
    return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}
__device__ inline std::size_t stride() { return gridDim.x * static_cast<std::size_t>(blockDim.x); }

__global__ void dotKernel(const float* a, const float* b, std::size_t count, GridSum room,
                          double2* out) {
    double2 sum{0, 0};
    for (std::size_t i = firstItem(); i < count; i += stride())
        sum.x += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    double2 total;
    if (gridSum(sum, room, total))
        *out = total;
}

__global__ void combineKernel(float* out, float a, const float* x, float b, const float* y,
                              std::size_t count) {
    const std::size_t i = firstItem();
    if (i < count)
        out[i] = a * x[i] + b * y[i];
}

__global__ void longestKernel(FieldView<const float> v, float3 unit, std::size_t count,
                              unsigned* out) {
    float most = 0;
    for (std::size_t i = firstItem(); i < count; i += stride()) {
        const float x = v.u[i] / unit.x, y = v.v[i] / unit.y, z = v.w[i] / unit.z;
        most = fmaxf(most, x * x + y * y + z * z);
    }
    for (int lane = 16; lane > 0; lane /= 2)
        most = fmaxf(most, __shfl_down_sync(0xffffffffu, most, static_cast<unsigned>(lane)));
    // Bits of floats that aren't negative are ordered as they are.
    if (threadIdx.x % 32 == 0)
        atomicMax(out, __float_as_uint(most));
}

} // namespace

LaunchShape stridesOver(std::size_t items) {
    constexpr std::size_t block = 256;
    const std::size_t blocks = (items + block - 1) / block;
    return {dim3(static_cast<unsigned>(blocks < sumBlocks ? blocks : sumBlocks)), dim3(block)};
}

void dot(const float* a, const float* b, std::size_t count, const GridSum& room, double2* out,
         LaunchLog& log) {
    log.launch({"dot product", 8.0 * static_cast<double>(count)}, dotKernel, stridesOver(count), a,
               b, count, room, out);
}

void combine(float* out, float a, const float* x, float b, const float* y, std::size_t count,
             LaunchLog& log) {
    log.launch({"combine vectors", 12.0 * static_cast<double>(count)}, combineKernel,
               threadsOver(count), out, a, x, b, y, count);
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
