// `fused`: a warp is 32 voxels of a row, of which 30 are its own; a block has a row more at either
// side. Each thread marches along z with the displacements and fluxes of its column in registers,
// gets its neighbors' along x by shuffles, their displacements along y from the L1 cache and the
// fluxes there from shared memory: one barrier a plane.
#include "compute/methods/unbiased/force_device.cuh"

namespace systole::unbiased {
namespace {

constexpr unsigned everyLane = 0xffffffffu;

__device__ inline float fromLeft(float value) { return __shfl_up_sync(everyLane, value, 1); }
__device__ inline float fromRight(float value) { return __shfl_down_sync(everyLane, value, 1); }

/// Ends of an axis at which a voxel lies. Transposed differences are half the difference of the
/// neighbors' fluxes where those of the ends count twice, and −2 times an end's own flux stands for
/// the one beyond it.
struct Ends {
    bool first, last;

    __device__ Ends(int position, int n) : first(position == 0), last(position == n - 1) {}
    __device__ float differenceFactor() const { return first || last ? 1.0f : 0.5f; }
    __device__ float offered(float flux) const { return first || last ? 2 * flux : flux; }
    __device__ float difference(float behind, float own, float ahead) const {
        return 0.5f * ((last ? -2 * own : ahead) - (first ? -2 * own : behind));
    }
};

/// Long because the fluxes of a voxel stay in registers from where they arise to where they are
/// used.
template <int MinBlocks>
__global__ void __launch_bounds__(maxForceThreads, MinBlocks)
    forceFused(const __grid_constant__ ForceStep s, int planes) {
    gpu::waitForKernelBefore();
    if (isIdle(s))
        return;
    extern __shared__ float fluxesAlongY[]; // fluxes of two planes by component and row
    const FieldView<const float> w = motionOf(s);
    const Size3 size = w.size;
    const int lane = static_cast<int>(threadIdx.x), row = static_cast<int>(threadIdx.y),
              rows = static_cast<int>(blockDim.y);
    const int x = static_cast<int>(blockIdx.x) * (gpu::tileX - 2) + lane - 1,
              y = static_cast<int>(blockIdx.y) * (rows - 2) + row - 1;
    const bool own =
        lane > 0 && lane < gpu::tileX - 1 && row > 0 && row < rows - 1 && x < size.x && y < size.y;
    const int begin = static_cast<int>(blockIdx.z) * planes, end = min(begin + planes, size.z);

    // Beyond the border the nearest voxel is repeated, so that differences are one-sided there.
    const auto offset = [&](int atX, int atY) {
        return static_cast<unsigned>(clampedIndex(atX, size.x)) +
               static_cast<unsigned>(size.x) * static_cast<unsigned>(clampedIndex(atY, size.y));
    };
    const unsigned here = offset(x, y), aheadY = offset(x, y + 1), behindY = offset(x, y - 1);
    const bool atEdge = lane == 0 || lane == gpu::tileX - 1;
    const unsigned edge = offset(lane == 0 ? x - 1 : x + 1, y);
    const Ends alongX(x, size.x), alongY(y, size.y);
    const auto planeAt = [&](int component, int z) {
        return w.componentView(component).row(0, clampedIndex(z, size.z));
    };

    float behind[3], now[3]; // displacements of the column
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        behind[i] = planeAt(i, begin - 2)[here];
        now[i] = planeAt(i, begin - 1)[here];
    }
    Vector within{}; // the last plane's force, except for the flux above it
    Vector below{};  // the last plane's flux along z
    Deformation last{};
    double2 total{0, 0};
    // A plane's force is complete one plane later.
    for (int z = begin - 1; z <= end; ++z) {
        const float factorZ = differenceFactor(z, size.z);
        Deformation m{};
        float ahead[3];
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            const float* const plane = planeAt(i, z);
            ahead[i] = planeAt(i, z + 1)[here];
            float left = fromLeft(now[i]), right = fromRight(now[i]);
            if (atEdge)
                (lane == 0 ? left : right) = plane[edge];
            m.m[i][0] = alongX.differenceFactor() * (right - left);
            m.m[i][1] = alongY.differenceFactor() * (plane[aheadY] - plane[behindY]);
            m.m[i][2] = factorZ * (ahead[i] - behind[i]);
            m.m[i][i] += 1;
        }
        const Flux flux(m);
        const Vector above{{flux.along(0, 2), flux.along(1, 2), flux.along(2, 2)}};
        if (own && z > begin) {
            const TransposedDifference t = transposedDifference(z - 1, size.z);
            Vector force{};
#pragma unroll
            for (int i = 0; i < 3; ++i)
                force.v[i] = forceWith(within.v[i], s.rule.lambda, t, above.v[i]);
            writeForce(s, x, y, z - 1, last, force);
        }
        if (z >= begin && z < end) {
            float* const shared = fluxesAlongY + (z & 1) * 3 * rows * gpu::tileX;
            const auto stored = [&](int i, int atRow) -> float& {
                return shared[(i * rows + atRow) * gpu::tileX + lane];
            };
            const TransposedDifference t = transposedDifference(z, size.z);
#pragma unroll
            for (int i = 0; i < 3; ++i) {
                const float alongRow = flux.along(i, 0), offered = alongX.offered(alongRow);
                within.v[i] = withFluxesBehind(
                    alongX.difference(fromLeft(offered), alongRow, fromRight(offered)), t,
                    below.v[i], above.v[i]);
                stored(i, row) = alongY.offered(flux.along(i, 1));
            }
            // The data term stands before the barrier, so that its loads don't wait for the block.
            DataTerm data{};
            if (own)
                data = dataTermAt(s, now, x, y, z);
            // The other plane's fluxes are overwritten after the next barrier.
            __syncthreads();
            if (own) {
#pragma unroll
                for (int i = 0; i < 3; ++i)
                    within.v[i] = forceBelow(data.force.v[i], s.rule.lambda, within.v[i],
                                             alongY.difference(stored(i, row - 1), flux.along(i, 1),
                                                               stored(i, row + 1)));
                addEnergy(total, s, data.energy, flux);
            }
        }
        below = above;
        last = m;
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            behind[i] = now[i];
            now[i] = ahead[i];
        }
    }
    conclude(s, total);
}

std::size_t sharedFloats(int rows) { return static_cast<std::size_t>(2 * 3 * rows * gpu::tileX); }

/// A thread's plane; twelve shuffles are among the integer operations.
constexpr KernelCost threadCost = frameCost + fluxCost +
                                  KernelCost{.add = 13,
                                             .multiply = 20,
                                             .fusedMultiplyAdd = 12,
                                             .integer = 110,
                                             .globalLoads = 12,
                                             .sharedAccesses = 9,
                                             .barriers = 1};

/// Warps in a block's outer rows compute fluxes alone; they are counted as the others.
KernelCost cost(int rows) {
    const double threads = 32.0 * rows / (30.0 * (rows - 2));
    return threads * threadCost;
}

CompiledCost compiled(const std::string& kernel) {
    return {kernel, "10forceFusedILi2E", "loop", "FFMA", threadCost};
}

} // namespace

const ForceKernel fusedForce{forceFused<2>, cost, compiled, 32, 2, 2, sharedFloats};

} // namespace systole::unbiased
