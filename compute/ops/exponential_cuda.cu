#include "compute/cuda/early_launch.cuh"
#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/exponential.h"
#include "compute/ops/exponential_cuda.cuh"
#include "compute/ops/sample.h"

#include <algorithm>
#include <cooperative_groups.h>

namespace systole::gpu {
namespace {

constexpr int planesPerThread = 4;
constexpr int mendThreads = 256;
constexpr int maxMendBlocks = 4; ///< blocks per multiprocessor

/// Work per voxel: its three edges ahead.
constexpr KernelCost findCost{.add = 9 + 6 + 3, .integer = 40, .globalLoads = 12};

/// A function of its own, with few registers: the kernels have as many as it has.
__device__ __noinline__ bool foldedCell(FieldView<const float> field, int x, int y, int z) {
    return !folds::Cell(field, x, y, z).isAbove(folds::minDeterminant);
}

/// Visits (axis, offset of the neighbor) for the edges ahead of a voxel.
template <typename Visit>
__device__ void overEdgesAhead(Size3 size, std::size_t here, int x, int y, int z,
                               const Visit& visit) {
    const auto row = static_cast<std::size_t>(size.x);
    if (x + 1 < size.x)
        visit(0, here + 1);
    if (y + 1 < size.y)
        visit(1, here + row);
    if (z + 1 < size.z)
        visit(2, here + row * static_cast<std::size_t>(size.y));
}

/// Whether one of the four cells around the edge ahead of a voxel folds.
__device__ bool foldedCellAround(FieldView<const float> field, int axis, int x, int y, int z) {
    const int size[3] = {field.size.x, field.size.y, field.size.z};
    const int second = (axis + 1) % 3, third = (axis + 2) % 3;
    bool folded = false;
    for (int side = 0; side < 4; ++side) {
        int at[3] = {x, y, z};
        at[second] -= side & 1;
        at[third] -= side >> 1;
        const bool isCell = at[second] >= 0 && at[second] < folds::cellsAlong(size[second]) &&
                            at[third] >= 0 && at[third] < folds::cellsAlong(size[third]);
        folded = folded || (isCell && foldedCell(field, at[0], at[1], at[2]));
    }
    return folded;
}

/// A thread looks at the edges ahead of its voxels: at all of them first, without a branch that
/// their loads would wait for, and closer at the cells around steep ones, where there are any.
__global__ void __launch_bounds__(maxThreads)
    findFoldsKernel(FieldView<const float> field, int planes, FoldState* state) {
    waitForKernelBefore();
    const Size3 size = field.size;
    const Column c = columnOf(size, planes);
    float steepest = 0;
#pragma unroll
    for (int plane = 0; plane < planesPerThread; ++plane) {
        const int z = c.begin + plane;
        if (!c.inGrid || z >= c.end)
            continue;
        const std::size_t here = field.componentView(0).offset(c.x, c.y, z);
        // An edge out of the grid is that of a voxel to itself.
        const std::size_t ahead[3] = {
            c.x + 1 < size.x ? here + 1 : here,
            c.y + 1 < size.y ? here + static_cast<std::size_t>(size.x) : here,
            z + 1 < size.z ? field.componentView(0).offset(c.x, c.y, z + 1) : here};
#pragma unroll
        for (int axis = 0; axis < 3; ++axis)
            steepest =
                fmaxf(steepest, folds::steepnessOf(folds::edgeBetween(field, here, ahead[axis])));
    }
    if (!(steepest > folds::gentleEdge))
        return;
    bool found = false;
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::size_t here = field.componentView(0).offset(c.x, c.y, z);
        overEdgesAhead(size, here, c.x, c.y, z, [&](int axis, std::size_t ahead) {
            if (folds::steepnessOf(folds::edgeBetween(field, here, ahead)) > folds::gentleEdge)
                found = found || foldedCellAround(field, axis, c.x, c.y, z);
        });
    }
    if (found)
        state->found = 1;
}

struct Gains {
    float of[3];
};

/// A box of the grid.
struct Region {
    int first[3], size[3];

    __device__ static Region whole(Size3 grid) { return {{0, 0, 0}, {grid.x, grid.y, grid.z}}; }
    /// Region of the voxels that lie no further than `margin` from the voxels that folded before
    /// averaging. A round of it changes what is next to a mark, cells that have a changed corner
    /// may fold, and their corners are marked: three voxels further in each round.
    __device__ static Region aroundFolds(Size3 grid, const FoldState* state, int margin) {
        Region r{};
        for (int axis = 0; axis < 3; ++axis) {
            const int n = grid[axis];
            r.first[axis] = max(n - __ldcg(&state->fromLast[axis]) - margin, 0);
            r.size[axis] = min(__ldcg(&state->fromFirst[axis]) + margin, n) - r.first[axis];
        }
        return r;
    }
};

__device__ void composeAt(FieldView<const float> w, FieldView<const float> d, FieldView<float> out,
                          std::size_t i, int x, int y, int z) {
    const float step[3] = {d.u[i], d.v[i], d.w[i]};
    const TrilinearSample before(w.size, displaced(d, i, x, y, z));
#pragma unroll
    for (int k = 0; k < 3; ++k)
        out.component(k)[i] = step[k] + before.of(w.component(k));
}

/// steepness() of the field, which no other call of the same launch may find.
template <typename Grid, typename OverGrid>
__device__ float gridSteepness(FieldView<const float> field, FoldState* state, const Grid& grid,
                               const OverGrid& overGrid) {
    float steepest = 0;
    overGrid([&](std::size_t i, int x, int y, int z) {
        overEdgesAhead(field.size, i, x, y, z, [&](int, std::size_t ahead) {
            steepest = fmaxf(steepest, folds::steepnessOf(folds::edgeBetween(field, i, ahead)));
        });
    });
    atomicMax(&state->steepest, __float_as_uint(steepest));
    grid.sync();
    return __uint_as_float(__ldcg(&state->steepest));
}

/// out ← the composition of w and exp(step).
template <typename Grid, typename OverGrid>
__device__ void composeExponential(FieldView<const float> w, FieldView<float> out,
                                   const FoldBuffers& b, const Grid& grid,
                                   const OverGrid& overGrid) {
    const FieldView<const float> step = b.step;
    const folds::Scaling scaling = folds::scalingOf(gridSteepness(step, b.state, grid, overGrid));
    FieldView<float> from = b.step, to = b.spare;
    if (scaling.squarings > 0)
        overGrid([&](std::size_t i, int, int, int) {
            for (int k = 0; k < 3; ++k)
                from.component(k)[i] *= scaling.factor;
        });
    for (int n = 0; n < scaling.squarings; ++n) {
        overGrid(
            [&](std::size_t i, int x, int y, int z) { composeAt(from, from, to, i, x, y, z); });
        const FieldView<float> swapped = from;
        from = to;
        to = swapped;
    }
    overGrid([&](std::size_t i, int x, int y, int z) { composeAt(w, from, out, i, x, y, z); });
}

/// One cooperative launch for what takes a number of passes that only the data knows: a launch of
/// its own for each would cost microseconds even where nothing folds.
__global__ void mendFoldsKernel(FieldView<const float> w, FieldView<float> out,
                                FieldView<float> copy, Gains gains, FoldBuffers b) {
    waitForKernelBefore();
    if (b.state->found == 0)
        return;
    const auto grid = cooperative_groups::this_grid();
    const Size3 size = out.size;
    const auto over = [&](const Region& region, const auto& body) {
        const auto nx = static_cast<std::size_t>(region.size[0]),
                   ny = static_cast<std::size_t>(region.size[1]),
                   voxels = nx * ny * static_cast<std::size_t>(region.size[2]);
        for (std::size_t n = grid.thread_rank(); n < voxels; n += grid.size()) {
            const int x = region.first[0] + static_cast<int>(n % nx),
                      y = region.first[1] + static_cast<int>(n / nx % ny),
                      z = region.first[2] + static_cast<int>(n / nx / ny);
            body(out.componentView(0).offset(x, y, z), x, y, z);
        }
        grid.sync();
    };
    const auto overGrid = [&](const auto& body) { over(Region::whole(size), body); };

    if (!w.empty())
        composeExponential(w, out, b, grid, overGrid);

    // Averaging around what still folds.
    const VolumeView<float> marks(b.marks, size);
    bool mended = false;
    for (int round = 0; round <= folds::maxRounds; ++round) {
        int folded = 0;
        const Region near =
            round == 0 ? Region::whole(size) : Region::aroundFolds(size, b.state, 3 * round);
        const VolumeView<float> cells(b.spare.u, size); // which of them fold, until the next means
        over(near, [&](std::size_t i, int x, int y, int z) {
            const bool first = x < folds::cellsAlong(size.x) && y < folds::cellsAlong(size.y) &&
                               z < folds::cellsAlong(size.z);
            cells.data[i] = first && foldedCell(out, x, y, z) ? 1.0f : 0.0f;
        });
        over(near, [&](std::size_t i, int x, int y, int z) {
            const bool fold = folds::atFoldedCell(
                size, x, y, z, [&](int i, int j, int k) { return cells(i, j, k) != 0; });
            marks.data[i] =
                fold || (round >= firstGrowingRound && marks.data[i] != 0) ? 1.0f : 0.0f;
            folded += fold ? 1 : 0;
            if (fold && round == 0) {
                const int at[3] = {x, y, z};
                for (int axis = 0; axis < 3; ++axis) {
                    atomicMax(&b.state->fromLast[axis], size[axis] - at[axis]);
                    atomicMax(&b.state->fromFirst[axis], at[axis] + 1);
                }
            }
        });
        if (folded > 0)
            atomicAdd(&b.state->folded[round], folded);
        grid.sync();
        mended = __ldcg(&b.state->folded[round]) == 0;
        if (mended || round == folds::maxRounds)
            break;
        const Region changed = Region::aroundFolds(size, b.state, 3 * round + 1);
        over(changed, [&](std::size_t i, int x, int y, int z) {
            if (folds::nearMark(marks, x, y, z))
                for (int k = 0; k < 3; ++k)
                    b.spare.component(k)[i] = folds::meanOfNeighbors(out.componentView(k), x, y, z);
        });
        over(changed, [&](std::size_t i, int x, int y, int z) {
            if (folds::nearMark(marks, x, y, z))
                for (int k = 0; k < 3; ++k)
                    out.component(k)[i] = b.spare.component(k)[i];
        });
    }
    const bool keepW = !mended && !w.empty();
    const float factor =
        mended || keepW ? 1.0f : folds::gentleFactor(gridSteepness(out, b.state, grid, overGrid));
    overGrid([&](std::size_t i, int, int, int) {
        for (int k = 0; k < 3; ++k) {
            const float value = keepW ? w.component(k)[i] : factor * out.component(k)[i];
            out.component(k)[i] = value;
            copy.component(k)[i] = gains.of[k] * value;
        }
    });
}

} // namespace

void findFolds(FieldView<const float> field, const FoldBuffers& buffers, LaunchLog& log) {
    const auto voxels = static_cast<double>(field.size.voxels());
    const char* const name = "find folds";
    const int planes = planesFor(field.size, planesPerThread);
    const LaunchShape shape = columnsOver(field.size, planes, log, name);
    launchEarly(log, {name, 12 * voxels, 18 * voxels, perThread(shape, voxels, findCost)},
                findFoldsKernel, shape, field, planes, buffers.state);
}

void clearFolds(const FoldBuffers& buffers, LaunchLog& log) {
    log.cuda().zero(buffers.state, sizeof(FoldState), CudaStream::Compute);
}

void mendFolds(FieldView<const float> w, FieldView<float> out, FieldView<float> copy,
               std::array<float, 3> copyGain, const FoldBuffers& buffers, LaunchLog& log) {
    int perMultiprocessor = 0;
    cudaCheck(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perMultiprocessor, mendFoldsKernel,
                                                            mendThreads, 0),
              "planning the kernel that mends folds");
    LaunchShape shape = threadsOver(out.size.voxels(), mendThreads);
    const int most =
        std::clamp(perMultiprocessor, 1, maxMendBlocks) * log.cuda().device().multiprocessors;
    shape.grid.x = std::min(shape.grid.x, static_cast<unsigned>(most));
    FieldView<const float> field = w;
    Gains gains{{copyGain[0], copyGain[1], copyGain[2]}};
    FoldBuffers memory = buffers;
    void* arguments[] = {&field, &out, &copy, &gains, &memory};
    const auto kernel = reinterpret_cast<const void*>(mendFoldsKernel);
    log.begin({"mend folds"}, kernel, shape);
    cudaCheck(
        cudaLaunchCooperativeKernel(kernel, shape.grid, shape.block, arguments, 0, log.stream()),
        "mend folds");
    log.end();
}

} // namespace systole::gpu

namespace systole {

bool hasFoldsOnDevice(FieldView<const float> field, const ExecContext& ctx) {
    Buffer<gpu::FoldState> state = ctx.cuda->devicePool().acquire<gpu::FoldState>(1, "folds");
    const gpu::FoldBuffers buffers{{}, {}, nullptr, state.data()};
    loggedCall(ctx, "trajectory", [&](LaunchLog& log) {
        gpu::clearFolds(buffers, log);
        gpu::findFolds(field, buffers, log);
    });
    int found = 0;
    ctx.cuda->download(&state.data()->found, &found, sizeof found, CudaStream::Compute);
    ctx.cuda->synchronize(CudaStream::Compute);
    return found != 0;
}

void removeFoldsOnDevice(FieldView<float> field, const ExecContext& ctx) {
    if (!hasFoldsOnDevice(field, ctx))
        return;
    const std::size_t voxels = field.size.voxels();
    Buffer<float> scratch = ctx.cuda->devicePool().acquire<float>(4 * voxels, "removing folds");
    Buffer<gpu::FoldState> state = ctx.cuda->devicePool().acquire<gpu::FoldState>(1, "folds");
    const gpu::FoldBuffers buffers{
        {}, {scratch.data(), field.size}, scratch.data() + 3 * voxels, state.data()};
    loggedCall(ctx, "trajectory", [&](LaunchLog& log) {
        gpu::clearFolds(buffers, log);
        gpu::findFolds(field, buffers, log);
        gpu::mendFolds({}, field, field, {1, 1, 1}, buffers, log);
    });
    ctx.cuda->synchronize(CudaStream::Compute);
}

} // namespace systole
