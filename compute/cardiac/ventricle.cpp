#include "compute/cardiac/ventricle.h"

#include "compute/cardiac/harmonic.h"
#include "compute/cardiac/local_fit.h"
#include "compute/cardiac/neighborhoods.h"
#include "compute/core/error.h"
#include "compute/core/points.h"
#include "compute/ops/smooth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace systole::cardiac {
namespace {

constexpr std::size_t minVoxels = 100; ///< smallest wall and cavity
constexpr double minPart = 0.1;        ///< fraction of a step to the border
constexpr double smoothing = 1.5;      ///< sigma of Borders in the smallest spacing
/// Bound of the error of the plane of the base, in the largest spacing. A voxel that lies by less
/// below it is next to the cut, not outside of the epicardium, unless it is reached downwards.
constexpr double planeError = 0.25;

double trilinear(const std::vector<float>& values, Size3 size, Vec3 p) {
    std::array<int, 3> low{};
    std::array<double, 3> part{};
    for (int axis = 0; axis < 3; ++axis) {
        const double at = std::clamp(p[axis], 0.0, static_cast<double>(size[axis] - 1));
        const auto a = static_cast<std::size_t>(axis);
        low[a] = std::min(static_cast<int>(at), std::max(size[axis] - 2, 0));
        part[a] = at - low[a];
    }
    const VolumeView<const float> view(values.data(), size);
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1;
        std::array<int, 3> at{};
        for (std::size_t a = 0; a < 3; ++a) {
            const int up = corner >> a & 1;
            at[a] = low[a] + up;
            weight *= up != 0 ? part[a] : 1 - part[a];
        }
        if (weight > 0)
            sum += weight * double{view(at[0], at[1], at[2])};
    }
    return sum;
}

/// Smooths in place, by a kernel whose mean of |x| is 0 (Borders).
void smoothInPlace(std::vector<float>& values, const Geometry& grid, const ExecContext& ctx) {
    const Vec3 h = grid.spacing();
    const double sigmaMillimeters = smoothing * std::min({h.x, h.y, h.z});
    const Vec3 sigma{sigmaMillimeters / h.x, sigmaMillimeters / h.y, sigmaMillimeters / h.z};
    const VolumeView<float> once(values.data(), grid.size());
    Buffer<float> kept = ctx.pool->acquire<float>(values.size(), "tissue smoothed twice");
    const VolumeView<float> twice(kept.data(), grid.size());
    smoothGaussian(once, once, sigma, ctx);
    smoothGaussian(once, twice, sigma, ctx);
    constexpr float weight = 2 + std::numbers::sqrt2_v<float>;
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = weight * values[i] - (weight - 1) * twice.data[i];
}

Borders bordersOf(const TissueVoxels& wall, const TissueVoxels& cavity, const Placement& placement,
                  const ExecContext& ctx) {
    const Geometry& grid = wall.grid;
    const Size3 size = grid.size();
    Borders borders{grid, std::vector<float>(size.voxels()), std::vector<float>(size.voxels())};
    const Vec3 h = grid.spacing();
    // Smallest step: a shorter one could lead back to the same voxel.
    const double step = std::max({h.x, h.y, h.z});
    std::size_t i = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x, ++i) {
                bool isCavity = cavity.placeOf[i] >= 0, isHeart = isCavity || wall.placeOf[i] >= 0;
                const Vec3 p = centerOfVoxel(grid, x, y, z);
                if (const auto [above, plane] = placement.beyond(p); !isHeart && above > 0) {
                    const Vec3 mirrored =
                        grid.physicalToIndex(p - std::max(2 * above, step) * plane.normal);
                    const auto at = [&](int axis) {
                        return static_cast<int>(std::lround(mirrored[axis]));
                    };
                    isCavity = cavity.place(at(0), at(1), at(2)) >= 0;
                    isHeart = isCavity || wall.place(at(0), at(1), at(2)) >= 0;
                }
                borders.cavity[i] = isCavity ? 1.0f : 0.0f;
                borders.heart[i] = isHeart ? 1.0f : 0.0f;
            }
    smoothInPlace(borders.cavity, grid, ctx);
    smoothInPlace(borders.heart, grid, ctx);
    return borders;
}

/// How far the value 1/2 lies from the first of two voxels, in their distance.
double partOf(double here, double there) {
    const double part = std::abs(here - there) > 1e-6 ? (here - 0.5) / (here - there) : 0.5;
    return std::clamp(part, minPart, 1.0);
}

struct Faces {
    std::vector<FixedFace> across, along;
};

Faces facesOf(const Ventricle& v) {
    const TissueVoxels& wall = v.wall;
    const Size3 size = wall.grid.size();
    const VolumeView<const float> cavity(v.borders.cavity.data(), size),
        heart(v.borders.heart.data(), size);
    const Vec3 h = wall.grid.spacing();
    const double step = std::max({h.x, h.y, h.z}), nearAxis = onAxis * step,
                 slack = planeError * step;
    const bool closed = !v.placement.apicalCut;
    Faces faces;
    for (std::size_t i = 0; i < wall.count(); ++i) {
        const auto [x, y, z] = wall.index[i];
        const auto place = static_cast<std::int32_t>(i);
        const Vec3 p = wall.position(i);
        if (const double height = v.axis().height(p);
            closed && height < 0 && length(p - v.axis().at(height)) < nearAxis)
            for (int axis = 0; axis < 3; ++axis)
                faces.along.push_back({place, axis, minPart, 0});
        for (int k = 0; k < 6; ++k) {
            std::array<int, 3> to{x, y, z};
            to[static_cast<std::size_t>(k / 2)] += 2 * (k % 2) - 1;
            const auto [a, b, c] = to;
            const bool beyond =
                a < 0 || b < 0 || c < 0 || a >= size.x || b >= size.y || c >= size.z;
            if (wall.place(a, b, c) >= 0)
                continue;
            if (v.cavity.place(a, b, c) >= 0) {
                faces.across.push_back({place, k / 2, partOf(cavity(x, y, z), cavity(a, b, c)), 0});
                continue;
            }
            const Vec3 neighbor = centerOfVoxel(wall.grid, a, b, c);
            const auto [above, plane] = v.placement.beyond(neighbor);
            if (above > 0 || (above > -slack && dot(neighbor - p, plane.normal) > 0))
                faces.along.push_back(
                    {place, k / 2, 0.5, dot(plane.normal, v.axis().towardsBase()) > 0 ? 1.0 : 0.0});
            else if (!beyond)
                faces.across.push_back({place, k / 2, partOf(heart(x, y, z), heart(a, b, c)), 1});
        }
    }
    return faces;
}

Vec3 unitOf(Vec3 v, Vec3 otherwise) {
    const double size = length(v);
    return size > 1e-12 ? (1 / size) * v : otherwise;
}

HeartAxes axesFrom(Vec3 depthGradient, Vec3 alongGradient, Vec3 position, const LongAxis& axis) {
    const Vec3 outwards = axis.outwards(axis.angle(position));
    HeartAxes axes;
    axes.radial = unitOf(depthGradient, outwards);
    const auto acrossRadial = [&](Vec3 v) { return v - dot(v, axes.radial) * axes.radial; };
    axes.longitudinal =
        unitOf(acrossRadial(alongGradient), unitOf(acrossRadial(axis.towardsBase()), outwards));
    axes.circumferential = cross(axes.longitudinal, axes.radial);
    return axes;
}

/// Voxels of the cavity without those beyond the cut at the apex.
TissueVoxels cavityWithin(const TissueMap& map, const Placement& placement) {
    TissueMap within = map;
    std::size_t i = 0;
    const Size3 size = map.grid.size();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x, ++i)
                if (placement.apicalCut->above(centerOfVoxel(map.grid, x, y, z)) > 0)
                    within.at[i] = Tissue::Other;
    return largestPiece(within, Tissue::Cavity);
}

/// Calls at(voxel, gradient of the one, of the other) for every voxel, on any thread, by fits of
/// second order. Voxels with the same neighbors come one after the other and share a fit.
template <typename At>
void overGradients(const TissueVoxels& voxels, std::array<std::span<const double>, 2> values,
                   const ExecContext& ctx, const At& at) {
    const NeighborhoodKinds all(voxels);
    const auto stencil = stencilOf(voxels.grid.size());
    const std::vector<std::size_t> order = all.voxelsByKind();
    const LocalFit fit(voxels, 2);
    parallelFor(ctx, static_cast<int>(order.size()), 256, [&](int begin, int end) {
        std::optional<std::uint32_t> kind;
        FitWeights weights;
        std::vector<std::ptrdiff_t> offsets;
        for (int k = begin; k < end; ++k) {
            const std::size_t voxel = order[static_cast<std::size_t>(k)];
            if (kind != all.ofVoxel[voxel]) {
                kind = all.ofVoxel[voxel];
                weights = *kind == 0 ? fit.whole() : fit.at(voxels.indexPoint(voxel));
                offsets.clear();
                for (int number = 0; number < stencilSize; ++number)
                    if (all.kinds[*kind].has(number))
                        offsets.push_back(stencil[static_cast<std::size_t>(number)]);
            }
            const std::int32_t* const here = voxels.placeOf.data() + voxels.offset(voxel);
            Vec3 first, second;
            for (std::size_t j = 0; j < offsets.size(); ++j) {
                const auto place = static_cast<std::size_t>(here[offsets[j]]);
                const std::array<double, 4>& w = weights.weight[j];
                const Vec3 along{w[1], w[2], w[3]};
                first = first + values[0][place] * along;
                second = second + values[1][place] * along;
            }
            at(voxel, first, second);
        }
    });
}

bool contains(const std::vector<FixedFace>& faces, double value) {
    return std::ranges::any_of(faces, [value](const FixedFace& f) { return f.value == value; });
}

/// A sentence if the image's edge cuts the wall elsewhere than at base and apex; empty: it doesn't.
std::string cutByImage(const Ventricle& v) {
    const Size3 size = v.wall.grid.size();
    const std::array<int, 3> last{size.x - 1, size.y - 1, size.z - 1};
    std::size_t cut = 0;
    for (std::size_t i = 0; i < v.wall.count(); ++i) {
        bool ends = false;
        for (int a = 0; a < 3; ++a)
            for (const int way : {-1, 1}) {
                const auto axis = static_cast<std::size_t>(a);
                if (v.wall.index[i][axis] != (way < 0 ? 0 : last[axis]))
                    continue;
                Vec3 outside = v.wall.indexPoint(i);
                outside[a] += way;
                ends |= v.placement.beyond(v.wall.grid.indexToPhysical(outside)).first <= 0;
            }
        cut += ends;
    }
    return cut == 0 ? ""
                    : fmt::format("the image's edge cuts the wall ({} voxels): there thickness "
                                  "and radial strain are those of the part in view",
                                  cut);
}

} // namespace

double Borders::cavityAt(Vec3 index) const { return trilinear(cavity, grid.size(), index); }
double Borders::heartAt(Vec3 index) const { return trilinear(heart, grid.size(), index); }

Ventricle ventricleOf(const TissueMap& map, const GivenPoints& given, ExecContext& ctx) {
    if (!map.grid.isOrthonormal())
        throw ComputeError("the axes of the grid aren't at right angles; the heart's axes need a "
                           "grid of boxes");
    TissueVoxels wall = largestPiece(map, Tissue::Wall), cavity = largestPiece(map, Tissue::Cavity);
    if (wall.count() < minVoxels || cavity.count() < minVoxels)
        throw ComputeError(fmt::format("the labels have {} voxels of wall and {} of cavity in one "
                                       "piece each; at least {} are needed",
                                       wall.count(), cavity.count(), minVoxels));
    Ventricle v{
        placementOf(map, cavity, wall, given), std::move(wall), std::move(cavity), {}, {}, {}, {}};
    if (map.isShape)
        v.placement.notes.emplace_back(
            "cavity and wall are half an ellipsoid through the three points, not labels: volumes "
            "and mass are those of that shape, and strain is that of the tissue in it");
    v.labelledCavityMilliliters =
        v.wall.voxelMilliliters() * static_cast<double>(std::ranges::count(map.at, Tissue::Cavity));
    if (v.placement.apicalCut)
        v.cavity = cavityWithin(map, v.placement);
    if (std::string cut = cutByImage(v); !cut.empty())
        v.placement.notes.push_back(std::move(cut));
    v.borders = bordersOf(v.wall, v.cavity, v.placement, ctx);
    const Faces faces = facesOf(v);
    if (!contains(faces.across, 0) || !contains(faces.across, 1))
        throw ComputeError("the wall doesn't lie between the cavity and what is around: check "
                           "which labels are cavity and wall");
    if (!contains(faces.along, 0))
        throw ComputeError("the wall doesn't reach the apex of the cavity");
    if (!contains(faces.along, 1))
        throw ComputeError("the wall doesn't reach the base of the cavity");
    ctx.report("axes of the heart", 0);
    v.depth = solveLaplace(v.wall, faces.across, ctx);
    v.along = solveLaplace(v.wall, faces.along, ctx);
    v.axes.resize(v.wall.count());
    overGradients(v.wall, {v.depth, v.along}, ctx, [&](std::size_t i, Vec3 depth, Vec3 along) {
        v.axes[i] = axesFrom(depth, along, v.wall.position(i), v.axis());
    });
    return v;
}

} // namespace systole::cardiac
