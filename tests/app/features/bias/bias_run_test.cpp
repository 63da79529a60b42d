// Registrations of an image with itself under fresh noise: figures, repetitions on their thread.
#include "app/features/bias/bias_run.h"
#include "app/features/bias/known_growth.h"
#include "bench/benchmarks.h"
#include "bench/phantom_case.h"
#include "compute/motion/methods.h"
#include "compute/ops/jacobian.h"
#include "tests/support/volume_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace systole {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class Bias : public testing::Test {
protected:
    ExecContext ctx() { return resources_.context(); }
    std::shared_ptr<const Volume> image(int side) {
        return std::make_shared<const Volume>(test::volumeOf(
            Geometry({side, side, side}, {1, 1, 1}), resources_.pool(), [&](int x, int y, int z) {
                return 100 + 50 * std::sin(0.5 * x) * std::cos(0.4 * y + 0.3 * z);
            }));
    }
    BiasTask task(int repetitions = 2) {
        BiasTask task;
        task.name = "a test";
        task.image = image(20);
        task.scale = {50, 150};
        task.methods = {"clg", "unbiased"};
        task.repetitions = repetitions;
        return task;
    }
    static BiasStatus finished(const BiasRun& run) {
        while (run.status().running)
            std::this_thread::sleep_for(1ms);
        return run.status();
    }

    ExecResources resources_{2};
};

TEST_F(Bias, TheSeriesHasStudentsTestOfItsMeans) {
    NullSeries series;
    for (const double mean : {1.0, 2.0, 3.0})
        series.add({mean, -mean, 0.1 * mean, 10 * mean});
    // t = 2 √3, and with two degrees of freedom p = 1 − t / √(t² + 2).
    EXPECT_DOUBLE_EQ(series.volume().mean, 2);
    EXPECT_DOUBLE_EQ(series.volume().deviation, 1);
    EXPECT_NEAR(series.volume().p, 1 - std::sqrt(12.0 / 14), 1e-12);
    EXPECT_NEAR(series.region().t, -2 * std::sqrt(3.0), 1e-12);
    EXPECT_NEAR(series.spread(), 0.2, 1e-12);
    EXPECT_NEAR(series.displacement(), 20, 1e-12);
    EXPECT_EQ(NullSeries().spread(), 0);
}

TEST_F(Bias, TheTissueIsWhatIsBright) {
    const Vec3 center{12, 11, 10};
    const Volume ball = test::volumeOf(
        Geometry({24, 24, 24}, {1, 1, 1}), resources_.pool(), [&](int x, int y, int z) {
            return 100 *
                   std::clamp(8.5 - length(Vec3{x + 0.0, y + 0.0, z + 0.0} - center), 0.0, 1.0);
        });
    const TriangleMesh mesh = tissueOf(ball, ctx());
    EXPECT_GT(mesh.triangles.size(), 500u);
    for (const auto& [x, y, z] : mesh.points)
        EXPECT_NEAR(length(Vec3{x, y, z} - center), 8, 0.5);
    // An image of one value has no outline.
    EXPECT_TRUE(
        tissueOf(test::volumeOf(ball.geometry, resources_.pool(), [](int, int, int) { return 7; }),
                 ctx())
            .triangles.empty());
}

TEST_F(Bias, TheNoiseIsGaussianFreshInEachCopyAndThatOfItsSeed) {
    const auto clean = image(48);
    const NoisyCopies copies(*clean, 4, 3, ctx());
    double sums[5] = {};
    const std::size_t n = clean->geometry.voxels();
    for (std::size_t i = 0; i < n; ++i) {
        const double a =
            static_cast<double>(copies.fixed.voxels.data()[i] - clean->voxels.data()[i]);
        const double b =
            static_cast<double>(copies.moving.voxels.data()[i] - clean->voxels.data()[i]);
        const double add[] = {a, b, a * a, b * b, a * b};
        for (int k = 0; k < 5; ++k)
            sums[k] += add[k] / static_cast<double>(n);
    }
    // Standard error of a mean; the noise has standard deviation 4
    const double error = 4 / std::sqrt(static_cast<double>(n));
    EXPECT_NEAR(sums[0], 0, 5 * error);
    EXPECT_NEAR(sums[1], 0, 5 * error);
    EXPECT_NEAR(std::sqrt(sums[2]), 4, 5 * error);
    EXPECT_NEAR(std::sqrt(sums[3]), 4, 5 * error);
    EXPECT_NEAR(sums[4], 0, 5 * 4 * error);
    ExecResources other(5);
    const NoisyCopies same(*clean, 4, 3, other.context()), differ(*clean, 4, 4, ctx());
    EXPECT_TRUE(std::equal(copies.fixed.voxels.data(), copies.fixed.voxels.data() + n,
                           same.fixed.voxels.data()));
    EXPECT_FALSE(std::equal(copies.fixed.voxels.data(), copies.fixed.voxels.data() + n,
                            differ.fixed.voxels.data()));
}

TEST_F(Bias, WithoutNoiseNothingIsFound) {
    // The image has corners, which landmarks need.
    const auto clean = std::make_shared<const Volume>(test::volumeOf(
        Geometry({32, 32, 32}, {1, 1, 1}), resources_.pool(), [](int x, int y, int z) {
            return 100 + 25 * std::sin(0.5 * x) * std::cos(0.4 * y + 0.3 * z) +
                   25 * std::sin(0.6 * z + 0.2 * x);
        }));
    const NoisyCopies copies(*clean, 0, 1, ctx());
    for (const MotionMethod& method : motionMethods()) {
        NullRegistration registration(method, Backend::Cpu, clean->geometry, resources_.pool());
        const NullFigures found = registration.run(copies, {50, 150}, {}, ctx());
        EXPECT_NEAR(found.volume, 0, 1e-6) << method.name;
        EXPECT_NEAR(found.displacement, 0, 1e-4) << method.name;
        EXPECT_TRUE(std::isnan(found.region));
    }
}

TEST_F(Bias, TheThreadFindsWhatTheRegistrationsFind) {
    const BiasTask wanted = task(3);
    std::vector<BiasStatus> results;
    for (const int threads : {1, 3}) {
        BiasRun run({.threads = threads});
        run.start(wanted);
        results.push_back(finished(run));
    }
    for (const BiasStatus& status : results) {
        EXPECT_EQ(status.failure, "");
        EXPECT_FALSE(status.stopped);
        ASSERT_EQ(status.columns.size(), 2u);
        for (const BiasColumn& column : status.columns) {
            NullRegistration registration(motionMethod(column.method), Backend::Cpu,
                                          wanted.image->geometry, resources_.pool());
            NullSeries expected;
            Volume map(wanted.image->geometry, resources_.pool(), "map");
            std::vector<double> mean(map.geometry.voxels());
            for (std::uint64_t seed = 1; seed <= 3; ++seed) {
                const NoisyCopies copies(*wanted.image, noiseDeviation(0.04, wanted.scale), seed,
                                         ctx());
                expected.add(registration.run(copies, wanted.scale, {}, ctx()));
                jacobianMap(registration.field(), map.view(), ctx());
                for (std::size_t i = 0; i < mean.size(); ++i)
                    mean[i] += std::log(static_cast<double>(map.voxels.data()[i])) / 3;
            }
            EXPECT_EQ(column.series.count(), 3u);
            EXPECT_EQ(column.series.volume().mean, expected.volume().mean) << column.method;
            EXPECT_EQ(column.series.volume().p, expected.volume().p) << column.method;
            EXPECT_EQ(column.series.displacement(), expected.displacement()) << column.method;
            for (std::size_t i = 0; i < mean.size(); ++i) {
                ASSERT_NEAR(static_cast<double>(column.mean->voxels.data()[i]), mean[i], 1e-6);
                ASSERT_EQ(column.last->voxels.data()[i], std::log(map.voxels.data()[i]));
            }
        }
    }
}

/// The true motion is radial: (1 + a e)² (1 + a e (1 − r²)), e = exp(−r² / 2), r in reaches.
TEST_F(Bias, AKnownGrowthIsWhatItSaysAndIsFoundInPart) {
    BiasTask wanted = task(1);
    wanted.image = image(36);
    const KnownGrowth growth(*wanted.image, ctx());
    double expected = 0, voxels = 0;
    for (int z = 0; z < 36; ++z)
        for (int y = 0; y < 36; ++y)
            for (int x = 0; x < 36; ++x) {
                const double r = std::hypot(x - 17.5, y - 17.5, z - 17.5) / 6;
                if (r >= 1)
                    continue;
                const double e = 0.1 * std::exp(-0.5 * r * r);
                expected += 2 * std::log1p(e) + std::log1p(e * (1 - r * r));
                ++voxels;
            }
    EXPECT_NEAR(growth.logarithm, expected / voxels, 0.01);
    BiasRun run({.threads = 2});
    run.start(wanted);
    const BiasStatus status = finished(run);
    EXPECT_EQ(status.failure, "");
    EXPECT_EQ(status.trueGrowth, growth.logarithm);
    for (const BiasColumn& column : status.columns) {
        // Their smoothing takes much of a reach of 6 voxels.
        EXPECT_GT(column.growth, 0.1 * growth.logarithm) << column.method;
        EXPECT_LT(column.growth, 1.3 * growth.logarithm) << column.method;
    }
    EXPECT_THAT(biasHeadline(status), HasSubstr("% of a true growth"));
}

TEST_F(Bias, TheThreadFindsWhatTheBenchmarkFinds) {
    BenchOptions options;
    options.size = 24;
    options.repeats = 2;
    options.cases = {"ct"};
    nlohmann::ordered_json record;
    benchBias(options, ctx(), record);
    const auto cases = phantomCases({24, 24, 24}, options.seed);
    const auto ct = std::ranges::find(cases, std::string("ct"), &PhantomCase::name);
    const PhantomPair phantom(*ct, ctx());
    BiasTask same;
    same.image = std::make_shared<const Volume>(
        test::volumeOf(phantom.fixed.geometry, resources_.pool(),
                       [&](int x, int y, int z) { return phantom.fixed.view()(x, y, z); }));
    same.scale = phantom.scale;
    same.methods = usualBiasMethods();
    same.repetitions = 2;
    BiasRun run({.threads = 2});
    run.start(same);
    for (const BiasColumn& column : finished(run).columns) {
        const auto& of = record["ct"][column.method];
        EXPECT_EQ(of["volume"]["mean_log"].get<double>(), column.series.volume().mean);
        EXPECT_EQ(of["spread_log"].get<double>(), column.series.spread());
        EXPECT_EQ(of["displacement_voxel"].get<double>(), column.series.displacement());
    }
}

TEST_F(Bias, StoppedItKeepsWhatItHasAndAnotherStartForgetsIt) {
    BiasRun run({.threads = 2});
    EXPECT_EQ(run.status().run, 0u);
    run.start(task(100000));
    while (run.status().columns.back().series.count() < 2)
        std::this_thread::sleep_for(1ms);
    run.stop();
    const BiasStatus stopped = finished(run);
    EXPECT_TRUE(stopped.stopped);
    EXPECT_EQ(stopped.failure, "");
    EXPECT_GE(stopped.columns.back().series.count(), 2u);
    EXPECT_LT(stopped.columns.back().series.count(), 100000u);
    EXPECT_NE(stopped.columns.front().mean, nullptr);
    run.start(task(2));
    const BiasStatus again = finished(run);
    EXPECT_EQ(again.run, 2u);
    EXPECT_FALSE(again.stopped);
    EXPECT_EQ(again.columns.front().series.count(), 2u);
}

TEST_F(Bias, AFailureIsASentence) {
    BiasTask wrong = task();
    wrong.methods = {"magic"};
    BiasRun run({.threads = 1});
    run.start(wrong);
    EXPECT_THAT(finished(run).failure, HasSubstr("magic"));
    EXPECT_THAT(biasHeadline(run.status()), HasSubstr("Nothing was registered"));
}

TEST_F(Bias, TheHeadlineTellsABiasFromChance) {
    BiasStatus status;
    status.repetitions = 4;
    status.columns.resize(2);
    status.columns[0].method = "drifting";
    status.columns[1].method = "fair";
    for (const double off : {-0.001, 0.001, -0.0005, 0.0005}) {
        status.columns[0].series.add({0.02 + off, 0, 0, 0});
        status.columns[1].series.add({off, 0, 0, 0});
    }
    EXPECT_THAT(biasHeadline(status),
                ::testing::AllOf(HasSubstr("4 of 4 repetitions"),
                                 HasSubstr("drifting: mean log |J| +0.02000 ± 0.00091"),
                                 ::testing::ContainsRegex("drifting.*a bias.*fair.*none found")));
}

} // namespace
} // namespace systole
