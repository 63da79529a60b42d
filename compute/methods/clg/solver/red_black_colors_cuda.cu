#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/color_layout.cuh"
#include "compute/methods/clg/solver/inverted_block.cuh"
#include "compute/methods/clg/solver/red_black_cuda.cuh"
#include "compute/methods/clg/solver/relaxation.cuh"

#include <algorithm>
#include <type_traits>

namespace systole::clg {
namespace {

constexpr int group = colorGroup; ///< voxels of one color that a thread relaxes
constexpr int colors = redBlackFamily.named("colors");
constexpr int standardThreads = redBlackFamily.at(colors).standardThreads;

/// Size above which the coefficients can't stay in the L2 cache from sweep to sweep: they are then
/// read so that the field stays.
constexpr std::size_t cachedBytes = std::size_t{32} << 20;

/// Four values of a row, or of a row of coefficients in 16 bits.
struct Four {
    float v[group];
};
template <bool Streaming>
__device__ inline Four loadFour(const float* p) {
    const auto* q = reinterpret_cast<const float4*>(p);
    const float4 f = Streaming ? __ldcs(q) : *q;
    return {{f.x, f.y, f.z, f.w}};
}
template <bool Streaming>
__device__ inline Four loadFour(const __half* p) {
    const auto* q = reinterpret_cast<const uint2*>(p);
    const uint2 bits = Streaming ? __ldcs(q) : *q;
    const float2 a = __half22float2(reinterpret_cast<const __half2&>(bits.x));
    const float2 b = __half22float2(reinterpret_cast<const __half2&>(bits.y));
    return {{a.x, a.y, b.x, b.y}};
}

/// Block size for splitting and merging the colors, which is done once per solve.
constexpr int rowThreads = gpu::tileX, blockRows = gpu::tileY;

LaunchShape shapeForRows(const ColorLayout& layout) {
    return gpu::columnsOver({layout.stride, layout.size.y, layout.size.z}, 1, blockRows);
}

/// One thread per voxel of either color, adjacent in x. A system withoutB keeps its b in the planes
/// `b`, unless these are null. Many parameters because a kernel is given its arrays one by one.
template <typename Value, typename View>
__global__ void __launch_bounds__(rowThreads* blockRows)
    splitColors(const View view, SolveStart t, ColorLayout layout, Value* system, float* field,
                float* weight, bool withoutB, Planes<float> b) {
    const int column = static_cast<int>(blockIdx.x * rowThreads + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockRows + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z);
    if (column >= layout.stride || y >= layout.size.y)
        return;
    const std::size_t cell = layout.row(y, z) + static_cast<std::size_t>(column);
    const std::size_t cellOfSystem =
        View::divergence ? layout.rowOfSystem(y, z) + static_cast<std::size_t>(column) : cell;
    for (int odd = 0; odd < 2; ++odd) {
        const Voxel p{2 * column + odd, y, z};
        const auto color = static_cast<std::size_t>((odd + y + z) & 1);
        const bool inside = p.x < layout.size.x;
        const std::size_t i = inside ? offset(layout.size, p) : 0;
        if (View::divergence && weight)
            weight[color * layout.plane + cell] = inside ? view.weight[i] : 0;
        Value* const out = system + 9 * color * layout.plane + cellOfSystem;
        float* const values = field + 3 * color * layout.plane + cell;
        float own[3];
        for (std::size_t k = 0; k < 3; ++k)
            values[k * layout.plane] = own[k] = inside ? t(static_cast<int>(k), i) : 0;
        if constexpr (std::is_same_v<Value, float>) {
            float kept[9] = {};
            if (inside && withoutB)
                invertBlockWithoutB(view, p, own, b, kept);
            else if (inside)
                invertBlock(view, p, kept);
            for (std::size_t k = 0; k < 9; ++k)
                out[k * layout.plane] = kept[k];
        } else {
            for (std::size_t k = 0; k < 9; ++k)
                out[k * layout.plane] = inside ? view.coefficients.plane[k][i] : Value{};
        }
    }
}

__global__ void __launch_bounds__(rowThreads* blockRows)
    mergeColors(ColorLayout layout, const float* here, const float* away, const DeviceState* state,
                SolveStart t) {
    const float* const field = state->away ? away : here;
    const int column = static_cast<int>(blockIdx.x * rowThreads + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockRows + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z);
    if (column >= layout.stride || y >= layout.size.y)
        return;
    const std::size_t cell = layout.row(y, z) + static_cast<std::size_t>(column);
    for (int odd = 0; odd < 2; ++odd) {
        const Voxel p{2 * column + odd, y, z};
        const auto color = static_cast<std::size_t>((odd + y + z) & 1);
        if (p.x < layout.size.x)
            for (std::size_t k = 0; k < 3; ++k)
                t.write(static_cast<int>(k), offset(layout.size, p),
                        field[(3 * color + k) * layout.plane + cell]);
    }
}

/// One thread per group of voxels of a color. Long because every part works on the group's values
/// in registers.
template <typename Value, bool Streaming, int Most>
__global__ void __launch_bounds__(Most, Most > standardThreads         ? 1
                                        : std::is_same_v<Value, float> ? 4
                                                                       : 3)
    relaxGroups(ColorLayout layout, const Value* system, const float* units, float* field,
                float omega, int color, SweepMark mark) {
    __shared__ unsigned blockChange;
    if (mark.state->done)
        return;
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const auto groups = static_cast<unsigned>(layout.groupsOfRow(group));
    const unsigned rowIndex = index / groups;
    const auto height = static_cast<unsigned>(layout.size.y);
    const int y = static_cast<int>(rowIndex % height), z = static_cast<int>(rowIndex / height);
    float largest = 0;
    if (z < layout.size.z) {
        const float smoothness[3] = {mark.state->smoothness[0], mark.state->smoothness[1],
                                     mark.state->smoothness[2]};
        const int first = static_cast<int>(index % groups) * group;
        const std::size_t cell = layout.row(y, z) + static_cast<std::size_t>(first);
        const Value* const coefficients =
            system + static_cast<std::size_t>(9 * color) * layout.plane + cell;
        Four c[9];
        for (std::size_t k = 0; k < 9; ++k)
            c[k] = loadFour<Streaming>(coefficients + k * layout.plane);
        const int shift = (y + z + color) & 1; // x = 2 · i + shift
        const std::size_t up = static_cast<std::size_t>(layout.stride);
        const std::size_t over = up * height;
        Four r[3], own[3];
        for (int k = 0; k < 3; ++k) {
            own[k] = loadFour<false>(field +
                                     static_cast<std::size_t>(3 * color + k) * layout.plane + cell);
            const float* other =
                field + static_cast<std::size_t>(3 * (1 - color) + k) * layout.plane + cell;
            const Four zero{};
            const Four beside = loadFour<false>(other);
            const Four south = y > 0 ? loadFour<false>(other - up) : zero;
            const Four north = y < layout.size.y - 1 ? loadFour<false>(other + up) : zero;
            const Four below = z > 0 ? loadFour<false>(other - over) : zero;
            const Four above = z < layout.size.z - 1 ? loadFour<false>(other + over) : zero;
            // The x-neighbors of the i-th are other[i − 1 + shift] and other[i + shift].
            float edge = 0;
            if (shift == 0 && first > 0)
                edge = other[-1];
            if (shift == 1 && first + group < layout.stride)
                edge = other[group];
            for (int m = 0; m < group; ++m) {
                const float sideways = shift ? (m + 1 < group ? beside.v[m + 1] : edge)
                                             : (m > 0 ? beside.v[m - 1] : edge);
                r[k].v[m] = neighborSum(smoothness, beside.v[m] + sideways, south.v[m] + north.v[m],
                                        below.v[m] + above.v[m]);
            }
        }
        const float unitJ = std::is_same_v<Value, float> ? 1 : units[0];
        const float unitB = std::is_same_v<Value, float> ? 1 : units[1];
        for (int m = 0; m < group; ++m) {
            std::array<float, 3> solved;
            const float r0 = r[0].v[m], r1 = r[1].v[m], r2 = r[2].v[m];
            if constexpr (std::is_same_v<Value, float>) {
                solved = {solvedComponent(c[0].v[m], c[1].v[m], c[2].v[m], c[6].v[m], r0, r1, r2),
                          solvedComponent(c[1].v[m], c[3].v[m], c[4].v[m], c[7].v[m], r0, r1, r2),
                          solvedComponent(c[2].v[m], c[4].v[m], c[5].v[m], c[8].v[m], r0, r1, r2)};
            } else {
                const Voxel p{2 * (first + m) + shift, y, z};
                const float n = p.x < layout.size.x
                                    ? weightOfNeighbors(mark.state->smoothness, layout.size, p)
                                    : 0;
                float j[6];
                for (int k = 0; k < 6; ++k)
                    j[k] = unitJ * c[k].v[m];
                solved = solveSymmetric<float>(
                    j, {n, n, n},
                    {r0 + unitB * c[6].v[m], r1 + unitB * c[7].v[m], r2 + unitB * c[8].v[m]});
            }
            for (int k = 0; k < 3; ++k)
                largest = fmaxf(largest,
                                relaxTo(solved[static_cast<std::size_t>(k)], omega, own[k].v[m]));
        }
        for (int k = 0; k < 3; ++k)
            *reinterpret_cast<float4*>(
                field + static_cast<std::size_t>(3 * color + k) * layout.plane + cell) =
                make_float4(own[k].v[0], own[k].v[1], own[k].v[2], own[k].v[3]);
    }
    takeChange(mark, largest, blockChange);
}

/// Four voxels of a color, the colors separate: loads of four values. In 32 bits the blocks are
/// inverted; in 16 each is solved.
KernelCost groupCost(bool half) {
    KernelCost c;
    // Nine coefficients; per component its own value, five neighbors and one edge to either side;
    // the three weights.
    c.globalLoads = 9 + 3 * (6 + 2) + 3;
    c.globalStores = 3;
    c.add = half ? 64 : 60;
    c.multiply = half ? 88 : 24;
    c.fusedMultiplyAdd = half ? 114 : 60;
    c.divide = half ? 4 : 0;
    c.localAccesses = half ? 2 : 4;
    c.integer = half ? 550 : 315;
    if (half)
        c.globalLoads += 2;
    return c;
}

/// One voxel moved to its color's arrays, its block inverted by three right-hand sides; in 16 bits
/// copied unchanged. Then one voxel moved back.
KernelCost splitCost(bool half) {
    KernelCost c;
    c.globalLoads = 9 + 3;
    c.globalStores = 9 + 3;
    c.integer = half ? 100 : 150;
    if (!half) {
        c.add = 9;
        c.multiply = 22;
        c.fusedMultiplyAdd = 36;
        c.divide = 1;
        c.globalLoads += 3;
    }
    return c;
}
KernelCost mergeCost() {
    KernelCost c;
    c.globalLoads = c.globalStores = 3;
    c.integer = 35;
    return c;
}

} // namespace

DeviceColors::DeviceColors(CudaContext& cuda, Size3 size, bool withBeta, bool halfTensor,
                           bool tiled)
    : size_(size)
    , half_(halfTensor)
    , field_(cuda.devicePool().acquire<float>(6 * colorLayoutOf(size).plane, "solver, field"))
    , system_(cuda.devicePool().acquire<unsigned char>(
          18 * colorLayoutOf(size).plane * (halfTensor ? sizeof(__half) : sizeof(float)),
          "solver, system")) {
    if (withBeta)
        weight_ = cuda.devicePool().acquire<float>(2 * colorLayoutOf(size).plane,
                                                   "solver, volume weight");
    if (tiled)
        other_ = cuda.devicePool().acquire<float>(6 * colorLayoutOf(size).plane,
                                                  "solver, field after two sweeps");
}

std::size_t DeviceColors::scratchBytes(Size3 size, bool withBeta, bool halfTensor, bool tiled) {
    return colorLayoutOf(size).plane *
           ((tiled ? 12 : 6) * sizeof(float) + 18 * (halfTensor ? 2 : 4) +
            (withBeta ? 2 * sizeof(float) : 0));
}

bool DeviceColors::systemIsStreamed() const {
    return scratchBytes(size_, false, half_) > cachedBytes;
}

void DeviceColors::load(const DeviceSystem& system, const HalfTensor& half, const Planes<float>& t,
                        LaunchLog& log) {
    const ColorLayout layout = colorLayoutOf(size_);
    const auto voxels = static_cast<double>(size_.voxels());
    const LaunchShape shape = shapeForRows(layout);
    const Planes<float> b = keptB(system);
    start_ = startOf(system, t);
    const KernelNote note{"red-black/split",
                          (24 + 2 * coefficientBytes(half) + (b.plane[0] ? 12 : 0) +
                           (start_.trend.plane[0] ? 12 : 0)) *
                              voxels,
                          0, gpu::perThread(shape, voxels, splitCost(half.used()))};
    units_ = half.units;
    state_ = system.state;
    away_ = false;
    beta_ = system.beta;
    weighted_ = beta_ > 0 && system.incompressibility;
    std::copy_n(system.scale, 3, scale_.begin());
    const auto launch = [&](auto view) {
        using Value = std::remove_cvref_t<decltype(*view.coefficients.plane[0])>;
        log.launch(note, splitColors<Value, decltype(view)>, shape, view, start_, layout,
                   reinterpret_cast<Value*>(system_.data()), field_.data(),
                   weighted_ ? weight_.data() : nullptr, system.withoutB, b);
    };
    constexpr auto energy = DivergenceStencil::Energy;
    if (beta_ > 0)
        withCoefficients<Load::Cached, true, energy>(system, half, launch);
    else
        withCoefficients<Load::Cached, false, energy>(system, half, launch);
}

int DeviceColors::sweep(float omega, int sweep, const SweepCourse& course, LaunchLog& log) {
    if (beta_ > 0) {
        sweepWithDivergence(omega, sweep, course, log);
        return 1;
    }
    if (!other_.empty() && course.together(sweep, 2) == 2) {
        float* const from = field(away_);
        away_ = !away_;
        relaxInTiles({size_, reinterpret_cast<const float*>(system_.data()), from, field(away_),
                      omega, course.mark(sweep + 1, true, away_)},
                     log);
        return 2;
    }
    const ColorLayout layout = colorLayoutOf(size_);
    const auto voxels = static_cast<double>(size_.voxels());
    // A half-sweep: the coefficients and the field of one color, the field of the other.
    KernelNote note{redBlackFamily.kernel(colors), 0.5 * voxels * ((half_ ? 18 : 36) + 36)};
    const int threads = gpu::threadsOfBlock(log, redBlackFamily, colors);
    const std::size_t groups = layout.plane / group;
    const LaunchShape shape = gpu::threadsOver(groups, threads);
    note.cost = gpu::perThread(shape, static_cast<double>(groups), groupCost(half_));
    const bool streaming = systemIsStreamed();
    const auto launch = [&]<typename Value>(const Value* values) {
        for (int color = 0; color < 2; ++color) {
            const SweepMark mark = course.mark(sweep, color == 1, away_);
            gpu::withBound<standardThreads>(threads, [&](auto most) {
                constexpr int bound = decltype(most)::value;
                const auto kernel =
                    streaming ? relaxGroups<Value, true, bound> : relaxGroups<Value, false, bound>;
                log.launch(note, kernel, shape, layout, values, units_, field(away_), omega, color,
                           mark);
            });
        }
    };
    if (half_)
        launch(reinterpret_cast<const __half*>(system_.data()));
    else
        launch(reinterpret_cast<const float*>(system_.data()));
    return 1;
}

void DeviceColors::store(LaunchLog& log) {
    const ColorLayout layout = colorLayoutOf(size_);
    const LaunchShape shape = shapeForRows(layout);
    const auto voxels = static_cast<double>(size_.voxels());
    const KernelNote note{"red-black/merge", (start_.trend.plane[0] ? 36 : 24) * voxels, 0,
                          gpu::perThread(shape, voxels, mergeCost())};
    log.launch(note, mergeColors, shape, layout, field(false), field(true), state_, start_);
}

CompiledCost DeviceColors::compiledCost() {
    // The remaining division is an integer one: the thread's position in the row.
    return {
        redBlackFamily.kernel(colors), "relaxGroupsIfLb0ELi256E", "body", "STG", groupCost(false),
        {"LDS+STS", "BAR", "MUFU"}};
}

} // namespace systole::clg
