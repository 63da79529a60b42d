// The free-form deformation's steps on the host.
#include "compute/core/exec.h"
#include "compute/methods/ffd/control_points.h"
#include "compute/methods/ffd/course.h"
#include "compute/methods/ffd/ffd.h"
#include "compute/methods/ffd/unfold.h"
#include "compute/methods/ffd/vector_products.h"
#include "compute/ops/bspline_field.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/resample.h"
#include "compute/ops/still_region.h"
#include "compute/ops/white_noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

namespace systole {
namespace {

struct WeightedVector {
    float factor;
    const float* values;
};

/// out = Σ factor · values, at least one; `out` may be one of them.
void addVectors(std::span<const WeightedVector> vectors, float* out, std::size_t count,
                const ExecContext& ctx) {
    constexpr std::size_t block = 1024; // stays in the cache while vectors are added
    const auto blocks = static_cast<int>((count + block - 1) / block);
    parallelFor(ctx, blocks, 16, [&](int begin, int end) {
        std::array<float, block> sum;
        for (int b = begin; b < end; ++b) {
            const std::size_t first = static_cast<std::size_t>(b) * block;
            const std::size_t n = std::min(block, count - first);
            for (std::size_t i = 0; i < n; ++i)
                sum[i] = vectors[0].factor * vectors[0].values[first + i];
            for (const WeightedVector& vector : vectors.subspan(1))
                for (std::size_t i = 0; i < n; ++i)
                    sum[i] += vector.factor * vector.values[first + i];
            std::copy_n(sum.begin(), n, out + first);
        }
    });
}

struct HostBuffers : FfdBuffers {
    HostBuffers(const FfdLevels& plan, const FfdParameters& p, const FfdMasks& masks)
        : FfdBuffers(plan, p, masks, 2)
        , similarity(makeSimilarity(p.similarity, plan.levels[0].image.size, space)) {}

    std::unique_ptr<Similarity> similarity;
};

class CourseOnHost : public FfdCourse {
public:
    CourseOnHost(const FfdSetup& setup, Similarity& similarity, FieldOfPoints fieldOf)
        : FfdCourse(setup), similarity_(similarity), fieldOf_(fieldOf) {
        const auto isMotion = [](float v) { return v != 0; };
        for (int axis = 0; axis < 3; ++axis)
            started_ =
                started_ || std::any_of(start_.component(axis),
                                        start_.component(axis) + start_.size.voxels(), isMotion);
    }

protected:
    void setPoints(int slot, const std::vector<float>& host) override {
        std::copy(host.begin(), host.end(), slotData(slot));
    }
    std::vector<float> points(int slot) override {
        return {slotData(slot), slotData(slot) + count()};
    }
    void setPenalties(const PenaltyWeights& weights) override {
        penalties_.emplace(weights, level().grid, level().unit);
    }
    void downsampleStart(FieldView<float> out) override {
        downsampleField(start_, level().factor, out, ctx_);
    }
    void approximateStart() override { approximate(levelStart_, slot(startSlot())); }

    void beginSimilarity(const Similarity::Level& of) override {
        const ScopedSpan span(ctx_.profile, "level", "begin level");
        similarity_.begin(of, ctx_);
    }

    float noiseToMakeGood() override {
        const ScopedSpan span(ctx_.profile, "level", "white noise");
        return madeGood * whiteNoise(moving_.image, ctx_);
    }

    void displace(int slot) override {
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

    void warpImage() override {
        const ScopedSpan span(ctx_.profile, "warp", "warp image", 24 * voxels());
        warpMoving(moving_, field(), fixedMask(), warped(), weight(), lost(), ctx_);
    }

    double totalWeight() override { return systole::totalWeight(weight(), ctx_); }

    std::optional<Terms> evaluate(int slot, double minWeight) override {
        ctx_.throwIfCancelled();
        Terms terms;
        {
            const ScopedSpan span(ctx_.profile, "similarity", "similarity", 12 * voxels());
            if (totalWeight() < minWeight)
                return std::nullopt;
            terms.similarity = similarity_.value(images(), ctx_);
        }
        terms.penalty = penaltyAt(slot);
        return terms;
    }

    double penaltyAt(int slot) override { return penalize(slot, {}); }

    void gradient(int slot, int out) override {
        ctx_.throwIfCancelled();
        {
            const ScopedSpan span(ctx_.profile, "derivative", "derivative", 16 * voxels());
            similarity_.derivative(images(), derivative(), ctx_);
        }
        {
            const ScopedSpan span(ctx_.profile, "forces", "forces", 32 * voxels());
            warpForces(moving_, field(), warpDerivative(), field(), ctx_);
        }
        ctx_.throwIfCancelled();
        {
            const ScopedSpan span(ctx_.profile, "gradient", "control points", 12 * voxels());
            bsplineGradient(field(), this->slot(out), ctx_);
        }
        penalize(slot, this->slot(out));
    }

    void products(std::span<const DescentProduct> wanted, std::span<double> values) override {
        const ScopedSpan span(ctx_.profile, "search", "dot products",
                              8.0 * static_cast<double>(wanted.size()) * pointFloats());
        const Vec3 metric = level().metric();
        overItems(wanted.size(), 1, ctx_, [&](std::size_t i) {
            const DescentProduct& product = wanted[i];
            values[i] = strands::product(readSlot(product.a).values, readSlot(product.b).values,
                                         product.metric ? metric : Vec3{1, 1, 1});
        });
    }

    void combine(int out, std::span<const DescentTerm> terms) override {
        const ScopedSpan span(ctx_.profile, "search", "combine vectors",
                              4.0 * static_cast<double>(terms.size() + 1) * pointFloats());
        const FieldView<float> to = slot(out).values;
        const Vec3 metric = level().metric();
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
        const Vec3 unit = level().image.alongAxes(1);
        const auto ofX = static_cast<float>(unit.x), ofY = static_cast<float>(unit.y),
                   ofZ = static_cast<float>(unit.z);
        float longest = 0; // squared length in single precision, as on a device
        for (std::size_t i = 0; i < v.size.voxels(); ++i) {
            const float x = v.u[i] / ofX, y = v.v[i] / ofY, z = v.w[i] / ofZ;
            longest = std::max(longest, x * x + y * y + z * z);
        }
        return std::sqrt(static_cast<double>(longest));
    }

    void unfoldField() override {
        const ScopedSpan span(ctx_.profile, "unfold", "unfold", 12 * voxels());
        unfoldSum(field(), start_, ctx_);
    }

    void observe(IterationState state, int slot) override {
        state.field = field();
        state.controlPoints = readSlot(slot);
        ctx_.iteration(state);
    }

private:
    double pointFloats() const { return static_cast<double>(count()); }

    /// The penalties at a slot's points and the start; their gradient is added.
    double penalize(int slot, ControlPointsView<float> gradient) {
        if (penalties_->none())
            return 0;
        const ScopedSpan span(ctx_.profile, "penalty", "penalties",
                              (gradient.empty() ? 4 : 12) * pointFloats());
        if (!started_)
            return penalties_->add(readSlot(slot), gradient, ctx_);
        const int sum = startSlot() + 1;
        const std::array<DescentTerm, 2> both{{{1, slot}, {1, startSlot()}}};
        combine(sum, both);
        return penalties_->add(readSlot(sum), gradient, ctx_);
    }

    Similarity& similarity_;
    FieldOfPoints fieldOf_;
    std::optional<Penalties> penalties_;
};

class FfdCpu : public FfdBase {
public:
    FfdCpu(const FfdParameters& parameters, FieldOfPoints fieldOf)
        : FfdBase(parameters), fieldOf_(fieldOf) {}

    std::size_t memoryEstimate(Size3 size, Vec3 spacing) const override {
        const FfdLevels plan = levelsFor(size, spacing);
        std::size_t scratch = unfoldSumScratch(size); // more than the pyramids take
        for (const FfdLevel& level : plan.levels)
            scratch = std::max(scratch, bsplineGradientScratch(level.grid));
        return HostBuffers(plan, p_, {true, true, true}).space.bytes() +
               BufferPool::blockBytes(sizeof(float) * scratch);
    }

protected:
    MotionReport estimateOn(const FfdLevels& plan, const FfdMasks& masks, const MotionInput& input,
                            FieldView<float> displacement, const ExecContext& ctx) override {
        HostBuffers buffers(plan, p_, masks);
        buffers.space.acquire(*ctx.pool);
        {
            const ScopedSpan span(ctx.profile, "pyramid", "pyramid");
            const GrayMapping gray = grayMapping(input.scale);
            build(buffers.fixed, input.fixed, gray, ctx);
            build(buffers.moving, input.moving, gray, ctx);
            buildMasks(buffers, masks, input, ctx);
        }
        CourseOnHost course({plan, p_, buffers, *buffers.similarity, displacement,
                             !input.movingMask.empty(), observedPenalty_, ctx},
                            *buffers.similarity, fieldOf_);
        const MotionReport report = follow(course, plan);
        copy(course.field(), displacement);
        return report;
    }

private:
    static void build(const ImagePyramid& pyramid, VolumeView<const float> gray,
                      const GrayMapping& mapping, const ExecContext& ctx) {
        mapGray(gray, mapping, pyramid.image(0), ctx);
        pyramid.images.decimate(ctx);
    }
    static void buildMask(ImagePyramid& pyramid, VolumeView<const float> mask,
                          const ExecContext& ctx) {
        pyramid.hasMask = true;
        std::copy_n(mask.data, mask.voxels(), pyramid.mask(0).data);
        pyramid.masks.decimate(ctx);
    }

    /// Fills the masks of the input; the fixed one leaves out still surroundings, unless nothing
    /// remains.
    static void buildMasks(HostBuffers& b, const FfdMasks& masks, const MotionInput& input,
                           const ExecContext& ctx) {
        if (masks.moving)
            buildMask(b.moving, input.movingMask, ctx);
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
            buildMask(b.fixed, fixed, ctx);
    }

    FieldOfPoints fieldOf_;
};

} // namespace

std::unique_ptr<FfdEstimator> makeFfdCpu(const FfdParameters& parameters, FieldOfPoints fieldOf) {
    return std::make_unique<FfdCpu>(parameters, fieldOf);
}

} // namespace systole
