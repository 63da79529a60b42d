// The inner loops of the unbiased method's CPU implementation, a row (x) at a time, in SIMD with
// the instruction set chosen at run time; see compute/ops/row_kernels.h. Operations and their order
// are those of force_math.h and step_math.h: with fused multiply-adds the bits are, too.
#pragma once

#include "compute/methods/unbiased/force_math.h"
#include "compute/ops/row_kernels.h"

namespace systole::rows {

/// Input of a row of M: differences along x, and the rows next to it along y and z with the factor
/// on their difference. The index is the component.
struct DeformationRow {
    const float* alongX[3];
    const float *aheadY[3], *behindY[3];
    const float *aheadZ[3], *behindZ[3];
    float factorY, factorZ;
};

/// out[i] = difference of the row at i: central inside, one-sided at its ends, 0 if count is 1.
void differences(const float* row, int count, float* out);

/// flux[3·i + j] = cof(M)_ij L', distance[i] = (|M| − 1) log |M|; returns the number of voxels with
/// |M| below minDeterminant.
int unbiasedFlux(const DeformationRow& row, int count, float* const (&flux)[9], float* distance);

/// A row of the data term.
struct DataRow {
    Volume moving;
    const float* fixed;
    float y, z;            ///< voxel coordinates of the row
    const float* w[3];     ///< displacement
    const float* distance; ///< (|M| − 1) log |M| from unbiasedFlux()
};
/// energy[i] = the data term + lambda · distance, and the data term's force.
void unbiasedData(const DataRow& row, const unbiased::ForceRule& rule, int count, float* energy,
                  float* const (&force)[3]);

/// A row of the force from the flux around it: `flux` is the row itself, aheadY … behindZ the rows
/// next to it.
struct ForceRow {
    const float* flux[9]; ///< flux[3·i] is read from −1 to count: half its difference there is the
                          ///< transposed one, at the ends of the row, too
    const float *aheadY[3], *behindY[3], *aheadZ[3],
        *behindZ[3]; ///< index: component of the motion; j, the flux's axis, is y or z
    unbiased::TransposedDifference y, z;
    const float* data[3]; ///< the data term's force
};
/// out = bodyForce of the sum of both forces.
void unbiasedForce(const DeformationRow& m, const ForceRow& row, const unbiased::ForceRule& rule,
                   int count, float* const (&out)[3]);

/// velocity = force + momentum · velocity, out = M velocity; returns the largest squared length of
/// out, components multiplied by inverseScale. Without momentum, velocity is not read.
float unbiasedTransport(const DeformationRow& m, const float* const (&force)[3], float momentum,
                        float* const (&velocity)[3], const float (&inverseScale)[3], int count,
                        float* const (&out)[3]);

/// step = from + time · step
void advance(const float* from, float time, int count, float* step);

} // namespace systole::rows
