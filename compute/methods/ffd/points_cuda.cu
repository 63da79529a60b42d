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

/// The seven diagonals of point i's row of a band.
__device__ inline const float* bandRow(const DeviceForm& form, int axis, int orders, int i,
                                       int3 points) {
    const int before = axis == 0 ? 0 : axis == 1 ? points.x : points.x + points.y;
    const int length = axis == 0 ? points.x : axis == 1 ? points.y : points.z;
    return form.bands + (9 * before + orders * length + i) * 7;
}

__global__ void quadraticKernel(const __grid_constant__ DeviceForm form, int3 n, const float* at,
                                const float* more, float* gradient, GridSum room, double2* out) {
    const std::size_t all = static_cast<std::size_t>(n.x) * n.y * n.z;
    double2 energy{0, 0};
    for (std::size_t item = firstItem(); item < 3 * all; item += stride()) {
        const int to = static_cast<int>(item / all);
        const auto point = static_cast<int>(item % all);
        const int i = point % n.x, j = point / n.x % n.y, k = point / (n.x * n.y);
        float sum = 0;
        for (int t = 0; t < form.terms; ++t) {
            if (form.to[t] != to)
                continue;
            const float* const x = bandRow(form, 0, form.orders[t][0], i, n);
            const float* const y = bandRow(form, 1, form.orders[t][1], j, n);
            const float* const z = bandRow(form, 2, form.orders[t][2], k, n);
            const std::size_t first = form.from[t] * all + static_cast<std::size_t>(point);
            float term = 0;
            for (int dz = max(-3, -k); dz <= min(3, n.z - 1 - k); ++dz)
                for (int dy = max(-3, -j); dy <= min(3, n.y - 1 - j); ++dy) {
                    float row = 0;
                    const std::ptrdiff_t offset =
                        (static_cast<std::ptrdiff_t>(dz) * n.y + dy) * n.x;
                    for (int dx = max(-3, -i); dx <= min(3, n.x - 1 - i); ++dx) {
                        const std::size_t p = first + static_cast<std::size_t>(offset + dx);
                        row += x[dx + 3] * (more ? at[p] + more[p] : at[p]);
                    }
                    term += z[dz + 3] * y[dy + 3] * row;
                }
            sum += form.weight[t] * term;
        }
        energy.x +=
            static_cast<double>(more ? at[item] + more[item] : at[item]) * static_cast<double>(sum);
        if (gradient)
            gradient[item] += 2 * sum;
    }
    double2 total;
    if (gridSum(energy, room, total))
        *out = total;
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

std::vector<float> bandFloats(const GridIntegrals& integrals) {
    std::vector<float> floats;
    for (const AxisBands& axis : integrals.axes)
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                for (const auto& row : axis.of[a][b])
                    floats.insert(floats.end(), row.begin(), row.end());
    return floats;
}

DeviceForm deviceForm(const std::vector<QuadraticTerm>& terms, const GridIntegrals& integrals,
                      const float* bands) {
    DeviceForm form;
    form.bands = bands;
    for (const QuadraticTerm& term : terms) {
        const int t = form.terms++;
        form.to[t] = static_cast<signed char>(term.to);
        form.from[t] = static_cast<signed char>(term.from);
        for (int axis = 0; axis < 3; ++axis)
            form.orders[t][axis] = static_cast<signed char>(3 * term.a[axis] + term.b[axis]);
        form.weight[t] =
            static_cast<float>(term.weight * integrals.unit[term.to] * integrals.unit[term.from]);
    }
    return form;
}

void addQuadratic(const DeviceForm& form, Size3 points, const float* at, const float* more,
                  float* gradient, const GridSum& room, double2* out, LaunchLog& log) {
    const auto values = 3.0 * static_cast<double>(points.voxels());
    log.launch({"quadratic penalty", 12 * values, 700 * values}, quadraticKernel,
               stridesOver(3 * points.voxels()), form, make_int3(points.x, points.y, points.z), at,
               more, gradient, room, out);
}

} // namespace systole::gpu
