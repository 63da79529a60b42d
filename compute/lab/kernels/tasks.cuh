// The tasks of the laboratory, one for each family of kernels: makers of their data on the device.
#pragma once

#include "compute/lab/kernels/task.h"

namespace systole::lab {

// The stages of CLG.
KernelTask makeGradientTask(CudaContext& cuda, int side);
KernelTask makeSmoothTask(CudaContext& cuda, int side);
KernelTask makeJacobiTask(CudaContext& cuda, int side);
KernelTask makeRedBlackTask(CudaContext& cuda, int side);
KernelTask makeWarpTask(CudaContext& cuda, int side);
/// The distances of all candidates of side²/16 landmarks.
KernelTask makeSestTask(CudaContext& cuda, int side);
/// A transform of side³ voxels.
KernelTask makeThinPlateTask(CudaContext& cuda, int side);
/// side³ positions in a cube.
KernelTask makeTrilinearTask(CudaContext& cuda, int side);
/// Value, weight and gradient of a cube with tiles of 5×5×5 voxels.
KernelTask makeBsplineWarpTask(CudaContext& cuda, int side);
/// The forces between two random frames of side³ voxels.
KernelTask makeDemonsForceTask(CudaContext& cuda, int side);
/// The field of a cube with tiles of 5×5×5 voxels.
KernelTask makeBsplineTask(CudaContext& cuda, int side);
/// Matching every block of a cube of random gray values.
KernelTask makeBlockMatchTask(CudaContext& cuda, int side);
/// A random image in a cube of side³ voxels, moved by smooth waves.
KernelTask makeSpatialGradientTask(CudaContext& cuda, int side);
/// Two alike images of side³ voxels and the table of their histogram.
KernelTask makeSimilarityGradientTask(CudaContext& cuda, int side);
/// Smooth frames of side³ voxels, and half of the waves between them as motion.
KernelTask makeUnbiasedForceTask(CudaContext& cuda, int side);
/// The search in a band of about side² elements, a noisy ball.
KernelTask makeNlmTask(CudaContext& cuda, int side);
/// A ball in a cube of this side, whose radius is a third of it.
KernelTask makeBandTask(CudaContext& cuda, int side);
/// A band of 9 tiles in each of 8192 rows of tiles. The side says how full they are:
/// entriesOfTile().
KernelTask makeTileFillTask(CudaContext& cuda, int side);

/// Waves and axes of side³ voxels.
KernelTask makeAxisStrainTask(CudaContext& cuda, int side);

} // namespace systole::lab
