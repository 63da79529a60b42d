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

__global__ void __launch_bounds__(mostForceThreads)
    forceFused(const __grid_constant__ ForceStep s, int planes) {
    if (isIdle(s))
        return;
    extern __shared__ float fluxesAlongY[]; // of two planes: component, row
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
    const auto plane = static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y);
    const auto offset = [&](int atX, int atY) {
        return w.componentView(0).offset(clampedIndex(atX, size.x), clampedIndex(atY, size.y), 0);
    };
    const std::size_t here = offset(x, y), aheadY = offset(x, y + 1), behindY = offset(x, y - 1);
    const bool atEdge = lane == 0 || lane == gpu::tileX - 1;
    const std::size_t edge = offset(lane == 0 ? x - 1 : x + 1, y);
    const float factorX = differenceFactor(x, size.x), factorY = differenceFactor(y, size.y);
    const TransposedDifference alongX = transposedDifference(x, size.x),
                               alongY = transposedDifference(y, size.y);
    const auto planeAt = [&](int z) {
        return static_cast<std::size_t>(clampedIndex(z, size.z)) * plane;
    };

    float behind[3], now[3]; // displacements of the column
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        behind[i] = w.component(i)[here + planeAt(begin - 2)];
        now[i] = w.component(i)[here + planeAt(begin - 1)];
    }
    Vector below{}, middle{}; // fluxes along z of the last two planes
    Vector within{};          // the last plane's force without them
    Deformation last{};
    double2 total{0, 0};
    // A plane's force is complete one plane later.
    for (int z = begin - 1; z <= end; ++z) {
        const std::size_t at = planeAt(z), next = planeAt(z + 1);
        const float factorZ = differenceFactor(z, size.z);
        Deformation m{};
        float ahead[3];
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            const float* const component = w.component(i);
            ahead[i] = component[here + next];
            float left = fromLeft(now[i]), right = fromRight(now[i]);
            if (atEdge)
                (lane == 0 ? left : right) = component[edge + at];
            m.m[i][0] = factorX * (right - left);
            m.m[i][1] = factorY * (component[aheadY + at] - component[behindY + at]);
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
                force.v[i] =
                    within.v[i] + s.rule.lambda * (t.ahead * above.v[i] + t.here * middle.v[i] +
                                                   t.behind * below.v[i]);
            writeForce(s, x, y, z - 1, last, force);
        }
        if (z >= begin && z < end) {
            float* const shared = fluxesAlongY + (z & 1) * 3 * rows * gpu::tileX;
            const auto stored = [&](int i, int atRow) -> float& {
                return shared[(i * rows + atRow) * gpu::tileX + lane];
            };
#pragma unroll
            for (int i = 0; i < 3; ++i) {
                const float alongRow = flux.along(i, 0);
                within.v[i] = alongX.ahead * fromRight(alongRow) + alongX.here * alongRow +
                              alongX.behind * fromLeft(alongRow) + alongY.here * flux.along(i, 1);
                stored(i, row) = flux.along(i, 1);
            }
            // The other plane's fluxes are overwritten after the next barrier.
            __syncthreads();
            if (own) {
                const DataTerm data = dataTermAt(s.frames, now, x, y, z);
#pragma unroll
                for (int i = 0; i < 3; ++i)
                    within.v[i] = data.force.v[i] +
                                  s.rule.lambda * (within.v[i] + alongY.ahead * stored(i, row + 1) +
                                                   alongY.behind * stored(i, row - 1));
                addEnergy(total, s, data.energy, flux);
            }
        }
        below = middle;
        middle = above;
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

/// Of a voxel: each thread, of those that write nothing, too.
KernelCost cost(int rows) {
    const double threads = 32.0 * rows / (30.0 * (rows - 2));
    return frameCost + threads * (fluxCost + KernelCost{.add = 9,
                                                        .multiply = 20,
                                                        .fusedMultiplyAdd = 18,
                                                        .integer = 80,
                                                        .globalLoads = 12,
                                                        .sharedAccesses = 9,
                                                        .barriers = 1});
}

} // namespace

const ForceKernel fusedForce{forceFused, cost, "10forceFused", 16, 2, 2, sharedFloats};

} // namespace systole::unbiased
