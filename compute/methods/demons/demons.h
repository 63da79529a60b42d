// Diffeomorphic demons: the classical baseline next to the other methods.
//
//     u = d J / (|J|² + d² / (4 L²)),   d = F − M∘s,   J = ∇ ½ (F + M∘s)
//     s ← G_diffusion * (s ∘ exp(G_fluid * u))
//
// F is the fixed frame, M∘s the moving one warped by the displacement s so far, L the longest step.
// G_fluid has one length along every axis, but at least a voxel, or as much of each as it is given
// below one: over its width noise is averaged, so that it is wider where the frames are noisy.
// Symmetric (ESM) forces and the update by an exponential: Vercauteren, Pennec, Perchant, Ayache:
// Diffeomorphic demons: Efficient non-parametric image registration, NeuroImage 45 (2009), eqs. 5,
// 10 and algorithm 2; scaling and squaring: Arsigny et al., MICCAI 2006.
#pragma once

#include "compute/core/geometry.h"
#include "compute/core/motion_estimator.h"
#include "compute/cuda/kernel_family.h"
#include "compute/ops/pyramid.h"

namespace systole {

/// The factors that turn differences between neighbors into a step.
struct DemonsScale {
    float scale[3];       ///< s_min / s_axis of the level
    float inverseSquared; ///< 1 / (4 L²), L in smallest voxels
};

/// The moving frame is known at a position on the grid, and half a voxel around it: at the grid's
/// border rounding then doesn't decide whether a voxel at rest has a force.
constexpr bool demonsKnown(float x, float y, float z, Size3 size) {
    const auto within = [](float position, int n) {
        return position >= -0.5f && position <= static_cast<float>(n) - 0.5f;
    };
    return within(x, size.x) && within(y, size.y) && within(z, size.z);
}

struct DemonsForce {
    float u, v, w; ///< step, voxels of the level
};

/// `difference` is F − M∘s. gx, gy, gz are differences of F + M∘s between the neighbors on either
/// side, four times the central difference of their mean. Without any contrast the force is zero.
constexpr DemonsForce demonsForce(float difference, float gx, float gy, float gz,
                                  const DemonsScale& s) {
    const float x = 0.25f * s.scale[0] * gx, y = 0.25f * s.scale[1] * gy,
                z = 0.25f * s.scale[2] * gz;
    const float norm = x * x + y * y + z * z + difference * difference * s.inverseSquared;
    if (!(norm > 1e-6f))
        return {0, 0, 0};
    const float step = difference / norm;
    return {step * x * s.scale[0], step * y * s.scale[1], step * z * s.scale[2]};
}

struct DemonsParameters {
    int levels = 4;          ///< maximum number of pyramid levels
    int iterations = 20;     ///< iterations per level
    double maxStep = 2;      ///< longest step of an iteration, in the level's smallest voxels
    double fluid = 1;        ///< standard deviation of the step's smoothing, smallest voxels
    double fluidInNoise = 5; ///< `fluid` where the frames are noisy (DemonsNoise)
    double diffusion = 1;    ///< standard deviation of the displacement's smoothing, voxel
    int forceVariant = 0;    ///< variant of demonsForceFamily, for CUDA

    static DemonsParameters from(const ParamSet& values);
    /// Number of squarings of the exponential: the scaled step is shorter than half a voxel.
    int squarings() const;
};

/// How noisy a pair is, and which smoothing of its steps is left out for that.
struct DemonsNoise {
    /// Frames whose variances add up to more than this are noisy: deviations of 10 of 255 gray
    /// values.
    static constexpr float maxVariance = 200;

    float variance[2]; ///< whiteNoise() of the frames
    int skip[2];       ///< that by `fluid`, that by `fluidInNoise`

    constexpr void decide() {
        const bool noisy = variance[0] + variance[1] > maxVariance;
        skip[0] = noisy ? 1 : 0;
        skip[1] = noisy ? 0 : 1;
    }
};

MotionMethod demonsMethod();
/// Throws ComputeError for Backend::Cuda in a build without CUDA.
std::unique_ptr<MotionEstimator> makeDemons(const ParamSet& values, Backend backend);
/// The CUDA implementation; defined in builds with CUDA (cudaIsBuilt).
std::unique_ptr<MotionEstimator> makeDemonsCuda(const DemonsParameters& parameters);
DemonsScale demonsScale(const PyramidLevel& level, const DemonsParameters& parameters);
/// Input and output of demonsForces(), all on one grid.
struct DemonsForceInput {
    VolumeView<const float> fixed, warped;
    FieldView<const float> motion;
    FieldView<float> step; ///< output
    DemonsScale scale;
};
/// Sets the step to the force at each voxel, in voxels, and to zero where the motion leads out of
/// the grid (demonsKnown). Returns the mean squared difference of the frames elsewhere.
double demonsForces(const DemonsForceInput& input, const ExecContext& ctx);

/// Voxels along an axis beyond which gray values hardly change the displacement.
inline constexpr int demonsReach = 48;

// The force kernel, in its memory variants.
inline constexpr KernelVariant demonsForceVariants[] = {
    {"direct", "Plain loads; shared values hit the caches.", 256},
    {"shared", "A tile with its halo in shared memory marches through the planes.", 256},
};
inline constexpr KernelFamily demonsForceFamily{
    "demons-force", demonsForceVariants, "force", "direct",
    "How the CUDA kernel of the forces reads the frames."};

} // namespace systole
