// One pass of the Gaussian along an axis: `direct`, `l2-only`, `shared` and `register`.
#include "compute/cuda/early_launch.cuh"
#include "compute/ops/smooth_variants.cuh"

#include <algorithm>

namespace systole::gpu {
namespace {

constexpr int planesPerThread = 8;

/// One thread per voxel of a column; values that neighbors share come from the caches.
template <bool BypassL1>
__global__ void smoothDirect(const float* __restrict__ in, float* __restrict__ out, Size3 size,
                             int volumes, int axis, const __grid_constant__ Taps taps,
                             const int* skip) {
    if (isSet(skip))
        return;
    // Contiguous volumes act as one with more planes; a pass along z stays within each volume.
    const Column c = columnOf({size.x, size.y, size.z * volumes}, planesPerThread);
    if (!c.inGrid)
        return;
    const int here = axis == 0 ? c.x : c.y;
    const std::size_t stride =
        axis == 0   ? 1
        : axis == 1 ? static_cast<std::size_t>(size.x)
                    : static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y);
    const int n = size[axis];
    for (int plane = c.begin; plane < c.end && plane < size.z * volumes; ++plane) {
        const int i = axis == 2 ? plane % size.z : here;
        const std::size_t at =
            static_cast<std::size_t>(c.x) +
            static_cast<std::size_t>(size.x) *
                (static_cast<std::size_t>(c.y) +
                 static_cast<std::size_t>(size.y) * static_cast<std::size_t>(plane));
        const float* first = in + at - static_cast<std::size_t>(i) * stride;
        float sum = 0;
        for (int k = -taps.radius; k <= taps.radius; ++k)
            sum = fmaf(
                taps.weight[k + taps.radius],
                load<BypassL1>(first + static_cast<std::size_t>(clampedIndex(i + k, n)) * stride),
                sum);
        out[at] = sum;
    }
}

/// Smooths along x: rows with their halo in shared memory.
__global__ void smoothRowsShared(const float* __restrict__ in, float* __restrict__ out, int nx,
                                 int rows, const __grid_constant__ Taps taps, const int* skip) {
    if (isSet(skip))
        return;
    extern __shared__ float tile[];
    const int width = tileX + 2 * taps.radius;
    const int x0 = static_cast<int>(blockIdx.y) * tileX;
    const int lane = static_cast<int>(threadIdx.x);
    float* const own = tile + static_cast<int>(threadIdx.y) * width;
    const int row = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
    const float* const from =
        in + static_cast<std::size_t>(min(row, rows - 1)) * static_cast<std::size_t>(nx);
    for (int i = lane; i < width; i += tileX)
        own[i] = from[clampedIndex(x0 - taps.radius + i, nx)];
    __syncthreads();
    if (row >= rows || x0 + lane >= nx)
        return;
    float sum = 0;
    for (int k = 0; k <= 2 * taps.radius; ++k)
        sum = fmaf(taps.weight[k], own[lane + k], sum);
    out[static_cast<std::size_t>(row) * static_cast<std::size_t>(nx) +
        static_cast<std::size_t>(x0 + lane)] = sum;
}

/// Lines of voxels along an axis other than x: line i starts at
/// (i / inner) · outer + i % inner, its voxels are `stride` apart.
struct Lines {
    std::size_t count, inner, outer, stride;
    int length;

    __device__ std::size_t start(std::size_t line) const {
        return line / inner * outer + line % inner;
    }
};

Lines linesOf(const SmoothingPass& pass) {
    const auto nx = static_cast<std::size_t>(pass.size.x),
               ny = static_cast<std::size_t>(pass.size.y),
               nz = static_cast<std::size_t>(pass.size.z),
               volumes = static_cast<std::size_t>(pass.count);
    if (pass.axis == 1)
        return {nx * nz * volumes, nx, nx * ny, nx, pass.size.y};
    return {nx * ny * volumes, nx * ny, nx * ny * nz, nx * ny, pass.size.z};
}

/// The range of a line that the blocks with one blockIdx.y process.
struct Stretch {
    int begin, end;
};
__device__ Stretch stretchOf(int length) {
    const int part = divideUp(length, static_cast<int>(gridDim.y));
    const int begin = static_cast<int>(blockIdx.y) * part;
    return {begin, min(begin + part, length)};
}

/// Marches along a line with its last 2·radius+1 values in a ring in shared memory.
__global__ void smoothLinesShared(const float* __restrict__ in, float* __restrict__ out,
                                  Lines lines, const __grid_constant__ Taps taps, const int* skip) {
    if (isSet(skip))
        return;
    extern __shared__ float ring[];
    const std::size_t line = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (line >= lines.count)
        return;
    const int width = 2 * taps.radius + 1, threads = static_cast<int>(blockDim.x);
    const Stretch s = stretchOf(lines.length);
    const float* const from = in + lines.start(line);
    float* const to = out + lines.start(line);
    const auto value = [&](int i) {
        return from[static_cast<std::size_t>(clampedIndex(i, lines.length)) * lines.stride];
    };
    // A thread reads only its own column of the ring: no barrier is needed.
    float* const own = ring + threadIdx.x;
    for (int k = 0; k < width - 1; ++k)
        own[k * threads] = value(s.begin - taps.radius + k);
    int newest = width - 1;
    for (int i = s.begin; i < s.end; ++i) {
        own[newest * threads] = value(i + taps.radius);
        newest = newest + 1 == width ? 0 : newest + 1;
        float sum = 0;
        int slot = newest; // slot of the oldest value
        for (int k = 0; k < width; ++k) {
            sum = fmaf(taps.weight[k], own[slot * threads], sum);
            slot = slot + 1 == width ? 0 : slot + 1;
        }
        to[static_cast<std::size_t>(i) * lines.stride] = sum;
    }
}

/// Marches along a line with the open sums in registers; the next values are loaded while the
/// current ones are added.
template <int R, int Most>
__global__ void __launch_bounds__(Most)
    smoothLinesRegister(const float* __restrict__ in, float* __restrict__ out, Lines lines,
                        const __grid_constant__ Taps taps, const int* skip) {
    waitForKernelBefore();
    if (isSet(skip))
        return;
    constexpr int ahead = 6;
    const std::size_t line = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (line >= lines.count)
        return;
    const Stretch s = stretchOf(lines.length);
    const float* const from = in + lines.start(line);
    float* const to = out + lines.start(line);
    const auto value = [&](int i) {
        return from[static_cast<std::size_t>(clampedIndex(i, lines.length)) * lines.stride];
    };
    OpenSums<R> sums;
    float now[ahead], next[ahead];
#pragma unroll
    for (int a = 0; a < ahead; ++a)
        now[a] = value(s.begin - R + a);
    for (int i = s.begin - R; i < s.end + R; i += ahead) {
#pragma unroll
        for (int a = 0; a < ahead; ++a)
            next[a] = value(i + ahead + a);
#pragma unroll
        for (int a = 0; a < ahead; ++a) {
            const int done = i + a - R;
            const float sum = sums.feed(now[a], taps);
            if (done >= s.begin && done < s.end)
                to[static_cast<std::size_t>(done) * lines.stride] = sum;
            now[a] = next[a];
        }
    }
}

/// Smooths along x: a warp holds a range of a row with its halo in registers and shuffles it.
template <int R>
__global__ void __launch_bounds__(maxThreads)
    smoothRowsRegister(const float* __restrict__ in, float* __restrict__ out, int nx, int rows,
                       const __grid_constant__ Taps taps, const int* skip) {
    if (isSet(skip))
        return;
    constexpr int held = (tileX + 2 * R + 31) / 32;
    const int x0 = static_cast<int>(blockIdx.y) * tileX;
    const int lane = static_cast<int>(threadIdx.x);
    const int row = static_cast<int>(blockIdx.x * blockDim.y) + static_cast<int>(threadIdx.y);
    if (row >= rows)
        return; // whole warps return
    const float* const from = in + static_cast<std::size_t>(row) * static_cast<std::size_t>(nx);
    float v[held];
#pragma unroll
    for (int j = 0; j < held; ++j)
        v[j] = from[clampedIndex(x0 - R + lane + 32 * j, nx)];
    float sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * R; ++k) {
        // Lane l needs value l + k: of register k / 32, or the next one where l + k wraps.
        const int low = k / 32, high = low + 1 < held ? low + 1 : low;
        const float offered = lane >= k % 32 ? v[low] : v[high];
        sum = fmaf(taps.weight[k], __shfl_sync(0xffffffffu, offered, (lane + k) % 32), sum);
    }
    if (x0 + lane < nx)
        out[static_cast<std::size_t>(row) * static_cast<std::size_t>(nx) +
            static_cast<std::size_t>(x0 + lane)] = sum;
}

/// Lines are cut while there are too few to fill a device; each cut reads 2·radius values twice.
unsigned stretches(const Lines& lines, int radius) {
    constexpr std::size_t enough = 132 * 1024;
    const auto wanted = static_cast<int>((enough + lines.count - 1) / lines.count);
    return static_cast<unsigned>(std::clamp(wanted, 1, std::max(1, lines.length / (2 * radius))));
}

// Declared cost per thread by the filter's radius. Counted in the source, or in the compiled code
// (CUDA 13, compute capability 9.0) where the compiler merges or repeats.

/// `direct` and `l2-only`, per voxel: each tap is a clamped index, a load, a weight and a sum.
KernelCost directCost(int radius) {
    KernelCost tap;
    tap.globalLoads = tap.fusedMultiplyAdd = tap.constantLoads = 1;
    tap.integer = 12;
    KernelCost voxel;
    voxel.globalStores = 1;
    voxel.integer = 60;
    return tapsOf(radius) * tap + voxel;
}

/// `shared` along x, per voxel: includes its share of loading the row with the halo.
KernelCost rowsSharedCost(int radius) {
    KernelCost c;
    const double values = (32.0 + 2 * radius) / 32;
    c.globalLoads = values;
    c.sharedAccesses = values + tapsOf(radius);
    c.fusedMultiplyAdd = tapsOf(radius);
    c.constantLoads = 0.56 * tapsOf(radius); // two adjacent weights in one load where aligned
    c.barriers = 1;
    c.globalStores = 1;
    c.integer = 60 + 7 * values + 0.4 * tapsOf(radius);
    return c;
}

/// `shared` along y or z, per voxel of a line whose ring of values is in shared memory.
KernelCost linesSharedCost(int radius) {
    KernelCost tap;
    tap.sharedAccesses = tap.fusedMultiplyAdd = 1;
    tap.constantLoads = 0.75;
    tap.integer = 6.5;
    KernelCost voxel;
    voxel.globalLoads = voxel.globalStores = voxel.sharedAccesses = 1;
    voxel.integer = 40;
    return tapsOf(radius) * tap + voxel;
}
/// `shared` along y or z: loading the values before a line's first voxel.
KernelCost linesSharedBeginCost(int radius) {
    KernelCost c;
    c.globalLoads = c.sharedAccesses = 2 * radius;
    c.integer = 12 * 2 * radius;
    return c;
}

/// `register` along x, per voxel: its warp's range of the row with the halo, one shuffle per tap.
KernelCost rowsRegisterCost(int radius) {
    KernelCost c;
    c.globalLoads = (32 + 2 * radius + 31) / 32;
    c.globalStores = 1;
    c.fusedMultiplyAdd = tapsOf(radius);
    c.integer = 40 + 8 * tapsOf(radius);
    return c;
}

/// `register` along y or z, per step along a line; a line has 2·radius extra steps that write
/// nothing.
KernelCost linesRegisterCost(int radius) {
    KernelCost c;
    c.globalLoads = 1;
    c.globalStores = 1;
    c.fusedMultiplyAdd = 2 * radius;
    c.multiply = 1;
    c.integer = 23;
    return c;
}

/// The work of a pass, for its launches.
struct PassWork {
    double values, bytes, flops;
    int rows; ///< number of rows along x

    PassWork(const SmoothingPass& pass, const Taps& taps)
        : values(static_cast<double>(static_cast<std::size_t>(pass.count) * pass.size.voxels()))
        , bytes(8 * values)
        , flops(2 * tapsOf(taps.radius) * values)
        , rows(pass.size.y * pass.size.z * pass.count) {}
    LaunchShape rowShape(int nx, int rowsOfBlock) const {
        return {dim3(static_cast<unsigned>(divideUp(rows, rowsOfBlock)),
                     static_cast<unsigned>(divideUp(nx, tileX))),
                dim3(tileX, static_cast<unsigned>(rowsOfBlock))};
    }
};

template <bool BypassL1>
void along(int variant, const SmoothingPass& pass, const Taps& taps, LaunchLog& log) {
    const PassWork work(pass, taps);
    const LaunchShape shape = columnsOver({pass.size.x, pass.size.y, pass.size.z * pass.count},
                                          planesPerThread, rowsOfBlock(log, smoothFamily, variant));
    log.launch({smoothFamily.kernel(variant), work.bytes, work.flops,
                perThread(shape, work.values, directCost(taps.radius))},
               smoothDirect<BypassL1>, shape, pass.in, pass.out, pass.size, pass.count, pass.axis,
               taps, pass.skip);
}

constexpr int sharedVariant = smoothFamily.named("shared"),
              registerVariant = smoothFamily.named("register");

} // namespace

void alongDirect(const SmoothingPass& pass, const Taps& taps, LaunchLog& log) {
    along<false>(smoothFamily.named("direct"), pass, taps, log);
}

void alongL2Only(const SmoothingPass& pass, const Taps& taps, LaunchLog& log) {
    along<true>(smoothFamily.named("l2-only"), pass, taps, log);
}

void alongShared(const SmoothingPass& pass, const Taps& taps, LaunchLog& log) {
    const PassWork work(pass, taps);
    const std::string name = smoothFamily.kernel(sharedVariant);
    const int perBlock = rowsOfBlock(log, smoothFamily, sharedVariant);
    if (pass.axis == 0) {
        LaunchShape shape = work.rowShape(pass.size.x, perBlock);
        shape.sharedBytes =
            sizeof(float) * static_cast<std::size_t>(perBlock * (tileX + 2 * taps.radius));
        allowShared(smoothRowsShared, name, shape);
        log.launch({name, work.bytes, work.flops,
                    perThread(shape, work.values, rowsSharedCost(taps.radius))},
                   smoothRowsShared, shape, pass.in, pass.out, pass.size.x, work.rows, taps,
                   pass.skip);
        return;
    }
    const Lines lines = linesOf(pass);
    LaunchShape shape = threadsOver(lines.count, tileX * perBlock);
    shape.grid.y = stretches(lines, taps.radius);
    shape.sharedBytes = sizeof(float) * static_cast<std::size_t>(tileX * perBlock) *
                        static_cast<std::size_t>(2 * taps.radius + 1);
    allowShared(smoothLinesShared, name, shape);
    log.launch({name, work.bytes, work.flops,
                perThread(shape, work.values, linesSharedCost(taps.radius),
                          linesSharedBeginCost(taps.radius))},
               smoothLinesShared, shape, pass.in, pass.out, lines, taps, pass.skip);
}

void alongRegister(const SmoothingPass& pass, const Taps& taps, LaunchLog& log) {
    constexpr int standardThreads = smoothFamily.at(registerVariant).standardThreads;
    const PassWork work(pass, taps);
    const std::string name = smoothFamily.kernel(registerVariant);
    const int perBlock = rowsOfBlock(log, smoothFamily, registerVariant);
    withBuiltRadius(taps, [&](auto radius, const Taps& padded) {
        constexpr int R = decltype(radius)::value;
        if (pass.axis == 0) {
            const LaunchShape shape = work.rowShape(pass.size.x, perBlock);
            log.launch(
                {name, work.bytes, work.flops, perThread(shape, work.values, rowsRegisterCost(R))},
                smoothRowsRegister<R>, shape, pass.in, pass.out, pass.size.x, work.rows, padded,
                pass.skip);
            return;
        }
        const Lines lines = linesOf(pass);
        LaunchShape shape = threadsOver(lines.count, tileX * perBlock);
        shape.grid.y = stretches(lines, R);
        // Each range of a line starts R voxels early and ends R voxels late.
        const double steps =
            work.values + 2.0 * R * static_cast<double>(lines.count) * shape.grid.y;
        const KernelCost thread = perThread(shape, steps, linesRegisterCost(R));
        withBound<standardThreads>(tileX * perBlock, [&](auto most) {
            launchEarly(log, {name, work.bytes, work.flops, thread},
                        smoothLinesRegister<R, decltype(most)::value>, shape, pass.in, pass.out,
                        lines, padded, pass.skip);
        });
    });
}

std::vector<CompiledCost> compiledPasses() {
    // Cost per tap: the innermost loop runs over taps.
    constexpr KernelCost loaded{.fusedMultiplyAdd = 1, .globalLoads = 1},
        shared{.fusedMultiplyAdd = 1, .sharedAccesses = 1};
    return {
        {"smooth/direct tap", "smoothDirectILb0E", "innermost", "FFMA", loaded},
        {"smooth/l2-only tap", "smoothDirectILb1E", "innermost", "FFMA", loaded},
        {"smooth/shared tap of a row", "smoothRowsShared", "innermost", "FFMA", shared},
        {"smooth/shared tap of a line", "smoothLinesShared", "innermost", "FFMA", shared},
        {"smooth/register row", "smoothRowsRegisterILi12E", "all", "STG",
         rowsRegisterCost(checkedRadius)},
        {"smooth/register line", "smoothLinesRegisterILi12ELi128E", "loop", "STG",
         linesRegisterCost(checkedRadius)},
    };
}

} // namespace systole::gpu
