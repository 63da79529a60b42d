// The free-form deformation on the host.
#include "compute/methods/ffd/control_points.h"
#include "compute/methods/ffd/image_pyramid.h"
#include "compute/methods/ffd/levels_run.h"
#include "compute/methods/ffd/makers.h"
#include "compute/methods/ffd/penalties.h"
#include "compute/methods/ffd/points.h"
#include "compute/methods/ffd/warp.h"
#include "compute/ops/bspline_field.h"
#include "compute/ops/resample.h"
#include "compute/ops/still_region.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace systole {
namespace {

/// Every buffer has the size of the level that needs most; the others use its beginning.
struct Buffers {
    Buffers(const FfdLevels& plan, const FfdParameters& p, const FfdMasks& masks)
        : slots(descentSlots(p.descent.method))
        , fixed(imagesOf(plan), masks.fixed || masks.still, space)
        , moving(plan.moving, masks.moving, space)
        , similarity(makeSimilarity(p.similarity, plan.levels[0].image.size, space)) {
        const std::size_t n = plan.levels[0].image.size.voxels();
        pointFloats = 3 * plan.mostPoints();
        field = space.add<float>("displacement field", 3 * n);
        warped = space.add<float>("warped image", n);
        weight = space.add<float>("weights", n);
        derivative = space.add<float>("similarity derivative", n);
        coarseStart = space.add<float>(
            "starting field", plan.levels.size() > 1 ? 3 * plan.levels[1].image.size.voxels() : 0);
        for (auto* block : {&kinds, &counts})
            *block = space.add<std::uint8_t>("still region", masks.still ? n : 0);
        points =
            space.add<float>("control points", static_cast<std::size_t>(slots + 2) * pointFloats);
    }

    static std::vector<PyramidLevel> imagesOf(const FfdLevels& plan) {
        std::vector<PyramidLevel> images;
        for (const FfdLevel& level : plan.levels)
            images.push_back(level.image);
        return images;
    }

    Workspace space;
    int slots;
    ImagePyramid fixed, moving;
    std::unique_ptr<Similarity> similarity;
    std::size_t pointFloats = 0;
    Workspace::Block<float> field, warped, weight, derivative, coarseStart, points;
    Workspace::Block<std::uint8_t> kinds, counts; ///< of a still region
};

class CpuProblem : public FfdProblem {
public:
    CpuProblem(const FfdLevels& plan, const FfdParameters& parameters, Buffers& buffers,
               FieldView<const float> start, bool movingMasked, FieldOfPoints fieldOf,
               double& observedPenalty, const ExecContext& ctx)
        : plan_(plan)
        , b_(buffers)
        , start_(start)
        , movingMasked_(movingMasked)
        , fieldOf_(fieldOf)
        , observedPenalty_(observedPenalty)
        , ctx_(ctx)
        , weights_(parameters)
        , started_(std::any_of(start.u, start.u + start.size.voxels(), isMotion) ||
                   std::any_of(start.v, start.v + start.size.voxels(), isMotion) ||
                   std::any_of(start.w, start.w + start.size.voxels(), isMotion)) {}

    void beginLevel(std::size_t level) override {
        index_ = level;
        const FfdLevel& l = current();
        penalties_.emplace(weights_, l.grid, l.unit);
        moving_ = {b_.moving.image(l.moving), b_.moving.mask(l.moving), l.map};
        levelStart_ = start_;
        if (started_ && level > 0) {
            const FieldView<float> coarse(b_.space.data(b_.coarseStart), l.image.size);
            downsampleField(start_, l.factor, coarse, ctx_);
            levelStart_ = coarse;
        }
        // Penalties judge the whole motion: the start is one more spline that is added.
        if (started_)
            approximate(levelStart_, slot(startSlot()));
        {
            const ScopedSpan span(ctx_.profile, "level", "begin level");
            b_.similarity->begin({b_.fixed.image(level), b_.fixed.mask(level), moving_.image,
                                  movingMasked_, l.image.alongAxes(1)},
                                 ctx_);
        }
        std::fill_n(slot(0).values.u, count(), 0.0f);
        warp(0);
        leastWeight_ = ffdSmallestShare * totalWeight(weight(), ctx_);
        if (!(leastWeight_ > 0))
            throwNoOverlap();
    }

    void setPoints(int slot, const std::vector<float>& host) override {
        std::copy(host.begin(), host.end(), this->slot(slot).values.u);
    }
    std::vector<float> points(int slot) override {
        const float* const first = this->slot(slot).values.u;
        return {first, first + count()};
    }

    double weighPenalties(int slot) override {
        if (!std::isfinite(value(slot)))
            return 1;
        const double share = b_.similarity->unexplained(similarity_);
        penalties_.emplace(weights_.smoother(smoothnessFactor(share, index_)), current().grid,
                           current().unit);
        return share;
    }

    double value(int slot) override {
        ctx_.throwIfCancelled();
        warp(slot);
        ctx_.throwIfCancelled();
        {
            const ScopedSpan span(ctx_.profile, "similarity", "similarity", 12 * voxels());
            if (totalWeight(weight(), ctx_) < leastWeight_)
                return std::numeric_limits<double>::infinity();
            similarity_ = b_.similarity->value(images(), ctx_);
        }
        penalty_ = penalize(slot, {});
        return similarity_ + penalty_;
    }

    void gradient(int slot, int out) override {
        ctx_.throwIfCancelled();
        {
            const ScopedSpan span(ctx_.profile, "derivative", "derivative", 16 * voxels());
            b_.similarity->derivative(images(), derivative(), ctx_);
        }
        {
            const ScopedSpan span(ctx_.profile, "forces", "forces", 32 * voxels());
            warpForces(moving_, field(), derivative(), field(), ctx_);
        }
        ctx_.throwIfCancelled();
        {
            const ScopedSpan span(ctx_.profile, "gradient", "control points", 12 * voxels());
            bsplineGradient(field(), this->slot(out), ctx_);
        }
        penalize(slot, this->slot(out));
    }

    void products(std::span<const DescentProduct> wanted, std::span<double> values) override {
        const auto n = static_cast<int>(wanted.size());
        const ScopedSpan span(ctx_.profile, "search", "dot products", n * 8.0 * pointFloats());
        const Vec3 metric = current().metric();
        parallelFor(ctx_, n, 1, [&](int begin, int end) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                const FieldView<float> a = slot(wanted[i].a).values, b = slot(wanted[i].b).values;
                values[i] = 0;
                for (int axis = 0; axis < 3; ++axis)
                    values[i] += (wanted[i].metric ? metric[axis] : 1) *
                                 dotProduct(a.component(axis), b.component(axis), a.size.voxels());
            }
        });
    }

    void combine(int out, std::span<const DescentTerm> terms) override {
        const ScopedSpan span(ctx_.profile, "search", "combine vectors",
                              4.0 * static_cast<double>(terms.size() + 1) * pointFloats());
        const FieldView<float> to = slot(out).values;
        const Vec3 metric = current().metric();
        for (int axis = 0; axis < 3; ++axis) {
            std::vector<WeightedVector> vectors;
            for (const DescentTerm& term : terms)
                vectors.push_back(
                    {static_cast<float>(term.factor * (term.metric ? metric[axis] : 1)),
                     slot(term.slot).values.component(axis)});
            addVectors(vectors, to.component(axis), to.size.voxels(), ctx_);
        }
    }

    double longest(int slot) override {
        const ScopedSpan span(ctx_.profile, "search", "longest vector", 4.0 * pointFloats());
        const FieldView<float> v = this->slot(slot).values;
        const Vec3 unit = current().image.alongAxes(1);
        double most = 0;
        for (std::size_t i = 0; i < v.size.voxels(); ++i) {
            const double x = static_cast<double>(v.u[i]) / unit.x,
                         y = static_cast<double>(v.v[i]) / unit.y,
                         z = static_cast<double>(v.w[i]) / unit.z;
            most = std::max(most, x * x + y * y + z * z);
        }
        return std::sqrt(most);
    }

    void iterated(int iteration, double energy, int slot) override {
        ctx_.throwIfCancelled();
        if (!ctx_.iteration)
            return;
        displace(slot);
        observedPenalty_ = penalize(slot, {});
        ctx_.iteration({static_cast<int>(index_), iteration, energy, field(), readSlot(slot)});
    }

    Terms terms(int slot) override {
        value(slot);
        return {b_.similarity->known(similarity_), penalty_};
    }

    /// start + spline of the slot, on the level's grid, in field().
    void displace(int slot) {
        const ScopedSpan span(ctx_.profile, "spline", "displacement", 12 * voxels());
        fieldOf_(readSlot(slot), field(), ctx_);
        if (!started_)
            return;
        const FieldView<float> sum = field();
        parallelFor(ctx_, sum.size.z, 2, [&](int begin, int end) {
            for (int axis = 0; axis < 3; ++axis) {
                const VolumeView<float> to = sum.componentView(axis);
                const float* const add = levelStart_.component(axis);
                for (std::size_t i = to.offset(0, 0, begin); i < to.offset(0, 0, end); ++i)
                    to.data[i] += add[i];
            }
        });
    }
    FieldView<float> field() const { return {b_.space.data(b_.field), current().image.size}; }

private:
    static bool isMotion(float v) { return v != 0; }
    const FfdLevel& current() const { return plan_.levels[index_]; }
    double voxels() const { return static_cast<double>(current().image.size.voxels()); }
    std::size_t count() const { return 3 * current().grid.points().voxels(); }
    double pointFloats() const { return static_cast<double>(count()); }
    int startSlot() const { return b_.slots; }
    int sumSlot() const { return b_.slots + 1; }
    ControlPointsView<float> slot(int n) const {
        float* const first =
            b_.space.data(b_.points) + static_cast<std::size_t>(n) * b_.pointFloats;
        return {{first, current().grid.points()}, current().grid};
    }
    ControlPointsView<const float> readSlot(int n) const {
        const ControlPointsView<float> written = slot(n);
        return {written.values, written.grid};
    }
    VolumeView<float> volume(Workspace::Block<float> block) const {
        return {b_.space.data(block), current().image.size};
    }
    VolumeView<float> weight() const { return volume(b_.weight); }
    VolumeView<float> derivative() const { return volume(b_.derivative); }
    ComparedImages images() const { return {b_.fixed.image(index_), volume(b_.warped), weight()}; }

    void warp(int slot) {
        displace(slot);
        const ScopedSpan span(ctx_.profile, "warp", "warp image", 24 * voxels());
        warpMoving(moving_, field(), b_.fixed.mask(index_), volume(b_.warped), weight(), ctx_);
    }

    /// The penalties at a slot's points and the start; their gradient is added.
    double penalize(int slot, ControlPointsView<float> gradient) {
        if (penalties_->none())
            return 0;
        const ScopedSpan span(ctx_.profile, "penalty", "penalties",
                              (gradient.empty() ? 4 : 12) * pointFloats());
        if (!started_)
            return penalties_->add(readSlot(slot), gradient, ctx_);
        const std::array<DescentTerm, 2> both{{{1, slot}, {1, startSlot()}}};
        combine(sumSlot(), both);
        return penalties_->add(readSlot(sumSlot()), gradient, ctx_);
    }

    const FfdLevels& plan_;
    Buffers& b_;
    FieldView<const float> start_;
    bool movingMasked_;
    FieldOfPoints fieldOf_;
    double& observedPenalty_;
    const ExecContext& ctx_;
    PenaltyWeights weights_;
    bool started_; ///< whether the motion to start from isn't zero
    std::size_t index_ = 0;
    MovingImage moving_;
    FieldView<const float> levelStart_;
    std::optional<Penalties> penalties_;
    double leastWeight_ = 0, similarity_ = 0, penalty_ = 0;
};

class FfdCpu : public FfdEstimator {
public:
    FfdCpu(const FfdParameters& parameters, FieldOfPoints fieldOf)
        : p_(parameters), fieldOf_(fieldOf) {}

    std::size_t memoryEstimate(Size3 size) const override {
        const Geometry grid(size, {1, 1, 1});
        const FfdLevels plan = ffdLevels(grid, grid, p_.levels, p_.spacing);
        const std::size_t volume = BufferPool::blockBytes(sizeof(float) * size.voxels());
        std::size_t gradient = 0;
        for (const FfdLevel& level : plan.levels)
            gradient = std::max(gradient, bsplineGradientScratch(level.grid));
        return Buffers(plan, p_, {true, true, true}).space.bytes() +
               std::max(2 * volume, BufferPool::blockBytes(sizeof(float) * gradient));
    }
    int reach() const override { return ffdReach; }
    ControlPointsView<const float> controlPoints() const override {
        if (points_.empty())
            return {};
        return {{points_.data(), grid_.points()}, grid_};
    }
    double observedPenalty() const override { return observedPenalty_; }

protected:
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        if (!input.grids && input.moving.size != input.fixed.size)
            throwNoGrids();
        const FrameGrids grids = gridsOf(input);
        const FfdLevels plan = ffdLevels(grids.fixed, grids.moving, p_.levels, p_.spacing);
        const FfdMasks masks(input, grids);
        Buffers buffers(plan, p_, masks);
        buffers.space.acquire(*ctx.pool);
        {
            const ScopedSpan span(ctx.profile, "pyramid", "pyramid");
            const GrayMapping gray = grayMapping(input.scale);
            buffers.fixed.build(input.fixed, gray, ctx);
            buffers.moving.build(input.moving, gray, ctx);
            buildMasks(buffers, masks, input, ctx);
        }
        CpuProblem problem(plan, p_, buffers, displacement, !input.movingMask.empty(), fieldOf_,
                           observedPenalty_, ctx);
        FfdResult result = runLevels(problem, plan, p_.descent, ctx);
        points_ = std::move(result.points);
        grid_ = plan.levels[0].grid;
        problem.setPoints(0, points_);
        problem.displace(0);
        copy(problem.field(), displacement);
        result.report.comparesGrayValues = p_.similarity.kind == SimilarityKind::Ssd;
        return result.report;
    }

private:
    /// Those of the input; the fixed one leaves out still surroundings, unless nothing remains.
    static void buildMasks(Buffers& b, const FfdMasks& masks, const MotionInput& input,
                           const ExecContext& ctx) {
        if (masks.moving)
            b.moving.buildMask(input.movingMask, ctx);
        VolumeView<const float> fixed = input.fixedMask;
        if (masks.still) {
            const Size3 size = input.fixed.size;
            const VolumeView<std::uint8_t> counts(b.space.data(b.counts), size);
            const VolumeView<float> counted(b.space.data(b.weight), size);
            const VolumeView<std::uint8_t> kinds(b.space.data(b.kinds), size);
            if (findStillRegion(b.fixed.image(0), b.moving.image(0), kinds, ctx)) {
                markBesideStillRegion(kinds, counts, ctx);
                countedMask(counts, input.fixedMask, counted, ctx);
                if (totalWeight(counted, ctx) > 0)
                    fixed = counted;
            }
        }
        if (!fixed.empty())
            b.fixed.buildMask(fixed, ctx);
    }

    FfdParameters p_;
    FieldOfPoints fieldOf_;
    std::vector<float> points_;
    ControlGrid grid_;
    double observedPenalty_ = 0;
};

} // namespace

std::unique_ptr<FfdEstimator> makeFfdCpu(const FfdParameters& parameters, FieldOfPoints fieldOf) {
    return std::make_unique<FfdCpu>(parameters, fieldOf);
}

} // namespace systole
