// How alike the fixed image and the warped moving one are: the measures that the free-form
// deformation maximizes, in host memory.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/cuda/workspace.h"
#include "compute/ops/fused_math.h"

#include <memory>
#include <string>

namespace systole {

enum class SimilarityKind { Ssd, Nmi, Lncc };

struct SimilarityOptions {
    SimilarityKind kind = SimilarityKind::Lncc;
    double window =
        4; ///< of LNCC: standard deviation of the window, in the level's smallest voxels
};

/// Images of one size. Gray values about 0 to 255; weight from 0 (ignored) to 1.
struct ComparedImages {
    VolumeView<const float> fixed, warped, weight;
};

/// What a similarity's value as a term of an energy says.
class SimilarityScale {
public:
    virtual ~SimilarityScale() = default;
    /// The measure as it is known, from its value as an energy.
    virtual double known(double energy) const = 0;
    /// The share of the images that the warp doesn't explain, 0 to 1, from the value as an energy;
    /// 1 where the measure doesn't tell. See smoothnessFactor().
    virtual double unexplained(double) const { return 1; }
};

/// Its value is a term of an energy: the smaller, the more alike.
class Similarity : public SimilarityScale {
public:
    /// What stays the same on a level: the fixed image, its mask (may be empty), the moving image
    /// before the warp, and the level's voxels in smallest spacings along each axis.
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

/// Units on which squared differences and gray values, times a weight, are added exactly: sums
/// below 2³⁷ and 2³³.
inline constexpr double squaresUnit = 1.0 / (1 << 16), graysUnit = 1.0 / (1 << 20);

/// weight · difference^power, power 1 or 2, for an exact sum.
constexpr double weighedPower(float difference, float weight, int power) {
    const auto d = static_cast<double>(difference);
    return power == 2 ? onSumGrid(static_cast<double>(weight * difference) * d, squaresUnit)
                      : onSumGrid(static_cast<double>(weight) * d, graysUnit);
}

/// Sum of the weights of all voxels, exact: see onSumGrid().
double totalWeight(VolumeView<const float> weight, const ExecContext& ctx);

} // namespace systole
