#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/color_layout.cuh"
#include "compute/methods/clg/solver/inverted_block.cuh"
#include "compute/methods/clg/solver/red_black_cuda.cuh"

#include <algorithm>
#include <cooperative_groups.h>

namespace systole::clg {
namespace {

constexpr int group = colorGroup; ///< voxels of each color that a thread has
constexpr int maxThreads = 256;   ///< per block, so that registers suffice

struct Four {
    float v[group];
};
/// Four values read from the L2 cache, bypassing L1, since other blocks write them.
__device__ inline Four loadFour(const float* p) {
    const float4 f = __ldcg(reinterpret_cast<const float4*>(p));
    return {{f.x, f.y, f.z, f.w}};
}
__device__ inline void storeFour(float* p, const Four& f) {
    __stcg(reinterpret_cast<float4*>(p), make_float4(f.v[0], f.v[1], f.v[2], f.v[3]));
}

/// Values that a thread keeps for its voxels of one color.
struct Kept {
    Four block[9]; ///< inverted block from invertBlock()
    Four value[3];
};

/// Position of a thread's voxels.
struct Place {
    int first, y, z; ///< x = 2 · (first + m) + shift
    std::size_t cell;
    bool there;

    __device__ explicit Place(const ColorLayout& layout) {
        const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
        const auto groups = static_cast<unsigned>(layout.groupsOfRow(group));
        const auto height = static_cast<unsigned>(layout.size.y);
        first = static_cast<int>(index % groups) * group;
        y = static_cast<int>(index / groups % height);
        z = static_cast<int>(index / groups / height);
        cell = layout.row(y, z) + static_cast<std::size_t>(first);
        there = z < layout.size.z;
    }
    __device__ int shift(int color) const { return (y + z + color) & 1; }
    __device__ Voxel voxel(int color, int m) const {
        return {2 * (first + m) + shift(color), y, z};
    }
};

/// Starting value of a solve, and whether its system is withoutB.
struct Start {
    SolveStart t;
    Planes<float> keptB;
    bool withoutB;
};

template <typename View>
__device__ inline void settle(const View& s, const Start& start, const Place& place, int color,
                              Kept& kept) {
#pragma unroll
    for (int m = 0; m < group; ++m) {
        const Voxel p = place.voxel(color, m);
        float block[9] = {}, t[3] = {};
        const bool inside = place.there && p.x < s.size().x;
        for (int k = 0; inside && k < 3; ++k)
            t[k] = start.t(k, offset(s.size(), p));
        if (inside && start.withoutB)
            invertBlockWithoutB(s, p, t, start.keptB, block);
        else if (inside)
            invertBlock(s, p, block);
        for (int k = 0; k < 9; ++k)
            kept.block[k].v[m] = block[k];
        for (int k = 0; k < 3; ++k)
            kept.value[k].v[m] = t[k];
    }
}

/// Relaxes the thread's voxels of one color, whose neighbors along x but one are its own of the
/// other color. Returns the largest change. Many parameters because all of it is in registers.
__device__ inline float relax(const ColorLayout& layout, const float (&smoothness)[3],
                              const Place& place, int color, const float* field, float omega,
                              const Kept& other, Kept& own) {
    const std::size_t up = static_cast<std::size_t>(layout.stride);
    const std::size_t over = up * static_cast<std::size_t>(layout.size.y);
    const int shift = place.shift(color);
    Four r[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const float* const near =
            field + static_cast<std::size_t>(3 * (1 - color) + k) * layout.plane + place.cell;
        const Four zero{}, &beside = other.value[k];
        const Four south = place.y > 0 ? loadFour(near - up) : zero;
        const Four north = place.y < layout.size.y - 1 ? loadFour(near + up) : zero;
        const Four below = place.z > 0 ? loadFour(near - over) : zero;
        const Four above = place.z < layout.size.z - 1 ? loadFour(near + over) : zero;
        float edge = 0;
        if (shift == 0 && place.first > 0)
            edge = __ldcg(near - 1);
        if (shift == 1 && place.first + group < layout.stride)
            edge = __ldcg(near + group);
#pragma unroll
        for (int m = 0; m < group; ++m) {
            const float sideways =
                shift ? (m + 1 < group ? beside.v[m + 1] : edge) : (m > 0 ? beside.v[m - 1] : edge);
            r[k].v[m] = smoothness[0] * (beside.v[m] + sideways) +
                        smoothness[1] * (south.v[m] + north.v[m]) +
                        smoothness[2] * (below.v[m] + above.v[m]);
        }
    }
    float largest = 0;
    constexpr int index[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
#pragma unroll
    for (int m = 0; m < group; ++m)
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const float solved = own.block[6 + k].v[m] + own.block[index[k][0]].v[m] * r[0].v[m] +
                                 own.block[index[k][1]].v[m] * r[1].v[m] +
                                 own.block[index[k][2]].v[m] * r[2].v[m];
            const float change = omega * (solved - own.value[k].v[m]);
            own.value[k].v[m] += change;
            largest = fmaxf(largest, fabsf(change));
        }
    return largest;
}

/// Runs all sweeps; between colors the device waits. Many parameters because a cooperative launch
/// takes each by its address.
template <typename View>
__global__ void __launch_bounds__(maxThreads, 1)
    relaxOverDevice(const View view, Start start, ColorLayout layout, float* field, float omega,
                    SweepsOfLaunch course, const int* stop, DeviceState* state) {
    __shared__ unsigned blockChange;
    if (stop && *stop)
        return;
    const auto grid = cooperative_groups::this_grid();
    const View s = view.loaded();
    const float smoothness[3] = {s.smoothness[0], s.smoothness[1], s.smoothness[2]};
    const Place place(layout);
    const auto plane = [&](int color, int k) {
        return field + static_cast<std::size_t>(3 * color + k) * layout.plane + place.cell;
    };
    Kept kept[2];
#pragma unroll
    for (int color = 0; color < 2; ++color) {
        settle(s, start, place, color, kept[color]);
        for (int k = 0; k < 3; ++k)
            if (place.there)
                storeFour(plane(color, k), kept[color].value[k]);
    }
    // A measured change goes to the next of three words in turn. The one after it was read before
    // the last wait but one, and is cleared before the next.
    constexpr int words = 3;
    const bool keeper = blockIdx.x == 0 && threadIdx.x == 0;
    for (int word = 0; keeper && word < words; ++word)
        state->largest[word] = 0;
    int word = 0;
    grid.sync();
    while (course.next()) {
        float largest = 0;
#pragma unroll
        for (int color = 0; color < 2; ++color) {
            if (place.there) {
                largest = fmaxf(largest, relax(layout, smoothness, place, color, field, omega,
                                               kept[1 - color], kept[color]));
                for (int k = 0; k < 3; ++k)
                    storeFour(plane(color, k), kept[color].value[k]);
            }
            if (color == 1 && course.measures()) {
                gatherChange(largest, blockChange);
                if (threadIdx.x == 0)
                    atomicMax(&state->largest[word], blockChange);
            }
            grid.sync();
        }
        if (course.measures()) {
            course.take(__uint_as_float(__ldcg(&state->largest[word])));
            word = (word + 1) % words;
            if (keeper)
                state->largest[(word + 1) % words] = 0;
        }
    }
#pragma unroll
    for (int color = 0; color < 2; ++color)
#pragma unroll
        for (int m = 0; m < group; ++m) {
            const Voxel p = place.voxel(color, m);
            if (place.there && p.x < layout.size.x)
                for (int k = 0; k < 3; ++k)
                    start.t.write(k, offset(layout.size, p), kept[color].value[k].v[m]);
        }
    if (keeper)
        course.write(*state);
}

int groupsOf(Size3 size) { return static_cast<int>(colorLayoutOf(size).plane / group); }

} // namespace

int SpreadRelaxation::threadsFor(const CudaContext& cuda, Size3 size) {
    const int perBlock = gpu::divideUp(groupsOf(size), cuda.device().multiprocessors);
    return std::max(gpu::divideUp(perBlock, gpu::tileX) * gpu::tileX, 4 * gpu::tileX);
}

bool SpreadRelaxation::fits(const CudaContext& cuda, Size3 size) {
    return colorLayoutOf(size).plane / group <=
           static_cast<std::size_t>(maxThreads) *
               static_cast<std::size_t>(cuda.device().multiprocessors);
}

SpreadRelaxation::SpreadRelaxation(CudaContext& cuda, Size3 size)
    : size_(size)
    , threads_(threadsFor(cuda, size))
    , field_(cuda.devicePool().acquire<float>(6 * colorLayoutOf(size).plane, "solver, field")) {}

std::size_t SpreadRelaxation::scratchBytes(Size3 size) {
    return 6 * colorLayoutOf(size).plane * sizeof(float);
}

void SpreadRelaxation::solve(const DeviceSystem& system, const HalfTensor& half,
                             const Planes<float>& t, const SolveOptions& options, const int* stop,
                             LaunchLog& log) {
    // Counts everything once.
    const KernelNote note{std::string(redBlackFamily.task) + "/spread",
                          (coefficientBytes(half) + 24) * static_cast<double>(size_.voxels())};
    const LaunchShape shape = gpu::threadsOver(static_cast<std::size_t>(groupsOf(size_)), threads_);
    withCoefficients<Load::Cached, false, DivergenceStencil::Energy>(system, half, [&](auto view) {
        const auto kernel = reinterpret_cast<const void*>(relaxOverDevice<decltype(view)>);
        Start start{startOf(system, t), keptB(system), system.withoutB};
        ColorLayout layout = colorLayoutOf(size_);
        float* field = field_.data();
        auto omega = static_cast<float>(options.omega);
        SweepsOfLaunch course{options.sweeps, options.tolerance};
        const int* stopped = stop;
        DeviceState* state = system.state;
        void* arguments[] = {&view, &start, &layout, &field, &omega, &course, &stopped, &state};
        log.begin(note, kernel, shape);
        cudaCheck(cudaLaunchCooperativeKernel(kernel, shape.grid, shape.block, arguments, 0,
                                              log.stream()),
                  note.kernel.c_str());
        log.end();
    });
}

} // namespace systole::clg
