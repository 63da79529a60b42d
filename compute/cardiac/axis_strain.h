// The change of volume and the strain along the heart's axes in every voxel of a grid, from a
// displacement field: for maps. Differences of neighbors reach over the wall's border, where
// figures of segments (strain.h) fit polynomials within the wall.
#pragma once

#include "compute/cardiac/definitions.h"
#include "compute/cardiac/ventricle.h"
#include "compute/core/volume.h"
#include "compute/cuda/kernel_family.h"

#include <vector>

namespace systole::cardiac {

/// The longitudinal and the radial axis of every voxel of a grid, unit vectors by their parts along
/// the grid's own axes; zero outside the wall. The circumferential one is their product: which of
/// its two directions it has is the same to a strain.
struct HeartAxesMap {
    Geometry grid;
    std::vector<float> planes; ///< longitudinal, then radial: three planes each

    FieldView<const float> longitudinal() const { return {planes.data(), grid.size()}; }
    FieldView<const float> radial() const {
        return {planes.data() + 3 * grid.voxels(), grid.size()};
    }
};
HeartAxesMap heartAxesMap(const Ventricle& ventricle);

/// Factors from differences in voxels to mm per mm: spacing[component] / spacing[axis].
struct AxisScale {
    float ratio[3][3];
};

/// Views of one size, on the host or on a device.
struct AxisStrain {
    FieldView<const float> motion; ///< voxels
    FieldView<const float> longitudinal, radial;
    AxisScale scale;
    Tensor tensor = Tensor::Engineering;
    VolumeView<float>
        jacobian; ///< det F, F = I + ∇u by differences: central, one-sided at the border
    FieldView<float> strain; ///< longitudinal, circumferential, radial; 0 where there are no axes
};
/// Factors of a grid whose axes are at right angles; throws ComputeError for others.
AxisScale axisScale(const Geometry& grid);

inline constexpr KernelVariant axisStrainVariants[] = {
    {"direct", "A thread per voxel loads the motion of its six neighbors.", 128},
    {"march", "Threads march through the planes; the motion along z stays in registers."},
    {"shared", "As march, with each plane of the motion and its halo in shared memory."},
};
inline constexpr KernelFamily axisStrainFamily{"axis-strain", axisStrainVariants};

inline constexpr int standardAxisStrain = axisStrainFamily.named("direct");

/// Computes the map on the host, with the same bits for any number of threads. Throws ComputeError
/// unless all views are of one size.
void axisStrain(const AxisStrain& work, const ExecContext& ctx);
/// Computes the map on the device of ctx.cuda, enqueued on its Compute stream; throws like
/// axisStrain(). Defined in builds with CUDA (cudaIsBuilt).
void axisStrainOnDevice(const AxisStrain& work, const ExecContext& ctx,
                        int variant = standardAxisStrain);
void checkAxisStrain(const AxisStrain& work);

} // namespace systole::cardiac
