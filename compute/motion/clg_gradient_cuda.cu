// Gradient of the frames and its nine products, in the memory variants.
#include "compute/motion/clg_image_cuda.cuh"
#include "compute/motion/clg_tensor_math.h"

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::GridSum;
using gpu::tileX;

constexpr int planesPerThread = 16;
/// The paper's tile: 32×4 voxels of a plane.
constexpr int sharedRows = 4;

/// What is differentiated: the sum of both frames, or the fixed one alone.
template <bool Central, bool BypassL1>
__device__ float differentiated(const TensorStep& s, std::size_t i) {
    const float fixed = gpu::load<BypassL1>(s.fixed.data + i);
    if constexpr (Central)
        return fixed + gpu::load<BypassL1>(s.warped + i);
    else
        return fixed;
}

/// The derivative at index i of n from the values around it; zero where it leaves the grid.
template <bool Central>
__device__ float derivative(int i, int n, float behind, float here, float ahead) {
    if constexpr (Central)
        return i > 0 && i < n - 1 ? centralDifference(ahead, behind) : 0.0f;
    else
        return i < n - 1 ? ahead - here : 0.0f;
}

/// Weighs and writes the products of one voxel; adds what the noise estimate sums.
template <bool BypassL1>
__device__ void writeProducts(const TensorStep& s, std::size_t i, const Gradient& g, float epsilon,
                              double2& sum) {
    const float inside = s.inside ? gpu::load<BypassL1>(s.inside + i) : 1.0f;
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

/// `direct` and `l2-only`: every value where it lies.
template <bool Central, bool BypassL1>
__global__ void gradientDirect(const __grid_constant__ TensorStep s, GridSum room) {
    const Size3 size = s.fixed.size;
    const Column c = gpu::columnOf(size, planesPerThread);
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
        const auto along = [&](int index, int n, int dx, int dy, int dz) {
            return derivative<Central>(index, n, Central ? value(-dx, -dy, -dz) : 0.0f, here,
                                       value(dx, dy, dz));
        };
        const Gradient g{along(c.x, size.x, 1, 0, 0), along(c.y, size.y, 0, 1, 0),
                         along(z, size.z, 0, 0, 1),
                         gpu::load<BypassL1>(s.warped + i) - gpu::load<BypassL1>(s.fixed.data + i)};
        writeProducts<BypassL1>(s, i, g, epsilon, sum);
    }
    finishNoise(s, sum, room);
}

/// `shared`: a tile of 32×4 voxels with its halo marches in z; the planes stay in shared memory.
template <bool Central>
__global__ void gradientShared(const __grid_constant__ TensorStep s, GridSum room) {
    constexpr int width = tileX + 2, height = sharedRows + 2;
    constexpr int planes = Central ? 3 : 2;
    __shared__ float tile[planes][height][width];
    const Size3 size = s.fixed.size;
    const Column c = gpu::columnOf(size, planesPerThread);
    const float epsilon = s.state->epsilon;
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    const int x0 = c.x - tx, y0 = c.y - ty;
    const auto fill = [&](int z) {
        const int plane = min(max(z, 0), size.z - 1);
        for (int i = tx + tileX * ty; i < width * height; i += tileX * sharedRows) {
            const int x = min(max(x0 - 1 + i % width, 0), size.x - 1);
            const int y = min(max(y0 - 1 + i / width, 0), size.y - 1);
            tile[(z + planes) % planes][i / width][i % width] =
                differentiated<Central, false>(s, s.fixed.offset(x, y, plane));
        }
    };
    if (Central)
        fill(c.begin - 1);
    fill(c.begin);
    double2 sum{0, 0};
    for (int z = c.begin; z < c.end; ++z) {
        // The plane that is overwritten was last read before the barrier at the loop's end.
        fill(z + 1);
        __syncthreads();
        if (c.inGrid) {
            const float(&here)[height][width] = tile[z % planes];
            const int i = tx + 1, j = ty + 1;
            const float value = here[j][i];
            const std::size_t at = s.fixed.offset(c.x, c.y, z);
            const Gradient g{
                derivative<Central>(c.x, size.x, here[j][i - 1], value, here[j][i + 1]),
                derivative<Central>(c.y, size.y, here[j - 1][i], value, here[j + 1][i]),
                derivative<Central>(z, size.z, Central ? tile[(z + planes - 1) % planes][j][i] : 0,
                                    value, tile[(z + 1) % planes][j][i]),
                s.warped[at] - s.fixed.data[at]};
            writeProducts<false>(s, at, g, epsilon, sum);
        }
        __syncthreads();
    }
    finishNoise(s, sum, room);
}

/// `register`: a thread keeps the planes behind, here and ahead; neighbours along x come from the
/// lanes beside it.
template <bool Central>
__global__ void gradientRegister(const __grid_constant__ TensorStep s, GridSum room) {
    const Size3 size = s.fixed.size;
    const Column c = gpu::columnOf(size, planesPerThread);
    const float epsilon = s.state->epsilon;
    const int lane = static_cast<int>(threadIdx.x);
    // Threads beyond the edge stand on the last voxel: they take part in shuffles.
    const int x = min(c.x, size.x - 1), y = min(c.y, size.y - 1);
    const auto offset = [&](int i, int j, int k) {
        return s.fixed.offset(min(max(i, 0), size.x - 1), min(max(j, 0), size.y - 1),
                              min(max(k, 0), size.z - 1));
    };
    struct Both {
        float fixed, warped;
        __device__ float value() const { return Central ? fixed + warped : fixed; }
    };
    const auto both = [&](int k) {
        const std::size_t i = offset(x, y, k);
        return Both{s.fixed.data[i], s.warped[i]};
    };
    float behind = Central ? both(c.begin - 1).value() : 0;
    Both here = both(c.begin);
    double2 sum{0, 0};
    for (int z = c.begin; z < c.end; ++z) {
        const Both ahead = both(z + 1);
        const float value = here.value();
        float right = __shfl_down_sync(0xffffffffu, value, 1);
        float left = __shfl_up_sync(0xffffffffu, value, 1);
        if (lane == tileX - 1)
            right = differentiated<Central, false>(s, offset(x + 1, y, z));
        if (Central && lane == 0)
            left = differentiated<Central, false>(s, offset(x - 1, y, z));
        if (c.inGrid) {
            const Gradient g{
                derivative<Central>(x, size.x, left, value, right),
                derivative<Central>(
                    y, size.y, Central ? differentiated<Central, false>(s, offset(x, y - 1, z)) : 0,
                    value, differentiated<Central, false>(s, offset(x, y + 1, z))),
                derivative<Central>(z, size.z, behind, value, ahead.value()),
                here.warped - here.fixed};
            writeProducts<false>(s, offset(x, y, z), g, epsilon, sum);
        }
        behind = value;
        here = ahead;
    }
    finishNoise(s, sum, room);
}

using Kernel = void (*)(TensorStep, GridSum);

struct Choice {
    const char* name;
    Kernel kernel;
    int rows; ///< of a block
};

Choice choose(MemoryVariant variant, bool central) {
    switch (variant) {
    case MemoryVariant::Direct:
        return {"gradient/direct",
                central ? gradientDirect<true, false> : gradientDirect<false, false>, gpu::tileY};
    case MemoryVariant::L2Only:
        return {"gradient/l2-only",
                central ? gradientDirect<true, true> : gradientDirect<false, true>, gpu::tileY};
    case MemoryVariant::Shared:
        return {"gradient/shared", central ? gradientShared<true> : gradientShared<false>,
                sharedRows};
    default:
        return {"gradient/register", central ? gradientRegister<true> : gradientRegister<false>,
                gpu::tileY};
    }
}

} // namespace

void gradientProducts(MemoryVariant variant, const TensorStep& step, const GridSum& sum,
                      LaunchLog& log) {
    const Choice choice = choose(variant, step.central);
    const auto voxels = static_cast<double>(step.fixed.voxels());
    log.launch({choice.name, (step.inside ? 48 : 44) * voxels, 40 * voxels}, choice.kernel,
               gpu::columnsOver(step.fixed.size, planesPerThread, choice.rows), step, sum);
}

} // namespace systole::clg
