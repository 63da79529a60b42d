// A registration in the window is that of the command: the same bits, and the same figures on its
// curves.
#include "app/estimation/registration_methods.h"
#include "app/features/registration/registration_run.h"
#include "compute/motion/methods.h"
#include "compute/ops/two_grids.h"
#include "io/source.h"
#include "io/transforms/transform_file.h"
#include "tests/app/features/registration/register_support.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

namespace systole {
namespace {

using namespace std::chrono_literals;

class RegistrationChain : public ::testing::Test {
protected:
    void SetUp() override {
        const Geometry grid({30, 28, 26}, {2, 2, 2}, {-29, -27, -25});
        const Geometry other({32, 30, 27}, {1.9, 2, 2.1}, {-28, -30, -27});
        testing::writeOrgan(fixedPath_, grid);
        testing::writeOrgan(movingPath_, other,
                            {{{{1.03, 0.05, 0}, {-0.05, 0.98, 0}, {0, 0, 1}}}, {3, -2, 1}});
    }
    std::shared_ptr<const Volume> read(const std::string& path) {
        const Sequence sequence = openSequence({path});
        auto volume = std::make_shared<Volume>(sequence.geometry, pool_, "image");
        sequence.source->read(0, volume->view());
        return volume;
    }
    /// Runs it as the panel does.
    RegistrationStatus inTheWindow(const MotionMethod& method) {
        const RegistrationPair images{read(fixedPath_), read(movingPath_)};
        run_.start(
            {.name = "chain",
             .open = [images](const ExecContext&) { return images; },
             .plan = planOf(method, ParamSet(*method.parameters, "default"), Backend::Cpu, true)});
        while (run_.status().running)
            std::this_thread::sleep_for(1ms);
        return run_.status();
    }
    nlohmann::json byTheCommand(const std::string& method) {
        const testing::Outcome outcome =
            testing::run({"register", fixedPath_, movingPath_, "-o", out_, "--method", method,
                          "--affine", "--backend", "cpu", "--threads", "1"});
        EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
        return nlohmann::json::parse(testing::readText(out_ + "/registration.json"));
    }
    MillimeterField stored(const std::string& name) {
        const Geometry grid = read(fixedPath_)->geometry;
        StoredTransform transform =
            readTransform(out_ + "/" + name, MatrixFormat::Lps, FrameGrids{grid, grid}, pool_);
        return std::move(*transform.vectors);
    }
    static void expectSame(const MillimeterField& a, const MillimeterField& b) {
        ASSERT_EQ(a.vectors.size(), b.vectors.size());
        for (std::size_t i = 0; i < a.vectors.size(); ++i)
            ASSERT_EQ(a.vectors.data()[i], b.vectors.data()[i]) << i;
    }

    testing::TemporaryFolder folder_;
    const std::string fixedPath_ = folder_ / "fixed.nii", movingPath_ = folder_ / "moving.nii",
                      out_ = folder_ / "out";
    BufferPool pool_;
    RegistrationRun run_{{.threads = 2}};
};

TEST_F(RegistrationChain, ControlPointsAndCurvesAreThoseOfTheCommand) {
    const RegistrationStatus status = inTheWindow(motionMethod("ffd"));
    ASSERT_EQ(status.failure, "");
    const nlohmann::json record = byTheCommand("ffd");
    const auto result = run_.iterate(status.best);
    ASSERT_TRUE(result && result->isSpline);
    EXPECT_EQ(result->number(), status.points.back().number);
    const Geometry grid = run_.images().fixed->geometry;
    VectorField points(controlGeometry(grid, result->grid), pool_, "control points");
    copy(result->view(), points.view());
    for (int axis = 0; axis < 3; ++axis)
        for (std::size_t i = 0; i < points.view().size.voxels(); ++i)
            points.view().component(axis)[i] /= static_cast<float>(result->grid.tile[axis]);
    expectSame(toMillimeters(points, pool_), stored("control_points.nii.gz"));

    std::vector<nlohmann::json> ofMethod;
    for (const nlohmann::json& iteration : record["iterations"])
        if (iteration["part"] == "ffd")
            ofMethod.push_back(iteration);
    const auto begin =
        std::ranges::find(status.points, std::string("ffd"), &RegistrationPoint::part);
    EXPECT_NE(begin, status.points.begin()) << "the affine part comes first";
    ASSERT_EQ(static_cast<std::size_t>(status.points.end() - begin), ofMethod.size());
    for (std::size_t i = 0; i < ofMethod.size(); ++i) {
        const RegistrationPoint& point = begin[static_cast<std::ptrdiff_t>(i)];
        EXPECT_EQ(point.level, ofMethod[i]["level"].get<int>());
        EXPECT_EQ(point.iteration, ofMethod[i]["iteration"].get<int>());
        EXPECT_EQ(point.energy, ofMethod[i]["energy"].get<double>());
        ASSERT_TRUE(point.penalty);
        EXPECT_EQ(*point.penalty, ofMethod[i]["penalty"].get<double>());
    }
    EXPECT_GT(*status.points.back().penalty, 0);
}

TEST_F(RegistrationChain, AMethodOfOneGridHasTheCommandsDisplacement) {
    const RegistrationStatus status = inTheWindow(motionMethod("demons"));
    ASSERT_EQ(status.failure, "");
    byTheCommand("demons");
    const auto result = run_.iterate(status.best);
    ASSERT_TRUE(result && !result->isSpline);
    VectorField field(run_.images().fixed->geometry, pool_, "field");
    copy(result->view(), field.view());
    expectSame(toMillimeters(field, pool_), stored("displacement.mha"));
}

TEST_F(RegistrationChain, TheAffinePartAloneEndsWithTheCommandsMap) {
    const RegistrationStatus status = inTheWindow(affineMethod());
    ASSERT_EQ(status.failure, "");
    const testing::Outcome outcome = testing::run({"register", fixedPath_, movingPath_, "-o", out_,
                                                   "--method", "affine", "--backend", "cpu"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const Geometry grid = run_.images().fixed->geometry;
    const StoredTransform transform =
        readTransform(out_ + "/affine.tfm", MatrixFormat::Lps, FrameGrids{grid, grid}, pool_);
    const auto expected = keptAffine(*transform.affine, status.points.back(), grid, pool_);
    const auto result = run_.iterate(status.best);
    for (std::size_t i = 0; i < expected->values.size(); ++i)
        ASSERT_NEAR(result->values.data()[i], expected->values.data()[i], 1e-5);
}

} // namespace
} // namespace systole
