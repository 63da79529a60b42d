// One level of an affine registration: its blocks, and the corrections that their matches give.
#pragma once

#include "compute/methods/ffd/affine.h"
#include "compute/methods/ffd/affine_fit.h"
#include "compute/methods/ffd/affine_steps.h"

#include <optional>
#include <vector>

namespace systole::affine {

/// Fewer pairs than these tell nothing.
inline constexpr int minPairs = 6, minPairsForAffine = 24;

/// Indices, ascending, of the `share` of an image's blocks with the largest variances
/// (blockVariances()); among equal ones the first. Throws ComputeError if none is in the mask or
/// all are constant; `image`: "fixed", "moving".
std::vector<int> blocksThatVary(const std::vector<float>& variances, double share,
                                const char* image);

class Registration {
public:
    /// `coarsest` is the level that is entered first. Everything must outlive the registration.
    Registration(const FrameGrids& grids, const PairLevels& levels, int coarsest, Steps& steps,
                 const AffineParameters& parameters, const AffineObserver& observe,
                 const ExecContext& ctx)
        : grids_(grids)
        , levels_(levels)
        , coarsest_(coarsest)
        , steps_(steps)
        , p_(parameters)
        , observe_(observe)
        , ctx_(ctx) {}

    /// Chooses the blocks of a level.
    void enter(int level);

    /// Corrects the map until it rests; `observed`: the observer gets every correction. Returns
    /// false if too few blocks match.
    bool settle(AffineMap& map, Freedom freedom, bool observed);
    void observe(bool observed, const AffineMap& map, double similarity) const;

    /// Report of the level with all iterations since it was entered or resumed.
    const AffineLevel& report() const { return report_; }
    void resume(AffineLevel report) { report_ = std::move(report); }

private:
    using Bias = std::vector<Vec3>; ///< error of each block's match, voxels

    struct Found {
        std::vector<PointPair> pairs;
        double similarity = 0;
    };

    const Geometry& gridAt(Side side) const;
    std::vector<int>& blocks(Side side) { return blocks_[side == Side::Fixed ? 0 : 1]; }
    Sign sign() const { return p_.anyContrast ? Sign::Ignored : Sign::Matters; }

    void choose(Side side, double share);
    /// Positions of a side's blocks in the other image under the map from this side to that, and
    /// where they were found: LPS mm of the other side.
    Found find(Side side, const AffineMap& map);
    /// The correction of a map by the pairs; of a rigid kind if they are few or an affine one is
    /// out of bounds.
    TrimmedFit correction(const std::vector<PointPair>& pairs, Freedom freedom) const;
    /// Empty if too few blocks match.
    std::optional<AffineIteration> iterate(const AffineMap& map, Freedom freedom, AffineMap& next);
    /// The largest distance between both images of a corner of the box around the blocks, in the
    /// smallest voxels.
    double change(const AffineMap& before, const AffineMap& after) const;

    const FrameGrids& grids_;
    const PairLevels& levels_;
    int coarsest_;
    Steps& steps_;
    const AffineParameters& p_;
    const AffineObserver& observe_;
    const ExecContext& ctx_;
    int level_ = 0;
    std::vector<int> blocks_[2];
    Bias bias_[2];
    Vec3 first_, last_; ///< corners of the box around the fixed blocks' centers, voxels
    AffineLevel report_;
};

} // namespace systole::affine
