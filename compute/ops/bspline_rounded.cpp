#include "compute/ops/bspline_rounded.h"

#include "compute/ops/bspline_field_check.h"
#include "compute/ops/bspline_field_math.h"

#include <array>
#include <cmath>
#include <vector>

namespace systole {
namespace {

using bspline::Mixes;

/// The weights of the 64 control points, x fastest.
using TileWeights = std::array<float, 64>;

/// `whole` parts shared by a lower and an upper neighbor, `part` of 256 for the upper.
struct Split {
    int of[2];
    Split(int whole, int part) : of{} {
        of[1] = (whole * part + 128) / 256;
        of[0] = whole - of[1];
    }
};

int roundedPart(float part) { return static_cast<int>(std::lround(256 * part)); }

TileWeights roundedWeights(const Mixes<float>& x, const Mixes<float>& y, const Mixes<float>& z) {
    TileWeights weights{};
    const auto part = [](const Mixes<float>& m, int half) {
        return roundedPart(half == 0 ? m.low : m.high);
    };
    const auto between = [](const Mixes<float>& m, int half) {
        return half == 0 ? 1 - m.between : m.between;
    };
    for (int corner = 0; corner < 8; ++corner) { // each corner is one of the eight fetches
        const int hx = corner & 1, hy = corner >> 1 & 1, hz = corner >> 2;
        const float fetch = between(x, hx) * between(y, hy) * between(z, hz);
        const Split alongZ(256, part(z, hz));
        for (int n = 0; n < 2; ++n) {
            const Split alongY(alongZ.of[n], part(y, hy));
            for (int m = 0; m < 2; ++m) {
                const Split alongX(alongY.of[m], part(x, hx));
                for (int l = 0; l < 2; ++l)
                    weights[static_cast<std::size_t>((2 * hz + n) * 16 + (2 * hy + m) * 4 + 2 * hx +
                                                     l)] =
                        fetch * static_cast<float>(alongX.of[l]) / 256;
            }
        }
    }
    return weights;
}

float sumOf(const TileWeights& weights, const float* points, std::size_t row, std::size_t plane) {
    float sum = 0;
    std::size_t w = 0;
    for (std::size_t n = 0; n < 4; ++n)
        for (std::size_t m = 0; m < 4; ++m)
            for (std::size_t l = 0; l < 4; ++l)
                sum += weights[w++] * points[l + m * row + n * plane];
    return sum;
}

} // namespace

void roundedBsplineField(ControlPointsView<const float> points, FieldView<float> field,
                         const ExecContext& ctx) {
    bspline::check(points.grid, points.values.size, field.size);
    const Size3 size = field.size, tile = points.grid.tile;
    const ControlAxis alongX = points.grid.axis(0), alongY = points.grid.axis(1),
                      alongZ = points.grid.axis(2);
    std::vector<TileWeights> weights;
    for (int z = 0; z < tile.z; ++z)
        for (int y = 0; y < tile.y; ++y)
            for (int x = 0; x < tile.x; ++x)
                weights.push_back(roundedWeights(bspline::mixesOfVoxel(x, alongX),
                                                 bspline::mixesOfVoxel(y, alongY),
                                                 bspline::mixesOfVoxel(z, alongZ)));
    const VolumeView<const TileWeights> table(weights.data(), tile);
    const VolumeView<const float> lattice = points.values.componentView(0);
    const auto row = static_cast<std::size_t>(lattice.size.x);
    const std::size_t plane = row * static_cast<std::size_t>(lattice.size.y);
    parallelFor(ctx, size.z, 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x) {
                    const TileWeights& of =
                        table(alongX.placeInTile(x), alongY.placeInTile(y), alongZ.placeInTile(z));
                    const std::size_t lowest =
                        lattice.offset(alongX.tileOf(x), alongY.tileOf(y), alongZ.tileOf(z));
                    for (int c = 0; c < 3; ++c)
                        field.componentView(c)(x, y, z) =
                            sumOf(of, points.values.component(c) + lowest, row, plane);
                }
    });
}

} // namespace systole
