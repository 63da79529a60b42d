// Hearts on grids, for the tests of compute/cardiac.
#pragma once

#include "compute/cardiac/ventricle.h"
#include "compute/core/points.h"
#include "io/phantom/phantom.h"

#include <cmath>
#include <functional>

namespace systole::cardiac::testing {

/// A map whose tissue is a function of the position.
inline TissueMap mapOf(const Geometry& grid, const std::function<Tissue(Vec3)>& tissue) {
    TissueMap map{grid, {}};
    const Size3 size = grid.size();
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                map.at.push_back(tissue(centerOfVoxel(grid, x, y, z)));
    return map;
}

/// A displacement in every voxel, LPS mm.
inline MillimeterField fieldOf(const Geometry& grid, BufferPool& pool,
                               const std::function<Vec3(Vec3)>& displacement) {
    MillimeterField field{grid, pool.acquire<float>(3 * grid.voxels(), "field")};
    const Size3 size = grid.size();
    std::size_t i = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const Vec3 u = displacement(centerOfVoxel(grid, x, y, z));
                for (int a = 0; a < 3; ++a)
                    field.vectors.data()[i++] = static_cast<float>(u[a]);
            }
    return field;
}

/// Half an ellipsoid on an oblique grid of slices, its long axis along z.
inline Ventricle halfEllipsoid(ExecContext& ctx) {
    const double c = std::cos(0.3), s = std::sin(0.3);
    const Matrix3 turned{{{c, 0, s}, {0, -1, 0}, {-s, 0, c}}};
    const Geometry at0({40, 40, 30}, {2, 2, 2.6}, {}, turned);
    const Geometry grid({40, 40, 30}, {2, 2, 2.6}, Vec3{0, 0, -25} - at0.center(), turned);
    const auto tissue = [](Vec3 p) {
        const double r = std::hypot(p.x, p.y);
        return p.z > 0 || std::hypot(r / 28, p.z / 56) > 1 ? Tissue::Other
               : std::hypot(r / 18, p.z / 46) < 1          ? Tissue::Cavity
                                                           : Tissue::Wall;
    };
    return ventricleOf(mapOf(grid, tissue), {Vec3{0, 0, -46}, Vec3{0, 0, 0}, Vec3{0, -20, 0}}, ctx);
}

inline TissueMap mapOf(const Phantom& phantom) {
    const HeartShape& heart = phantom.options().heart;
    const HeartPose pose(heart);
    return mapOf(phantom.geometry(), [&](Vec3 p) {
        const PhantomTissue tissue = heart.tissue(pose.toOwn(p));
        return tissue == PhantomTissue::Wall    ? Tissue::Wall
               : tissue == PhantomTissue::Blood ? Tissue::Cavity
                                                : Tissue::Other;
    });
}

/// The phantom's own points; its angle 0 is towards +x of its own frame.
inline GivenPoints pointsOf(const HeartShape& heart) {
    const HeartPose pose(heart);
    return {pose.fromOwn({0, 0, -heart.endocardialHalfLength}),
            pose.fromOwn({0, 0, heart.baseHeight}), pose.fromOwn({heart.endocardialRadius, 0, 0})};
}

} // namespace systole::cardiac::testing
