// Combined local-global optical flow with volume preservation (CLG), after the paper on real-time
// motion estimation in 3D echo; its equations as rebuilt in docs/numerics/clg.md.
//
//     E(w) = ∫ wᵀ J_rho w + alpha |∇w|² + beta (div w)² dx,   w = (u, v, w, 1)
//
// Preset `paper` is the method as printed; preset `default` gives the best results on ground truth.
#pragma once

#include "compute/core/motion_estimator.h"
#include "compute/methods/clg/solver/system.h"
#include "compute/methods/clg/variants.h"
#include "compute/ops/pyramid.h"
#include "compute/ops/smooth_halved.h"

#include <algorithm>

namespace systole {

/// Features that the data term compares.
enum class ClgFeatures {
    Auto,          ///< gray values, and self-similarity as far as the frames show that it helps
    Intensity,     ///< gray values
    SelfSimilarity ///< self-similarity alone: frames of different contrast
};

/// How brightness that differs between the frames is treated.
enum class ClgBrightness {
    Auto,     ///< local mean and deviation matched where motion doesn't explain the difference
    Joint,    ///< a smooth gain and offset estimated together with the motion
    Histogram ///< gray values mapped by the frames' joint histogram: another contrast
};

struct ClgParameters {
    static constexpr double usualAlpha = 0.3;
    double alpha = usualAlpha; ///< weight of the smoothness term
    double beta = 0;           ///< weight of the squared divergence
    double rho = 4;            ///< standard deviation of the tensor's smoothing, voxel
    /// The mean of the motion that smoothness leaves free (TrendWidth); both 0: smoothness applies
    /// to the motion itself. Without effect unless compositional.
    double trend = 0, trendShare = 0.25;
    double prefilter = 0;     ///< smoothing of both images on every level, voxel; see `adaptive`
    int levels = 4;           ///< maximum number of pyramid levels
    int warps = 4;            ///< warps per level (the paper's R)
    int sweeps = 30;          ///< maximum number of sweeps per warp
    double tolerance = 0.008; ///< change at which sweeps end, voxels; 0: run all sweeps
    double omega = 1.7;       ///< over-relaxation of red-black sweeps
    /// The motion of a level lies on the grid of the next coarser one; see halvesMotion().
    bool motionOnHalf = true;
    ClgSolver solver = ClgSolver::RedBlack;
    bool compositional = true;   ///< w ← dw + w∘(id + dw), smoothness sees the total
    bool centralGradient = true; ///< mean of fixed and warped, central; else fixed alone, forward
    bool cubic = true;           ///< the moving frame between its voxels: cubic, else trilinear
    bool normalized = true;      ///< data term divided by |∇I|² + 1
    bool adaptive = true;        ///< balance set by the noise found in the data
    ClgFeatures features = ClgFeatures::Auto;       ///< Auto needs `adaptive`
    ClgBrightness brightness = ClgBrightness::Auto; ///< Auto needs `adaptive`
    bool rootWeights = false;     ///< data term of the finest level divided by the root instead
    double gradientConstancy = 0; ///< share of the finest level's data term that compares gradients
    ClgVariants variants;         ///< variants of CUDA kernels; the CPU implementations have none

    bool usesSelfSimilarity() const {
        return features == ClgFeatures::SelfSimilarity ||
               (features == ClgFeatures::Auto && adaptive);
    }
    /// Where the tensor is smoothed this widely, half the grid holds all that it tells; volume
    /// preservation needs the differences of the whole grid.
    bool halvesMotion() const { return motionOnHalf && rho >= minHalvedSigma && !(beta > 0); }
    /// Whether the finest level's data term is more than gray values divided by their norm.
    bool refinesData() const {
        return (gradientConstancy > 0 || usesRootWeights()) &&
               features != ClgFeatures::SelfSimilarity;
    }
    bool usesRootWeights() const { return rootWeights && normalized; }
    bool matchesBrightness() const { return treats(ClgBrightness::Auto) && adaptive; }
    bool fitsGain() const { return treats(ClgBrightness::Joint); }
    bool mapsGrayValues() const { return treats(ClgBrightness::Histogram); }
    /// Whether a level's warp samples cubically: the second half of them. The first ones bring the
    /// frames near each other, where sampling isn't what limits.
    bool samplesCubically(int warp) const { return cubic && warp >= warps / 2; }
    DivergenceStencil stencil() const {
        return compositional ? DivergenceStencil::Energy : DivergenceStencil::Paper;
    }
    SolveOptions solveOptions() const {
        return {solver, sweeps, tolerance, halvesMotion() ? 1 + omegaOnHalf * (omega - 1) : omega};
    }
    /// Whether alpha is the finest level's affair: coarser ones have the usual weight, by which
    /// most of the motion is found. On the finest level the smaller of both applies to the motion,
    /// and their difference to what the level adds to the motion that it begins with. Not with a
    /// trend of each level's own width, whose balance is another.
    bool holdsStart() const {
        return adaptive && compositional && !(trend > 0) && alpha != usualAlpha;
    }
    /// The share of the finest level's smoothness that applies to what the level adds.
    double startShare() const {
        return holdsStart() ? 1 - std::min(alpha, usualAlpha) / std::max(alpha, usualAlpha) : 0;
    }
    static ClgParameters from(const ParamSet& values);

private:
    /// Factor on omega − 1 on half the grid. Voxels twice as far apart are coupled a quarter as
    /// much.
    static constexpr double omegaOnHalf = 3.0 / 7;

    bool treats(ClgBrightness how) const {
        return brightness == how && features != ClgFeatures::SelfSimilarity;
    }
};

/// Distance in voxels beyond which a plane changes a displacement by less than 0.05 voxel.
inline constexpr int clgReach = 48;

/// Summary of the estimation on one level.
struct LevelFigures {
    int warps = 0;
    int sweeps = 0;        ///< summed over the warps; a V-cycle counts its fine sweeps
    double lastChange = 0; ///< largest change in the last sweep, voxel of this level
    double energy = 0;     ///< linearized, after the last sweep, without It²
    double brightness = 0; ///< share by which brightness was matched before the last warp, 0 to 1
    double selfSimilarity = 0; ///< its weight in the last warp
    double noise = 0;          ///< estimated noise of the normal displacement, voxel of this level

    MotionReport::Level report(Size3 size) const;
};

MotionMethod clgMethod();
const ParamTable& clgParameterTable();
std::vector<MethodVariation> clgVariations();
double clgLeastBytes(const std::string& stage, double voxels, const MotionReport& report);
std::unique_ptr<MotionEstimator> makeClg(const ParamSet& values, Backend backend);
/// The CUDA implementation; defined in builds with CUDA (cudaIsBuilt).
std::unique_ptr<MotionEstimator> makeClgCuda(const ClgParameters& parameters);

} // namespace systole
