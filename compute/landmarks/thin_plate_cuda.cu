#include "compute/cuda/kernel_support.cuh"
#include "compute/landmarks/thin_plate_costs.h"
#include "compute/landmarks/thin_plate_cuda.cuh"

#include <algorithm>

namespace systole {
namespace {

using gpu::ThinPlateCoefficients;
using tps::Point;
using tps::Term;
using tps::tileTerms;

constexpr int constantTerms = 1024; ///< in constant memory at a launch
__constant__ Term constantMemory[constantTerms];

/// A term as two reads of 16 bytes.
__device__ Term termOf(float4 a, float4 b) { return {a.x, a.y, a.z, {a.w, b.x, b.y}, {}}; }
__device__ const float4* halvesOf(const Term* term) {
    return reinterpret_cast<const float4*>(term);
}

/// The same for all threads of a warp.
__device__ Term termAt(const Term* terms, int j) {
    const float4* const halves = halvesOf(terms + j);
    return termOf(__ldg(halves), __ldg(halves + 1));
}

/// The voxels of a thread: `Count` of them, a block's width apart.
template <int Count>
struct Voxels {
    std::size_t first;
    Point at[Count];
    Point sum[Count];

    __device__ explicit Voxels(Size3 size) {
        first = std::size_t{blockIdx.x} * blockDim.x * Count + threadIdx.x;
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            const auto i = static_cast<unsigned>(first + std::size_t{blockDim.x} * k);
            const unsigned nx = static_cast<unsigned>(size.x), ny = static_cast<unsigned>(size.y);
            const unsigned row = i / nx;
            at[k] = {static_cast<float>(i - row * nx), static_cast<float>(row % ny),
                     static_cast<float>(row / ny)};
            sum[k] = {0, 0, 0};
        }
    }
    __device__ void add(const Term& term) {
        // Of 2^-22 relative error: one instruction of the special function unit.
        const auto squareRoot = [](float squared) {
            float root;
            asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(squared));
            return root;
        };
#pragma unroll
        for (int k = 0; k < Count; ++k)
            tps::addTerm(term, at[k], squareRoot, sum[k]);
    }
    /// Sums, and unless an earlier launch wrote it, the affine part.
    __device__ void store(const tps::Affine& affine, bool further, FieldView<float> out) const {
        const std::size_t count = out.size.voxels();
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            const std::size_t i = first + std::size_t{blockDim.x} * k;
            if (i >= count)
                return;
            const Point start =
                further ? Point{out.u[i], out.v[i], out.w[i]} : tps::affineAt(affine, at[k]);
            out.u[i] = start.x + sum[k].x;
            out.v[i] = start.y + sum[k].y;
            out.w[i] = start.z + sum[k].z;
        }
    }
};

template <int Count>
__global__ void __launch_bounds__(1024)
    globalKernel(const __grid_constant__ ThinPlateCoefficients spline, FieldView<float> out) {
    Voxels<Count> voxels(out.size);
#pragma unroll 4
    for (int j = 0; j < spline.count; ++j)
        voxels.add(termAt(spline.terms, j));
    voxels.store(spline.affine, false, out);
}

__global__ void __launch_bounds__(1024)
    sharedKernel(const __grid_constant__ ThinPlateCoefficients spline, FieldView<float> out) {
    __shared__ float4 tile[2 * tileTerms];
    Voxels<1> voxels(out.size);
    for (int first = 0; first < spline.count; first += tileTerms) {
        const int terms = min(tileTerms, spline.count - first);
        __syncthreads();
        for (int h = static_cast<int>(threadIdx.x); h < 2 * terms;
             h += static_cast<int>(blockDim.x))
            tile[h] = __ldg(halvesOf(spline.terms + first) + h);
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < terms; ++j)
            voxels.add(termOf(tile[2 * j], tile[2 * j + 1]));
    }
    voxels.store(spline.affine, false, out);
}

/// `count` terms from constant memory; `further` adds to what an earlier launch left.
__global__ void __launch_bounds__(1024)
    constantKernel(const __grid_constant__ tps::Affine affine, int count, bool further,
                   FieldView<float> out) {
    Voxels<1> voxels(out.size);
#pragma unroll 4
    for (int j = 0; j < count; ++j)
        voxels.add(constantMemory[j]);
    voxels.store(affine, further, out);
}

/// A launch over `terms` of the spline's terms.
struct Launch {
    ThinPlateVariant variant;
    int voxelsAThread = 1;

    const char* kernel() const { return thinPlateKernels[static_cast<int>(variant)]; }
    LaunchShape shape(Size3 size, const LaunchLog& log) const {
        const auto each = static_cast<std::size_t>(voxelsAThread);
        return gpu::threadsOver((size.voxels() + each - 1) / each, log, kernel());
    }
    KernelNote note(Size3 size, int terms, const LaunchShape& shape) const {
        const auto voxels = static_cast<double>(size.voxels()), count = static_cast<double>(terms);
        return {kernel(), 12 * voxels + sizeof(Term) * count, voxels * (15 * count + 21),
                tps::cost::transform(variant, count, shape.block.x)};
    }
};

template <int Count>
void launchGlobal(ThinPlateVariant variant, const ThinPlateCoefficients& spline,
                  FieldView<float> out, LaunchLog& log) {
    const Launch launch{variant, Count};
    const LaunchShape shape = launch.shape(out.size, log);
    log.launch(launch.note(out.size, spline.count, shape), globalKernel<Count>, shape, spline, out);
}

void launchConstant(const ThinPlateCoefficients& spline, FieldView<float> out, LaunchLog& log) {
    const Launch launch{ThinPlateVariant::Constant};
    const LaunchShape shape = launch.shape(out.size, log);
    for (int first = 0; first == 0 || first < spline.count; first += constantTerms) {
        const int terms = std::min(constantTerms, spline.count - first);
        const std::size_t bytes = static_cast<std::size_t>(terms) * sizeof(Term);
        cudaCheck(cudaMemcpyToSymbolAsync(constantMemory, spline.terms + first, bytes, 0,
                                          cudaMemcpyDeviceToDevice, log.stream()),
                  "copying to constant memory");
        KernelNote note = launch.note(out.size, terms, shape);
        if (first > 0) { // the positions are read as well
            note.bytes += 12.0 * static_cast<double>(out.size.voxels());
            note.cost = note.cost + KernelCost{.globalLoads = 3};
        }
        log.launch(note, constantKernel, shape, spline.affine, terms, first > 0, out);
    }
}

} // namespace

void gpu::transformGrid(ThinPlateVariant variant, const ThinPlateCoefficients& spline,
                        FieldView<float> positions, LaunchLog& log) {
    switch (variant) {
    case ThinPlateVariant::Global:
        return launchGlobal<1>(variant, spline, positions, log);
    case ThinPlateVariant::GlobalX2:
        return launchGlobal<2>(variant, spline, positions, log);
    case ThinPlateVariant::GlobalX4:
        return launchGlobal<4>(variant, spline, positions, log);
    case ThinPlateVariant::Constant:
        return launchConstant(spline, positions, log);
    case ThinPlateVariant::Shared: {
        const Launch launch{variant};
        const LaunchShape shape = launch.shape(positions.size, log);
        return log.launch(launch.note(positions.size, spline.count, shape), sharedKernel, shape,
                          spline, positions);
    }
    }
}

void transformGridOnDevice(ThinPlateVariant variant, const ThinPlateSpline& spline,
                           FieldView<float> positions, const ExecContext& ctx) {
    const std::vector<Term> terms = tps::termsOf(spline);
    Buffer<Term> onDevice = ctx.cuda->devicePool().acquire<Term>(
        std::max<std::size_t>(terms.size(), 1), "thin-plate coefficients");
    ctx.cuda->upload(terms.data(), onDevice.data(), terms.size() * sizeof(Term),
                     CudaStream::Compute);
    loggedCall(ctx, "warp", [&](LaunchLog& log) {
        gpu::transformGrid(variant,
                           {onDevice.data(), static_cast<int>(terms.size()), tps::affineOf(spline)},
                           positions, log);
    });
    ctx.cuda->synchronize(CudaStream::Compute); // the terms must outlive the kernel
}

} // namespace systole
