// A registration on its own thread, with an estimator that follows a script.
#include "app/features/registration/registration_run.h"
#include "compute/core/error.h"
#include "tests/support/becomes.h"
#include "tests/support/volume_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

namespace systole {
namespace {

using namespace std::chrono_literals;

struct Script {
    std::atomic<int> iterations{5}; ///< per level, of two levels
    std::atomic<int> holdsAt{-1};   ///< iteration, over both levels, that doesn't end by itself
    std::atomic<bool> fails{false}, twoGrids{false};
    std::atomic<float> movingValue{0}; ///< first voxel of the moving image as given
};

/// Iteration n shifts by n / 10 voxels along x; the energy is lowest at the second but last.
class ScriptedEstimator : public MotionEstimator {
public:
    explicit ScriptedEstimator(Script& script) : script_(script) {}
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        script_.movingValue = input.moving.data[0];
        const int per = script_.iterations, all = 2 * per;
        std::vector<float> values(3 * displacement.size.voxels());
        const FieldView<float> field(values.data(), displacement.size);
        for (int n = 1; n <= all; ++n) {
            while (n == script_.holdsAt) {
                ctx.throwIfCancelled();
                std::this_thread::sleep_for(1ms);
            }
            ctx.throwIfCancelled();
            std::fill_n(field.u, field.size.voxels(), 0.1f * static_cast<float>(n));
            ctx.iteration({n <= per ? 1 : 0, n, std::abs(all - 1.0 - n), field});
        }
        if (script_.fails)
            throw ComputeError("the images have nothing in common");
        std::fill_n(displacement.u, displacement.size.voxels(), 0.1f * static_cast<float>(all));
        MotionReport report;
        report.levels.emplace_back();
        return report;
    }
    std::size_t memoryEstimate(Size3, Vec3) const override { return 0; }
    int reach() const override { return 8; }
    bool allowsTwoGrids() const override { return script_.twoGrids; }

private:
    Script& script_;
};

class RegistrationRunTest : public ::testing::Test {
protected:
    RegistrationRunTest() { make({}); }

    void make(RegistrationRun::Options options) {
        options.notify = [this] { ++notified; };
        run = std::make_unique<RegistrationRun>(options);
    }
    std::shared_ptr<const Volume> ramp(const Geometry& geometry) {
        return std::make_shared<Volume>(
            test::volumeOf(geometry, pool, [&](double x, double y, double z) {
                return geometry.indexToPhysical({x, y, z}).x;
            }));
    }
    RegistrationTask task() {
        RegistrationTask task;
        task.name = "test";
        task.open = [this](const ExecContext&) { return RegistrationPair{fixed, moving}; };
        task.plan.method = &method;
        task.plan.parameters = ParamSet(noParameters);
        return task;
    }
    template <typename Condition>
    bool becomes(const Condition& condition) {
        return test::becomes([&] { return condition(run->status()); });
    }
    bool ends() {
        return becomes([](const RegistrationStatus& status) { return !status.running; });
    }

    Script script;
    const ParamTable noParameters{{}};
    const MotionMethod method{
        .name = "scripted",
        .title = "Scripted",
        .parameters = &noParameters,
        .backends = {Backend::Cpu},
        .stages = {},
        .make = [this](const ParamSet&, Backend) -> std::unique_ptr<MotionEstimator> {
            return std::make_unique<ScriptedEstimator>(script);
        }};
    std::atomic<int> notified{0};
    BufferPool pool;
    const Geometry grid{{12, 10, 8}, {1, 1, 1}};
    std::shared_ptr<const Volume> fixed = ramp(grid), moving = ramp(grid);
    std::unique_ptr<RegistrationRun> run; ///< first to go
};

TEST_F(RegistrationRunTest, VoxelsBetweenKnownOnesAreKnown) {
    ExecResources resources(1);
    const Geometry large({40, 40, 40}, {1, 1, 1});
    const auto image = ramp(large);
    Volume known(large, pool, "known"), alike(large, pool, "the same image");
    std::ranges::fill(known.voxels.span(), 1.0f);
    std::ranges::copy(image->voxels.span(), alike.voxels.data());
    alike.known = std::make_shared<Volume>(std::move(known));
    VectorField field(large, pool, "shift");
    const std::size_t n = large.voxels();
    for (std::size_t i = 0; i < n; ++i) {
        field.view().u[i] = 0.1f + 1e-5f * static_cast<float>(i % 977);
        field.view().v[i] = 0.7f - 2e-5f * static_cast<float>(i % 331);
        field.view().w[i] = 0.3f;
    }
    const auto counted = [&](const Volume& moved) {
        const MovedImage found =
            movedImage({image.get(), &moved}, field.view(), resources.context());
        return std::vector<float>(found.counted.voxels.span().begin(),
                                  found.counted.voxels.span().end());
    };
    EXPECT_EQ(counted(alike), counted(*image));
}

TEST_F(RegistrationRunTest, StoppedDuringTheMeasuresItHasItsResult) {
    RegistrationRun::Options options;
    options.notify = [this] {
        if (run->status().points.size() == 11) // the result is there, and measures follow
            run->stop();
    };
    run = std::make_unique<RegistrationRun>(options);
    run->start(task());
    ASSERT_TRUE(ends());
    EXPECT_NE(run->status().result, nullptr);
    EXPECT_EQ(run->status().best, 11);
}

TEST_F(RegistrationRunTest, EveryIterationIsReportedAndCanBeLookedAtAgain) {
    EXPECT_EQ(run->status().run, 0u);
    run->start(task());
    ASSERT_TRUE(ends());
    const RegistrationStatus status = run->status();
    EXPECT_EQ(status.run, 1u);
    EXPECT_EQ(status.name, "test");
    EXPECT_FALSE(status.stopped);
    EXPECT_EQ(status.failure, "");
    ASSERT_EQ(status.points.size(), 11u); // and the result
    EXPECT_EQ(status.points[2].number, 3);
    EXPECT_EQ(status.points[2].part, "scripted");
    EXPECT_EQ(status.points[2].level, 1);
    EXPECT_EQ(status.points[2].energy, 6);
    EXPECT_FALSE(status.points[2].penalty) << "it reports none";
    EXPECT_EQ(status.kept.size(), 11u);
    EXPECT_EQ(status.best, 11) << "the result";
    EXPECT_FLOAT_EQ(run->iterate(3)->view().u[7], 0.3f);
    EXPECT_FLOAT_EQ(run->iterate(11)->view().u[7], 1.0f);
    EXPECT_GE(notified, 11);
}

TEST_F(RegistrationRunTest, StopKeepsTheBestSoFar) {
    script.holdsAt = 8;
    run->start(task());
    ASSERT_TRUE(
        becomes([](const RegistrationStatus& status) { return status.points.size() == 7; }));
    EXPECT_TRUE(run->status().running);
    EXPECT_EQ(run->status().best, 7);
    run->stop();
    ASSERT_TRUE(ends());
    EXPECT_TRUE(run->status().stopped);
    EXPECT_EQ(run->status().points.size(), 7u);
    EXPECT_EQ(run->status().best, 7);
    EXPECT_FLOAT_EQ(run->iterate(run->status().best)->view().u[0], 0.7f);
}

TEST_F(RegistrationRunTest, ANewStartForgetsTheOldRun) {
    script.holdsAt = 4;
    run->start(task());
    ASSERT_TRUE(
        becomes([](const RegistrationStatus& status) { return status.points.size() == 3; }));
    script.holdsAt = 2;
    run->start(task());
    ASSERT_TRUE(becomes([](const RegistrationStatus& status) {
        return status.run == 2 && status.points.size() == 1;
    }));
    EXPECT_TRUE(run->status().running);
    script.holdsAt = -1;
    ASSERT_TRUE(ends());
    EXPECT_EQ(run->status().points.size(), 11u);
}

TEST_F(RegistrationRunTest, AFailureIsASentence) {
    script.fails = true;
    run->start(task());
    ASSERT_TRUE(ends());
    EXPECT_EQ(run->status().failure, "the images have nothing in common");
    EXPECT_FALSE(run->status().stopped);
    EXPECT_EQ(run->status().best, 9) << "lowest energy of the finest level";
}

TEST_F(RegistrationRunTest, MemoryIsLimited) {
    const std::size_t one = 3 * grid.voxels() * sizeof(float);
    make({.threads = 1, .keptBytes = 4 * one});
    run->start(task());
    ASSERT_TRUE(ends());
    const RegistrationStatus status = run->status();
    EXPECT_EQ(status.points.size(), 11u) << "the curve is whole";
    EXPECT_EQ(status.kept.size(), 4u);
    EXPECT_EQ(status.keptBytes, 4 * one);
    EXPECT_EQ(status.kept.back(), 11);
}

TEST_F(RegistrationRunTest, AnotherGridIsResampledUnlessTheMethodTakesIt) {
    moving = ramp(Geometry({40, 40, 40}, {0.5, 0.5, 0.5}, {-2, -2, -2}));
    run->start(task());
    ASSERT_TRUE(ends());
    EXPECT_EQ(run->images().moving, moving) << "pictures are of the image as it is";
    EXPECT_NEAR(script.movingValue, 0, 1e-4);
    script.twoGrids = true;
    run->start(task());
    ASSERT_TRUE(ends());
    EXPECT_EQ(run->images().moving, moving);
    EXPECT_EQ(script.movingValue, -2);

    moving = ramp(Geometry({10, 10, 10}, {1, 1, 1}, {100, 0, 0}));
    run->start(task());
    ASSERT_TRUE(ends());
    EXPECT_THAT(run->status().failure, ::testing::HasSubstr("the images don't overlap"));
}

} // namespace
} // namespace systole
