#include "compute/cardiac/axis_strain.h"

#include "compute/core/error.h"

namespace systole::cardiac {

HeartAxesMap heartAxesMap(const Ventricle& ventricle) {
    const Geometry& grid = ventricle.wall.grid;
    HeartAxesMap map{grid, std::vector<float>(6 * grid.voxels())};
    const Matrix3& direction = grid.direction();
    const VolumeView<const float> plane(map.planes.data(), grid.size());
    for (std::size_t i = 0; i < ventricle.wall.count(); ++i) {
        const auto [x, y, z] = ventricle.wall.index[i];
        float* out = map.planes.data() + plane.offset(x, y, z);
        for (const Vec3 axis : {ventricle.axes[i].longitudinal, ventricle.axes[i].radial})
            for (std::size_t k = 0; k < 3; ++k, out += grid.voxels())
                *out = static_cast<float>(
                    dot(axis, Vec3{direction[0][k], direction[1][k], direction[2][k]}));
    }
    return map;
}

AxisScale axisScale(const Geometry& grid) {
    if (!grid.isOrthonormal())
        throw ComputeError("strain along axes needs a grid whose own axes are at right angles");
    AxisScale scale{};
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            scale.ratio[k][j] = static_cast<float>(grid.spacing()[k] / grid.spacing()[j]);
    return scale;
}

void checkAxisStrain(const AxisStrain& work) {
    const Size3 size = work.motion.size;
    for (const Size3 other :
         {work.longitudinal.size, work.radial.size, work.jacobian.size, work.strain.size})
        if (size != other)
            throw ComputeError("a motion, the axes along which its strain is wanted and the strain "
                               "must be of one size");
}

} // namespace systole::cardiac
