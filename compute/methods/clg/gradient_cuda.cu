// Gradient of the frames and its nine products, in several variants.
#include "compute/methods/clg/solver/costs.h"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/methods/clg/tensor_math.h"

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::GridSum;
using gpu::tileX;

constexpr int maxPlanes = 16;
/// The paper's tile: 32×4 voxels of a plane.
constexpr int sharedRows = gradientFamily["shared"].standardThreads / tileX;

/// The value that is differentiated: the sum of both frames, or the fixed one alone.
template <bool Central, bool BypassL1>
__device__ float differentiated(const TensorStep& s, std::size_t i) {
    const float fixed = gpu::load<BypassL1>(s.fixed.data + i);
    if constexpr (Central)
        return fixed + gpu::load<BypassL1>(s.warped + i);
    else
        return fixed;
}

/// The derivative along an axis at index i of n from the values around it; zero where it leaves the
/// grid. `factor`: differenceFactor.
template <bool Central>
__device__ float derivative(float factor, int i, int n, float behind, float here, float ahead) {
    if constexpr (Central)
        return i > 0 && i < n - 1 ? factor * (ahead - behind) : 0.0f;
    else
        return i < n - 1 ? factor * (ahead - here) : 0.0f;
}

/// Weighs and writes the products of one voxel; adds its terms to the noise estimate's sums.
__device__ void writeProducts(const TensorStep& s, std::size_t i, const Gradient& g, float inside,
                              float epsilon, double2& sum) {
    const float weight = inside / dataNorm(g, epsilon);
    const std::array<float, 9> products = tensorProducts(g);
#pragma unroll
    for (std::size_t k = 0; k < 9; ++k)
        s.product[k][i] = weight * products[k];
    if (s.noise) {
        sum.x += static_cast<double>(weight * g.t * g.t);
        sum.y += static_cast<double>(inside);
    }
}

__device__ void finishNoise(const TensorStep& s, double2 sum, const GridSum& room) {
    double2 total;
    if (s.noise && gpu::gridSum(sum, room, total))
        s.state->noise = total.y > 0 ? sqrt(total.x / total.y) : 0;
}

/// Variants `direct` and `l2-only`: plain loads.
template <bool Central, bool BypassL1>
__global__ void gradientDirect(const __grid_constant__ TensorStep s, int planes, GridSum room) {
    const Size3 size = s.fixed.size;
    const Column c = gpu::columnOf(size, planes);
    const float epsilon = s.state->epsilon;
    double2 sum{0, 0};
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const auto value = [&](int dx, int dy, int dz) {
            const int x = min(max(c.x + dx, 0), size.x - 1);
            const int y = min(max(c.y + dy, 0), size.y - 1);
            const int p = min(max(z + dz, 0), size.z - 1);
            return differentiated<Central, BypassL1>(s, s.fixed.offset(x, y, p));
        };
        const std::size_t i = s.fixed.offset(c.x, c.y, z);
        const float here = Central ? 0.0f : value(0, 0, 0);
        const auto along = [&](float factor, int index, int n, int dx, int dy, int dz) {
            return derivative<Central>(factor, index, n, Central ? value(-dx, -dy, -dz) : 0.0f,
                                       here, value(dx, dy, dz));
        };
        const Gradient g{along(s.factor[0], c.x, size.x, 1, 0, 0),
                         along(s.factor[1], c.y, size.y, 0, 1, 0),
                         along(s.factor[2], z, size.z, 0, 0, 1),
                         gpu::load<BypassL1>(s.warped + i) - gpu::load<BypassL1>(s.fixed.data + i)};
        const float inside = s.inside ? gpu::load<BypassL1>(s.inside + i) : 1.0f;
        writeProducts(s, i, g, inside, epsilon, sum);
    }
    finishNoise(s, sum, room);
}

/// Number of a tile's planes in shared memory.
constexpr int keptPlanes(bool central) { return central ? 3 : 2; }
constexpr int tileWidth = tileX + 2;

/// Storage of a tile of the given rows, or of as many as were launched (0).
template <bool Central, int Rows>
__device__ float* tileStorage() {
    if constexpr (Rows > 0) {
        __shared__ float tile[keptPlanes(Central) * tileWidth * (Rows + 2)];
        return tile;
    } else {
        extern __shared__ float launchedTile[];
        return launchedTile;
    }
}

/// Variant `shared`: a tile of 32 columns and a few rows marches in z with its halo; the planes
/// stay in shared memory. Built for the paper's rows and for any number (0).
template <bool Central, int Rows>
__global__ void gradientShared(const __grid_constant__ TensorStep s, int planes, GridSum room) {
    constexpr int width = tileWidth, kept = keptPlanes(Central);
    const int rows = Rows > 0 ? Rows : static_cast<int>(blockDim.y);
    const int height = rows + 2;
    float* const tile = tileStorage<Central, Rows>();
    const auto cell = [&](int plane, int j, int i) -> float& {
        return tile[((plane + kept) % kept * height + j) * width + i];
    };
    const Size3 size = s.fixed.size;
    const Column c = gpu::columnOf(size, planes);
    const float epsilon = s.state->epsilon;
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    const int x0 = c.x - tx, y0 = c.y - ty;
    const auto fill = [&](int z) {
        const int plane = min(max(z, 0), size.z - 1);
        for (int i = tx + tileX * ty; i < width * height; i += tileX * rows) {
            const int x = min(max(x0 - 1 + i % width, 0), size.x - 1);
            const int y = min(max(y0 - 1 + i / width, 0), size.y - 1);
            cell(z, i / width, i % width) =
                differentiated<Central, false>(s, s.fixed.offset(x, y, plane));
        }
    };
    if (Central)
        fill(c.begin - 1);
    fill(c.begin);
    double2 sum{0, 0};
    for (int z = c.begin; z < c.end; ++z) {
        // The overwritten plane was last read before the barrier at the loop's end.
        fill(z + 1);
        __syncthreads();
        if (c.inGrid) {
            const int i = tx + 1, j = ty + 1;
            const float value = cell(z, j, i);
            const std::size_t at = s.fixed.offset(c.x, c.y, z);
            const Gradient g{derivative<Central>(s.factor[0], c.x, size.x, cell(z, j, i - 1), value,
                                                 cell(z, j, i + 1)),
                             derivative<Central>(s.factor[1], c.y, size.y, cell(z, j - 1, i), value,
                                                 cell(z, j + 1, i)),
                             derivative<Central>(s.factor[2], z, size.z,
                                                 Central ? cell(z - 1, j, i) : 0, value,
                                                 cell(z + 1, j, i)),
                             s.warped[at] - s.fixed.data[at]};
            writeProducts(s, at, g, s.inside ? s.inside[at] : 1.0f, epsilon, sum);
        }
        __syncthreads();
    }
    finishNoise(s, sum, room);
}

/// Variant `register`: a thread keeps the planes behind, here and ahead; neighbors along x come
/// from adjacent lanes, those along y from the cache. The next plane's values are loaded while this
/// one is processed.
template <bool Central, int Most>
__global__ void __launch_bounds__(Most)
    gradientRegister(const __grid_constant__ TensorStep s, int planes, GridSum room) {
    const Size3 size = s.fixed.size;
    const Column c = gpu::columnOf(size, planes);
    const float epsilon = s.state->epsilon;
    const bool first = threadIdx.x == 0, last = threadIdx.x == tileX - 1;
    // Threads beyond the edge use the last voxel: they take part in shuffles.
    const int x = min(c.x, size.x - 1), y = min(c.y, size.y - 1);
    // Offsets within a plane: of this column, and of neighbors that other warps hold.
    const std::size_t column = s.fixed.offset(x, y, 0);
    const std::size_t above = s.fixed.offset(x, min(y + 1, size.y - 1), 0);
    const std::size_t below = s.fixed.offset(x, max(y - 1, 0), 0);
    const std::size_t beside = s.fixed.offset(first ? max(x - 1, 0) : min(x + 1, size.x - 1), y, 0);
    const auto plane = [&](int z) { return s.fixed.offset(0, 0, min(max(z, 0), size.z - 1)); };

    struct Near {
        float fixed, warped, inside = 1;
        float below = 0, above = 0, beside = 0;
        __device__ float value() const { return Central ? fixed + warped : fixed; }
    };
    const auto near = [&](int z) {
        const std::size_t at = plane(z);
        Near n;
        n.fixed = s.fixed.data[at + column];
        n.warped = s.warped[at + column];
        if (s.inside)
            n.inside = s.inside[at + column];
        n.above = differentiated<Central, false>(s, at + above);
        if (Central)
            n.below = differentiated<Central, false>(s, at + below);
        if (last || (Central && first))
            n.beside = differentiated<Central, false>(s, at + beside);
        return n;
    };
    float behind = Central ? differentiated<Central, false>(s, plane(c.begin - 1) + column) : 0;
    Near here = near(c.begin);
    double2 sum{0, 0};
    for (int z = c.begin; z < c.end; ++z) {
        const Near ahead = near(z + 1);
        const float value = here.value();
        float right = __shfl_down_sync(0xffffffffu, value, 1);
        float left = __shfl_up_sync(0xffffffffu, value, 1);
        right = last ? here.beside : right;
        left = first ? here.beside : left;
        if (c.inGrid) {
            const Gradient g{
                derivative<Central>(s.factor[0], x, size.x, left, value, right),
                derivative<Central>(s.factor[1], y, size.y, here.below, value, here.above),
                derivative<Central>(s.factor[2], z, size.z, behind, value, ahead.value()),
                here.warped - here.fixed};
            writeProducts(s, plane(z) + column, g, here.inside, epsilon, sum);
        }
        behind = value;
        here = ahead;
    }
    finishNoise(s, sum, room);
}

// Work per thread at one voxel, as launches declare it. Counted from the source; where the compiler
// merges or repeats, its machine code (CUDA 13, compute capability 9.0) counts.

struct GradientCase {
    bool central, inside, noise; ///< central differences, a mask, the noise estimate
    int rows;                    ///< rows per block
};

/// Three differences, one in time, three sums in the norm; the nine products (three of them the
/// norm's squares), as many weights, a factor for each difference; the weight's division. Reads of
/// both frames and the mask at the voxel.
KernelCost productsCost(const GradientCase& c) {
    return {.add = 7,
            .multiply = 21.0 + (c.noise ? 2 : 0),
            .divide = 1,
            .globalLoads = c.inside ? 3.0 : 2.0,
            .globalStores = 9};
}
/// Reads six neighbors of two frames, or three and the voxel itself of one.
KernelCost directCost(const GradientCase& c) {
    return productsCost(c) + KernelCost{.add = c.central ? 6.0 : 0,
                                        .integer = c.central ? 150.0 : 108,
                                        .globalLoads = c.central ? 12.0 : 4};
}
/// A cell of the tile is the sum of both frames, or one frame.
KernelCost sharedCost(const GradientCase& c) {
    const double cells = cost::cellsPerThread(c.rows);
    return productsCost(c) + KernelCost{.add = c.central ? cells : 0,
                                        .integer = 110 + 26 * cells,
                                        .globalLoads = cells * (c.central ? 2 : 1),
                                        .sharedAccesses = cells + (c.central ? 6 : 4),
                                        .barriers = 2};
}
/// Reads its own column, and in the next plane its neighbors in y and, at a warp's ends, in x; two
/// shuffles.
KernelCost registerCost(const GradientCase& c) {
    return productsCost(c) + KernelCost{.add = c.central ? 5.0 : 0,
                                        .integer = c.central ? 130.0 : 105,
                                        .globalLoads = c.central ? 6.0 : 2};
}

/// A kernel built for blocks of the given number of rows.
struct BuiltKernel {
    void (*kernel)(TensorStep, int, GridSum);
    std::size_t sharedBytes = 0;
};

template <bool Central, bool BypassL1>
BuiltKernel buildDirect(int) {
    return {gradientDirect<Central, BypassL1>};
}
template <bool Central>
BuiltKernel buildShared(int rows) {
    if (rows == sharedRows)
        return {gradientShared<Central, sharedRows>};
    return {gradientShared<Central, 0>,
            sizeof(float) * static_cast<std::size_t>(keptPlanes(Central) * tileWidth * (rows + 2))};
}
template <bool Central>
BuiltKernel buildRegister(int rows) {
    BuiltKernel built{};
    gpu::withBound<gradientFamily["register"].standardThreads>(tileX * rows, [&](auto most) {
        built.kernel = gradientRegister<Central, decltype(most)::value>;
    });
    return built;
}

/// The variants' kernels, in the order of gradientVariants.
struct GradientKernel {
    BuiltKernel (*central)(int rows);
    BuiltKernel (*forward)(int rows);
    KernelCost (*cost)(const GradientCase& c);
    // Symbol as in CompiledCost: before and after whether the gradient is central.
    const char *function, *built;
    bool fills = false; ///< fills a tile in its own loop, whose rest is unrolled into the main one
};
constexpr GradientKernel gradientKernels[] = {
    {buildDirect<true, false>, buildDirect<false, false>, directCost, "gradientDirect", "Lb0E"},
    {buildShared<true>, buildShared<false>, sharedCost, "gradientShared", "Li4E", true},
    {buildDirect<true, true>, buildDirect<false, true>, directCost, "gradientDirect", "Lb1E"},
    {buildRegister<true>, buildRegister<false>, registerCost, "gradientRegister", "Li256E"},
};
static_assert(std::size(gradientKernels) == std::size(gradientVariants));

} // namespace

void gradientProducts(int variant, const TensorStep& step, const GridSum& sum, LaunchLog& log) {
    const GradientKernel& kernel = gradientKernels[variant];
    const int rows = gpu::rowsOfBlock(log, gradientFamily, variant);
    const BuiltKernel built = (step.central ? kernel.central : kernel.forward)(rows);
    const auto voxels = static_cast<double>(step.fixed.voxels());
    const int planes = gpu::planesFor(step.fixed.size, maxPlanes);
    LaunchShape shape = gpu::columnsOver(step.fixed.size, planes, rows);
    shape.sharedBytes = built.sharedBytes;
    const KernelCost voxel = kernel.cost({step.central, step.inside != nullptr, step.noise, rows});
    log.launch({gradientFamily.kernel(variant), (step.inside ? 48 : 44) * voxels, 40 * voxels,
                gpu::perThread(shape, voxels, voxel)},
               built.kernel, shape, step, planes, sum);
}

std::vector<CompiledCost> compiledGradientCosts() {
    std::vector<CompiledCost> all;
    for (const bool central : {true, false})
        for (int variant = 0; variant < gradientFamily.count(); ++variant) {
            const GradientKernel& kernel = gradientKernels[variant];
            const std::string symbol =
                std::string(kernel.function) + (central ? "ILb1E" : "ILb0E") + kernel.built;
            CompiledCost compiled{
                gradientFamily.kernel(variant) + (central ? " central" : " forward"), symbol,
                "loop", "STG", kernel.cost({central, true, true, sharedRows})};
            if (kernel.fills)
                compiled.without = {"LDG", "LDS+STS", "FADD"};
            all.push_back(std::move(compiled));
        }
    return all;
}

} // namespace systole::clg
