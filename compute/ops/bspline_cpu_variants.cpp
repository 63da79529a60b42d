#include "compute/ops/bspline_cpu_variants.h"

#include "compute/ops/bspline_field_math.h"

#include <algorithm>
#include <cmath>

// The order matters: foreach_target includes this file again for every instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/ops/bspline_cpu_variants.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace systole::bspline::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Four = hn::CappedTag<float, 4>;
using Eight = hn::CappedTag<float, 8>;

/// The rows of voxels of a row of tiles, and the strides of the control points.
struct TileRow {
    int y0, z0, y1, z1;
    std::size_t row, plane;

    HWY_INLINE TileRow(const TileInput& in, int j, int k) {
        const Size3 tile = in.points.grid.tile, size = in.field.size;
        y0 = j * tile.y;
        z0 = k * tile.z;
        y1 = std::min(y0 + tile.y, size.y);
        z1 = std::min(z0 + tile.z, size.z);
        row = static_cast<std::size_t>(in.points.values.size.x);
        plane = row * static_cast<std::size_t>(in.points.values.size.y);
    }
};

HWY_INLINE std::size_t offsetOf(const TileInput& in, int i, int j, int k) {
    return in.points.values.componentView(0).offset(i, j, k);
}

void Rows(const TileInput& in, int j, int k) {
    const Four d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const TileRow r(in, j, k);
    const Size3 tile = in.points.grid.tile;
    for (int z = r.z0; z < r.z1; ++z)
        for (int y = r.y0; y < r.y1; ++y) {
            float across[16];
            for (std::size_t q = 0; q < 16; ++q)
                across[q] =
                    in.tables->weights[1][static_cast<std::size_t>(4 * (y - r.y0)) + q % 4] *
                    in.tables->weights[2][static_cast<std::size_t>(4 * (z - r.z0)) + q / 4];
            const std::size_t first = in.field.componentView(0).offset(0, y, z);
            HWY_ALIGN float points[3][64];
            for (int x = 0, i = 0, t = 0; x < in.field.size.x; ++x) {
                if (t == 0) {
                    const std::size_t lowest = offsetOf(in, i, j, k);
                    for (int c = 0; c < 3; ++c)
                        for (std::size_t q = 0; q < 16; ++q)
                            std::copy_n(in.points.values.component(c) + lowest + q % 4 * r.row +
                                            q / 4 * r.plane,
                                        4, points[c] + 4 * q);
                }
                auto u = hn::Zero(d), v = u, w = u;
                const float* const along = in.tables->weights[0].data() + 4 * t;
                for (int l = 0; l < 4; l += lanes) {
                    const auto wx = hn::LoadU(d, along + l);
                    for (int q = 0; q < 16; ++q) {
                        const auto weight = hn::Mul(wx, hn::Set(d, across[q]));
                        u = hn::MulAdd(weight, hn::LoadU(d, points[0] + 4 * q + l), u);
                        v = hn::MulAdd(weight, hn::LoadU(d, points[1] + 4 * q + l), v);
                        w = hn::MulAdd(weight, hn::LoadU(d, points[2] + 4 * q + l), w);
                    }
                }
                const std::size_t at = first + static_cast<std::size_t>(x);
                in.field.u[at] = hn::GetLane(hn::SumOfLanes(d, u));
                in.field.v[at] = hn::GetLane(hn::SumOfLanes(d, v));
                in.field.w[at] = hn::GetLane(hn::SumOfLanes(d, w));
                if (++t == tile.x) {
                    t = 0;
                    ++i;
                }
            }
        }
}

template <class D>
HWY_INLINE hn::Vec<D> Mix(D, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> t) {
    return hn::MulAdd(t, hn::Sub(b, a), a);
}

/// Nine trilinear interpolations of the points at `p`, at the voxels of a vector along x.
/// Many parameters because vectors can't be members of a struct on all targets.
template <class D, class V>
HWY_INLINE V NineMixes(D d, const float* p, std::size_t row, std::size_t plane, V low, V high,
                       V between, const float* my, const float* mz) {
    const auto cube = [&](std::size_t l, std::size_t m, std::size_t n, V x, float y, float z)
                          HWY_ATTR {
                              const float* const q = p + l + m * row + n * plane;
                              const auto line = [&](std::size_t at) HWY_ATTR {
                                  return Mix(d, hn::Set(d, q[at]), hn::Set(d, q[at + 1]), x);
                              };
                              const auto ty = hn::Set(d, y);
                              return Mix(d, Mix(d, line(0), line(row), ty),
                                         Mix(d, line(plane), line(row + plane), ty), hn::Set(d, z));
                          };
    const auto line = [&](std::size_t m, std::size_t n, float y, float z) HWY_ATTR {
        return Mix(d, cube(0, m, n, low, y, z), cube(2, m, n, high, y, z), between);
    };
    const auto side = [&](std::size_t n, float z) HWY_ATTR {
        return Mix(d, line(0, n, my[0], z), line(2, n, my[1], z), hn::Set(d, my[2]));
    };
    return Mix(d, side(0, mz[0]), side(2, mz[1]), hn::Set(d, mz[2]));
}

void VectorPerTile(const TileInput& in, int j, int k) {
    const Eight d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const TileRow r(in, j, k);
    const int width = in.points.grid.tile.x, nx = in.field.size.x;
    HWY_ALIGN float part[8];
    for (int x0 = 0, i = 0; x0 < nx; x0 += width, ++i) {
        const std::size_t lowest = offsetOf(in, i, j, k);
        for (int z = r.z0; z < r.z1; ++z)
            for (int y = r.y0; y < r.y1; ++y) {
                const float* const my = in.tables->mixes[1].data() + 3 * (y - r.y0);
                const float* const mz = in.tables->mixes[2].data() + 3 * (z - r.z0);
                const std::size_t first = in.field.componentView(0).offset(0, y, z);
                for (int t = 0; t < width && x0 + t < nx; t += lanes) {
                    const auto low = hn::LoadU(d, in.tables->low.data() + t);
                    const auto high = hn::LoadU(d, in.tables->high.data() + t);
                    const auto between = hn::LoadU(d, in.tables->between.data() + t);
                    for (int c = 0; c < 3; ++c) {
                        const auto value = NineMixes(d, in.points.values.component(c) + lowest,
                                                     r.row, r.plane, low, high, between, my, mz);
                        float* const to = in.field.component(c) + first + x0 + t;
                        // Lanes beyond the tile are the next tile's, which follows.
                        if (x0 + t + lanes <= nx) {
                            hn::StoreU(value, d, to);
                        } else {
                            hn::Store(value, d, part);
                            std::copy_n(part, nx - x0 - t, to);
                        }
                    }
                }
            }
    }
}

void VectorPerVoxel(const TileInput& in, int j, int k) {
    const Eight d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const TileRow r(in, j, k);
    const int width = in.points.grid.tile.x, nx = in.field.size.x;
    const TileTables& tables = *in.tables;
    // [component][corner of the sub-cube][sub-cube]
    HWY_ALIGN float corners[3][8][8];
    HWY_ALIGN float cubes[8];
    for (int x0 = 0, i = 0; x0 < nx; x0 += width, ++i) {
        const std::size_t lowest = offsetOf(in, i, j, k);
        for (int c = 0; c < 3; ++c)
            for (std::size_t a = 0; a < 8; ++a)
                for (std::size_t s = 0; s < 8; ++s)
                    corners[c][a][s] =
                        in.points.values.component(c)[lowest + 2 * (s & 1) + (a & 1) +
                                                      (2 * (s >> 1 & 1) + (a >> 1 & 1)) * r.row +
                                                      (2 * (s >> 2) + (a >> 2)) * r.plane];
        for (int z = r.z0; z < r.z1; ++z)
            for (int y = r.y0; y < r.y1; ++y) {
                const float by = tables.mixes[1][static_cast<std::size_t>(3 * (y - r.y0) + 2)];
                const float bz = tables.mixes[2][static_cast<std::size_t>(3 * (z - r.z0) + 2)];
                const std::size_t first = in.field.componentView(0).offset(0, y, z);
                for (int t = 0; t < width && x0 + t < nx; ++t) {
                    const float bx = tables.mixes[0][static_cast<std::size_t>(3 * t + 2)];
                    for (int c = 0; c < 3; ++c) {
                        for (int s = 0; s < 8; s += lanes) {
                            const auto tx = hn::LoadU(d, tables.halves[0].data() + 8 * t + s);
                            const auto ty =
                                hn::LoadU(d, tables.halves[1].data() + 8 * (y - r.y0) + s);
                            const auto tz =
                                hn::LoadU(d, tables.halves[2].data() + 8 * (z - r.z0) + s);
                            const auto line = [&](int a) HWY_ATTR {
                                return Mix(d, hn::Load(d, corners[c][a] + s),
                                           hn::Load(d, corners[c][a + 1] + s), tx);
                            };
                            hn::Store(Mix(d, Mix(d, line(0), line(2), ty),
                                          Mix(d, line(4), line(6), ty), tz),
                                      d, cubes + s);
                        }
                        const auto mix = [](float a, float b, float w) {
                            return std::fma(w, b - a, a);
                        };
                        const auto line = [&](int s) { return mix(cubes[s], cubes[s + 1], bx); };
                        in.field.component(c)[first + static_cast<std::size_t>(x0 + t)] =
                            mix(mix(line(0), line(2), by), mix(line(4), line(6), by), bz);
                    }
                }
            }
    }
}

} // namespace systole::bspline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systole::bspline {

HWY_EXPORT(Rows);
HWY_EXPORT(VectorPerTile);
HWY_EXPORT(VectorPerVoxel);

TileTables::TileTables(const ControlGrid& grid) {
    for (int axis = 0; axis < 3; ++axis)
        for (int t = 0; t < grid.tile[axis]; ++t) {
            const Weights<float> w = weightsOfVoxel(t, grid.axis(axis));
            weights[axis].insert(weights[axis].end(), w.of, w.of + 4);
            const Mixes<float> m = mixesOfVoxel(t, grid.axis(axis));
            mixes[axis].insert(mixes[axis].end(), {m.low, m.high, m.between});
            for (int cube = 0; cube < 8; ++cube)
                halves[axis].push_back((cube >> axis & 1) == 0 ? m.low : m.high);
            if (axis == 0) {
                low.push_back(m.low);
                high.push_back(m.high);
                between.push_back(m.between);
            }
        }
    for (std::vector<float>* row : {&low, &high, &between})
        row->resize(row->size() + 8, 0.0f);
}

void fieldByRows(const TileInput& in, int j, int k) { HWY_DYNAMIC_DISPATCH(Rows)(in, j, k); }
void fieldByVectorPerTile(const TileInput& in, int j, int k) {
    HWY_DYNAMIC_DISPATCH(VectorPerTile)(in, j, k);
}
void fieldByVectorPerVoxel(const TileInput& in, int j, int k) {
    HWY_DYNAMIC_DISPATCH(VectorPerVoxel)(in, j, k);
}

} // namespace systole::bspline
#endif
