// The course of a free-form deformation, the same on the host and on a device: from the coarsest
// level to the finest, on each the minimum of the energy.
#pragma once

#include "compute/methods/ffd/ffd.h"
#include "compute/methods/ffd/levels.h"
#include "compute/methods/ffd/penalties.h"
#include "compute/methods/ffd/warp.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace systole {

/// One image, with or without a mask, at every resolution.
struct ImagePyramid {
    /// `masked`: there is room for a mask.
    ImagePyramid(const std::vector<PyramidLevel>& levels, bool masked, Workspace& space)
        : images("pyramid images", levels, 1, space)
        , masks("pyramid masks", levels, masked ? 1 : 0, space) {}
    VolumeView<float> image(std::size_t level) const { return images.at(level); }
    VolumeView<float> mask(std::size_t level) const {
        return hasMask ? masks.at(level) : VolumeView<float>();
    }

    LevelVolumes images, masks;
    bool hasMask = false; ///< the masks are filled
};

/// Memory on the host or on a device. Every buffer has the size of the level that needs most; the
/// others use its beginning.
struct FfdBuffers {
    /// `moreSlots`: vectors of control points beside those of the optimizer.
    FfdBuffers(const FfdLevels& plan, const FfdParameters& p, const FfdMasks& masks, int moreSlots);

    Workspace space;
    int slots; ///< number of the optimizer's slots
    ImagePyramid fixed, moving;
    std::size_t pointFloats = 0;
    Workspace::Block<float> field, warped, weight, derivative, coarseStart, points;
    Workspace::Block<std::uint8_t> kinds,
        counts; ///< voxels of a still region, and those that count
};

/// The factor of smoothness on a level (0: the finest) of which this share is unexplained. Coarser
/// levels are clean, since they are means: they fit what remains, like a bias field, too readily.
inline double smoothnessFactor(double unexplained, std::size_t level) {
    return level == 0 ? unexplained : std::sqrt(unexplained);
}

/// A step that leaves less than this share of the first weight in view is refused.
inline constexpr double ffdSmallestShare = 0.3;

/// Input and memory of an estimation.
struct FfdSetup {
    const FfdLevels& plan;
    const FfdParameters& parameters;
    FfdBuffers& buffers;
    const SimilarityScale& similarity;
    FieldView<const float> start; ///< the motion to start from, on the finest grid
    bool movingMasked;            ///< the moving image has a mask
    double& observedPenalty;      ///< becomes FfdEstimator::observedPenalty()
    const ExecContext& ctx;
};

/// The energy of a level; each backend computes its terms where its memory is.
class FfdCourse : public DescentProblem {
public:
    /// Terms of the energy.
    struct Terms {
        double similarity = 0, penalty = 0;
    };
    struct Result {
        MotionReport report;
        std::vector<float>
            points; ///< control points of the finest level, planar; field() is theirs
    };

    /// Throws ComputeError if the images have no voxel in common that counts; Cancelled.
    Result run();
    FieldView<float> field() const { return {data(b_.field), level().image.size}; }

    double value(int slot) final;
    void iterated(int iteration, double energy, int slot) final;

protected:
    explicit FfdCourse(const FfdSetup& setup);

    virtual void setPoints(int slot, const std::vector<float>& host) = 0;
    virtual std::vector<float> points(int slot) = 0;
    /// Called before anything else on a level.
    virtual void enterLevel() {}
    virtual void setPenalties(const PenaltyWeights& weights) = 0;
    /// The motion to start from on this level, into its buffer.
    virtual void downsampleStart(FieldView<float> out) = 0;
    /// The start as one more spline that the penalties add, in slot startSlot().
    virtual void approximateStart() = 0;
    virtual void beginSimilarity(const Similarity::Level& level) = 0;
    /// madeGood · whiteNoise() of the level's moving image.
    virtual float noiseToMakeGood() = 0;
    /// Writes start + spline of the slot, on the level's grid, into field().
    virtual void displace(int slot) = 0;
    /// Warps the moving image by field().
    virtual void warpImage() = 0;
    virtual double totalWeight() = 0;
    /// Terms of the energy at the slot's points, whose warp is done; empty if the total weight in
    /// view is less than `minWeight`.
    virtual std::optional<Terms> evaluate(int slot, double minWeight) = 0;
    virtual double penaltyAt(int slot) = 0;
    /// unfoldSum() of field() and the start, on the finest level.
    virtual void unfoldField() = 0;
    /// Calls ctx.iteration with field() and the slot's points on the host.
    virtual void observe(IterationState state, int slot) = 0;

    const FfdLevel& level() const { return plan_.levels[index_]; }
    double voxels() const { return static_cast<double>(level().image.size.voxels()); }
    std::size_t pointCount() const { return level().grid.points().voxels(); }
    std::size_t count() const { return 3 * pointCount(); } ///< numbers of a slot
    int startSlot() const { return b_.slots; }
    float* slotData(int n) const {
        return data(b_.points) + static_cast<std::size_t>(n) * b_.pointFloats;
    }
    ControlPointsView<float> slot(int n) const {
        return {{slotData(n), level().grid.points()}, level().grid};
    }
    ControlPointsView<const float> readSlot(int n) const {
        return {{slotData(n), level().grid.points()}, level().grid};
    }
    VolumeView<float> warped() const { return {data(b_.warped), level().image.size}; }
    VolumeView<float> weight() const { return {data(b_.weight), level().image.size}; }
    VolumeView<float> derivative() const { return {data(b_.derivative), level().image.size}; }
    VolumeView<const float> fixedMask() const { return b_.fixed.mask(index_); }
    ComparedImages images() const { return {b_.fixed.image(index_), warped(), weight(), lost()}; }
    /// Variance lost by the warp, valid until the derivative is written to the same memory; empty
    /// where the loss of noise isn't compensated.
    VolumeView<float> lost() const {
        return moving_.noise > 0 ? derivative() : VolumeView<float>();
    }
    WarpDerivative warpDerivative() const {
        return {derivative(), moving_.noise > 0 ? similarity_.ofLost() : VolumeView<const float>()};
    }

    const ExecContext& ctx_;
    FieldView<const float> start_;
    bool started_ = false; ///< whether the motion to start from isn't zero
    MovingImage moving_;
    FieldView<const float> levelStart_;

private:
    template <typename T>
    T* data(Workspace::Block<T> block) const {
        return b_.space.data(block);
    }
    void beginLevel(std::size_t index);
    bool unfoldPoints(std::vector<float>& changed);
    double weighPenalties();
    void warp(int slot);

    const FfdLevels& plan_;
    FfdBuffers& b_;
    const SimilarityScale& similarity_;
    DescentOptions descent_;
    PenaltyWeights weights_;
    bool compensated_;
    bool movingMasked_;
    double& observedPenalty_;
    std::size_t index_ = 0;
    double minWeight_ = 0;
    Terms terms_; ///< terms of the last value()
};

/// Base of the estimators of all backends.
class FfdBase : public FfdEstimator {
public:
    explicit FfdBase(const FfdParameters& parameters) : p_(parameters) {}

    int reach() const override { return ffdReach; }
    ControlPointsView<const float> controlPoints() const override;
    double observedPenalty() const override { return observedPenalty_; }

protected:
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override;
    virtual MotionReport estimateOn(const FfdLevels& plan, const FfdMasks& masks,
                                    const MotionInput& input, FieldView<float> displacement,
                                    const ExecContext& ctx) = 0;
    /// The levels for images of this size on one grid.
    FfdLevels levelsFor(Size3 size, Vec3 spacing) const;
    MotionReport follow(FfdCourse& course, const FfdLevels& plan);

    FfdParameters p_;
    double observedPenalty_ = 0;

private:
    std::vector<float> points_;
    ControlGrid grid_;
};

} // namespace systole
