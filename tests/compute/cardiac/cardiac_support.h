// Hearts on grids, for the tests of compute/cardiac.
#pragma once

#include "compute/cardiac/ventricle.h"
#include "compute/core/points.h"
#include "io/phantom/phantom.h"

#include <functional>
#include <vector>

namespace systole::cardiac::testing {

/// What a function of the position says of each voxel.
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
