#include "compute/methods/clg/solver/jacobi_fused_cuda.cuh"

#include <algorithm>

namespace systole::clg {
namespace {

// A block as tall as its planes in shared memory allow: this minimizes the halo's share of the
// work.
constexpr int tileX = 32, tileY = 31;
constexpr int cells = tileX * tileY;
constexpr int ownX = tileX - 4, ownY = tileY - 4;

/// A voxel's coefficients in registers, and the sum of the weights of its neighbors.
template <typename View>
struct HeldVoxel : View {
    float held[9];
    float total;
};

template <typename View>
__device__ inline float coefficientAt(const HeldVoxel<View>& s, std::size_t k, std::size_t) {
    return s.held[k];
}

/// Terms of a voxel's equation for one component: its neighbors' weighted sum and its own value.
struct NeighborSum {
    float weighted, here;
};

template <typename View>
__device__ inline Equation smoothness(const HeldVoxel<View>& s, const NeighborSum& c, Voxel) {
    return {s.total, c.weighted};
}

__device__ inline float at(const NeighborSum& c, Size3, Voxel) { return c.here; }

struct NeighborSums {
    NeighborSum sums[3];

    __device__ const NeighborSum& component(int k) const { return sums[k]; }
};

/// A thread's column of a field: three planes in turn.
struct Column {
    float below[3], here[3], above[3];

    __device__ void advance() {
        for (int k = 0; k < 3; ++k) {
            below[k] = here[k];
            here[k] = above[k];
        }
    }
};

/// Weights of the neighbors in x and y; 0 where there is none.
struct PlaneWeights {
    float left, right, back, front;

    __device__ float total() const { return left + right + back + front; }
};

/// Jacobi's step at the plane of column.here, whose neighbors in the plane are in the tile.
template <typename View>
__device__ inline std::array<float, 3> stepAt(HeldVoxel<View>& s, const Column& column,
                                              const float* tile, const PlaneWeights& w,
                                              float weightBelow, float weightAbove, Voxel p) {
    NeighborSums field;
    s.total = w.total() + weightBelow + weightAbove;
    for (int k = 0; k < 3; ++k) {
        const float* plane = tile + k * cells;
        field.sums[k] = {w.left * plane[-1] + w.right * plane[1] + w.back * plane[-tileX] +
                             w.front * plane[tileX] + weightBelow * column.below[k] +
                             weightAbove * column.above[k],
                         column.here[k]};
    }
    return jacobiStep<float>(s, field, p);
}

/// Two sweeps: the first runs a plane and a column ahead of the second on every side. A thread has
/// a column of the tile, including a halo of two; the values above and below stay in its registers,
/// two planes of each field in turn in shared memory, so that a plane costs one barrier.
/// Long because both sweeps work on the same registers.
template <typename View>
__global__ void __launch_bounds__(cells)
    sweepTwicePlain(const View view, Planes<const float> from, Planes<float> to, int march,
                    SweepMark mark) {
    __shared__ float input[2][3 * cells], once[2][3 * cells];
    __shared__ unsigned blockChange;
    if (mark.state->done)
        return;
    HeldVoxel<View> s{view.loaded(), {}, 0};
    const Size3 size = s.size();
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    const int x = static_cast<int>(blockIdx.x) * ownX + tx - 2;
    const int y = static_cast<int>(blockIdx.y) * ownY + ty - 2;
    const int begin = static_cast<int>(blockIdx.z) * march;
    const int end = min(begin + march, size.z);
    const int cell = tx + tileX * ty;
    const bool inside = x >= 0 && y >= 0 && x < size.x && y < size.y;
    const auto within = [&](int rim) {
        return inside && tx >= rim && ty >= rim && tx < tileX - rim && ty < tileY - rim;
    };
    const bool first = within(1), second = within(2);
    const PlaneWeights w{x > 0 ? s.smoothness[0] : 0, x + 1 < size.x ? s.smoothness[0] : 0,
                         y > 0 ? s.smoothness[1] : 0, y + 1 < size.y ? s.smoothness[1] : 0};
    const auto plane = static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y);
    const auto column = static_cast<std::size_t>(x) +
                        static_cast<std::size_t>(size.x) * static_cast<std::size_t>(y);

    Column field{}, swept{};
    float behind[9] = {}; // coefficients of the plane of the second sweep
    float next[3] = {};   // values of the field, read ahead
    const int start = max(begin - 2, 0);
    const auto read = [&](int z) {
        for (int k = 0; k < 3; ++k)
            next[k] = inside && z < size.z
                          ? from.plane[k][column + plane * static_cast<std::size_t>(z)]
                          : 0;
    };
    read(start);
    float largest = 0;
    for (int z = start; z < end + 2; ++z) {
        field.advance();
        swept.advance();
        for (int k = 0; k < 9; ++k)
            behind[k] = s.held[k];
        for (int k = 0; k < 3; ++k) {
            field.above[k] = next[k];
            input[z & 1][k * cells + cell] = next[k];
            swept.above[k] = 0;
        }
        const Voxel ahead{x, y, z - 1};
        const bool sweeps = first && ahead.z >= max(begin - 1, 0) && ahead.z < size.z;
        if (sweeps) {
            const std::size_t i = column + plane * static_cast<std::size_t>(ahead.z);
            for (std::size_t k = 0; k < 9; ++k)
                s.held[k] = s.coefficients(k, i);
        }
        read(z + 1);
        if (sweeps) {
            const std::array<float, 3> solved =
                stepAt(s, field, &input[(z - 1) & 1][cell], w, ahead.z > 0 ? s.smoothness[2] : 0,
                       z < size.z ? s.smoothness[2] : 0, ahead);
            for (int k = 0; k < 3; ++k)
                swept.above[k] = solved[static_cast<std::size_t>(k)];
        }
        for (int k = 0; k < 3; ++k)
            once[(z - 1) & 1][k * cells + cell] = swept.above[k];
        const Voxel p{x, y, z - 2};
        if (second && p.z >= begin) {
            HeldVoxel<View> now = s;
            for (int k = 0; k < 9; ++k)
                now.held[k] = behind[k];
            const std::array<float, 3> solved =
                stepAt(now, swept, &once[z & 1][cell], w, p.z > 0 ? s.smoothness[2] : 0,
                       p.z + 1 < size.z ? s.smoothness[2] : 0, p);
            const std::size_t i = column + plane * static_cast<std::size_t>(p.z);
            for (int k = 0; k < 3; ++k) {
                const float value = solved[static_cast<std::size_t>(k)];
                to.plane[k][i] = value;
                largest = fmaxf(largest, fabsf(value - swept.here[k]));
            }
        }
        __syncthreads();
    }
    takeChange(mark, largest, blockChange);
}

/// Planes per march: among the ways to cut the volume that fill the device in whole waves, the one
/// with the fewest planes to process, four more than a march's own.
int planesOfMarch(Size3 size, int tiles, int slots) {
    int best = size.z;
    long lowest = -1;
    for (int marches = 1; marches <= std::max(1, size.z / 8); ++marches) {
        const int planes = (size.z + marches - 1) / marches;
        const long waves = (static_cast<long>(tiles) * marches + slots - 1) / slots;
        const long cost = waves * (planes + 4);
        if (lowest < 0 || cost < lowest) {
            lowest = cost;
            best = planes;
        }
    }
    return best;
}

} // namespace

void sweepTwiceWithoutBeta(const SweepJob& job, LaunchLog& log) {
    const Size3 size = job.system.size;
    LaunchShape shape;
    shape.block = dim3(tileX, tileY);
    shape.grid = dim3(static_cast<unsigned>((size.x + ownX - 1) / ownX),
                      static_cast<unsigned>((size.y + ownY - 1) / ownY));
    const auto run = [&](auto view) {
        const auto kernel = sweepTwicePlain<decltype(view)>;
        int blocks = 0;
        cudaCheck(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, cells, 0),
                  "asking for the active blocks of a kernel");
        const int slots = std::max(1, blocks) * log.cuda().device().multiprocessors;
        const int march = planesOfMarch(size, static_cast<int>(shape.grid.x * shape.grid.y), slots);
        shape.grid.z = static_cast<unsigned>((size.z + march - 1) / march);
        log.launch(fusedNote(job, march), kernel, shape, view, job.from, job.to, march, job.mark);
    };
    if (job.system.stencil == DivergenceStencil::Energy)
        withCoefficients<Load::Cached, false, DivergenceStencil::Energy>(job.system, job.half, run);
    else
        withCoefficients<Load::Cached, false, DivergenceStencil::Paper>(job.system, job.half, run);
}

} // namespace systole::clg
