// Two results and their difference side by side.
#include "tests/render/render_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

class SceneSides : public SceneTest {
protected:
    void SetUp() override {
        SceneTest::SetUp();
        if (!scene_)
            return;
        scene_->resize(1204, 400, 1); // three views of 400 pixels, and what lies between
        frame_ = volume(obliqueGeometry({32, 40, 28}), [](Vec3) { return 60.0f; });
        show(frame_);
        change([](DisplayOptions& display) {
            display.layout = Layout::SideBySide;
            display.sideView = ViewKind::Coronal;
            display.crosshair = display.annotations = false;
        });
    }

    SideBySide sidesOf(Vec3 millimeters) {
        SideBySide sides;
        sides.right = uniformMotion(frame_, millimeters, resources_.pool());
        return sides;
    }
    static constexpr int third = 402;
    static Region column(int index) { return {third * index, 0, third - 136, 400}; }

    std::shared_ptr<Volume> frame_;
};

TEST_F(SceneSides, AResultChangesItsOwnViewAlone) {
    const RgbaImage nothing = picture();
    scene_->setResult(uniformMotion(frame_, {4, 0, 0}, resources_.pool()));
    const RgbaImage left = picture();
    EXPECT_GT(changedPixels(nothing, left, column(0)), 500);
    EXPECT_EQ(changedPixels(nothing, left, column(1)), 0); // but for the bar, which is beside
    EXPECT_EQ(changedPixels(nothing, left, column(2)), 0);
    scene_->setSideBySide(sidesOf({0, 0, 4}));
    const RgbaImage both = picture();
    EXPECT_EQ(changedPixels(left, both, column(0)), 0);
    EXPECT_GT(changedPixels(left, both, column(1)), 500);
    EXPECT_EQ(changedPixels(left, both, column(2)), 0);
    scene_->setSideBySide({});
    EXPECT_EQ(changedPixels(left, picture()), 0);
}

TEST_F(SceneSides, OneScaleOfColorsServesBothSides) {
    scene_->setResult(uniformMotion(frame_, {2, 0, 0}, resources_.pool()));
    const DisplayScale alone = scene_->scale();
    scene_->setSideBySide(sidesOf({0, 0, 7}));
    EXPECT_EQ(scene_->scale(), alone) << "that of the sequence";
    // Equal motion looks alike on both sides.
    scene_->setSideBySide(sidesOf({2, 0, 0}));
    change([](DisplayOptions& display) { setOption(display, "magnitude", true); });
    const RgbaImage image = picture();
    int differing = 0;
    for (int y = 0; y < 400; ++y)
        for (int x = 0; x < third - 136; ++x)
            for (int channel = 0; channel < 3; ++channel)
                differing +=
                    std::abs(image.at(x, y)[channel] - image.at(x + third, y)[channel]) > 2;
    // Edges of arrows that pass through the middle of a pixel may go either way.
    EXPECT_LT(differing, 300);
}

TEST_F(SceneSides, TheDifferenceIsAMapWithItsOwnBarAndAMarkerAtTheMaximum) {
    scene_->setResult(uniformMotion(frame_, {2, 0, 0}, resources_.pool()));
    SideBySide sides = sidesOf({2, 0, 0});
    scene_->setSideBySide(sides);
    const RgbaImage before = picture();
    const Vec3 center = scene_->crosshair();
    const Vec3 peak = center + Vec3{8, 0, -6};
    sides.difference = volume(frame_->geometry, [&](Vec3 p) {
        return static_cast<float>(std::exp(-0.02 * dot(p - peak, p - peak)));
    });
    sides.quantile99 = 0.5;
    sides.maximum = 1;
    sides.maximumAt = peak;
    scene_->setSideBySide(sides);
    const RgbaImage after = picture();
    EXPECT_NEAR(scene_->differenceMaximum(), 0.2 * scene_->colorMaximum(), 1e-9);
    EXPECT_EQ(changedPixels(before, after, column(0)), 0);
    EXPECT_EQ(changedPixels(before, after, column(1)), 0);
    EXPECT_GT(changedPixels(before, after, column(2)), 300);
    EXPECT_GT(changedPixels(before, after, {3 * third - 136, 0, 130, 400}), 500) << "its bar";

    const auto marked = scene_->project(ViewKind::Coronal, peak, ViewSide::Difference);
    ASSERT_TRUE(marked);
    int pink = 0;
    for (int y = static_cast<int>(marked->y) - 12; y < marked->y + 12; ++y)
        for (int x = static_cast<int>(marked->x) - 12; x < marked->x + 12; ++x)
            pink += after.at(x, y)[0] > 240 && after.at(x, y)[1] < 110 && after.at(x, y)[2] > 160;
    EXPECT_GT(pink, 20);

    const auto probe = scene_->probe(marked->x, marked->y);
    ASSERT_TRUE(probe && probe->difference);
    EXPECT_EQ(probe->side, ViewSide::Difference);
    EXPECT_NEAR(*probe->difference, 1, 0.05);
    EXPECT_FALSE(probe->displacement);
}

TEST_F(SceneSides, RoundingIsNoDifferenceUnlessAskedFor) {
    scene_->setResult(uniformMotion(frame_, {2, 0, 0}, resources_.pool()));
    SideBySide sides = sidesOf({2, 0, 0});
    const auto differing = [&](float millimeters) {
        sides.difference = volume(frame_->geometry, [&](Vec3) { return millimeters; });
        sides.quantile99 = sides.maximum = static_cast<double>(millimeters);
        sides.maximumAt = scene_->crosshair();
        scene_->setSideBySide(sides);
        return picture();
    };
    const RgbaImage none = differing(0);
    const RgbaImage rounding = differing(0.002f); // 2 micrometers
    EXPECT_EQ(changedPixels(none, rounding, column(2)), 0);
    const auto at = scene_->project(ViewKind::Coronal, scene_->crosshair(), ViewSide::Difference);
    EXPECT_EQ(scene_->probe(at->x, at->y)->difference, 0.0f);
    EXPECT_GT(changedPixels(none, differing(0.3f), column(2)), 5000);

    change([](DisplayOptions& display) { display.roundingDifferences = true; });
    EXPECT_GT(changedPixels(none, differing(0.002f), column(2)), 5000);
    EXPECT_NEAR(scene_->differenceMaximum(), 0.002, 1e-6);
    EXPECT_NEAR(*scene_->probe(at->x, at->y)->difference, 0.002, 1e-6);
}

TEST_F(SceneSides, ViewsAreLinked) {
    const auto offset = [&](ViewSide side, Vec3 p) {
        const ScenePoint at = *scene_->project(ViewKind::Coronal, p, side);
        const ScenePoint center = *scene_->project(ViewKind::Coronal, {0, 0, 0}, side);
        return ScenePoint{at.x - center.x, at.y - center.y};
    };
    const Vec3 p{10, 0, 7};
    const ScenePoint before = offset(ViewSide::Left, p);
    ASSERT_TRUE(scene_->pointerPressed(PointerButton::Right, third + 200, 200, false)); // zoom
    scene_->pointerMoved(third + 200, 120, false);
    scene_->pointerReleased(PointerButton::Right, third + 200, 120);
    ASSERT_TRUE(scene_->pointerPressed(PointerButton::Middle, 2 * third + 200, 200, false)); // pan
    scene_->pointerMoved(2 * third + 230, 190, false);
    scene_->pointerReleased(PointerButton::Middle, 2 * third + 230, 190);
    EXPECT_GT(std::hypot(offset(ViewSide::Left, p).x, offset(ViewSide::Left, p).y),
              1.2 * std::hypot(before.x, before.y));
    for (const ViewSide side : {ViewSide::Right, ViewSide::Difference}) {
        EXPECT_NEAR(offset(side, p).x, offset(ViewSide::Left, p).x, 1e-6);
        EXPECT_NEAR(offset(side, p).y, offset(ViewSide::Left, p).y, 1e-6);
    }
    // The three see one place under like pixels.
    const auto left = scene_->probe(150, 222), right = scene_->probe(150 + third, 222);
    ASSERT_TRUE(left && right);
    EXPECT_NEAR(length(left->position - right->position), 0, 0.5);
    EXPECT_EQ(left->side, ViewSide::Left);
    EXPECT_EQ(right->side, ViewSide::Right);
    // The wheel in one view steps the slice of all.
    const double y = scene_->crosshair().y;
    EXPECT_TRUE(scene_->wheel(2, third + 200, 200));
    EXPECT_NE(scene_->crosshair().y, y);
}

TEST_F(SceneSides, VolumesTurnTogetherAndTheDifferenceShowsItsSlices) {
    frame_ = ball(obliqueGeometry({32, 40, 28}));
    show(frame_);
    change([](DisplayOptions& display) {
        display.layout = Layout::SideBySide;
        display.sideView = ViewKind::Volume3D;
        display.crosshair = display.annotations = false;
        setOption(display, "arrows", false);
    });
    const auto place = [&](ViewSide side) {
        const ScenePoint at = *scene_->project(ViewKind::Volume3D, {20, -30, 60}, side);
        return ScenePoint{at.x - third * static_cast<int>(side), at.y};
    };
    const RgbaImage before = picture();
    const ScenePoint was = place(ViewSide::Left);
    scene_->pointerPressed(PointerButton::Left, third + 200, 200, false);
    scene_->pointerMoved(third + 300, 200, false);
    scene_->pointerReleased(PointerButton::Left, third + 300, 200);
    EXPECT_GT(std::abs(place(ViewSide::Left).x - was.x), 3);
    for (const ViewSide side : {ViewSide::Right, ViewSide::Difference}) {
        EXPECT_NEAR(place(side).x, place(ViewSide::Left).x, 1.5);
        EXPECT_NEAR(place(side).y, place(ViewSide::Left).y, 1.5);
    }
    const RgbaImage turned = picture();
    for (int view = 0; view < 3; ++view)
        EXPECT_GT(changedPixels(before, turned, column(view)), 200) << view;
}

TEST_F(SceneSides, LabelsNameTheSides) {
    change([](DisplayOptions& display) { display.annotations = true; });
    const RgbaImage without = picture();
    SideBySide sides;
    sides.rightLabel = "cpu-reference\nestimating";
    scene_->setSideBySide(sides);
    const RgbaImage with = picture();
    EXPECT_EQ(changedPixels(without, with, column(0)), 0);
    EXPECT_GT(changedPixels(without, with, column(1)), 100);
}

TEST_F(SceneSides, ANarrowViewShowsTheFirstAndTheLastLineOfItsLabel) {
    change([](DisplayOptions& display) { display.annotations = true; });
    const auto labelled = [&](const char* label) {
        SideBySide sides;
        sides.leftLabel = label;
        scene_->setSideBySide(sides);
        return picture();
    };
    const char *all = "left: cpu\nclg, preset default\nalpha 0.3\n3.51 s",
               *brief = "left: cpu\n3.51 s";
    for (const auto& [width, brevity] : {std::pair(600, true), {900, false}}) {
        scene_->resize(width, 300, 1);
        EXPECT_EQ(changedPixels(labelled(all), labelled(brief)) == 0, brevity) << width;
    }
}

TEST_F(SceneSides, EachSideHasItsOwnNote) {
    scene_->setResult(uniformMotion(frame_, {2, 0, 0}, resources_.pool()));
    scene_->setSideBySide(sidesOf({0, 0, 2}));
    const RgbaImage current = picture();
    scene_->setMotionNotes({.left = {}, .right = "motion 1 to 2", .difference = {}});
    const RgbaImage right = picture();
    EXPECT_EQ(changedPixels(current, right, column(0)), 0);
    EXPECT_GT(changedPixels(current, right, column(1)), 500);
    EXPECT_EQ(changedPixels(current, right, column(2)), 0);
    scene_->setMotionNotes({.left = "motion 1 to 2", .right = {}, .difference = {}});
    const RgbaImage left = picture();
    EXPECT_GT(changedPixels(current, left, column(0)), 500);
    EXPECT_EQ(changedPixels(current, left, column(1)), 0);
}

TEST_F(SceneSides, AFieldOfAnotherGridIsRefusedAndANewSequenceForgetsTheSides) {
    const auto other = volume(obliqueGeometry({8, 8, 8}), [](Vec3) { return 1.0f; });
    SideBySide wrong;
    wrong.right = uniformMotion(other, {1, 0, 0}, resources_.pool());
    EXPECT_THROW(scene_->setSideBySide(wrong), RenderError);
    wrong = {};
    wrong.difference = other;
    EXPECT_THROW(scene_->setSideBySide(wrong), RenderError);

    const RgbaImage empty = picture();
    scene_->setSideBySide(sidesOf({0, 0, 4}));
    show(frame_);
    change([](DisplayOptions& display) {
        display.layout = Layout::SideBySide;
        display.sideView = ViewKind::Coronal;
        display.crosshair = display.annotations = false;
    });
    EXPECT_EQ(changedPixels(empty, picture()), 0);
}

} // namespace
} // namespace systole
