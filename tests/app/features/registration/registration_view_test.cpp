// A registration in the live view, in place of the sequence.
#include "app/features/registration/registration_tool.h"
#include "app/live/picture_record.h"
#include "app/session/shown_slices.h"
#include "compute/motion/methods.h"
#include "tests/app/live/live_view_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace systole {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class RegistrationViewTest : public LiveViewFixture {
protected:
    void SetUp() override {
        makeView(400);
        if (IsSkipped())
            return;
        session_.motion.setBackend(Backend::Cpu);
        open("ball.nii.gz", 24, 6);
        session_.playback.pause();
        registration_.choose(motionMethod("demons"));
        registration_.choice.setBackend(Backend::Cpu);
        registration_.fixedFrame = 1; // largest and smallest ball
        registration_.movingFrame = 4;
    }
    bool finishes() {
        registration_.start();
        return becomes([&] {
            return registration_.status.run > 0 && !registration_.status.running &&
                   shows(registration_.status.best);
        });
    }
    /// Whether the iterate is shown with its figures, which arrive later.
    bool shows(int number) const {
        return registration_.picture && registration_.picture->number == number &&
               registration_.picture->figures;
    }

    RegistrationTool& registration_ = tools_.get<RegistrationTool>();
};

TEST_F(RegistrationViewTest, TheResultIsShownAndAnyIterationBefore) {
    ASSERT_TRUE(finishes());
    EXPECT_EQ(registration_.status.failure, "");
    EXPECT_GT(registration_.status.points.size(), 5u);
    EXPECT_EQ(session_.playback.frame(), 1);
    const double correlation = registration_.picture->figures->correlation;
    EXPECT_GT(correlation, 0.98);
    tick(); // draws what the last tick found
    const RgbaImage last = scene_->capture();
    registration_.iteration = 1;
    ASSERT_TRUE(becomes([&] { return shows(1); }));
    EXPECT_LT(registration_.picture->figures->correlation, correlation);
    tick();
    EXPECT_NE(scene_->capture().pixels, last.pixels);
    registration_.iteration = 0;
    ASSERT_TRUE(becomes([&] { return shows(registration_.status.best); }));
    tick();
    EXPECT_EQ(scene_->capture().pixels, last.pixels);
}

TEST_F(RegistrationViewTest, AnotherFrameBringsTheSequenceBack) {
    ASSERT_TRUE(finishes());
    session_.playback.seek(3);
    ASSERT_TRUE(becomes([&] {
        return !registration_.shown && session_.shownFrame == 3 && session_.result &&
               session_.result->fixedFrame == 3;
    }));
    registration_.shown = true; // and again
    ASSERT_TRUE(becomes([&] { return session_.playback.frame() == 1 && !session_.result; }));
    EXPECT_TRUE(registration_.shown);
    session_.playback.play();
    ASSERT_TRUE(becomes([&] { return !registration_.shown && session_.result != nullptr; }));
}

TEST_F(RegistrationViewTest, AFileWithAGridOfItsOwnCanBeTheMovingImage) {
    registration_.movingFile = testing::writeBall(folder_, "large.nii.gz", 30, 2);
    ASSERT_TRUE(finishes());
    EXPECT_EQ(registration_.status.failure, "");
    EXPECT_THAT(registration_.status.name, HasSubstr("large.nii.gz"));
    registration_.movingFile = folder_ / "missing.nii";
    registration_.start();
    ASSERT_TRUE(becomes([&] { return !registration_.status.failure.empty(); }));
    EXPECT_THAT(registration_.status.failure, HasSubstr("missing.nii"));
}

TEST_F(RegistrationViewTest, OneImageIsNotRegisteredWithItselfOrAfterAnotherFileWasOpened) {
    registration_.movingFrame = 1;
    EXPECT_EQ(registration_.whyNot(), "fixed and moving image are the same");
    registration_.start();
    tick();
    EXPECT_FALSE(registration_.unfinished());
    EXPECT_EQ(registration_.status.run, 0u);
    registration_.movingFrame = 4;
    ASSERT_TRUE(finishes());
    open("other.nii.gz", 20, 3);
    session_.playback.pause();
    EXPECT_FALSE(registration_.shown);
    EXPECT_EQ(registration_.status.run, 0u);
}

TEST_F(RegistrationViewTest, AnotherChoiceIsFollowedWithoutFurtherInput) {
    ASSERT_TRUE(finishes());
    ASSERT_TRUE(becomes([&] { return live_->secondsToNextTick() > 0; }));
    registration_.view = RegistrationView::Grid;
    EXPECT_EQ(live_->secondsToNextTick(), 0);
    ASSERT_TRUE(becomes([&] { return live_->secondsToNextTick() > 0; }));
    registration_.iteration = 1;
    EXPECT_EQ(live_->secondsToNextTick(), 0);
    ASSERT_TRUE(becomes([&] { return shows(1) && live_->secondsToNextTick() > 0; }));
}

TEST_F(RegistrationViewTest, AChainGoesThroughBothParts) {
    registration_.choose(motionMethod("ffd"));
    EXPECT_TRUE(registration_.affineFirst);
    registration_.choice.setBackend(Backend::Cpu);
    ASSERT_TRUE(finishes());
    EXPECT_EQ(registration_.status.failure, "");
    EXPECT_THAT(registration_.status.name, HasSubstr("affine, then ffd"));
    EXPECT_EQ(registration_.status.points.front().part, "affine");
    EXPECT_EQ(registration_.status.points.back().part, "ffd");
    const double correlation = registration_.picture->figures->correlation;
    registration_.iteration = 1;
    ASSERT_TRUE(becomes([&] { return shows(1); }));
    EXPECT_LT(registration_.picture->figures->correlation, correlation);
}

TEST_F(RegistrationViewTest, ThreeSlicesNeedNoOtherVoxels) {
    session_.display.layout = Layout::ThreeSlices;
    tick();
    const Geometry& grid = session_.opened->sequence.geometry;
    BufferPool pool;
    const auto filled = [&](bool everywhere, const std::vector<VoxelBox>& boxes) {
        auto volume = std::make_shared<Volume>(grid, pool, "test frame");
        std::ranges::fill(volume->voxels.span(), 1e6f);
        for (int z = 0; z < grid.size().z; ++z)
            for (int y = 0; y < grid.size().y; ++y)
                for (int x = 0; x < grid.size().x; ++x)
                    if (everywhere || std::ranges::any_of(boxes, [&](const VoxelBox& box) {
                            return box.contains({x, y, z, {1, 1, 1}});
                        }))
                        volume->view()(x, y, z) = static_cast<float>((x * 5 + y * 3 + z) % 97);
        return volume;
    };
    for (const Vec3 at : {Vec3{11, 7, 16}, Vec3{3.3, 18.7, 9.5}}) {
        scene_->setCrosshair(grid.indexToPhysical(at));
        const std::vector<VoxelBox> boxes =
            shownSlices(Layout::ThreeSlices, scene_->crosshair(), grid);
        ASSERT_EQ(boxes.size(), 3u);
        EXPECT_TRUE(shownSlices(Layout::FourUp, scene_->crosshair(), grid).empty());
        scene_->setFrame(filled(true, {}));
        const RgbaImage whole = scene_->capture();
        scene_->setFrame(filled(false, boxes), nullptr, boxes);
        EXPECT_EQ(scene_->capture().pixels, whole.pixels);
    }
}

TEST_F(RegistrationViewTest, APictureSaysWhatItShows) {
    ASSERT_TRUE(finishes());
    registration_.view = RegistrationView::Checkerboard;
    tick();
    const PictureRecord record = recordOf(session_, tools_, *scene_);
    EXPECT_EQ(record.frame, 1);
    EXPECT_FALSE(record.left);
    EXPECT_THAT(record.tools.at("registration"), HasSubstr("frame 1 and frame 4, demons"));
    EXPECT_THAT(record.tools.at("registration"), HasSubstr("checkerboard"));
    EXPECT_THAT(captionOf(record), Contains(record.tools.at("registration")));
}

} // namespace
} // namespace systole
