#include "compute/cardiac/strain.h"

#include "compute/core/error.h"
#include "compute/core/points.h"

#include <fmt/format.h>

namespace systole::cardiac {

Displacements displacementsIn(const TissueVoxels& voxels, const MillimeterField& field) {
    if (!field.geometry.matches(voxels.grid, 1e-3)) {
        const Size3 of = field.geometry.size(), labels = voxels.grid.size();
        throw ComputeError(fmt::format("the field lies on another grid ({}×{}×{}) than the labels "
                                       "({}×{}×{}) or elsewhere",
                                       of.x, of.y, of.z, labels.x, labels.y, labels.z));
    }
    Displacements found(voxels.count());
    const Size3 size = voxels.grid.size();
    const VolumeView<const float> x(field.vectors.data(), size); // a view for its offsets only
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto [a, b, c] = voxels.index[i];
        const float* const u = field.vectors.data() + 3 * x.offset(a, b, c);
        found[i] = {u[0], u[1], u[2]};
        if (!isFinite(widened(found[i])))
            throw ComputeError(fmt::format("the field isn't finite at voxel ({}, {}, {}), which is "
                                           "in the heart",
                                           a, b, c));
    }
    return found;
}

} // namespace systole::cardiac
