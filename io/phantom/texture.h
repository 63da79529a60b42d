// How the phantom is seen: speckle of scatterers, or smooth tissue.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "io/phantom/motion.h"
#include "io/phantom/phantom.h"

namespace systole {

struct PhantomScene {
    const PhantomOptions& options;
    const Geometry& geometry;
    int frame;
    HeartPose pose;
    PhantomMotion motion;
};

/// Fully developed speckle: scatterersPerVoxel points in each voxel-sized cell of material, with
/// complex Gaussian amplitudes, carried by the motion, spread by a Gaussian point-spread function
/// of 1.5, 1.5, 1.0 voxels, the first two times 1 + lateralGrowth · depth / 100 mm below the probe;
/// magnitude, shadows, multiplicative noise, logarithm over 50 dB to 0–255.
void paintEcho(const PhantomScene& scene, VolumeView<float> voxels, const ExecContext& ctx);

/// Contrast-filled cavity, wall and surroundings with a faint texture of 6 mm that moves with the
/// material, edges of one voxel, additive noise.
void paintCt(const PhantomScene& scene, VolumeView<float> voxels, const ExecContext& ctx);

} // namespace systole
