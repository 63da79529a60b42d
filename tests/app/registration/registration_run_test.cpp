// A registration on its own thread, with an estimator that follows a script.
#include "app/registration/picture.h"
#include "app/registration/registration_run.h"
#include "app/registration/two_grids.h"
#include "compute/core/error.h"

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
    std::size_t memoryEstimate(Size3) const override { return 0; }
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
        auto volume = std::make_shared<Volume>(geometry, pool, "image");
        for (int z = 0; z < geometry.size().z; ++z)
            for (int y = 0; y < geometry.size().y; ++y)
                for (int x = 0; x < geometry.size().x; ++x)
                    volume->view()(x, y, z) = static_cast<float>(
                        geometry
                            .indexToPhysical({static_cast<double>(x), static_cast<double>(y),
                                              static_cast<double>(z)})
                            .x);
        return volume;
    }
    RegistrationTask task() {
        RegistrationTask task;
        task.name = "test";
        task.open = [this](const ExecContext&) { return RegistrationImages{fixed, moving}; };
        task.make = [this](Backend) { return std::make_unique<ScriptedEstimator>(script); };
        task.scale = {0, 16};
        return task;
    }
    template <typename Condition>
    bool becomes(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + 200s;
        while (!condition(run->status())) {
            if (std::chrono::steady_clock::now() > end)
                return false;
            std::this_thread::sleep_for(1ms);
        }
        return true;
    }
    bool ends() {
        return becomes([](const RegistrationStatus& status) { return !status.running; });
    }

    Script script;
    std::atomic<int> notified{0};
    BufferPool pool;
    const Geometry grid{{12, 10, 8}, {1, 1, 1}};
    std::shared_ptr<const Volume> fixed = ramp(grid), moving = ramp(grid);
    std::unique_ptr<RegistrationRun> run; ///< first to go
};

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
    EXPECT_EQ(status.points[2].level, 1);
    EXPECT_EQ(status.points[2].energy, 6);
    EXPECT_EQ(status.points[2].bending, 0);
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
    EXPECT_TRUE(run->images().moving->geometry.matches(grid));
    EXPECT_NEAR(run->images().moving->view()(5, 3, 2), 5, 1e-4);
    EXPECT_NEAR(script.movingValue, 0, 1e-4);
    script.twoGrids = true;
    run->start(task());
    ASSERT_TRUE(ends());
    EXPECT_EQ(run->images().moving, moving);
    EXPECT_EQ(script.movingValue, -2);

    script.twoGrids = false;
    moving = ramp(Geometry({10, 10, 10}, {1, 1, 1}, {100, 0, 0}));
    run->start(task());
    ASSERT_TRUE(ends());
    EXPECT_EQ(run->status().failure, "the two images have no point of space in common");
}

TEST_F(RegistrationRunTest, WarpingGoesThroughSpace) {
    ExecResources resources(1);
    const ExecContext ctx = resources.context();
    VectorField field(grid, pool, "field");
    std::fill(field.components.span().begin(), field.components.span().end(), 0.0f);
    std::fill_n(field.view().u, grid.voxels(), 1.25f);
    Volume warped(grid, pool, "warped");
    for (const Geometry& other : {grid, Geometry({40, 40, 40}, {0.5, 0.5, 0.5}, {-2, -2, -2}),
                                  Geometry({30, 30, 30}, {1, 1, 1}, {20, 20, -3},
                                           Matrix3{{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}})}) {
        warpThroughSpace(*ramp(other), field, warped.view(), ctx);
        EXPECT_NEAR(warped.view()(4, 5, 3), 5.25, 1e-4);
    }
}

TEST_F(RegistrationRunTest, ThePicturesAreOfTheIterationAndTheView) {
    run->start(task());
    ASSERT_TRUE(ends());
    RegistrationPainter painter(1, [] {});
    const auto picture = [&](RegistrationView view, int number) {
        const RegistrationPainter::Wanted wanted{
            1, run->images(), {0, 16}, number > 0 ? run->iterate(number) : nullptr, view};
        std::shared_ptr<const RegistrationPicture> found;
        const bool there = becomes([&](const RegistrationStatus&) {
            found = painter.find(wanted);
            return found && found->number == number;
        });
        EXPECT_TRUE(there);
        return found;
    };
    const auto warped = picture(RegistrationView::Warped, 10);
    EXPECT_NEAR(warped->volume->view()(4, 5, 3), 5, 1e-5);
    EXPECT_EQ(warped->motion->field->view().u[0], run->iterate(10)->view().u[0]);
    EXPECT_NEAR(warped->smallestJacobian, 1, 1e-6);
    EXPECT_GT(warped->correlation, 0.99);
    const auto start = picture(RegistrationView::Warped, 0);
    EXPECT_EQ(start->volume->view()(4, 5, 3), 4);
    EXPECT_EQ(start->motion, nullptr);
    EXPECT_NEAR(warped->longest, 1, 1e-6);
    // Half the gray range is no difference; here it is one gray value.
    EXPECT_NEAR(picture(RegistrationView::Difference, 10)->volume->view()(4, 5, 3), 7.5, 1e-5);
    EXPECT_EQ(picture(RegistrationView::Jacobian, 10)->volume->view()(4, 5, 3), 8);
    EXPECT_EQ(picture(RegistrationView::Fixed, 10)->volume, fixed);
    const auto board = picture(RegistrationView::Checkerboard, 10)->volume;
    int ofFixed = 0, ofWarped = 0;
    for (int x = 0; x < 10; ++x) {
        ofFixed += std::abs(board->view()(x, 5, 3) - static_cast<float>(x)) < 1e-4f;
        ofWarped += std::abs(board->view()(x, 5, 3) - static_cast<float>(x + 1)) < 1e-4f;
    }
    EXPECT_EQ(ofFixed + ofWarped, 10);
    EXPECT_GT(ofFixed, 2);
    EXPECT_GT(ofWarped, 2);
}

TEST_F(RegistrationRunTest, TheDeformedGridMovesWithTheTissue) {
    ExecResources resources(1);
    const ExecContext ctx = resources.context();
    const Geometry wide({64, 64, 1}, {1, 1, 1});
    auto dark = std::make_shared<Volume>(wide, pool, "image");
    std::fill(dark->voxels.span().begin(), dark->voxels.span().end(), 0.0f);
    auto field = std::make_shared<VectorField>(wide, pool, "field");
    std::fill(field->components.span().begin(), field->components.span().end(), 0.0f);
    const auto line = [&] { // between two planes of y: 4 voxels apart
        const auto picture = draw(RegistrationView::Grid, {dark, dark, field, {0, 100}}, ctx);
        std::vector<int> columns;
        for (int x = 8; x < 24; ++x)
            if (picture->view()(x, 10, 0) > 20)
                columns.push_back(x);
        return columns;
    };
    EXPECT_EQ(line(), (std::vector<int>{8, 12, 16, 20}));
    std::fill_n(field->view().u, wide.voxels(), 1.0f);
    EXPECT_EQ(line(), (std::vector<int>{11, 15, 19, 23}));
}

} // namespace
} // namespace systole
