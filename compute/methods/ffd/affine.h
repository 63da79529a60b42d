// Affine or rigid registration of two images by block matching, robust against what only one of
// them shows.
//
// Ourselin et al., Image and Vision Computing 19 (2001); Modat et al., J. Med. Imaging 1(2), 2014.
// Coarse to fine: blocks of 4³ voxels of the fixed image, those that vary most, are looked for in
// the moving image warped by the map so far (affine_blocks.h); the map is then corrected by the
// rigid or affine map that fits the better half of the pairs (least trimmed squares, affine_fit.h),
// until it moves by less than a share of a voxel.
#pragma once

#include "compute/core/affine_map.h"
#include "compute/core/motion_estimator.h"

#include <functional>
#include <vector>

namespace systole {

struct AffineParameters {
    bool rigid = false;       ///< rotation and translation alone
    bool symmetric = false;   ///< match in both directions, and take the map half-way
    bool anyContrast = false; ///< compare by NCC²: contrasts may be inverted
    int levels = 4;           ///< maximum number of resolutions
    int iterations = 10;      ///< maximum per level and freedom
    double blocks = 0.5;      ///< share of the blocks that is used, those that vary most
    double inliers = 0.5;     ///< share of the pairs that the map fits
    double tolerance = 0.03;  ///< voxels; a level ends when the map moves by less
    int matchVariant = 1;     ///< variant of affine::matchFamily, for CUDA

    static AffineParameters from(const ParamSet& values);
};

const ParamTable& affineParameterTable();

/// The start of the registration: at the initial map, or with its linear part and these points
/// brought together.
enum class AffineStart { Initial, CentersOfMass, CentersOfGrids };
const char* name(AffineStart start); ///< "initial map", "centers of mass", "centers of the grids"

struct AffineIteration {
    bool rigid = false; ///< the correction was a rigid one
    /// Mean correlation of the fixed blocks with the moving image under the map before this
    /// iteration; blocks without a counterpart count as 0.
    double similarity = 0;
    double change = 0;       ///< largest motion in the box around the blocks, in the level's voxels
    int pairs = 0, kept = 0; ///< matched blocks, and those that the correction fits
    double rms = 0;          ///< distance of the kept pairs after the correction, mm
};

struct AffineLevel {
    Size3 size;   ///< fixed image
    Vec3 spacing; ///< mm
    int blocks = 0;
    bool converged = false;
    bool used = true; ///< false: it told less than the coarser ones, whose map is the result
    std::vector<AffineIteration> iterations;

    /// Standard error of the map's translation, from the last iteration's kept pairs, mm.
    double standardError() const;
};

struct AffineResult {
    AffineMap map; ///< point of the fixed image to point of the moving one, LPS mm
    AffineStart start = AffineStart::Initial;
    /// The images agreed clearly less under the map that was found: `map` is the initial one.
    bool rejected = false;
    double overlap = 0; ///< share of the smaller image (of the masks) that is common under the map
    std::vector<AffineLevel> levels; ///< coarsest first
};

/// The map after an iteration of a level.
struct AffineState {
    const AffineMap& map;
    int level = 0;     ///< 0 is the finest
    int iteration = 0; ///< number of the level's iteration, from 1
    double energy = 0; ///< 1 − AffineIteration::similarity
};
using AffineObserver = std::function<void(const AffineState&)>;

/// The map from the fixed image to the moving one, by ctx.backend. Without input.grids both images
/// have one grid at the origin. Images of one slice keep the motion through their plane. Starts
/// from `initial`, or where that brings less agreement, from the centers. `observe` is called on
/// this thread after each iteration, of a level that isn't `used`, too; ctx.iteration isn't.
///
/// Throws ComputeError for sizes that don't match, values that aren't finite, a constant image, an
/// empty mask, an initial map without inverse, and images of which too few blocks match; Cancelled.
AffineResult registerAffine(const MotionInput& input, const AffineMap& initial,
                            const AffineParameters& parameters, const ExecContext& ctx,
                            const AffineObserver& observe = {});

} // namespace systole
