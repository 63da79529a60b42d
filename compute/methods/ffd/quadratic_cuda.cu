#include "compute/core/unroll.h"
#include "compute/methods/ffd/quadratic_cuda.cuh"
#include "compute/methods/ffd/quadratic_tiles.h"
#include "compute/ops/fused_math.h"

#include <utility>

namespace systole::gpu {
namespace {

using quadratic::Kinds;
using quadratic::reach;
using quadratic::slots;
using quadratic::Tile;
using quadratic::Tiles;

constexpr int width = 2 * reach + 1;
constexpr int heldX = quadratic::tileX + 2 * reach, heldY = quadratic::tileY + 2 * reach;

/// The rows of all bands at one index of an axis.
struct BandRows {
    float of[slots][width];

    /// `bands`: those of the axis, of `length` rows each.
    __device__ BandRows(const float* bands, int length, int index) {
        SYSTOLE_UNROLL
        for (int slot = 0; slot < slots; ++slot)
            SYSTOLE_UNROLL
        for (int d = 0; d < width; ++d)
            of[slot][d] = bands[(slot * length + index) * width + d];
    }
};

/// A plane of points with its surroundings, and the same after the bands along x.
struct Plane {
    float points[heldY][heldX];
    float alongX[slots][heldY][quadratic::tileX];
};

/// One term's products along y, to the sums that its band along z will take.
template <Kinds K, int To, int From, int N>
__device__ inline void addTerm(const Plane& plane, const BandRows& y, const DeviceForm& form,
                               float (&sums)[slots]) {
    constexpr QuadraticTerm term = quadratic::termAt(N);
    if constexpr (quadratic::takesPart(K, N) && term.to == To && term.from == From) {
        constexpr int slotX = quadratic::slotOf(term.a[0], term.b[0]),
                      slotY = quadratic::slotOf(term.a[1], term.b[1]),
                      slotZ = quadratic::slotOf(term.a[2], term.b[2]);
        float sum = 0;
        SYSTOLE_UNROLL
        for (int d = 0; d < width; ++d)
            sum = fmaf(y.of[slotY][d], plane.alongX[slotX][threadIdx.y + d][threadIdx.x], sum);
        const float weight = static_cast<float>(term.weight) *
                             (quadratic::isBending(N) ? form.bending : form.elasticity) *
                             form.unit[To] * form.unit[From];
        sums[slotZ] = fmaf(weight, sum, sums[slotZ]);
    }
}
template <Kinds K, int To, int From, int... N>
__device__ inline void addTerms(std::integer_sequence<int, N...>, const Plane& plane,
                                const BandRows& y, const DeviceForm& form, float (&sums)[slots]) {
    (addTerm<K, To, From, N>(plane, y, form, sums), ...);
}

template <Kinds K, int To, int From, int Slot>
__device__ inline void bandAlongX(Plane& plane, int row, const BandRows& x,
                                  const float (&values)[width]) {
    if constexpr (quadratic::needs(K, To, From, Slot)) {
        float sum = 0;
        SYSTOLE_UNROLL
        for (int d = 0; d < width; ++d)
            sum = fmaf(x.of[Slot][d], values[d], sum);
        plane.alongX[Slot][row][threadIdx.x] = sum;
    }
}

/// Adds the contribution of plane z of component From to the sums of component To.
/// Many parameters because some are shared memory, some registers and some arguments of the kernel.
template <Kinds K, int To, int From>
__device__ inline void addPlane(Plane& plane, const Tile& tile, Size3 n, int z, const float* at,
                                const float* more, const BandRows& x, const BandRows& y,
                                const DeviceForm& form, float (&sums)[slots]) {
    if constexpr (quadratic::needs(K, To, From, -1)) {
        const int thread = static_cast<int>(threadIdx.x + quadratic::tileX * threadIdx.y);
        for (int cell = thread; cell < heldX * heldY; cell += quadratic::tileX * quadratic::tileY) {
            const int row = cell / heldX, column = cell % heldX;
            const int i = tile.first.x - reach + column, j = tile.first.y - reach + row;
            float value = 0;
            if (i >= 0 && i < n.x && j >= 0 && j < n.y) {
                const std::size_t p =
                    From * n.voxels() + VolumeView<const float>(nullptr, n).offset(i, j, z);
                value = more ? at[p] + more[p] : at[p];
            }
            plane.points[row][column] = value;
        }
        __syncthreads();
        for (int row = static_cast<int>(threadIdx.y); row < heldY; row += quadratic::tileY) {
            float values[width];
            SYSTOLE_UNROLL
            for (int d = 0; d < width; ++d)
                values[d] = plane.points[row][threadIdx.x + d];
            bandAlongX<K, To, From, 0>(plane, row, x, values);
            bandAlongX<K, To, From, 1>(plane, row, x, values);
            bandAlongX<K, To, From, 2>(plane, row, x, values);
            bandAlongX<K, To, From, 3>(plane, row, x, values);
            bandAlongX<K, To, From, 4>(plane, row, x, values);
        }
        __syncthreads();
        addTerms<K, To, From>(std::make_integer_sequence<int, quadratic::termCount>(), plane, y,
                              form, sums);
    }
}

/// Marches along z through a tile with the sums of seven planes in registers; returns the thread's
/// part of the energy.
template <Kinds K, int To>
__device__ double march(Plane& plane, const Tile& tile, Size3 n, const float* at, const float* more,
                        const DeviceForm& form, float* gradient) {
    const int i = tile.first.x + static_cast<int>(threadIdx.x),
              j = tile.first.y + static_cast<int>(threadIdx.y);
    const float* const bandsY = form.bands + slots * width * n.x;
    const float* const bandsZ = bandsY + slots * width * n.y;
    const BandRows x(form.bands, n.x, min(i, n.x - 1)), y(bandsY, n.y, min(j, n.y - 1));
    float queue[slots][width]{};
    double energy = 0;
    for (int plane0 = tile.first.z - reach; plane0 < tile.last + reach; ++plane0) {
        float sums[slots]{};
        if (plane0 >= 0 && plane0 < n.z) {
            addPlane<K, To, 0>(plane, tile, n, plane0, at, more, x, y, form, sums);
            addPlane<K, To, 1>(plane, tile, n, plane0, at, more, x, y, form, sums);
            addPlane<K, To, 2>(plane, tile, n, plane0, at, more, x, y, form, sums);
        }
        SYSTOLE_UNROLL
        for (int slot = 0; slot < slots; ++slot) {
            SYSTOLE_UNROLL
            for (int d = 0; d + 1 < width; ++d)
                queue[slot][d] = queue[slot][d + 1];
            queue[slot][width - 1] = sums[slot];
        }
        const int k = plane0 - reach;
        if (k < tile.first.z || i >= n.x || j >= n.y)
            continue;
        float sum = 0;
        SYSTOLE_UNROLL
        for (int slot = 0; slot < slots; ++slot)
            SYSTOLE_UNROLL
        for (int d = 0; d < width; ++d)
            sum = fmaf(bandsZ[(slot * n.z + k) * width + d], queue[slot][d], sum);
        const std::size_t p = To * n.voxels() + VolumeView<const float>(nullptr, n).offset(i, j, k);
        energy += onSumGrid(static_cast<double>(more ? at[p] + more[p] : at[p]) *
                                static_cast<double>(sum),
                            quadraticUnit);
        if (gradient)
            gradient[p] += 2 * sum;
    }
    return energy;
}

template <Kinds K>
__global__ void __launch_bounds__(quadratic::tileX* quadratic::tileY)
    quadraticKernel(const __grid_constant__ DeviceForm form, const __grid_constant__ Tiles tiles,
                    const float* at, const float* more, float* gradient, GridSum room,
                    double2* out) {
    __shared__ Plane plane;
    double2 energy{0, 0};
    for (int t = static_cast<int>(blockIdx.x); t < tiles.count();
         t += static_cast<int>(gridDim.x)) {
        const Tile tile = tiles.at(t);
        const Size3 n = tiles.points;
        if (tile.component == 0)
            energy.x += march<K, 0>(plane, tile, n, at, more, form, gradient);
        else if (tile.component == 1)
            energy.x += march<K, 1>(plane, tile, n, at, more, form, gradient);
        else
            energy.x += march<K, 2>(plane, tile, n, at, more, form, gradient);
    }
    double2 total;
    if (gridSum(energy, room, total))
        *out = total;
}

} // namespace

std::size_t bandCount(Size3 points) {
    return static_cast<std::size_t>(slots * width) *
           static_cast<std::size_t>(points.x + points.y + points.z);
}

std::vector<float> bandFloats(const GridIntegrals& integrals) {
    std::vector<float> floats;
    floats.reserve(bandCount(integrals.points));
    for (const AxisBands& axis : integrals.axes)
        for (const quadratic::Orders& orders : quadratic::ordersOf)
            for (const auto& row : axis.of[orders.a][orders.b])
                floats.insert(floats.end(), row.begin(), row.end());
    return floats;
}

DeviceForm deviceForm(const PenaltyWeights& weights, const GridIntegrals& integrals,
                      const float* bands) {
    DeviceForm form;
    form.bending = static_cast<float>(weights.bending);
    form.elasticity = static_cast<float>(weights.elasticity);
    for (int axis = 0; axis < 3; ++axis)
        form.unit[axis] = static_cast<float>(integrals.unit[axis]);
    form.bands = bands;
    return form;
}

void addQuadratic(const DeviceForm& form, Size3 grid, const PenaltyPoints& points,
                  const GridSum& room, double2* out, LaunchLog& log) {
    const float *const at = points.at, *const more = points.more;
    float* const gradient = points.gradient;
    const Tiles tiles(grid);
    const auto values = 3.0 * static_cast<double>(grid.voxels());
    const double bytes = (4 + (more ? 4 : 0) + (gradient ? 8 : 0)) * values;
    const LaunchShape shape{dim3(std::min(static_cast<unsigned>(tiles.count()), sumBlocks)),
                            dim3(quadratic::tileX, quadratic::tileY)};
    const auto launch = [&](const char* name, double flops, auto* kernel) {
        log.launch({name, bytes, flops * values}, kernel, shape, form, tiles, at, more, gradient,
                   room, out);
    };
    const auto name = [&](const char* value, const char* both) { return gradient ? both : value; };
    if (form.elasticity <= 0)
        launch(name("bending", "bending and gradient"), 200, quadraticKernel<Kinds::Bending>);
    else if (form.bending <= 0)
        launch(name("elasticity", "elasticity and gradient"), 250, quadraticKernel<Kinds::Elastic>);
    else
        launch(name("bending, elasticity", "bending, elasticity and gradient"), 400,
               quadraticKernel<Kinds::Both>);
}

} // namespace systole::gpu
