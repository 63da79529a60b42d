// One color of a system with beta in the layout of DeviceColors; the formulas are those of
// divergence_rows.h.
#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/color_layout.cuh"
#include "compute/methods/clg/solver/costs.h"
#include "compute/methods/clg/solver/red_black_cuda.cuh"

namespace systole::clg {
namespace {

constexpr int group = 2;     ///< voxels that a thread relaxes; more would need too many registers
constexpr int minBlocks = 2; ///< resident blocks per multiprocessor
constexpr int colors = redBlackFamily.named("colors");
constexpr int standardThreads = redBlackFamily.at(colors).standardThreads;

struct Pair {
    float v[group];
};
template <bool Streaming>
__device__ inline Pair loadPair(const float* p) {
    const auto* q = reinterpret_cast<const float2*>(p);
    const float2 f = Streaming ? __ldcs(q) : *q;
    return {{f.x, f.y}};
}

/// Arguments of a launch, which relaxes one color.
struct ColorPass {
    ColorLayout layout;
    const float* system;
    float* field;
    const float* weight; ///< factor on beta, in the field's layout; null: 1
    float beta;
    float scale[3];
    float omega;
    int color;
};

/// A thread's two voxels and the rows around them. Neighboring rows: y−1, y+1, z−1, z+1.
struct Place {
    const float* own;   ///< u of the voxels themselves; rows beside a neighboring row
    const float* other; ///< u of their row's other half; the neighboring rows
    std::size_t plane;  ///< distance of two components
    std::ptrdiff_t step[4];
    bool inside[4];
    int shift;     ///< x-neighbors of the m-th are at m + shift − 1 and m + shift
    int low, high; ///< offsets of the values on either side of the pair, inside the row
    bool atStart;  ///< its first voxel has none behind
    int last;      ///< number of its voxel that has none ahead; else not 0 or 1

    __device__ const float* of(const float* half, int k) const {
        return half + static_cast<std::size_t>(k) * plane;
    }
    /// Values at x − 1 and x + 1 of a row of the other half; at the row's ends, `end`.
    __device__ void sideways(const float* row, const Pair& end, Pair& behind, Pair& ahead) const {
        const Pair beside = loadPair<false>(row);
        const float edge = row[shift ? high : low];
        behind.v[0] = atStart ? end.v[0] : shift ? beside.v[0] : edge;
        behind.v[1] = shift ? beside.v[1] : beside.v[0];
        ahead.v[0] = last == 0 ? end.v[0] : shift ? beside.v[1] : beside.v[0];
        ahead.v[1] = last == 1 ? end.v[1] : shift ? edge : beside.v[1];
    }
};

/// One thread per pair of voxels of the color. Long because everything here works on the pair's
/// values in registers.
template <bool Weighted, bool Streaming, int Most>
__global__ void __launch_bounds__(Most, Most > standardThreads ? 1 : minBlocks)
    relaxPairs(const ColorPass pass, SweepMark mark) {
    __shared__ unsigned blockChange;
    if (mark.state->done)
        return;
    const ColorLayout& layout = pass.layout;
    const Size3 size = layout.size;
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const auto groups = static_cast<unsigned>(layout.groupsOfRow(group));
    const auto rows = static_cast<unsigned>(size.y + 1) / 2;
    const unsigned rowIndex = index / groups;
    const int first = static_cast<int>(index % groups) * group;
    const int z = static_cast<int>(rowIndex / rows);
    const int xy = pass.color >> 1, xz = pass.color & 1;
    const int y = 2 * static_cast<int>(rowIndex % rows) + ((z + xy + xz) & 1);
    float largest = 0;
    if (z < size.z && y < size.y) {
        const auto parity = static_cast<std::size_t>((xy + z) & 1);
        const std::size_t cell = layout.row(y, z) + static_cast<std::size_t>(first);
        const float* const coefficients = pass.system + 9 * parity * layout.plane +
                                          layout.rowOfSystem(y, z) +
                                          static_cast<std::size_t>(first);
        Pair c[9];
        for (std::size_t k = 0; k < 9; ++k)
            c[k] = loadPair<Streaming>(coefficients + k * layout.plane);
        Place at;
        at.plane = layout.plane;
        at.own = pass.field + 3 * parity * layout.plane + cell;
        at.other = pass.field + 3 * (1 - parity) * layout.plane + cell;
        const std::ptrdiff_t up = layout.stride, over = up * size.y;
        at.step[0] = -up;
        at.step[1] = up;
        at.step[2] = -over;
        at.step[3] = over;
        at.inside[0] = y > 0;
        at.inside[1] = y < size.y - 1;
        at.inside[2] = z > 0;
        at.inside[3] = z < size.z - 1;
        at.shift = (static_cast<int>(parity) + y + z) & 1;
        at.low = first > 0 ? -1 : 0;
        at.high = first + group < layout.stride ? group : 0;
        at.atStart = at.shift == 0 && first == 0;
        at.last = ((size.x - 1) & 1) == at.shift ? (size.x - 1) / 2 - first : -1;

        // Rows that are missing are read from this voxel's own instead, and not used: without
        // branches all loads can be under way together.
        Pair across[4][3];
        for (int n = 0; n < 4; ++n)
            for (int k = 0; k < 3; ++k) {
                const Pair value =
                    loadPair<false>(at.of(at.other, k) + (at.inside[n] ? at.step[n] : 0));
                for (int m = 0; m < group; ++m)
                    across[n][k].v[m] = at.inside[n] ? value.v[m] : 0;
            }
        const float *ownWeight = nullptr, *otherWeight = nullptr;
        if (Weighted) {
            ownWeight = pass.weight + parity * layout.plane + cell;
            otherWeight = pass.weight + (1 - parity) * layout.plane + cell;
        }
        Pair cOwn{}, cBehind{}, cAhead{};
        if (Weighted) {
            cOwn = loadPair<false>(ownWeight);
            at.sideways(otherWeight, cOwn, cBehind, cAhead);
        }
        const float* const s = pass.scale;
        const float quarter = 0.25f * pass.beta;
        const float xyFactor = quarter * s[0] * s[1], xzFactor = quarter * s[0] * s[2],
                    yzFactor = quarter * s[1] * s[2];
        const Pair zero{};
        Pair rest[3];
        // Neighbors along x, and what u gets from v and w there.
        for (int k = 0; k < 3; ++k) {
            Pair behind, ahead;
            at.sideways(at.of(at.other, k), zero, behind, ahead);
            const float smoothness = mark.state->smoothness[0];
            const float edge = k == 0 ? 0.5f * pass.beta * s[0] * s[0] : 0;
            for (int m = 0; m < group; ++m) {
                rest[k].v[m] = smoothness * (behind.v[m] + ahead.v[m]);
                if (k == 0)
                    rest[0].v[m] += Weighted ? edge * ((cOwn.v[m] + cBehind.v[m]) * behind.v[m] +
                                                       (cOwn.v[m] + cAhead.v[m]) * ahead.v[m])
                                             : 2 * edge * (behind.v[m] + ahead.v[m]);
            }
        }
        {
            // Differences along y of v and along z of w, at x − 1, x + 1 and, for the row's ends,
            // at x.
            Pair low{}, high{}, here{};
            for (int n = 0; n < 4; ++n) {
                const int k = n < 2 ? 1 : 2;
                const float factor = (n % 2 ? 1.0f : -1.0f) * (n < 2 ? xyFactor : xzFactor);
                Pair behind, ahead;
                at.sideways(at.inside[n] ? at.of(at.own, k) + at.step[n] : at.of(at.other, k), zero,
                            behind, ahead);
                for (int m = 0; m < group; ++m) {
                    low.v[m] += factor * behind.v[m];
                    high.v[m] += factor * ahead.v[m];
                    here.v[m] += factor * across[n][k].v[m];
                }
            }
            for (int m = 0; m < group; ++m) {
                const float own = Weighted ? -cOwn.v[m] * here.v[m] : -here.v[m];
                const float before = m == 0 && at.atStart ? own
                                     : Weighted           ? cBehind.v[m] * low.v[m]
                                                          : low.v[m];
                const float after = m == at.last ? own
                                    : Weighted   ? cAhead.v[m] * high.v[m]
                                                 : high.v[m];
                rest[0].v[m] += after - before;
            }
        }
        // Neighbors along y and z, and what v and w get there.
        for (int n = 0; n < 4; ++n) {
            const int axis = n < 2 ? 1 : 2, third = 3 - axis;
            const bool inside = at.inside[n];
            const std::ptrdiff_t step = inside ? at.step[n] : 0;
            Pair weight{};
            if (Weighted)
                weight = loadPair<false>(inside ? otherWeight + step : ownWeight);
            Pair behind, ahead;
            at.sideways(inside ? at.own + step : at.other, across[n][0], behind, ahead);
            // The third component, a row behind and a row ahead of the neighbor.
            Pair difference{};
            for (int t = 0; t < 2; ++t) {
                const int to = n < 2 ? 2 + t : t;
                const Pair value = loadPair<false>(at.of(at.own, third) +
                                                   (at.inside[to] ? step + at.step[to] : 0));
                for (int m = 0; m < group; ++m) {
                    const float there = !inside         ? across[to][third].v[m]
                                        : at.inside[to] ? value.v[m]
                                                        : across[n][third].v[m];
                    difference.v[m] += t ? there : -there;
                }
            }
            const float smoothness = mark.state->smoothness[axis];
            const float edge = 0.5f * pass.beta * s[axis] * s[axis];
            const float sign = (n % 2 ? 1.0f : -1.0f) * (inside ? 1.0f : -1.0f);
            const float alongX = sign * (n < 2 ? xyFactor : xzFactor), along = sign * yzFactor;
            for (int m = 0; m < group; ++m) {
                for (int k = 0; k < 3; ++k)
                    rest[k].v[m] += smoothness * across[n][k].v[m];
                const float mixed = alongX * (ahead.v[m] - behind.v[m]) + along * difference.v[m];
                rest[axis].v[m] += Weighted
                                       ? edge * (cOwn.v[m] + weight.v[m]) * across[n][axis].v[m] +
                                             weight.v[m] * mixed
                                       : 2 * edge * across[n][axis].v[m] + mixed;
            }
        }
        constexpr int entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
        float* const out = pass.field + 3 * parity * layout.plane + cell;
        for (std::size_t k = 0; k < 3; ++k) {
            Pair value = loadPair<false>(out + k * layout.plane);
            for (int m = 0; m < group; ++m) {
                const float solved = c[6 + k].v[m] + c[entry[k][0]].v[m] * rest[0].v[m] +
                                     c[entry[k][1]].v[m] * rest[1].v[m] +
                                     c[entry[k][2]].v[m] * rest[2].v[m];
                const float change = pass.omega * (solved - value.v[m]);
                value.v[m] += change;
                largest = fmaxf(largest, fabsf(change));
            }
            *reinterpret_cast<float2*>(out + k * layout.plane) = {value.v[0], value.v[1]};
        }
    }
    takeChange(mark, largest, blockChange);
}

/// Two voxels of a color: loads of two values, and one beside each row of the other half.
KernelCost pairCost(bool weighted) {
    KernelCost c;
    c.globalLoads = 9 + 3 + 12 + 8 + 2 * 11 + 3;
    c.globalStores = 3;
    c.add = 66;
    c.multiply = 24;
    c.fusedMultiplyAdd = 78;
    c.integer = 260;
    if (weighted) {
        c.globalLoads += 7;
        c.add += 12;
        c.multiply += 24;
    }
    return c;
}

} // namespace

void DeviceColors::sweepWithDivergence(float omega, int sweep, const SweepCourse& course,
                                       LaunchLog& log) {
    const ColorLayout layout = colorLayoutOf(size_);
    const auto voxels = static_cast<double>(size_.voxels());
    // A quarter of the coefficients and of the field, and the rest of the field with its weight.
    KernelNote note{redBlackFamily.kernel(colors) + " beta",
                    voxels * (36 / 4.0 + 12 + 12 / 4.0 + (weighted_ ? 4 : 0))};
    const int threads = gpu::threadsOfBlock(log, note.kernel, standardThreads);
    const std::size_t pairs = static_cast<std::size_t>(layout.groupsOfRow(group)) *
                              static_cast<std::size_t>((size_.y + 1) / 2) *
                              static_cast<std::size_t>(size_.z);
    const LaunchShape shape = gpu::threadsOver(pairs, threads);
    note.cost = gpu::perThread(shape, static_cast<double>(pairs), pairCost(weighted_));
    ColorPass pass{layout,        reinterpret_cast<const float*>(system_.data()),
                   field_.data(), weighted_ ? weight_.data() : nullptr,
                   beta_,         {scale_[0], scale_[1], scale_[2]},
                   omega,         0};
    const bool streaming = systemIsStreamed();
    gpu::withBound<standardThreads>(threads, [&](auto most) {
        constexpr int bound = decltype(most)::value;
        const auto kernel =
            weighted_
                ? (streaming ? relaxPairs<true, true, bound> : relaxPairs<true, false, bound>)
                : (streaming ? relaxPairs<false, true, bound> : relaxPairs<false, false, bound>);
        for (pass.color = 0; pass.color < colorsOf(beta_); ++pass.color)
            log.launch(note, kernel, shape, pass,
                       course.mark(sweep, pass.color + 1 == colorsOf(beta_)));
    });
}

} // namespace systole::clg
