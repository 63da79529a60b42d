// Standard errors of clg's motion against its true errors on small phantoms.
#include "bench/phantom_case.h"
#include "compute/core/motion_start.h"
#include "compute/motion/methods.h"
#include "compute/motion/motion_errors.h"
#include "compute/ops/sample_at.h"
#include "io/phantom/family.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace systole {
namespace {

constexpr double ninetyPercent = 1.6449;

/// A phantom, clg's motion of it and its standard error.
struct Judged {
    explicit Judged(const PhantomOptions& options)
        : pair({"", "", options}, resources.context())
        , field(fieldAtRest(pair.fixed.geometry, resources.pool(), "motion")) {
        const MotionMethod& clg = motionMethod("clg");
        const ParamSet parameters(*clg.parameters);
        clg.make(parameters, Backend::Cpu)
            ->estimate(pair.input(), field.view(), resources.context());
        standard = standardError(errorsOf(clg, parameters), pair.input(), field.geometry,
                                 field.view(), usualDraws, resources.context());
    }
    /// Percent of the wall's errors along an axis within the interval of 90 %.
    double covered(int axis) const {
        double within = 0, all = 0;
        const FieldView<const float> found = field.view(), truth = pair.truth.view(),
                                     said = standard.view();
        for (std::size_t i = 0; i < pair.measured.size(); ++i)
            if (pair.measured[i]) {
                const double error = static_cast<double>(found.component(axis)[i]) -
                                     static_cast<double>(truth.component(axis)[i]);
                within +=
                    std::abs(error) <= ninetyPercent * static_cast<double>(said.component(axis)[i]);
                ++all;
            }
        return 100 * within / all;
    }
    /// Mean over the wall, mm.
    double meanError(int axis) const {
        double sum = 0, all = 0;
        for (std::size_t i = 0; i < pair.measured.size(); ++i)
            if (pair.measured[i]) {
                sum += static_cast<double>(standard.view().component(axis)[i]);
                ++all;
            }
        return field.geometry.spacing()[axis] * sum / all;
    }

    ExecResources resources{2};
    PhantomPair pair;
    VectorField field, standard;
};

TEST(Certainty, IntervalsOfNinetyPercentCoverTheErrorsOfHeartsThatItWasNotFittedOn) {
    double covered = 0;
    const std::array<std::uint64_t, 2> seeds{11, 14};
    for (const std::uint64_t seed : seeds) {
        const Judged echo(familyMember("echo", 48, seed));
        for (int axis = 0; axis < 3; ++axis)
            covered += echo.covered(axis) / (3 * static_cast<double>(seeds.size()));
    }
    EXPECT_GT(covered, 80);
    EXPECT_LT(covered, 97);
}

TEST(Certainty, ThickSlicesKnowLeastAcrossThem) {
    PhantomOptions options = phantomPair({48, 48, 48});
    options.look = PhantomLook::Ct;
    options.planesPerSlice = 6;
    options.size.z = 8;
    const Judged slices(options);
    EXPECT_GT(slices.meanError(2), 1.5 * slices.meanError(0));
    EXPECT_GT(slices.meanError(2), 1.5 * slices.meanError(1));
}

TEST(Certainty, WhereTheImagesTellNothingItIsNoMoreThanTheMotion) {
    PhantomOptions options = phantomPair({40, 40, 40});
    options.look = PhantomLook::Ct; // all is alike but for the heart
    const Judged flat(options);
    double longest = 0, most = 0;
    for (std::size_t i = 0; i < flat.pair.measured.size(); ++i) {
        const Geometry& grid = flat.field.geometry;
        longest =
            std::max(longest, length(grid.voxelVectorToPhysical(vectorOf(flat.field.view(), i))));
        const Vec3 said = vectorOf(flat.standard.view(), i);
        for (int axis = 0; axis < 3; ++axis)
            most = std::max(most, grid.spacing()[axis] * said[axis]);
    }
    EXPECT_NEAR(most, longest, 1e-4 * longest) << "it is reached, and not exceeded";
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_LT(flat.meanError(axis), 0.5 * longest) << "in the wall it says more";
}

} // namespace
} // namespace systole
