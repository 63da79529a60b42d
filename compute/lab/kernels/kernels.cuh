// The laboratory's kernel families with their tasks on the device: the one list, one line each, in
// the order of kernelFamilies().
#pragma once

#include "compute/cardiac/axis_strain.h"
#include "compute/cuda/compiled_cost.h"
#include "compute/lab/kernels/band_work.h"
#include "compute/lab/kernels/bspline_cuda.cuh"
#include "compute/lab/kernels/bspline_warp_cuda.cuh"
#include "compute/lab/kernels/interpolate_cuda.cuh"
#include "compute/lab/kernels/sest_cuda.cuh"
#include "compute/lab/kernels/similarity_gradient_cuda.cuh"
#include "compute/lab/kernels/spatial_gradient_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"
#include "compute/lab/kernels/thin_plate_cuda.cuh"
#include "compute/lab/kernels/tile_fill.h"
#include "compute/methods/clg/solver/jacobi_cuda.cuh"
#include "compute/methods/clg/solver/red_black_cuda.cuh"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/methods/demons/demons.h"
#include "compute/methods/ffd/affine_blocks.h"
#include "compute/methods/unbiased/force_cuda.cuh"
#include "compute/surface/nlm_search_cuda.cuh"

namespace systole::lab {

struct FamilyOnDevice {
    const KernelFamily* family;
    KernelTaskMaker makeTask;
    /// Null: the machine code isn't compared with the declared costs.
    std::vector<CompiledCost> (*compiledCosts)() = nullptr;
};

inline constexpr FamilyOnDevice familiesOnDevice[] = {
    {&clg::gradientFamily, makeGradientTask, clg::compiledGradientCosts},
    {&smoothFamily, makeSmoothTask, gpu::compiledSmoothCosts},
    {&clg::jacobiFamily, makeJacobiTask, clg::compiledJacobiCosts},
    {&clg::redBlackFamily, makeRedBlackTask, clg::compiledRedBlackCosts},
    {&clg::warpFamily, makeWarpTask, clg::compiledWarpCosts},
    {&sestFamily, makeSestTask, compiledSestCosts},
    {&transformFamily, makeThinPlateTask, compiledThinPlateCosts},
    {&interpolateFamily, makeTrilinearTask, compiledInterpolationCosts},
    {&bsplineWarpFamily, makeBsplineWarpTask, compiledBsplineWarpCosts},
    {&demonsForceFamily, makeDemonsForceTask},
    {&bsplineFamily, makeBsplineTask, compiledBsplineCosts},
    {&affine::matchFamily, makeBlockMatchTask},
    {&spatialGradientFamily, makeSpatialGradientTask, compiledSpatialGradientCosts},
    {&similarityGradientFamily, makeSimilarityGradientTask, compiledSimilarityGradientCosts},
    {&unbiased::forceFamily, makeUnbiasedForceTask, unbiased::compiledForceCosts},
    {&nlmSearchFamily, makeNlmTask, gpu::compiledNlmCosts},
    {&bandFamily, makeBandTask},
    {&tileFillFamily, makeTileFillTask},
    {&cardiac::axisStrainFamily, makeAxisStrainTask},
};

} // namespace systole::lab
