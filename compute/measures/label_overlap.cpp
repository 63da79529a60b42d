#include "compute/measures/label_overlap.h"

#include "compute/core/neighbors.h"
#include "compute/core/points.h"
#include "compute/measures/nearest_points.h"

#include <cmath>
#include <map>

namespace systole {
namespace {

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
                int alike = 0;
                overFaces(size, x, y, z,
                          [&](int nx, int ny, int nz) { alike += labelAt(nx, ny, nz) == label; });
                if (alike < 6)
                    structure.surface.push_back(centerOfVoxel(geometry, x, y, z));
            }
    }
    return structures;
}

} // namespace

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
