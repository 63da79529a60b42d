// The still region on the device: the counterpart of still_region.cpp.
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/ops/fill_unknown_cuda.cuh"

namespace systole::clg {
namespace {

using gpu::Column;
using gpu::GridSum;

constexpr int planesPerThread = 4;

/// Maps values to integers of the reverse order, above 0: the largest is that of the lowest value.
__device__ unsigned reversed(float value) {
    const unsigned bits = __float_as_uint(value);
    return ~(bits & 0x80000000u ? ~bits : bits | 0x80000000u);
}
__device__ float valueOf(unsigned reversedBits) {
    const unsigned bits = ~reversedBits;
    return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}

/// The step with its scratch divided up.
struct Step {
    VolumeView<const float> fixed, moving;
    VolumeView<std::uint8_t> kinds, known;
    StillMarks marks;
    StillState* state;
};

__global__ void lowestKernel(const __grid_constant__ Step s) {
    const std::size_t count = s.fixed.voxels();
    unsigned fixed = 0, moving = 0;
    for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
         i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
        fixed = max(fixed, reversed(s.fixed.data[i]));
        moving = max(moving, reversed(s.moving.data[i]));
    }
    fixed = __reduce_max_sync(0xffffffffu, fixed);
    moving = __reduce_max_sync(0xffffffffu, moving);
    if (threadIdx.x % 32 == 0) {
        atomicMax(&s.state->lowest[0], fixed);
        atomicMax(&s.state->lowest[1], moving);
    }
}

__global__ void kindsKernel(const __grid_constant__ Step s) {
    const Column c = gpu::columnOf(s.fixed.size, planesPerThread);
    const float fixed = valueOf(s.state->lowest[0]), moving = valueOf(s.state->lowest[1]);
    for (int z = c.begin; c.inGrid && z < c.end; ++z)
        s.kinds(c.x, c.y, z) =
            static_cast<std::uint8_t>((isEmpty(s.fixed, fixed, c.x, c.y, z) ? emptyInFixed : 0) |
                                      (isEmpty(s.moving, moving, c.x, c.y, z) ? emptyInMoving : 0));
}

/// state->found becomes whether the region is still.
__global__ void edgeKernel(const __grid_constant__ Step s, GridSum room) {
    const Column c = gpu::columnOf(s.fixed.size, planesPerThread);
    int changed = 0, edge = 0;
    for (int z = c.begin; c.inGrid && z < c.end; ++z) {
        const std::uint8_t kind = s.kinds(c.x, c.y, z);
        changed += kind == emptyInFixed || kind == emptyInMoving ? 1 : 0;
        edge += isEdgeOfEmpty(s.kinds, c.x, c.y, z) ? 1 : 0;
    }
    double2 total;
    if (gpu::gridSum({static_cast<double>(changed), static_cast<double>(edge)}, room, total))
        s.state->found = isStill(total.x, total.y) ? 1 : 0;
}

__device__ void mark(const Step& s, int x, int y, int z) {
    s.known(x, y, z) = isRecorded(s.kinds, x, y, z) ? 1 : 0;
    for (int n = 0; n < s.marks.levels; ++n) {
        const StillMarks::Level& level = s.marks.level[n];
        const int by[3] = {level.factor[0], level.factor[1], level.factor[2]};
        if (x % by[0] == 0 && y % by[1] == 0 && z % by[2] == 0) {
            const int at[3] = {x / by[0], y / by[1], z / by[2]};
            level.counts(at[0], at[1], at[2]) = counts(s.kinds, by, at[0], at[1], at[2]) ? 1 : 0;
        }
    }
}

__global__ void markKernel(const __grid_constant__ Step s) {
    if (!s.state->found)
        return;
    const Column c = gpu::columnOf(s.fixed.size, planesPerThread);
    for (int z = c.begin; c.inGrid && z < c.end; ++z)
        mark(s, c.x, c.y, z);
}

} // namespace

void findStillRegion(const StillStep& step, const GridSum& sum, LaunchLog& log) {
    const Size3 size = step.frames.size;
    const auto voxels = static_cast<double>(size.voxels());
    auto* const masks =
        reinterpret_cast<std::uint8_t*>(step.scratch + 2 * fill::Blocks(size).total);
    Step s;
    s.fixed = {step.frames.data, size};
    s.moving = {step.frames.data + step.frames.volume(), size};
    s.kinds = {masks, size};
    s.known = {masks + size.voxels(), size};
    s.marks = step.marks;
    s.state = step.state;
    const LaunchShape shape = gpu::columnsOver(size, planesPerThread);
    constexpr unsigned blocks = 1024, threads = 256;
    log.launch({"lowest values", 8 * voxels}, lowestKernel, {dim3(blocks), dim3(threads)}, s);
    log.launch({"empty voxels", 9 * voxels}, kindsKernel, shape, s);
    log.launch({"edge of empty voxels", voxels}, edgeKernel, shape, s, sum);
    // Where nothing is still, nothing is written: no bytes are counted for that.
    log.launch({"still region"}, markKernel, shape, s);
    gpu::FillStep fill;
    fill.frames = step.frames;
    fill.known = s.known;
    fill.next = {masks + 2 * size.voxels(), size};
    fill.scratch = step.scratch;
    fill.wanted = &step.state->found;
    gpu::fillUnknown(fill, log);
}

} // namespace systole::clg
