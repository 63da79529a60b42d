// Variants of the kernel of the strain along axes, beside the one that the product takes
// (compute/cardiac/axis_strain.h).
#pragma once

#include "compute/cardiac/axis_strain.h"

namespace systole::lab {

/// All variants have the same bits.
inline constexpr KernelVariant axisStrainVariants[] = {
    cardiac::strainByVoxel,
    {"march", "Threads march through the planes; the motion along z stays in registers."},
    {"shared", "As march, with each plane of the motion and its halo in shared memory."},
};
inline constexpr KernelFamily axisStrainFamily{"axis-strain", axisStrainVariants};

/// cardiac::axisStrainOnDevice() by a variant of axisStrainFamily. Defined in builds with CUDA
/// (cudaIsBuilt).
void axisStrainOnDevice(int variant, const cardiac::AxisStrain& work, const ExecContext& ctx);

} // namespace systole::lab
