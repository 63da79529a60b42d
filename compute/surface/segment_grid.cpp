#include "compute/surface/segment_grid.h"

#include "compute/core/error.h"
#include "compute/core/neighbors.h"
#include "compute/core/points.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/reduce.h"
#include "compute/ops/sample_at.h"
#include "compute/ops/smooth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

int thickAxisOf(Vec3 spacing) {
    constexpr double thick = 5, timesPixel = 3; // mm
    int axis = 0;
    for (int other : {1, 2})
        if (spacing[other] > spacing[axis])
            axis = other;
    const double minSide = std::min({spacing.x, spacing.y, spacing.z});
    return spacing[axis] >= std::max(thick, timesPixel * minSide) ? axis : -1;
}

/// Flat places: all 27 voxels around have the lowest value of the grid.
std::vector<std::uint8_t> darkestAndFlat(VolumeView<const float> gray, const ExecContext& ctx) {
    const float lowest = *std::ranges::min_element(gray.span());
    std::vector<std::uint8_t> flat(gray.voxels());
    overVoxels(gray.size, ctx, [&](int x, int y, int z) {
        bool same = true;
        for (int c = std::max(0, z - 1); same && c <= std::min(gray.size.z - 1, z + 1); ++c)
            for (int b = std::max(0, y - 1); same && b <= std::min(gray.size.y - 1, y + 1); ++b)
                for (int a = std::max(0, x - 1); same && a <= std::min(gray.size.x - 1, x + 1); ++a)
                    same = gray(a, b, c) <= lowest;
        flat[gray.offset(x, y, z)] = same ? 1 : 0;
    });
    return flat;
}

/// Voxels with data. Flat places that are connected with the grid's edge have none; a dark chamber
/// isn't connected with the edge.
std::vector<std::uint8_t> knownVoxels(VolumeView<const float> gray, const ExecContext& ctx) {
    const std::vector<std::uint8_t> flat = darkestAndFlat(gray, ctx);
    std::vector<std::uint8_t> known(flat.size(), 1);
    std::vector<std::size_t> waiting;
    const Size3 n = gray.size;
    const auto visit = [&](int x, int y, int z) {
        const std::size_t i = gray.offset(x, y, z);
        if (flat[i] && known[i]) {
            known[i] = 0;
            waiting.push_back(i);
        }
    };
    for (int z = 0; z < n.z; ++z)
        for (int y = 0; y < n.y; ++y)
            for (int x = 0; x < n.x; ++x)
                if (x == 0 || y == 0 || z == 0 || x == n.x - 1 || y == n.y - 1 || z == n.z - 1)
                    visit(x, y, z);
    const auto row = static_cast<std::size_t>(n.x), plane = row * static_cast<std::size_t>(n.y);
    while (!waiting.empty()) {
        const std::size_t i = waiting.back();
        waiting.pop_back();
        const int x = static_cast<int>(i % row), y = static_cast<int>(i % plane / row),
                  z = static_cast<int>(i / plane);
        overFaces(n, x, y, z, visit);
    }
    return known;
}

} // namespace

IndexBox boxAround(const Geometry& image, Vec3 lps, double halfSide) {
    const Vec3 center = image.physicalToIndex(lps), spacing = image.spacing();
    IndexBox box;
    for (int axis = 0; axis < 3; ++axis) {
        const double half = halfSide / spacing[axis];
        box.low[axis] = std::max(-0.5, center[axis] - half);
        box.high[axis] = std::min(image.size()[axis] - 0.5, center[axis] + half);
    }
    return box;
}

IndexBox boxOfInside(const Volume& phi, const Geometry& image, double margin) {
    const VolumeView<const float> values = phi.view();
    // Initial ends that stay finite in mm if no voxel is inside.
    Bounds inside{{1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}};
    for (int z = 0; z < values.size.z; ++z)
        for (int y = 0; y < values.size.y; ++y)
            for (int x = 0; x < values.size.x; ++x)
                if (values(x, y, z) < 0)
                    inside.add(voxelPoint(x, y, z));
    // Both grids have the same directions.
    IndexBox box{image.physicalToIndex(phi.geometry.indexToPhysical(inside.low)),
                 image.physicalToIndex(phi.geometry.indexToPhysical(inside.high))};
    for (int axis = 0; axis < 3; ++axis) {
        const double wide = margin / image.spacing()[axis];
        box.low[axis] = std::clamp(box.low[axis] - wide, -0.5, image.size()[axis] - 1.5);
        box.high[axis] = std::clamp(box.high[axis] + wide, 0.5, image.size()[axis] - 0.5);
    }
    return box;
}

StoredFrame storedFrame(const Volume& frame) {
    const std::vector<float> q = quantiles(frame.view(), {0, 0.01, 0.99, 1});
    const std::size_t low = q[2] > q[1] ? 1 : 0;
    if (!(q[3 - low] > q[low]))
        throw ComputeError(
            fmt::format("the image is constant, {} everywhere: there is no border", q[low]));
    return {.range = {q[low], q[3 - low]},
            .thickAxis = thickAxisOf(frame.geometry.spacing()),
            .decibels = echoDecibels * static_cast<double>(q[3 - low] - q[low]) /
                        static_cast<double>(q[3] - q[0])};
}

double SegmentGrid::echoBorder(double contrast) const {
    const double difference = std::max(decibels * contrast, 1e-3);
    return 1 + 10 * std::log10(0.5 * (1 + std::pow(10, -difference / 10))) / difference;
}

SegmentGrid segmentGrid(const Volume& frame, const IndexBox& box, double spacing,
                        const StoredFrame& stored, const ExecContext& ctx) {
    const Geometry& image = frame.geometry;
    int cubes[3];
    Vec3 first;
    for (int axis = 0; axis < 3; ++axis) {
        const double side = (box.high[axis] - box.low[axis]) * image.spacing()[axis];
        cubes[axis] = std::max(2, static_cast<int>(std::lround(side / spacing)));
        const double slack = side - (cubes[axis] - 1) * spacing;
        first[axis] = box.low[axis] + 0.5 * slack / image.spacing()[axis];
    }
    const Geometry geometry({cubes[0], cubes[1], cubes[2]}, {spacing, spacing, spacing},
                            image.indexToPhysical(first), image.direction());
    SegmentGrid grid;
    grid.gray = Volume(geometry, *ctx.pool, "segmentation's gray values");
    grid.thickAxis = stored.thickAxis;
    grid.decibels = stored.decibels;
    grid.isEnlarged = stored.enlargement > 1;
    const VolumeView<float> gray = grid.gray.view();
    const auto [low, high] = stored.range;
    const float scale = 1 / (high - low);
    Vec3 step = image.spacing();
    for (int axis = 0; axis < 3; ++axis)
        step[axis] = spacing / step[axis];
    overVoxels(geometry.size(), ctx, [&](int x, int y, int z) {
        const Vec3 index{first.x + step.x * x, first.y + step.y * y, first.z + step.z * z};
        gray(x, y, z) = std::clamp((valueAt(frame.view(), index) - low) * scale, -0.5f, 1.5f);
    });
    grid.known = knownVoxels(gray, ctx);
    ctx.throwIfCancelled();
    smoothGaussian(gray, gray, {0.5, 0.5, 0.5}, ctx);
    return grid;
}

bool SegmentGrid::isKnown(Vec3 lps) const {
    const Vec3 index = geometry().physicalToIndex(lps);
    const Size3 size = geometry().size();
    const auto nearest = [&](int axis) {
        return std::clamp(static_cast<int>(std::lround(index[axis])), 0, size[axis] - 1);
    };
    return known[gray.view().offset(nearest(0), nearest(1), nearest(2))] != 0;
}

void addGray(const SegmentGrid& grid, Vec3 lps, std::vector<double>& values) {
    if (isInside(grid.geometry(), lps))
        values.push_back(static_cast<double>(sampledAt(grid.gray, lps)));
}

float sampledAt(const Volume& volume, Vec3 lps) {
    return valueAt(volume.view(), volume.geometry.physicalToIndex(lps));
}

bool isInside(const Geometry& grid, Vec3 lps) {
    return isInside(grid.physicalToIndex(lps), grid.size());
}

Volume resampleDistance(const Volume& distance, const Geometry& grid, const ExecContext& ctx) {
    Volume out(grid, *ctx.pool, "signed distance");
    const Geometry& from = distance.geometry;
    const VolumeView<float> phi = out.view();
    // The grids share their directions: an index of one is a scaled and shifted index of the other.
    const Vec3 first = from.physicalToIndex(grid.origin());
    Vec3 step = grid.spacing();
    for (int axis = 0; axis < 3; ++axis)
        step[axis] = step[axis] / from.spacing()[axis];
    overVoxels(grid.size(), ctx, [&](int x, int y, int z) {
        const Vec3 voxel = voxelPoint(x, y, z);
        Vec3 index, beyond;
        for (int axis = 0; axis < 3; ++axis) {
            index[axis] = first[axis] + step[axis] * voxel[axis];
            const double last = from.size()[axis] - 1;
            beyond[axis] =
                (index[axis] - std::clamp(index[axis], 0.0, last)) * from.spacing()[axis];
        }
        phi(x, y, z) = valueAt(distance.view(), index) + static_cast<float>(length(beyond));
    });
    return out;
}

} // namespace systole
