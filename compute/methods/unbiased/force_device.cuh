// Constants and types that the kernels of the force share; only force_*_cuda.cu include them.
#pragma once

#include "compute/core/voxel.h"
#include "compute/cuda/early_launch.cuh"
#include "compute/methods/unbiased/force_cuda.cuh"

namespace systole::unbiased {

/// How a variant is launched.
struct ForceKernel {
    void (*kernel)(ForceStep, int planes);
    KernelCost (*cost)(int rows); ///< cost per voxel
    CompiledCost (*compiled)(const std::string& kernel);
    int planes;              ///< maximum number of planes per thread
    int haloLanes, haloRows; ///< lanes of a warp and rows of a block that write nothing
    std::size_t (*sharedFloats)(int rows);
};
/// The first force of a level, where all voxels may lie on planes of voxels: it samples both sides
/// of the planes, a cost that later forces don't have.
extern const ForceKernel startForce;
extern const ForceKernel globalForce, recomputeForce, cappedForce, reuseForce, bulkForce,
    fusedForce;

constexpr int maxForceThreads = 512;

// Costs are counted from the source; where the compiler decides, its machine code (CUDA 13, compute
// capability 9.0) counts. A logarithm is a polynomial.

/// The frames' part of every variant: the value and the derivative of the moving frame, the noise
/// that it loses, the fixed one, the force's sum and its pull-back.
constexpr KernelCost frameCost{.add = 18,
                               .multiply = 13,
                               .fusedMultiplyAdd = 21,
                               .integer = 150,
                               .globalLoads = 9,
                               .globalStores = 3};
/// M, its cofactors, its slope and three fluxes from differences that are at hand.
constexpr KernelCost fluxCost{
    .add = 13, .multiply = 16, .fusedMultiplyAdd = 23, .divide = 1, .integer = 30};
/// Copying a cell of the displacements' planes to shared memory.
constexpr KernelCost cellCost{.integer = 40, .globalLoads = 3, .sharedAccesses = 3};

#ifdef __CUDACC__

/// The data term of a voxel with displacement w, from one read of the moving frame's eight voxels
/// (startForce: of more).
__device__ inline DataTerm dataTermAt(const ForceStep& s, const float (&w)[3], int x, int y,
                                      int z) {
    return dataTerm(
        movingSample(s.frames.moving, {static_cast<float>(x) + w[0], static_cast<float>(y) + w[1],
                                       static_cast<float>(z) + w[2]}),
        s.frames.fixed.data[s.frames.fixed.offset(x, y, z)], s.level->noise);
}

/// Whether the kernel has nothing to do; the same in all threads.
__device__ inline bool isIdle(const ForceStep& s) {
    return s.use != ForceUse::Alone &&
           (s.level->steps.done || (s.use == ForceUse::Start && s.level->startFound));
}

/// The displacement whose force is wanted.
__device__ inline FieldView<const float> motionOf(const ForceStep& s) {
    return s.motion[s.use == ForceUse::Candidate ? 1 - s.level->current : 0];
}

/// Writes a voxel's force and adds its energy.
__device__ inline void writeForce(const ForceStep& s, int x, int y, int z, const Deformation& m,
                                  const Vector& force) {
    const Vector body = bodyForce(m, force, s.rule);
    const std::size_t i = s.out.componentView(0).offset(x, y, z);
    s.out.u[i] = body.v[0];
    s.out.v[i] = body.v[1];
    s.out.w[i] = body.v[2];
}

__device__ inline void addEnergy(double2& total, const ForceStep& s, float data, const Flux& flux) {
    total.x += energyOf(data, s.rule.lambda, flux.distance, s.energyUnit);
    total.y += flux.determinant >= minDeterminant ? 0 : 1;
}

/// Called by all threads at a kernel's end: the last block decides about the step.
__device__ inline void conclude(const ForceStep& s, double2 total) {
    double2 all;
    if (!gpu::gridSum(total, s.sum, all))
        return;
    conclude(*s.level, s.steps, s.use, {all.x / static_cast<double>(s.out.size.voxels()), all.y});
}

#endif

} // namespace systole::unbiased
