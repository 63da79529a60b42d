// Checkerboard, curtain and flicker: which image is where, by pixels.
#include "compute/core/points.h"
#include "render/view_plane.h"
#include "tests/render/scene_motion_support.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

class SceneComparison : public SceneMotion {
protected:
    void SetUp() override {
        SceneMotion::SetUp();
        if (!scene_)
            return;
        result_ = uniformMotion(frame_, {0, 0, 0}, resources_.pool());
        result_->warped = volume(frame_->geometry, [](Vec3) { return 20.0f; });
        result_->moving = volume(frame_->geometry, [](Vec3) { return 95.0f; });
        scene_->setResult(result_);
        change([](DisplayOptions& display) {
            display.layout = Layout::ThreeSlices;
            display.window = 100;
            display.level = 50;
            setOption(display, "arrows", false);
            setOption(display, "compare", true);
        });
    }
    void by(const std::string& mode) {
        change([&](DisplayOptions& display) { setOption(display, "compare-by", mode); });
    }
    /// The gray value that is seen at a position of the axial slice.
    int grayAt(const RgbaImage& image, Vec3 position) {
        const auto at = scene_->project(ViewKind::Axial, position);
        return image.at(static_cast<int>(at->x), static_cast<int>(at->y))[1];
    }
    // Gray levels of 60, 20 and 95 of 100.
    static constexpr int first = 153, warped = 51, moving = 242;
    std::shared_ptr<FrameResult> result_;
};

TEST_F(SceneComparison, TheSquaresOfTheCheckerboardShowOneImageAndTheOther) {
    const double square = 8;
    change([&](DisplayOptions& display) { setOption(display, "compare-square", square); });
    const RgbaImage image = picture();
    // Squares begin at the lower left corner of the slice: the patient's right, posterior.
    const PhysicalBox box = boxAround(frame_->geometry);
    int seen = 0;
    for (int row = 1; row < 6; ++row)
        for (int column = 1; column < 6; ++column) {
            const Vec3 middle{box.low.x + (column + 0.5) * square,
                              box.high.y - (row + 0.5) * square, scene_->crosshair().z};
            if (!isInside(frame_->geometry.physicalToIndex(middle), frame_->geometry.size()))
                continue; // the grid is oblique
            ++seen;
            EXPECT_NEAR(grayAt(image, middle), (row + column) % 2 == 0 ? first : warped, 2)
                << row << ' ' << column;
        }
    EXPECT_GT(seen, 12);
}

TEST_F(SceneComparison, TheCurtainHasTheFirstImageToItsLeft) {
    by("curtain");
    const PhysicalBox box = boxAround(frame_->geometry);
    const Vec3 center = scene_->crosshair();
    for (const double percent : {30.0, 50.0, 65.0}) {
        change([&](DisplayOptions& display) { setOption(display, "compare-curtain", percent); });
        const RgbaImage image = picture();
        const double edge = box.low.x + percent / 100 * box.extent().x;
        EXPECT_NEAR(grayAt(image, {edge - 2, center.y, center.z}), first, 2) << percent;
        EXPECT_NEAR(grayAt(image, {edge + 2, center.y, center.z}), warped, 2) << percent;
    }
    change([](DisplayOptions& display) {
        setOption(display, "compare-curtain", 0);
        setOption(display, "compare-with", std::string("moving"));
    });
    EXPECT_NEAR(grayAt(picture(), center), moving, 2);
    change([](DisplayOptions& display) { setOption(display, "compare-opacity", 0.25); });
    EXPECT_NEAR(grayAt(picture(), center), first + 0.25 * (moving - first), 2);
}

TEST_F(SceneComparison, TheDifferenceIsAboutTheMiddleOfTheWindow) {
    by("difference");
    const int middle = 128;
    EXPECT_NEAR(grayAt(picture(), scene_->crosshair()), middle + first - warped, 2);
    change(
        [](DisplayOptions& display) { setOption(display, "compare-with", std::string("moving")); });
    EXPECT_NEAR(grayAt(picture(), scene_->crosshair()), middle + first - moving, 2);
}

TEST_F(SceneComparison, FlickerShowsOneAfterTheOther) {
    by("flicker");
    EXPECT_NEAR(grayAt(picture(), scene_->crosshair()), first, 2);
    scene_->flicker(true);
    EXPECT_TRUE(scene_->needsRender());
    EXPECT_NEAR(grayAt(picture(), scene_->crosshair()), warped, 2);
    scene_->flicker(false);
    EXPECT_NEAR(grayAt(picture(), scene_->crosshair()), first, 2);
}

TEST_F(SceneComparison, WithoutAnotherImageTheFrameIsShown) {
    scene_->setResult(uniformMotion(frame_, {0, 0, 0}, resources_.pool()));
    EXPECT_NEAR(grayAt(picture(), scene_->crosshair()), first, 2);
    scene_->setResult(nullptr);
    EXPECT_NEAR(grayAt(picture(), scene_->crosshair()), first, 2);
}

TEST_F(SceneComparison, EachSideComparesItsOwn) {
    by("curtain");
    auto right = uniformMotion(frame_, {0, 0, 0}, resources_.pool());
    right->warped = volume(frame_->geometry, [](Vec3) { return 80.0f; });
    SideBySide sides;
    sides.right = right;
    scene_->setSideBySide(sides);
    change([](DisplayOptions& display) {
        display.layout = Layout::SideBySide;
        setOption(display, "compare-curtain", 0);
    });
    const RgbaImage image = picture();
    const auto gray = [&](ViewSide side) {
        const auto at = scene_->project(ViewKind::Axial, scene_->crosshair(), side);
        return static_cast<int>(image.at(static_cast<int>(at->x), static_cast<int>(at->y))[1]);
    };
    EXPECT_NEAR(gray(ViewSide::Left), warped, 2);
    EXPECT_NEAR(gray(ViewSide::Right), 204, 2);
}

TEST_F(SceneComparison, TheVolumeNamesNoFramesThatItDoesNotShow) {
    change([](DisplayOptions& display) { display.layout = Layout::Single3D; });
    const RgbaImage compared = picture();
    change([](DisplayOptions& display) { setOption(display, "compare", false); });
    EXPECT_EQ(picture().pixels, compared.pixels);
}

} // namespace
} // namespace systole
