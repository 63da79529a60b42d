// The laboratory's kernel families with their tasks on the device: the one list, one line each, in
// the order of kernelFamilies().
#pragma once

#include "compute/landmarks/sest_cuda.cuh"
#include "compute/landmarks/thin_plate_cuda.cuh"
#include "compute/methods/clg/solver/jacobi_cuda.cuh"
#include "compute/methods/clg/solver/red_black_cuda.cuh"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/methods/demons/force_cuda.cuh"
#include "compute/methods/ffd/affine_blocks_cuda.cuh"
#include "compute/methods/ffd/similarity_gradient_cuda.cuh"
#include "compute/methods/ffd/spatial_gradient_cuda.cuh"
#include "compute/methods/unbiased/force_cuda.cuh"
#include "compute/ops/bspline_field_cuda.cuh"
#include "compute/ops/bspline_warp_cuda.cuh"
#include "compute/ops/interpolate_cuda.cuh"
#include "compute/sparse/tile_fill_cuda.cuh"
#include "compute/surface/band_work_cuda.cuh"
#include "compute/surface/nlm_search_cuda.cuh"

namespace systole::lab {

struct FamilyOnDevice {
    const KernelFamily* family;
    KernelTaskMaker makeTask;
    std::vector<CompiledCost> (*compiledCosts)();
};

inline constexpr FamilyOnDevice familiesOnDevice[] = {
    {&clg::gradientFamily, clg::makeGradientTask, clg::compiledGradientCosts},
    {&smoothFamily, clg::makeSmoothTask, gpu::compiledSmoothCosts},
    {&clg::jacobiFamily, clg::makeJacobiTask, clg::compiledJacobiCosts},
    {&clg::redBlackFamily, clg::makeRedBlackTask, clg::compiledRedBlackCosts},
    {&clg::warpFamily, clg::makeWarpTask, clg::compiledWarpCosts},
    {&sest::searchFamily, gpu::makeSestTask, gpu::compiledSestCosts},
    {&transformFamily, gpu::makeThinPlateTask, gpu::compiledThinPlateCosts},
    {&interpolateFamily, gpu::makeTrilinearTask, gpu::compiledInterpolationCosts},
    {&bsplineWarpFamily, gpu::makeBsplineWarpTask, gpu::compiledBsplineWarpCosts},
    {&demonsForceFamily, gpu::makeDemonsForceTask, gpu::compiledDemonsForceCosts},
    {&bsplineFamily, gpu::makeBsplineTask, gpu::compiledBsplineCosts},
    {&affine::matchFamily, gpu::makeBlockMatchTask, gpu::compiledBlockMatchCosts},
    {&spatialGradientFamily, gpu::makeSpatialGradientTask, gpu::compiledSpatialGradientCosts},
    {&similarityGradientFamily, gpu::makeSimilarityGradientTask,
     gpu::compiledSimilarityGradientCosts},
    {&unbiased::forceFamily, unbiased::makeForceTask, unbiased::compiledForceCosts},
    {&nlmSearchFamily, gpu::makeNlmTask, gpu::compiledNlmCosts},
    {&bandFamily, gpu::makeBandTask, gpu::compiledBandCosts},
    {&sparse::tileFillFamily, sparse::makeTileFillTask, sparse::compiledTileFillCosts},
};

} // namespace systole::lab
