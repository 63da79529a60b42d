#include "compute/cuda/kernel_support.cuh"
#include "compute/lab/kernels/thin_plate_cuda.cuh"

#include <algorithm>

namespace systole::lab {
namespace {

using tps::Point;
using tps::Term;

constexpr int tileTerms = 256;      ///< terms staged in shared memory at a time
constexpr int constantTerms = 1024; ///< terms in constant memory per launch
__constant__ Term constantMemory[constantTerms];

/// A term as two reads of 16 bytes.
__device__ Term termOf(float4 a, float4 b) { return {a.x, a.y, a.z, {a.w, b.x, b.y}, {}}; }
__device__ const float4* halvesOf(const Term* term) {
    return reinterpret_cast<const float4*>(term);
}

/// One term, the same for all threads of a warp.
__device__ Term termAt(const Term* terms, int j) {
    const float4* const halves = halvesOf(terms + j);
    return termOf(__ldg(halves), __ldg(halves + 1));
}

/// Relative error 2^-22: one instruction of the special function unit.
__device__ float squareRoot(float squared) {
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(squared));
    return root;
}

/// The voxels of a thread: `Count` voxels, one block width apart.
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
        const auto root = [](float squared) { return squareRoot(squared); };
#pragma unroll
        for (int k = 0; k < Count; ++k)
            tps::addTerm(term, at[k], root, sum[k]);
    }
    /// Writes the sums and, unless an earlier launch wrote it, the affine part.
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

constexpr int rowVoxels = 4; ///< neighbors of a row in one thread
constexpr std::size_t groupsInRow(int width) {
    return static_cast<std::size_t>((width + rowVoxels - 1) / rowVoxels);
}

/// A row's last group may reach beyond its end: those voxels are computed and not stored.
__global__ void __launch_bounds__(1024)
    rowKernel(const __grid_constant__ ThinPlateCoefficients spline, FieldView<float> out) {
    const std::size_t group = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t row = group / groupsInRow(out.size.x);
    const auto first = static_cast<int>(group - row * groupsInRow(out.size.x)) * rowVoxels;
    const auto ny = static_cast<std::size_t>(out.size.y);
    if (row >= ny * static_cast<std::size_t>(out.size.z))
        return;
    const auto y = static_cast<float>(row % ny), z = static_cast<float>(row / ny);
    float x[rowVoxels];
    Point sum[rowVoxels];
#pragma unroll
    for (int k = 0; k < rowVoxels; ++k) {
        x[k] = static_cast<float>(first + k);
        sum[k] = {0, 0, 0};
    }
#pragma unroll 4
    for (int j = 0; j < spline.count; ++j) {
        const Term term = termAt(spline.terms, j);
        const float dy = term.y - y, dz = term.z - z;
        const float across = dy * dy + dz * dz;
#pragma unroll
        for (int k = 0; k < rowVoxels; ++k) {
            const float dx = term.x - x[k];
            const float distance = squareRoot(dx * dx + across);
            sum[k].x += term.w[0] * distance;
            sum[k].y += term.w[1] * distance;
            sum[k].z += term.w[2] * distance;
        }
    }
    const std::size_t start = row * static_cast<std::size_t>(out.size.x);
#pragma unroll
    for (int k = 0; k < rowVoxels; ++k) {
        if (first + k >= out.size.x)
            return;
        const std::size_t i = start + static_cast<std::size_t>(first + k);
        const Point affine = tps::affineAt(spline.affine, {x[k], y, z});
        out.u[i] = affine.x + sum[k].x;
        out.v[i] = affine.y + sum[k].y;
        out.w[i] = affine.z + sum[k].z;
    }
}

/// Adds `count` terms from constant memory; `further` adds to what an earlier launch left.
__global__ void __launch_bounds__(1024)
    constantKernel(const __grid_constant__ tps::Affine affine, int count, bool further,
                   FieldView<float> out) {
    Voxels<1> voxels(out.size);
#pragma unroll 4
    for (int j = 0; j < count; ++j)
        voxels.add(constantMemory[j]);
    voxels.store(affine, further, out);
}

// Work per thread, as launches declare it. Counted from the source; where the compiler decides, its
// machine code (CUDA 13, compute capability 9.0) counts.

/// One voxel and one term: three differences, a square and two more added to it, the root, three
/// weighted sums.
constexpr KernelCost termCost{.add = 3, .multiply = 1, .fusedMultiplyAdd = 5, .squareRoot = 1};
/// One voxel: its position by two integer divisions, nine operations of the affine part, a sum and
/// a store per component.
constexpr KernelCost voxelCost{.add = 3, .fusedMultiplyAdd = 9, .integer = 40, .globalStores = 3};
/// One pass of a loop that is unrolled four times: its counter, address and branch are shared.
constexpr KernelCost passCost{.integer = 1.5};
/// Work per thread for each term of a loop: its voxels' arithmetic and the reads of the term.
constexpr KernelCost globalTerm(int voxels) {
    return voxels * termCost + KernelCost{.globalLoads = 2};
}
constexpr KernelCost sharedTerm = termCost + KernelCost{.sharedAccesses = 2};

/// The differences of y and z and their squares are made once for a thread's voxels.
constexpr KernelCost rowTerm =
    rowVoxels * KernelCost{.add = 1, .fusedMultiplyAdd = 4, .squareRoot = 1} +
    KernelCost{.add = 2, .multiply = 1, .fusedMultiplyAdd = 1, .globalLoads = 2};

/// One thread over `terms`; `threads` is the number of threads per block.
template <int Count>
KernelCost globalCost(double terms, double) {
    return Count * voxelCost + terms * (globalTerm(Count) + passCost);
}
KernelCost rowCost(double terms, double) {
    return rowVoxels * voxelCost + terms * (rowTerm + passCost);
}
/// Cost like globalCost, plus a thread's share of loading the terms.
KernelCost sharedCost(double terms, double threads) {
    return voxelCost + terms * (sharedTerm + passCost) +
           terms / threads * KernelCost{.integer = 6, .globalLoads = 2, .sharedAccesses = 2} +
           terms / tileTerms * KernelCost{.integer = 6, .barriers = 2};
}
/// Six numbers, two per load.
KernelCost constantCost(double terms, double) {
    return voxelCost + terms * (termCost + passCost + KernelCost{.constantLoads = 3});
}

/// Declaration of a variant's launch, over `terms` of the spline's terms.
struct Launch {
    int variant;
    KernelCost (*cost)(double terms, double threads);
    std::size_t (*threadsFor)(Size3 size);

    LaunchShape shape(Size3 size, const LaunchLog& log) const {
        return gpu::threadsOver(threadsFor(size), log, transformFamily, variant);
    }
    KernelNote note(Size3 size, int terms, const LaunchShape& shape) const {
        const auto voxels = static_cast<double>(size.voxels()), count = static_cast<double>(terms);
        return {transformFamily.kernel(variant), 12 * voxels + sizeof(Term) * count,
                voxels * (15 * count + 21), cost(count, shape.block.x)};
    }
};

using SplineKernel = void (*)(ThinPlateCoefficients, FieldView<float>);
template <SplineKernel Kernel>
void launchOnce(const Launch& launch, const ThinPlateCoefficients& spline, FieldView<float> out,
                LaunchLog& log) {
    const LaunchShape shape = launch.shape(out.size, log);
    log.launch(launch.note(out.size, spline.count, shape), Kernel, shape, spline, out);
}

void launchConstant(const Launch& launch, const ThinPlateCoefficients& spline, FieldView<float> out,
                    LaunchLog& log) {
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

/// Threads for a grid: each takes `Count` voxels anywhere, or of one row.
template <std::size_t Count>
std::size_t threadsOfGrid(Size3 size) {
    return (size.voxels() + Count - 1) / Count;
}
std::size_t threadsOfRows(Size3 size) {
    return groupsInRow(size.x) * static_cast<std::size_t>(size.y) *
           static_cast<std::size_t>(size.z);
}

/// The variants' kernels, in the order of transformVariants.
struct TransformKernel {
    void (*launch)(const Launch& launch, const ThinPlateCoefficients& spline, FieldView<float> out,
                   LaunchLog& log);
    KernelCost (*cost)(double terms, double threads);
    const char* symbol; ///< symbol as in CompiledCost
    KernelCost term;    ///< one pass of the loop
    std::size_t (*threadsFor)(Size3 size) = threadsOfGrid<1>;
};
constexpr TransformKernel transformKernels[] = {
    {launchOnce<globalKernel<1>>, globalCost<1>, "globalKernelILi1E", globalTerm(1)},
    {launchOnce<sharedKernel>, sharedCost, "sharedKernel", sharedTerm},
    {launchConstant, constantCost, "constantKernel", termCost},
    {launchOnce<globalKernel<2>>, globalCost<2>, "globalKernelILi2E", globalTerm(2),
     threadsOfGrid<2>},
    {launchOnce<globalKernel<4>>, globalCost<4>, "globalKernelILi4E", globalTerm(4),
     threadsOfGrid<4>},
    {launchOnce<rowKernel>, rowCost, "rowKernel", rowTerm, threadsOfRows},
};
static_assert(std::size(transformKernels) == std::size(transformVariants));

} // namespace

void transformGrid(int variant, const ThinPlateCoefficients& spline, FieldView<float> positions,
                   LaunchLog& log) {
    const TransformKernel& kernel = transformKernels[variant];
    kernel.launch({variant, kernel.cost, kernel.threadsFor}, spline, positions, log);
}

std::vector<CompiledCost> compiledThinPlateCosts() {
    std::vector<CompiledCost> all;
    for (int variant = 0; variant < transformFamily.count(); ++variant)
        all.push_back({transformFamily.kernel(variant) + " term",
                       std::string("thin_plate_cuda.*") + transformKernels[variant].symbol,
                       "innermost", "FMUL", transformKernels[variant].term});
    return all;
}

void transformGridOnDevice(int variant, const ThinPlateSpline& spline, FieldView<float> positions,
                           const ExecContext& ctx) {
    const std::vector<Term> terms = tps::termsOf(spline);
    Buffer<Term> onDevice = ctx.cuda->devicePool().acquire<Term>(
        std::max<std::size_t>(terms.size(), 1), "thin-plate coefficients");
    ctx.cuda->upload(terms.data(), onDevice.data(), terms.size() * sizeof(Term),
                     CudaStream::Compute);
    loggedCall(ctx, "warp", [&](LaunchLog& log) {
        transformGrid(variant,
                      {onDevice.data(), static_cast<int>(terms.size()), tps::affineOf(spline)},
                      positions, log);
    });
    ctx.cuda->synchronize(CudaStream::Compute); // the terms must outlive the kernel
}

} // namespace systole::lab
