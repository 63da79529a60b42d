// Parts of the strain along axes that its kernels share: the product's (axis_strain_cuda.cu) and
// those of the laboratory (compute/lab/kernels/axis_strain_cuda.cu).
#pragma once

#include "compute/cardiac/axis_strain.h"
#include "compute/cardiac/axis_strain_math.h"
#include "compute/cuda/kernel_support.cuh"

namespace systole::gpu {

/// Writes a voxel's strain. A voxel without a radial axis has no other one either.
__device__ inline void writeStrain(const cardiac::AxisStrain& s, std::size_t i,
                                   const FieldGradient& g) {
    const float r[3] = {s.radial.u[i], s.radial.v[i], s.radial.w[i]};
    float l[3] = {0, 0, 0};
    if (cardiac::isAxis(r))
        for (int k = 0; k < 3; ++k)
            l[k] = s.longitudinal.component(k)[i];
    const cardiac::VoxelStrain strain = cardiac::voxelStrain(g, l, r, s.scale, s.tensor);
    s.jacobian.data[i] = strain.jacobian;
    for (int k = 0; k < 3; ++k)
        s.strain.component(k)[i] = strain.along[k];
}

/// Cost of a voxel without its reads of the motion: F from nine differences (27 operations), its
/// determinant, the third axis, F n and its square for three axes, the square roots; both axes are
/// read and four values written.
inline constexpr KernelCost strainCost{.add = 14 + 9,
                                       .multiply = 22 + 6,
                                       .fusedMultiplyAdd = 9 + 6 + 3 * 9,
                                       .squareRoot = 3,
                                       .integer = 40,
                                       .globalLoads = 6,
                                       .globalStores = 4};

/// A kernel of the strain.
struct StrainKernel {
    void (*kernel)(cardiac::AxisStrain, int planes);
    KernelCost (*cost)(int rows);
    int planes = 1; ///< planes that a thread marches through
    /// Columns of the tile in shared memory, which has two rows more than a block; 0: no tile.
    int tileWidth = 0;
};
/// Launches variant number `variant` of a family.
void launchAxisStrain(const StrainKernel& kernel, const KernelFamily& family, int variant,
                      const cardiac::AxisStrain& work, LaunchLog& log);

extern const StrainKernel strainOfVoxel; ///< the product's kernel

} // namespace systole::gpu
