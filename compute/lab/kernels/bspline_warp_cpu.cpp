#include "compute/lab/kernels/bspline_warp_math.h"
#include "compute/ops/bspline_rows.h"

namespace systole::lab {
namespace {

/// A plane of the spline at a time, while it is in the cache.
void warpPlane(const BsplineWarp& in, const BsplineWarped& out, int z, FieldView<const float> d) {
    withParts(in, out, [&](auto start, auto gradient) {
        for (int y = 0; y < d.size.y; ++y)
            for (int x = 0; x < d.size.x; ++x) {
                const std::size_t p = d.componentView(0).offset(x, y, 0);
                warpVoxel<decltype(start)::value, decltype(gradient)::value>(
                    in, out, out.values.offset(x, y, z), x, y, z, {d.u[p], d.v[p], d.w[p]});
            }
    });
}

} // namespace

void bsplineWarp(const BsplineWarp& in, const BsplineWarped& out, const ExecContext& ctx) {
    check(in, out);
    const bspline::PlaneTables tables(in.points.grid);
    const Size3 plane{out.values.size.x, out.values.size.y, 1};
    parallelFor(ctx, out.values.size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        std::vector<float> scratch(3 * plane.voxels());
        const FieldView<float> d(scratch.data(), plane);
        for (int z = begin; z < end; ++z) {
            if (ctx.backend == Backend::CpuReference)
                bspline::planeByPlainLoop(in.points, z, d);
            else
                bspline::planeOfField(in.points, tables, z, d);
            warpPlane(in, out, z, d);
        }
    });
}

} // namespace systole::lab
