// Two sweeps in one launch: a block marches through a tile of columns along z, and its half sweeps
// follow each other by a plane. So coefficients come from memory once for two sweeps, and of the
// field only the neighbors along x and y go through shared memory. Tiles overlap by as many voxels
// as there are half sweeps: what an overlap lacks of its neighbors reaches no voxel that the tile
// writes.
#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/color_layout.cuh"
#include "compute/methods/clg/solver/red_black_cuda.cuh"
#include "compute/methods/clg/solver/relaxation.cuh"

#include <algorithm>
#include <limits>

namespace systole::clg {
namespace {

constexpr int halves = 4; ///< half sweeps of a launch
/// A tile; a thread has a voxel of each color, two beside each other along x.
constexpr int columns = 20, rows = 32, threads = columns * rows;
constexpr int variant = redBlackFamily.named("tiles");
static_assert(threads == redBlackFamily.at(variant).standardThreads);
constexpr int haloColumns = halves / 2;
constexpr int ownColumns = columns - 2 * haloColumns, ownRows = rows - 2 * halves;
/// Number of values of one component that neighbors see: a plane of a color, and zeros beyond the
/// grid.
constexpr int shownValues = threads + gpu::tileX;
constexpr std::size_t keptValues = std::size_t{2} * 2 * 9 * threads;
constexpr std::size_t sharedValues = keptValues + std::size_t{2} * halves * 3 * shownValues;
constexpr std::size_t sharedBytes = sizeof(float) * sharedValues;

struct Problem {
    ColorLayout layout;
    const float* system;
    const float* from;
    float* to;
    float omega;
    int depth; ///< planes that a block writes
    SweepMark mark;
};

/// Position of a thread's voxels, whether its block writes them, and the places of their neighbors:
/// offsets in shared memory.
struct Place {
    bool there, owned;
    bool solved[2];    ///< whether a color's first half sweep computes a value that others read
    int y, begin, end; ///< the planes that the block writes
    unsigned column;   ///< offset in a plane
    int south, north, left, right;

    __device__ explicit Place(const Problem& a) {
        const int tx = static_cast<int>(threadIdx.x) % columns,
                  ty = static_cast<int>(threadIdx.x) / columns;
        const ColorLayout& l = a.layout;
        const int first = static_cast<int>(blockIdx.x) * ownColumns + tx;
        y = static_cast<int>(blockIdx.y) * ownRows + ty;
        there = first < l.stride && y < l.size.y;
        owned = there && (blockIdx.x == 0 || tx >= haloColumns) &&
                (blockIdx.x + 1 == gridDim.x || tx < columns - haloColumns) &&
                (blockIdx.y == 0 || ty >= halves) &&
                (blockIdx.y + 1 == gridDim.y || ty < rows - halves);
        const int fromEdge =
            min(blockIdx.y == 0 ? rows : ty, blockIdx.y + 1 == gridDim.y ? rows : rows - 1 - ty);
        for (int color = 0; color < 2; ++color)
            solved[color] = there && fromEdge > color;
        begin = static_cast<int>(blockIdx.z) * a.depth;
        end = min(begin + a.depth, l.size.z);
        column = there ? static_cast<unsigned>(l.stride * y + first) : 0;
        // Voxels at a tile's edge are never correct: any neighbor will do for them.
        const int zero = threads - static_cast<int>(threadIdx.x);
        south = y == 0 ? zero : ty > 0 ? -columns : 0;
        north = y == l.size.y - 1 ? zero : ty < rows - 1 ? columns : 0;
        left = first == 0 ? zero : tx > 0 ? -1 : 0;
        right = first == l.stride - 1 ? zero : tx < columns - 1 ? 1 : 0;
    }
};

/// A block's march. Beyond the grid coefficients and values are zero and stay so.
class March {
public:
    __device__ March(const Problem& a, float* shared)
        : a_(a), place_(a), kept_(shared + threadIdx.x), shown_(shared + keptValues + threadIdx.x) {
        for (int k = 0; k < 3; ++k)
            smoothness_[k] = a.mark.state->smoothness[k];
        for (std::size_t i = threadIdx.x; i < sharedValues; i += threads)
            shared[i] = 0;
    }

    /// Returns the largest change of the second sweep.
    __device__ float run() {
        const int first = place_.begin - (halves - 1), last = place_.end + halves - 2;
        odd_ = ((place_.y + first) & 1) != 0;
        for (int age = 2; age >= 0; --age)
            fetchField(1, first + 1 - age, field_[1][age]);
        fetchField(0, first, field_[0][1]);
        fetchSystem(0, first);
        __syncthreads();
        show<0>(0, field_[1][1]);
        __syncthreads();
        for (int z = first; z <= last; z += 2) {
            step<0>(z);
            step<1>(z + 1);
        }
        return largest_;
    }

private:
    /// A thread's values of planes in turn: [age], 0 the newest.
    using Ring = float[halves + 2][3];

    /// The h-th half sweep is in the plane z − h, which is h + 1 old. Its voxels in a row have even
    /// x or odd x, the same for all half sweeps of a step.
    template <int Turn>
    __device__ void step(int z) {
        float next[2][3] = {};
        fetchField(1, z + 2, next[1]);
        fetchField(0, z + 1, next[0]);
#pragma unroll
        for (int h = 0; h < halves; ++h) {
            const int color = h & 1, plane = z - h;
            const float change = relax<Turn>(h, field_[1 - color], field_[color][h + 1]);
            if (h >= halves - 2 && place_.owned && plane >= place_.begin && plane < place_.end)
                largest_ = fmaxf(largest_, change);
            if (h + 1 < halves)
                show<1 - Turn>(h + 1, field_[color][h + 1]);
            if (h + 2 < halves)
                exchangeSystem<Turn>(color);
            else
                fetchSystem(color, z + 1 - color);
        }
        write(z - (halves - 1));
        show<1 - Turn>(0, field_[1][0]);
#pragma unroll
        for (int color = 0; color < 2; ++color)
#pragma unroll
            for (int k = 0; k < 3; ++k) {
#pragma unroll
                for (int age = halves + 1; age > 0; --age)
                    field_[color][age][k] = field_[color][age - 1][k];
                field_[color][1 - color][k] = next[color][k];
            }
        __syncthreads();
    }

    /// Relaxes the thread's voxel and returns the largest change. `other`: the other color.
    template <int Turn>
    __device__ float relax(int h, const Ring& other, float (&own)[3]) const {
        const int aside = odd_ != (Turn == 1) ? place_.right : place_.left;
        const float(&c)[9] = system_[h & 1];
        const float* seen = shown_ + (Turn * halves + h) * 3 * shownValues;
        float sum[3];
#pragma unroll
        for (int k = 0; k < 3; ++k, seen += shownValues)
            sum[k] =
                neighborSum(smoothness_, other[h + 1][k] + seen[aside],
                            seen[place_.south] + seen[place_.north], other[h + 2][k] + other[h][k]);
        float largest = 0;
        constexpr int index[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const float solved = solvedComponent(c[index[k][0]], c[index[k][1]], c[index[k][2]],
                                                 c[6 + k], sum[0], sum[1], sum[2]);
            largest = fmaxf(largest, relaxTo(solved, a_.omega, own[k]));
        }
        return largest;
    }

    __device__ bool holds(int z) const { return z >= 0 && z < a_.layout.size.z; }
    /// A volume's plane: the same for all threads, so that they need its offset once.
    __device__ std::size_t planeAt(int volume, int z) const {
        return static_cast<std::size_t>(volume) * a_.layout.plane + a_.layout.row(0, z);
    }
    __device__ void fetchField(int color, int z, float (&to)[3]) const {
        if (holds(z) && place_.there) {
#pragma unroll
            for (int k = 0; k < 3; ++k)
                to[k] = __ldcg(a_.from + planeAt(3 * color + k, z) + place_.column);
        }
    }
    /// Reads the system for the color's first half sweep.
    __device__ void fetchSystem(int color, int z) {
        if (!holds(z)) {
#pragma unroll
            for (int k = 0; k < 9; ++k)
                system_[color][k] = 0;
        } else if (place_.solved[color]) {
#pragma unroll
            for (int k = 0; k < 9; ++k)
                system_[color][k] = __ldcg(a_.system + planeAt(9 * color + k, z) + place_.column);
        }
    }
    /// Keeps the coefficients of the color's first half sweep, and takes those of its second, which
    /// were kept two steps before.
    template <int Turn>
    __device__ void exchangeSystem(int color) {
        float* place = kept_ + (2 * color + Turn) * 9 * threads;
#pragma unroll
        for (int k = 0; k < 9; ++k, place += threads) {
            const float before = *place;
            *place = system_[color][k];
            system_[color][k] = before;
        }
    }
    /// Place at which the h-th half sweep of a step reads the other color's plane; steps take
    /// turns.
    template <int Turn>
    __device__ void show(int h, const float (&plane)[3]) const {
        float* const to = shown_ + (Turn * halves + h) * 3 * shownValues;
#pragma unroll
        for (int k = 0; k < 3; ++k)
            to[k * shownValues] = plane[k];
    }
    __device__ void write(int z) const {
        if (!place_.owned || z < place_.begin || z >= place_.end)
            return;
#pragma unroll
        for (int color = 0; color < 2; ++color)
#pragma unroll
            for (int k = 0; k < 3; ++k)
                a_.to[planeAt(3 * color + k, z) + place_.column] = field_[color][halves][k];
    }

    const Problem& a_;
    const Place place_;
    float* const kept_;
    float* const shown_;
    float smoothness_[3];
    bool odd_ = false;   ///< parity at which the first step begins
    Ring field_[2] = {}; ///< rings of each color; the plane z + 1 − age
    float system_[2][9] = {};
    float largest_ = 0;
};

__global__ void __launch_bounds__(threads, 1) relaxTiles(const __grid_constant__ Problem problem) {
    extern __shared__ __align__(16) float shared[];
    __shared__ unsigned blockChange;
    if (problem.mark.state->done)
        return;
    const float change = March(problem, shared).run();
    takeChange(problem.mark, change, blockChange);
}

/// Planes that a block writes, so that the longest series of blocks on a multiprocessor takes the
/// fewest steps.
int depthFor(int planes, int tiles, int multiprocessors) {
    constexpr int beforeAndAfter = 2 * halves; // steps that fill and empty a block's pipeline
    int best = planes, fewest = std::numeric_limits<int>::max();
    for (int parts = 1; parts <= planes; ++parts) {
        const int depth = gpu::divideUp(planes, parts);
        const int blocks = tiles * gpu::divideUp(planes, depth);
        const int steps = gpu::divideUp(blocks, multiprocessors) * (depth + beforeAndAfter);
        if (steps < fewest) {
            fewest = steps;
            best = depth;
        }
    }
    return best;
}

/// Tiles along an axis of which the first and the last write their halo on the outside, too.
int tilesAlong(int length, int tile, int own) {
    return length <= tile ? 1 : 1 + gpu::divideUp(length - tile, own);
}

} // namespace

bool hasTiles(const CudaContext& cuda) {
    int available = 0;
    cudaCheck(cudaDeviceGetAttribute(&available, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                     cuda.device().index),
              "asking for the shared memory of a block");
    return sharedBytes <= static_cast<std::size_t>(available);
}

void relaxInTiles(const TwoSweeps& sweeps, LaunchLog& log) {
    const ColorLayout layout = colorLayoutOf(sweeps.size);
    const int across = tilesAlong(layout.stride, columns, ownColumns),
              along = tilesAlong(layout.size.y, rows, ownRows);
    Problem problem{layout, sweeps.system, sweeps.from, sweeps.to, sweeps.omega, 0, sweeps.mark};
    problem.depth = depthFor(layout.size.z, across * along, log.cuda().device().multiprocessors);
    const LaunchShape shape{
        dim3(static_cast<unsigned>(across), static_cast<unsigned>(along),
             static_cast<unsigned>(gpu::divideUp(layout.size.z, problem.depth))),
        dim3(threads), sharedBytes};
    const KernelNote note{redBlackFamily.kernel(variant),
                          (36 + 24) * static_cast<double>(sweeps.size.voxels())};
    cudaCheck(cudaFuncSetAttribute(relaxTiles, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(sharedBytes)),
              note.kernel.c_str());
    log.launch(note, relaxTiles, shape, problem);
}

} // namespace systole::clg
