// How alike the fixed image and the warped moving one are: the measures that the free-form
// deformation maximizes, in host memory.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/cuda/workspace.h"
#include "compute/ops/fused_math.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>

namespace systole {

enum class SimilarityKind { Ssd, Nmi, Lncc };

struct SimilarityOptions {
    SimilarityKind kind = SimilarityKind::Lncc;
    double window = 4; ///< standard deviation of LNCC's window, in the level's smallest voxels
};

/// Images of one size. Gray values about 0 to 255; weight from 0 (ignored) to 1. `lost`: the
/// variance of noise that the warp took from each voxel (warpMoving()); empty: none.
struct ComparedImages {
    VolumeView<const float> fixed, warped, weight, lost{};
};

/// Meaning of a similarity's value as a term of an energy.
class SimilarityScale {
public:
    virtual ~SimilarityScale() = default;
    /// The measure as it is known, from its value as an energy.
    virtual double known(double energy) const = 0;
    /// The share of the images that the warp doesn't explain, 0 to 1, from the value as an energy;
    /// 1 where the measure doesn't tell. See smoothnessFactor().
    virtual double unexplained(double) const { return 1; }
    /// Whether the measure makes good what was lost of the noise.
    virtual bool seesLoss() const { return false; }
    /// d value / d lost at each voxel, after derivative() of images with a loss.
    virtual VolumeView<const float> ofLost() const { return {}; }
};

/// Its value is a term of an energy: the smaller, the more alike.
class Similarity : public SimilarityScale {
public:
    /// Input that doesn't change on a level: the fixed image, its mask (may be empty), the moving
    /// image before the warp, and the level's voxels in smallest spacings along each axis.
    struct Level {
        VolumeView<const float> fixed, fixedMask, moving;
        bool movingMasked = false; ///< the weight is that of a mask of the moving image, too
        Vec3 unit{1, 1, 1};
    };
    virtual void begin(const Level& level, const ExecContext& ctx) = 0;
    /// Images of the level's size; 0 where no voxel has a weight.
    virtual double value(const ComparedImages& images, const ExecContext& ctx) = 0;
    /// out = d value / d warped at each voxel, the weight held, for the images of the last value().
    virtual void derivative(const ComparedImages& images, VolumeView<float> out,
                            const ExecContext& ctx) = 0;
};

/// Mean squared difference over the variance of the fixed image.
std::unique_ptr<Similarity> makeSsd();

/// Adds its memory to `space`, which must be acquired before begin() and outlive the similarity.
std::unique_ptr<Similarity> makeSimilarity(const SimilarityOptions& options, Size3 finest,
                                           Workspace& space);

/// Units on which squared differences and gray values, times a weight, are added exactly: sums over
/// so many voxels of up to 2¹⁶ and 2⁸ a voxel in the mean.
constexpr double squaresUnit(std::size_t voxels) {
    return std::max(0x1p-16, 0x1p-37 * static_cast<double>(std::bit_ceil(voxels)));
}
constexpr double graysUnit(std::size_t voxels) {
    return std::max(0x1p-20, 0x1p-45 * static_cast<double>(std::bit_ceil(voxels)));
}

/// weight · difference and weight · difference² for an exact sum.
constexpr double weighedGray(float difference, float weight, double unit) {
    return onSumGrid(static_cast<double>(weight) * static_cast<double>(difference), unit);
}
constexpr double weighedSquare(float difference, float weight, double unit) {
    return onSumGrid(static_cast<double>(weight * difference) * static_cast<double>(difference),
                     unit);
}

/// Sum of the weights of all voxels, exact: see onSumGrid().
double totalWeight(VolumeView<const float> weight, const ExecContext& ctx);

} // namespace systole
