// Draws of CLG's error against the covariance that a dense inverse in float64 gives.
#include "compute/methods/clg/error_draw.h"
#include "compute/ops/smooth.h"
#include "tests/compute/methods/clg_system_support.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace systole::test {
namespace {

using clg::drawError;
using clg::SolvedSystem;

/// A small random system, with a data term's gradient and a solution that are random too.
struct RandomErrors {
    RandomErrors() : random({5, 4, 3}, 0, DivergenceStencil::Energy, false), gradient(random.size) {
        for (std::size_t i = 0; i < gradient.values.size(); ++i) {
            gradient.values[i] = normalPair(randomBits(21, 1, i)).first;
        }
        for (std::size_t i = 0; i < random.size.voxels(); ++i) // nowhere without data
            for (const std::size_t k : {0, 3, 5})
                random.system.coefficient[k].data[i] += 0.2f;
    }
    SolvedSystem solved() { return {random.system, gradient.view(), {0.8, 0.7, 0.5}}; }

    /// A column a voxel: what its weight of 1 alone adds to the data term's right-hand side.
    Eigen::MatrixXd dataParts(const ExecContext& ctx) const {
        const auto n = static_cast<int>(random.size.voxels());
        Eigen::MatrixXd parts(3 * n, n);
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < 3; ++k) {
                TestVolume one(random.size, [](double, double, double) { return 0; });
                one.voxels[static_cast<std::size_t>(i)] =
                    gradient.values[static_cast<std::size_t>(k * n + i)];
                smoothGaussian(one.view(), one.view(), {0.8, 0.7, 0.5}, ctx);
                for (int j = 0; j < n; ++j)
                    parts(k * n + j, i) = one.voxels[static_cast<std::size_t>(j)];
            }
        return parts;
    }
    RandomSystem random;
    TestField gradient;
};

class ClgErrorDraw : public testing::Test {
protected:
    /// Variance of each unknown, from many draws.
    Eigen::VectorXd variances(double width) {
        constexpr int draws = 3000;
        Eigen::VectorXd squares =
            Eigen::VectorXd::Zero(static_cast<int>(errors_.gradient.values.size()));
        for (std::uint64_t n = 0; n < draws; ++n) {
            TestField out(errors_.random.size);
            drawError(errors_.solved(), width, n, out.view(), ctx_);
            for (int i = 0; i < squares.size(); ++i) {
                const double value = static_cast<double>(out.values[static_cast<std::size_t>(i)]);
                squares(i) += value * value / draws;
            }
        }
        return squares;
    }
    /// A column a white value: the weights that it alone makes.
    Eigen::MatrixXd weightsOf(double width) const {
        const Size3 size = errors_.random.size;
        const auto n = static_cast<int>(size.voxels());
        const Vec3 sigma{width, width * 0.8, width * 0.5}; // RandomSystem's spacings
        double left = 1;
        for (const std::vector<float>& axis : tapsOfAxes(sigma)) {
            double squares = 0;
            for (const float tap : axis)
                squares += static_cast<double>(tap) * static_cast<double>(tap);
            left *= squares;
        }
        Eigen::MatrixXd weights(n, n);
        for (int i = 0; i < n; ++i) {
            TestVolume one(size, [](double, double, double) { return 0; });
            one.voxels[static_cast<std::size_t>(i)] = 1;
            smoothGaussian(one.view(), one.view(), sigma, ctx_);
            for (int j = 0; j < n; ++j)
                weights(j, i) =
                    static_cast<double>(one.voxels[static_cast<std::size_t>(j)]) / std::sqrt(left);
        }
        return weights;
    }
    Eigen::VectorXd expected(double width) const {
        const Eigen::MatrixXd inverse = Eigen::MatrixXd(matrixOf(errors_.random)).inverse();
        return (inverse * errors_.dataParts(ctx_) * weightsOf(width)).rowwise().squaredNorm();
    }

    ExecResources resources_{1};
    ExecContext ctx_ = resources_.context();
    RandomErrors errors_;
};

// A variance found from 3000 draws has a standard deviation of 2.6 %; the largest of 180 stays
// below five of them.
constexpr double fewDraws = 0.13;

TEST_F(ClgErrorDraw, HasTheCovarianceOfTheDenseInverse) {
    EXPECT_LT((variances(0).array() / expected(0).array() - 1).abs().maxCoeff(), fewDraws);
}

TEST_F(ClgErrorDraw, WeightsAreAlikeWithinTheirWidth) {
    EXPECT_LT((variances(1).array() / expected(1).array() - 1).abs().maxCoeff(), fewDraws);
}

TEST_F(ClgErrorDraw, IsTheSameForAnyNumberOfThreadsAndOtherwiseDiffers) {
    ExecResources three(3);
    TestField one(errors_.random.size), other(errors_.random.size);
    drawError(errors_.solved(), 2, 4, one.view(), ctx_);
    drawError(errors_.solved(), 2, 4, other.view(), three.context());
    EXPECT_EQ(one.values, other.values);
    drawError(errors_.solved(), 2, 5, other.view(), ctx_);
    EXPECT_GT(largestDifference(one.values, other.values), 0.01);
}

} // namespace
} // namespace systole::test
