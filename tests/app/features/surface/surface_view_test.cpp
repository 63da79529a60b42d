// The surface over the frames of the live view: extracted, carried along, denoised.
#include "app/anatomy/ejection.h"
#include "app/features/fields/fields_tool.h"
#include "app/features/surface/surface_tool.h"
#include "io/formats/writer.h"
#include "tests/app/live/live_view_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace systole {
namespace {

using ::testing::HasSubstr;

constexpr int side = 32, frames = 4;

/// Volume of the ball in a frame, ml, where its gray value is half of the brightest.
double trueMilliliters(int frame) {
    const double radius = 2 * (0.28 + 0.03 * std::sin(2 * std::numbers::pi * frame / 6)) * side;
    return 4 * std::numbers::pi / 3 * std::pow(radius, 3) / 1000;
}

class SurfaceViewTest : public LiveViewFixture {
protected:
    void SetUp() override {
        makeView(400);
        if (IsSkipped())
            return;
        session_.motion.setBackend(Backend::Cpu);
        open("ball.nii.gz", side, frames);
        session_.playback.pause();
        session_.playback.seek(0);
    }
    SurfaceTool& surface() { return tools_.get<SurfaceTool>(); }
    void choose(const std::function<void(SurfaceChoice&)>& how) {
        how(surface().choice);
        ++surface().choice.revision;
    }
    void chooseThreshold(bool carried) {
        choose([&](SurfaceChoice& choice) {
            choice.source = SurfaceOrigin::Threshold;
            choice.threshold = 100;
            choice.carried = carried;
        });
    }
    bool allMade() {
        return becomes([&] {
            return surface().frames().size() == frames && surface().shown &&
                   std::ranges::all_of(surface().frames(),
                                       [](const auto& made) { return made != nullptr; });
        });
    }
    std::string writeLabels(const std::string& name, int ofFrames) {
        const std::string path = folder_ / name;
        writeSequence(path, session_.opened->sequence.geometry, ofFrames, 0.04,
                      [](int, VolumeView<float> voxels) {
                          for (int z = 8; z < 24; ++z)
                              for (int y = 8; y < 24; ++y)
                                  for (int x = 8; x < 24; ++x)
                                      voxels(x, y, z) = 3;
                      });
        return path;
    }
};

TEST_F(SurfaceViewTest, AMeshThatCannotBeReadIsTriedOnce) {
    choose([&](SurfaceChoice& choice) {
        choice.source = SurfaceOrigin::Mesh;
        choice.file = folder_ / "missing.vtp";
    });
    ASSERT_TRUE(becomes([&] { return !surface().problem().empty() && !surface().busy(); }));
    EXPECT_THAT(surface().problem(), HasSubstr("missing.vtp"));
    EXPECT_FALSE(surface().unfinished());
}

TEST_F(SurfaceViewTest, EveryFrameHasItsOwnWithTheVolumeOfTheBall) {
    const RgbaImage without = scene_->capture();
    chooseThreshold(false);
    ASSERT_TRUE(allMade());
    for (int frame = 0; frame < frames; ++frame) {
        const LiveSurface& made = *surface().frames()[static_cast<std::size_t>(frame)];
        EXPECT_EQ(made.problem, "");
        EXPECT_TRUE(made.closed);
        EXPECT_EQ(made.frame, frame);
        EXPECT_NEAR(made.milliliters, trueMilliliters(frame), 0.03 * trueMilliliters(frame));
        EXPECT_GT(made.stages.size(), 2u);
    }
    EXPECT_NE(scene_->capture().pixels, without.pixels);
    const std::optional<Ejection> ejection = ejectionOf(surface().frames());
    ASSERT_TRUE(ejection);
    EXPECT_EQ(ejection->smallestFrame, 0);
}

/// Each frame is over before its picture is there.
TEST_F(SurfaceViewTest, WhilePlayingFasterThanPicturesAreDrawnSurfacesAreMade) {
    chooseThreshold(false);
    session_.playback.play();
    const double drawing = 1.5 * session_.opened->sequence.secondsToNext(0);
    EXPECT_TRUE(becomes([&] { return surface().shown != nullptr; }, drawing));
}

TEST_F(SurfaceViewTest, CarriedByTheMotionItFollowsTheBall) {
    chooseThreshold(true);
    ASSERT_TRUE(allMade()); // estimates the motion since the first frame
    const LiveSurfaces& made = surface().frames();
    for (int frame = 1; frame < frames; ++frame) {
        const LiveSurface& carried = *made[static_cast<std::size_t>(frame)];
        EXPECT_EQ(carried.scene->mesh->triangles, made[0]->scene->mesh->triangles);
        const double change = carried.milliliters / made[0]->milliliters;
        const double expected = trueMilliliters(frame) / trueMilliliters(0);
        EXPECT_GT(change, 1 + 0.4 * (expected - 1) - 0.05) << frame; // smoothing shortens motion
        EXPECT_LT(change, 1 + 1.3 * (expected - 1) + 0.05) << frame;
    }
}

TEST_F(SurfaceViewTest, OtherMotionCarriesItAnew) {
    chooseThreshold(true);
    ASSERT_TRUE(allMade());
    const auto first = surface().frames()[0], other = surface().frames()[2];
    session_.motion.set("alpha", 2 * session_.motion.parameters.real("alpha"));
    ASSERT_TRUE(becomes([&] { return surface().frames()[2] != other; }));
    ASSERT_TRUE(allMade());
    EXPECT_EQ(surface().frames()[0], first) << "the source is the same";
    EXPECT_NE(surface().frames()[2]->scene->mesh->points, other->scene->mesh->points);
}

TEST_F(SurfaceViewTest, GivenMotionCarriesItInPlaceOfWhatWasEstimated) {
    chooseThreshold(true);
    ASSERT_TRUE(allMade());
    const auto estimated = surface().frames()[2];
    BufferPool pool;
    const Geometry& geometry = session_.opened->sequence.geometry;
    MillimeterField rest{geometry, pool.acquire<float>(3 * geometry.voxels(), "rest")};
    std::fill_n(rest.vectors.data(), rest.vectors.size(), 0.0f);
    auto& fields = tools_.get<FieldsTool>();
    fields.convention = "lps";
    for (int frame = 1; frame < frames; ++frame) {
        fields.files.push_back(folder_ / ("rest" + std::to_string(frame) + ".mha"));
        writeField(fields.files.back(), rest, FieldFormat::MetaImage);
    }
    ASSERT_TRUE(becomes([&] { return fields.reading() != nullptr; })) << fields.failure;
    ASSERT_TRUE(allMade());
    EXPECT_NE(surface().frames()[2], estimated);
    EXPECT_EQ(surface().frames()[2]->scene->mesh->points,
              surface().frames()[0]->scene->mesh->points);
    fields.remove();
    ASSERT_TRUE(becomes([&] {
        const auto& now = surface().frames()[2];
        return now && now->scene->mesh->points == estimated->scene->mesh->points;
    })) << "taken back, the estimated one carries again";
}

TEST_F(SurfaceViewTest, CarriedIntoAFrameLikeTheFirstItIsAsItWas) {
    ASSERT_NEAR(trueMilliliters(3), trueMilliliters(0), 1e-9);
    chooseThreshold(true);
    ASSERT_TRUE(allMade());
    const LiveSurfaces& made = surface().frames();
    EXPECT_NEAR(made[3]->milliliters, made[0]->milliliters, 1e-3 * made[0]->milliliters)
        << "errors of the pairs in between don't add up";
    EXPECT_EQ(session_.motion.window, 0) << "while the motion shown is that of pairs";
    EXPECT_EQ(session_.cycle.total, 0) << "of which no other was estimated";
}

TEST_F(SurfaceViewTest, ALabelMapHasOneFrameOrThoseOfTheSequence) {
    const std::string one = writeLabels("one.nii.gz", 1), three = writeLabels("three.nii.gz", 3);
    choose([&](SurfaceChoice& choice) {
        choice.source = SurfaceOrigin::Labels;
        choice.file = one;
        choice.label = 3;
        choice.carried = false;
    });
    ASSERT_TRUE(allMade());
    EXPECT_NEAR(surface().shown->milliliters, std::pow(32.0, 3) / 1000, 0.3);

    choose([&](SurfaceChoice& choice) { choice.file = three; });
    ASSERT_TRUE(becomes([&] { return !surface().problem().empty(); }));
    EXPECT_THAT(surface().problem(), HasSubstr("3 frames"));
    choose([&](SurfaceChoice& choice) {
        choice.file = one;
        choice.label = 9;
    });
    ASSERT_TRUE(becomes([&] {
        return surface().shown && !surface().shown->problem.empty() &&
               surface().problem().find("label 9") != std::string::npos;
    }));
    EXPECT_EQ(surface().shown->scene, nullptr);
}

TEST_F(SurfaceViewTest, DenoisedItHasItsOriginalAsGhost) {
    chooseThreshold(false);
    ASSERT_TRUE(allMade());
    const auto plain = surface().shown;
    EXPECT_EQ(plain->scene->original, nullptr);
    choose([](SurfaceChoice& choice) { choice.denoise = true; });
    ASSERT_TRUE(becomes([&] { return surface().shown && surface().shown->scene->original; }));
    const LiveSurface& denoised = *surface().shown;
    EXPECT_EQ(denoised.scene->original->points, plain->scene->mesh->points);
    EXPECT_GT(denoised.bandElements, 1000);
    EXPECT_EQ(denoised.scene->distance.size(), denoised.scene->mesh->points.size());
    EXPECT_NEAR(denoised.milliliters, plain->milliliters, 0.02 * plain->milliliters);
}

TEST_F(SurfaceViewTest, AnotherSequenceHasNone) {
    chooseThreshold(false);
    ASSERT_TRUE(allMade());
    open("other.nii.gz", 24, 3);
    tick();
    EXPECT_FALSE(surface().choice.isOn());
    EXPECT_EQ(surface().shown, nullptr);
}

} // namespace
} // namespace systole
