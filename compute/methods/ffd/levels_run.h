// The way from the coarsest level to the finest, the same for all backends.
#pragma once

#include "compute/methods/ffd/ffd.h"
#include "compute/methods/ffd/levels.h"

#include <cmath>
#include <vector>

namespace systole {

/// The energy of a level where a backend computes it; `iterated` calls ctx.iteration.
class FfdProblem : public DescentProblem {
public:
    /// Prepares the level; slots then hold vectors of its control points. Throws ComputeError if
    /// the images have no voxel in common that counts.
    virtual void beginLevel(std::size_t level) = 0;
    virtual void setPoints(int slot, const std::vector<float>& host) = 0;
    virtual std::vector<float> points(int slot) = 0;
    /// The level's penalties get the weights for what the similarity leaves unexplained at the
    /// slot's points, and this share is returned; until then they have those of the parameters.
    virtual double weighPenalties(int slot) = 0;
    /// Terms of the energy at a slot: the similarity as it is known, and the weighted penalties.
    struct Terms {
        double similarity = 0, penalty = 0;
    };
    virtual Terms terms(int slot) = 0;
};

/// The factor of smoothness on a level (0: the finest) of which this share is unexplained. Coarser
/// levels are clean, since they are means: they fit what remains, like a bias field, too readily.
inline double smoothnessFactor(double unexplained, std::size_t level) {
    return level == 0 ? unexplained : std::sqrt(unexplained);
}

/// A step that leaves less than this share of the first weight in view is refused.
inline constexpr double ffdSmallestShare = 0.3;
[[noreturn]] void throwNoOverlap();
[[noreturn]] void throwNoGrids();

struct FfdResult {
    MotionReport report;
    std::vector<float> points; ///< of the finest level, planar
};

FfdResult runLevels(FfdProblem& problem, const FfdLevels& levels, const DescentOptions& options,
                    const ExecContext& ctx);

} // namespace systole
