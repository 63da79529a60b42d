#include "compute/measures/label_overlap.h"

#include "compute/core/neighbors.h"
#include "compute/core/points.h"
#include "compute/measures/nearest_points.h"
#include "compute/ops/resample.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace systole {
namespace {

/// Whether a face of the voxel borders on one for which `same` is false, or on the outside.
template <typename Same>
bool isOnSurface(Size3 size, int x, int y, int z, const Same& same) {
    int alike = 0;
    overFaces(size, x, y, z, [&](int i, int j, int k) { alike += same(i, j, k); });
    return alike < 6;
}

std::vector<Vec3> surfaceOf(const LabelMask& mask) {
    const Size3 size = mask.geometry.size();
    const VolumeView<const std::uint8_t> inside(mask.inside.data(), size);
    std::vector<Vec3> points;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                if (inside(x, y, z) && isOnSurface(size, x, y, z, [&](int nx, int ny, int nz) {
                        return inside(nx, ny, nz) != 0;
                    }))
                    points.push_back(centerOfVoxel(mask.geometry, x, y, z));
    return points;
}

double meanDistance(const std::vector<Vec3>& from, const NearestPoints& to) {
    double sum = 0;
    for (const Vec3 p : from)
        sum += to.distanceTo(p);
    return sum / static_cast<double>(from.size());
}

double surfaceDistance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    if (a.empty() || b.empty())
        return NAN;
    return 0.5 * (meanDistance(a, NearestPoints(b)) + meanDistance(b, NearestPoints(a)));
}

/// A label in one map.
struct Structure {
    std::size_t voxels = 0;
    std::vector<Vec3> surface;
};

std::map<int, Structure> structuresOf(const Geometry& geometry, VolumeView<const float> labels,
                                      const ExecContext& ctx) {
    const Size3 size = geometry.size();
    const auto labelAt = [&](int x, int y, int z) {
        return static_cast<int>(std::lround(labels(x, y, z)));
    };
    std::map<int, Structure> structures;
    for (int z = 0; z < size.z; ++z) {
        ctx.throwIfCancelled();
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const int label = labelAt(x, y, z);
                if (label == 0)
                    continue;
                Structure& structure = structures[label];
                ++structure.voxels;
                if (isOnSurface(size, x, y, z, [&](int nx, int ny, int nz) {
                        return labelAt(nx, ny, nz) == label;
                    }))
                    structure.surface.push_back(centerOfVoxel(geometry, x, y, z));
            }
    }
    return structures;
}

} // namespace

LabelMask maskOf(const Volume& labels, int value) {
    LabelMask mask{labels.geometry, std::vector<std::uint8_t>(labels.geometry.voxels())};
    for (std::size_t i = 0; i < mask.inside.size(); ++i)
        mask.inside[i] = std::lround(labels.voxels.data()[i]) == value;
    return mask;
}

LabelMask warpMask(const LabelMask& moving, FieldView<const float> field, const ExecContext& ctx) {
    Volume before(moving.geometry, *ctx.pool, "mask"),
        after(moving.geometry, *ctx.pool, "moved mask");
    std::copy(moving.inside.begin(), moving.inside.end(), before.voxels.data());
    warpVolume(before.view(), field, after.view(), {}, ctx);
    LabelMask moved{moving.geometry, std::vector<std::uint8_t>(moving.inside.size())};
    for (std::size_t i = 0; i < moved.inside.size(); ++i)
        moved.inside[i] = after.voxels.data()[i] >= 0.5f;
    return moved;
}

double dice(const LabelMask& a, const LabelMask& b) {
    double both = 0, sum = 0;
    for (std::size_t i = 0; i < a.inside.size(); ++i) {
        both += a.inside[i] && b.inside[i];
        sum += a.inside[i] + b.inside[i];
    }
    return sum > 0 ? 2 * both / sum : NAN;
}

double surfaceDistance(const LabelMask& a, const LabelMask& b) {
    return surfaceDistance(surfaceOf(a), surfaceOf(b));
}

std::vector<LabelOverlap> labelOverlaps(const Geometry& geometry, VolumeView<const float> fixed,
                                        VolumeView<const float> moved, const ExecContext& ctx) {
    std::map<int, Structure> ofFixed = structuresOf(geometry, fixed, ctx);
    std::map<int, Structure> ofMoved = structuresOf(geometry, moved, ctx);
    std::map<int, std::size_t> shared;
    for (std::size_t i = 0; i < geometry.voxels(); ++i) {
        const auto label = static_cast<int>(std::lround(fixed.data[i]));
        if (label != 0 && static_cast<int>(std::lround(moved.data[i])) == label)
            ++shared[label];
    }
    std::map<int, LabelOverlap> overlaps;
    for (const auto& [label, structure] : ofFixed)
        overlaps[label].fixedVoxels = structure.voxels;
    for (const auto& [label, structure] : ofMoved)
        overlaps[label].movedVoxels = structure.voxels;
    std::vector<LabelOverlap> list;
    for (auto& [label, overlap] : overlaps) {
        ctx.throwIfCancelled();
        overlap.label = label;
        overlap.dice = 2 * static_cast<double>(shared[label]) /
                       static_cast<double>(overlap.fixedVoxels + overlap.movedVoxels);
        overlap.surfaceMillimeters =
            surfaceDistance(ofFixed[label].surface, ofMoved[label].surface);
        list.push_back(overlap);
    }
    return list;
}

} // namespace systole
