// Thin-plate splines against their equations, a general solve of the whole system, and loops in
// double precision.
#include "compute/core/error.h"
#include "compute/lab/kernels/thin_plate.h"
#include "tests/compute/landmarks/thin_plate_support.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <limits>

namespace systole {
namespace {

using test::Landmarks;

TEST(ThinPlate, WithoutRelaxationGoesThroughItsLandmarks) {
    const Landmarks marks = test::bentLandmarks(60, {40, 30, 20}, 4);
    const ThinPlateSpline spline = fitThinPlate(marks.from, marks.to, 0);
    for (std::size_t i = 0; i < marks.from.size(); ++i)
        EXPECT_LT(length(spline.at(marks.from[i]) - marks.to[i]), 1e-9) << i;
}

TEST(ThinPlate, AffineMapsNeedNoBending) {
    Landmarks marks = test::bentLandmarks(25, {40, 30, 20}, 7);
    const auto map = [](Vec3 p) {
        return Vec3{3 + 1.1 * p.x - 0.2 * p.y, -2 + 0.9 * p.y + 0.3 * p.z,
                    1 + 0.1 * p.x + 1.2 * p.z};
    };
    for (std::size_t i = 0; i < marks.from.size(); ++i)
        marks.to[i] = map(marks.from[i]);
    for (const double kappa : {0.0, 2.0}) {
        const ThinPlateSpline spline = fitThinPlate(marks.from, marks.to, kappa);
        for (const Vec3& w : spline.weights)
            EXPECT_LT(length(w), 1e-10);
        const Vec3 elsewhere{-17, 55, 3.5};
        EXPECT_LT(length(spline.at(elsewhere) - map(elsewhere)), 1e-8);
    }
}

TEST(ThinPlate, FourLandmarksAreAnAffineMap) {
    const std::vector<Vec3> from{{0, 0, 0}, {10, 0, 0}, {0, 10, 0}, {0, 0, 10}};
    const std::vector<Vec3> to{{1, 2, 3}, {11, 2, 3}, {1, 22, 3}, {1, 2, 8}};
    const Vec3 value = fitThinPlate(from, to, 0).at({5, 5, 5});
    EXPECT_NEAR(value.x, 6, 1e-12);
    EXPECT_NEAR(value.y, 12, 1e-12);
    EXPECT_NEAR(value.z, 5.5, 1e-12);
}

/// (K − κI, P; Pᵀ, 0) solved as it stands.
TEST(ThinPlate, EqualsAGeneralSolveOfTheWholeSystem) {
    const Landmarks marks = test::bentLandmarks(40, {40, 30, 20}, 9);
    const double kappa = 0.7;
    const auto n = static_cast<Eigen::Index>(marks.from.size());
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n + 4, n + 4), y = Eigen::MatrixXd::Zero(n + 4, 3);
    for (Eigen::Index i = 0; i < n; ++i) {
        const Vec3 p = marks.from[static_cast<std::size_t>(i)];
        for (Eigen::Index j = 0; j < n; ++j)
            a(i, j) = length(p - marks.from[static_cast<std::size_t>(j)]) - (i == j ? kappa : 0);
        a.row(i).tail<4>() << 1, p.x, p.y, p.z;
        const Vec3 to = marks.to[static_cast<std::size_t>(i)];
        y.row(i) << to.x, to.y, to.z;
    }
    a.bottomRows<4>() = a.rightCols<4>().transpose().eval();
    const Eigen::MatrixXd expected = a.fullPivLu().solve(y);
    const ThinPlateSpline spline = fitThinPlate(marks.from, marks.to, kappa);
    for (Eigen::Index c = 0; c < 3; ++c) {
        for (Eigen::Index i = 0; i < n; ++i)
            EXPECT_NEAR(spline.weights[static_cast<std::size_t>(i)][static_cast<int>(c)],
                        expected(i, c), 1e-10);
        for (Eigen::Index k = 0; k < 4; ++k)
            EXPECT_NEAR(spline.affine[static_cast<std::size_t>(c)][static_cast<std::size_t>(k)],
                        expected(n + k, c), 1e-9);
    }
}

/// The residual at a landmark is −κ times its weight. With larger κ the spline bends less, −wᵀKw
/// falls, and the residual grows.
TEST(ThinPlate, RelaxationTradesResidualForBending) {
    const Landmarks marks = test::bentLandmarks(50, {40, 30, 20}, 2);
    double bendingBefore = std::numeric_limits<double>::infinity(), residualBefore = -1;
    for (const double kappa : {0.0, 0.1, 1.0, 10.0, 1000.0}) {
        const ThinPlateSpline spline = fitThinPlate(marks.from, marks.to, kappa);
        double bending = 0, residual = 0;
        for (std::size_t i = 0; i < marks.from.size(); ++i) {
            const Vec3 left = marks.to[i] - spline.at(marks.from[i]);
            EXPECT_LT(length(left + kappa * spline.weights[i]), 1e-7 * (1 + kappa));
            residual += dot(left, left);
            for (std::size_t j = 0; j < marks.from.size(); ++j)
                bending -= dot(spline.weights[i], spline.weights[j]) *
                           length(marks.from[i] - marks.from[j]);
        }
        EXPECT_LT(bending, bendingBefore);
        EXPECT_GT(residual, residualBefore);
        bendingBefore = bending;
        residualBefore = residual;
    }
}

TEST(ThinPlate, RefusesWhatHasNoSolution) {
    const Landmarks good = test::bentLandmarks(10, {40, 30, 20}, 3);
    const auto refuses = [&](const auto& spoil, double kappa = 0) {
        Landmarks marks = good;
        spoil(marks);
        EXPECT_THROW(fitThinPlate(marks.from, marks.to, kappa), ComputeError);
    };
    refuses([](Landmarks& m) { m.to.pop_back(); });
    refuses([](Landmarks& m) { m.from.resize(3), m.to.resize(3); });
    refuses([](Landmarks& m) { m.from[4].y = NAN; });
    refuses([](Landmarks& m) { m.to[4].y = INFINITY; });
    refuses([](Landmarks& m) { m.from[3] = m.from[7]; });
    refuses([](Landmarks& m) {
        for (Vec3& p : m.from)
            p.z = 5;
    });
    refuses([](Landmarks& m) {
        for (Vec3& p : m.from)
            p = {2 * p.x, p.y, p.x + p.y};
    });
    refuses([](Landmarks&) {}, -1);
    refuses([](Landmarks&) {}, NAN);
    // Two landmarks may lie at one place if the spline is relaxed.
    Landmarks twice = good;
    twice.from[3] = twice.from[7];
    EXPECT_NO_THROW(fitThinPlate(twice.from, twice.to, 0.5));
}

TEST(ThinPlate, GridEqualsDoublePrecisionWithinItsBound) {
    const Landmarks marks = test::bentLandmarks(90, {37, 21, 9}, 6);
    const ThinPlateSpline spline = fitThinPlate(marks.from, marks.to, 0.1);
    ExecResources resources(2);
    for (const Size3 size : {Size3{37, 21, 9}, Size3{1, 5, 3}, Size3{70, 2, 1}})
        for (const Backend backend : {Backend::CpuReference, Backend::Cpu}) {
            ExecContext ctx = resources.context();
            ctx.backend = backend;
            test::TestField positions(size);
            lab::transformGrid(spline, positions.view(), ctx);
            EXPECT_LT(test::worstOfBound(spline, positions), 1) << size.x << " " << name(backend);
        }
}

TEST(ThinPlate, GridIsTheSameForAnyNumberOfThreads) {
    const Landmarks marks = test::bentLandmarks(30, {20, 20, 20}, 8);
    const ThinPlateSpline spline = fitThinPlate(marks.from, marks.to, 0);
    test::TestField one(Size3{20, 20, 20}), four(Size3{20, 20, 20});
    ExecResources single(1), several(4);
    lab::transformGrid(spline, one.view(), single.context());
    lab::transformGrid(spline, four.view(), several.context());
    EXPECT_EQ(one.values, four.values);
}

} // namespace
} // namespace systole
