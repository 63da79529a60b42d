// Motion over a cycle against the phantom's true motion: composed of pairs, and since the first
// frame.
#include "compute/motion/composed_motion.h"
#include "compute/motion/methods.h"
#include "compute/motion/pair_estimator.h"
#include "io/phantom/phantom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace systole {
namespace {

class MotionSinceFirst : public ::testing::TestWithParam<const char*> {
protected:
    static constexpr int frames = 12, endSystole = frames / 2;

    MotionSinceFirst() {
        PhantomOptions options;
        options.size = {40, 40, 40};
        options.frames = frames;
        options.amplitudeCorrelation = 0.8;
        options.multiplicativeNoise = 0.3;
        heart = std::make_unique<Phantom>(options);
        labels = heart->labels(0, resources.context());
        for (int frame = 0; frame < frames; ++frame) {
            images.push_back(
                std::make_shared<Volume>(heart->geometry(), resources.pool(), "phantom frame"));
            heart->image(frame, images.back()->view(), resources.context());
        }
    }

    PairEstimator estimator(ReferenceMode reference) const {
        const MotionMethod& method = motionMethod(GetParam());
        const ParamSet parameters(*method.parameters, "default");
        PairEstimator pairs({});
        pairs.begin({.make = estimatorMaker(method, parameters),
                     .refine = refinerMaker(method, parameters),
                     .reference = reference,
                     .startError = method.startError});
        return pairs;
    }
    /// The motion from frame 0 into frames 1, 2, … `last`.
    std::vector<VectorField> sinceFirst(int last, const ExecContext& ctx) const {
        PairEstimator pairs = estimator(ReferenceMode::First);
        std::vector<VectorField> fields;
        for (int t = 1; t <= last; ++t)
            fields.push_back(copy(*pairs.estimate({images[0], image(t), 0, t}, ctx).field));
        return fields;
    }
    /// Fields since the first frame, composed of the motion from frame to frame.
    std::vector<VectorField> ofPairs(const ExecContext& ctx) const {
        PairEstimator pairs = estimator(ReferenceMode::Previous);
        std::vector<VectorField> fields;
        for (int t = 1; t < frames; ++t) {
            const auto step = pairs.estimate({image(t - 1), image(t), t - 1, t}, ctx).field;
            fields.push_back(t == 1 ? copy(*step) : composedMotion(fields.back(), *step, ctx));
        }
        return fields;
    }
    std::shared_ptr<const Volume> image(int frame) const {
        return images[static_cast<std::size_t>(frame)];
    }
    VectorField copy(const VectorField& field) const {
        VectorField copied(field.geometry, *resources.context().pool, "motion since the first");
        std::ranges::copy(field.components.span(), copied.components.data());
        return copied;
    }

    /// The mean distance from the truth of the wall's points in a frame, voxels.
    double error(const std::vector<VectorField>& fields, int frame) const {
        const VectorField truth = heart->truth(0, frame, resources.context());
        const auto& field = fields[static_cast<std::size_t>(frame - 1)];
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            if (labels[i] != wall)
                continue;
            double squared = 0;
            for (int axis = 0; axis < 3; ++axis)
                squared += std::pow(static_cast<double>(field.view().component(axis)[i]) -
                                        static_cast<double>(truth.view().component(axis)[i]),
                                    2);
            sum += std::sqrt(squared);
            ++count;
        }
        return sum / count;
    }

    /// The motion of the wall at end systole, regressed on the truth.
    double amplitude(const VectorField& field) const {
        const VectorField truth = heart->truth(0, endSystole, resources.context());
        double product = 0, square = 0;
        for (std::size_t i = 0; i < labels.size(); ++i)
            for (int axis = 0; axis < 3 && labels[i] == wall; ++axis) {
                const auto exact = static_cast<double>(truth.view().component(axis)[i]);
                product += exact * static_cast<double>(field.view().component(axis)[i]);
                square += exact * exact;
            }
        return product / square;
    }
    /// The mean distance of the wall's points from their start after the way from the last frame
    /// back to the first one, mm.
    double drift(const VectorField& last, const VectorField& back) const {
        const MillimeterField rest =
            toMillimeters(composedMotion(last, back, resources.context()), resources.pool());
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            if (labels[i] != wall)
                continue;
            const float* const gap = rest.vectors.data() + 3 * i;
            sum += std::hypot(gap[0], gap[1], gap[2]);
            ++count;
        }
        return sum / count;
    }

    static constexpr std::uint8_t wall = 1;
    mutable ExecResources resources{2};
    std::unique_ptr<Phantom> heart;
    std::vector<std::uint8_t> labels;
    std::vector<std::shared_ptr<Volume>> images;
};

TEST_P(MotionSinceFirst, ErrorsOfTheStepsDoNotAddUp) {
    const auto composed = ofPairs(resources.context());
    const auto anchored = sinceFirst(frames - 1, resources.context());
    RecordProperty("composed at end systole", std::to_string(error(composed, endSystole)));
    RecordProperty("since the first there", std::to_string(error(anchored, endSystole)));
    RecordProperty("composed at the end", std::to_string(error(composed, frames - 1)));
    RecordProperty("since the first at the end", std::to_string(error(anchored, frames - 1)));
    EXPECT_LT(error(anchored, endSystole), 0.75 * error(composed, endSystole));
    EXPECT_LT(error(anchored, frames - 1), 0.4 * error(composed, frames - 1));

    // The cycle isn't closed by losing motion either.
    PairEstimator pairs = estimator(ReferenceMode::Previous);
    const auto back =
        pairs.estimate({image(frames - 1), image(0), frames - 1, 0}, resources.context()).field;
    const double left = drift(anchored.back(), *back), before = drift(composed.back(), *back),
                 found = amplitude(anchored[endSystole - 1]);
    RecordProperty("drift composed, mm", std::to_string(before));
    RecordProperty("drift since the first, mm", std::to_string(left));
    RecordProperty("amplitude at end systole", std::to_string(found));
    EXPECT_LT(left, 0.6 * before);
    EXPECT_GT(found, 0.85);
    EXPECT_LT(found, 1.1);
}

TEST_P(MotionSinceFirst, NothingIsAssumedOfACycle) {
    // A frame's motion doesn't depend on those that follow: half a cycle isn't closed.
    const auto half = sinceFirst(endSystole, resources.context());
    const auto whole = sinceFirst(frames - 1, resources.context());
    for (std::size_t i = 0; i < half.size(); ++i)
        EXPECT_TRUE(std::ranges::equal(half[i].components.span(), whole[i].components.span())) << i;
}

TEST_P(MotionSinceFirst, DoesNotDependOnTheNumberOfThreads) {
    const auto with = [&](int threads) {
        ExecResources others(threads);
        return sinceFirst(3, others.context());
    };
    const auto a = with(1), b = with(3);
    for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_TRUE(std::ranges::equal(a[i].components.span(), b[i].components.span())) << i;
}

INSTANTIATE_TEST_SUITE_P(Methods, MotionSinceFirst,
                         ::testing::Values("clg", "demons", "ffd", "unbiased"),
                         [](const auto& info) { return std::string(info.param); });

} // namespace
} // namespace systole
