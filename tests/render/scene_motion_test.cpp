// Arrows and map.
#include "render/legend.h"
#include "render/overlays/overlay_kinds.h"
#include "tests/render/scene_motion_support.h"
#include "tests/support/box_ventricle.h"
#include "tests/support/linear_field.h"
#include "tests/support/sphere_mesh.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

TEST_F(SceneMotion, EveryOverlayOfTheListLeavesItsMark) {
    const auto show = [&](const DisplayRow* only) {
        change([&](DisplayOptions& display) {
            for (const OverlayKind& kind : overlayKinds())
                kind.rows.front().set(display, &kind.rows.front() == only);
        });
        return picture();
    };
    auto result = uniformMotion(frame_, {3, -2, 2}, resources_.pool());
    result->warped = volume(frame_->geometry, [](Vec3) { return 25.0f; });
    result->standardError = result->field;
    scene_->setResult(result);
    auto strained = std::make_shared<FrameResult>(*result);
    strained->field = std::make_shared<VectorField>(
        linearField(frame_->geometry, {{{-0.2, 0, 0}, {0, 0, 0}, {0, 0, 0}}}, resources_.pool()));
    scene_->setStrain(
        std::make_shared<SceneStrain>(SceneStrain{boxVentricle(frame_->geometry), strained}));
    auto surface = std::make_shared<SceneSurface>();
    surface->mesh = std::make_shared<TriangleMesh>(sphereMesh(scene_->crosshair(), 15));
    scene_->setSurface(surface);
    auto tracks = std::make_shared<SceneTracks>();
    tracks->tracks.push_back({SceneTrackPoint{scene_->crosshair(), 1}});
    scene_->setTracks(tracks, 0);
    change([](DisplayOptions& display) { setOption(display, "landmark-radius", 10.0); });
    const RgbaImage without = show(nullptr);
    for (const OverlayKind& kind : overlayKinds()) {
        const DisplayRow& shown = kind.rows.front();
        EXPECT_GT(changedPixels(without, show(&shown)), 500) << shown.param.id;
        EXPECT_EQ(changedPixels(without, show(nullptr)), 0) << shown.param.id;
    }
}

TEST_F(SceneMotion, AMapWhoseDataAreMissingSaysSo) {
    change([](DisplayOptions& display) { display.annotations = true; });
    move({3, -2, 2});
    for (const char* id : {"certainty", "strain"}) {
        SCOPED_TRACE(id);
        const auto turn = [&](bool on) {
            change([&](DisplayOptions& display) { setOption(display, id, on); });
            return picture();
        };
        const RgbaImage plain = turn(false), labelled = turn(true);
        const Box text = changedBox(plain, labelled, 0, plain.width);
        EXPECT_GT(changedPixels(plain, labelled), 300);
        EXPECT_LT(text.bottom, plain.height / 4) << "under the names of the views";
        scene_->setResult(nullptr); // none is missed
        EXPECT_EQ(changedPixels(turn(true), turn(false)), 0);
        move({3, -2, 2});
    }
}

TEST_F(SceneMotion, SideBySideTheLegendHasColorsThatOneSideAloneHas) {
    const std::shared_ptr<const FrameResult> plain =
        uniformMotion(frame_, {1, -2, 2}, resources_.pool());
    const auto error =
        std::make_shared<VectorField>(frame_->geometry, resources_.pool(), "standard error");
    for (int axis = 0; axis < 3; ++axis)
        std::fill_n(error->view().component(axis), frame_->geometry.voxels(), 0.4f);
    const auto certain = std::make_shared<FrameResult>(*plain);
    certain->standardError = error;
    const std::shared_ptr<const FrameResult> errs = certain;
    for (const bool left : {true, false}) {
        change([](DisplayOptions& display) {
            display.layout = Layout::SideBySide;
            setOption(display, "certainty", true);
        });
        scene_->setResult(left ? errs : plain);
        SideBySide sides;
        sides.right = left ? plain : errs;
        scene_->setSideBySide(sides);
        ASSERT_EQ(scene_->ownScales().size(), 1u) << left;
        EXPECT_EQ(scene_->ownScales()[0].caption, "largest error");
    }
}

/// The grid is oblique, and its voxels aren't cubes.
TEST_F(SceneMotion, UnderThePointerIsTheStandardErrorAlongEachAxisOfTheGrid) {
    const Vec3 spacing = frame_->geometry.spacing();
    auto result = uniformMotion(frame_, {3, -2, 2}, resources_.pool());
    const ScenePoint at = *scene_->project(ViewKind::Axial, scene_->crosshair());
    scene_->setResult(result);
    EXPECT_FALSE(scene_->probe(at.x, at.y)->standardError);
    const auto error =
        std::make_shared<VectorField>(frame_->geometry, resources_.pool(), "standard error");
    for (int axis = 0; axis < 3; ++axis)
        std::fill_n(error->view().component(axis), frame_->geometry.voxels(),
                    static_cast<float>(0.1 * (1 + axis)));
    result = std::make_shared<FrameResult>(*result);
    result->standardError = error;
    scene_->setResult(result);
    const Probe under = *scene_->probe(at.x, at.y);
    ASSERT_TRUE(under.standardError);
    EXPECT_NEAR(length(*under.displacement - Vec3{3, -2, 2}), 0, 1e-3);
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR((*under.standardError)[axis], 0.1 * (1 + axis) * spacing[axis], 1e-5);
}

TEST_F(SceneMotion, AnArrowPointsAlongItsVectorAndIsAsLongAsItSays) {
    scene_->resize(1500, 320, 1); // room beside the legend
    change([](DisplayOptions& display) {
        setOption(display, "arrows", false);
        setOption(display, "arrow-spacing", 1e4); // one arrow, in the middle
        setOption(display, "arrow-scale", 5);
        display.colorMaximum = 6;
    });
    const Vec3 center = scene_->crosshair();
    struct Case {
        ViewKind kind;
        Vec3 motion;
        int right, down; // where the tip lies on the screen
    };
    for (const Case& c :
         {Case{ViewKind::Axial, {4, 0, 0}, 1, 0}, Case{ViewKind::Axial, {0, 4, 0}, 0, 1},
          Case{ViewKind::Coronal, {-4, 0, 0}, -1, 0}, Case{ViewKind::Coronal, {0, 0, 4}, 0, -1},
          Case{ViewKind::Sagittal, {0, 4, 0}, 1, 0}, Case{ViewKind::Sagittal, {0, 0, -4}, 0, 1}}) {
        move(c.motion);
        change([](DisplayOptions& display) { setOption(display, "arrows", false); });
        const RgbaImage without = picture();
        change([](DisplayOptions& display) { setOption(display, "arrows", true); });
        const RgbaImage with = picture();
        const int column = c.kind == ViewKind::Axial ? 0 : c.kind == ViewKind::Coronal ? 1 : 2;
        // The legend stands at the right border of the last view.
        const Box box = changedBox(without, with, 500 * column, 500 * column + 350);
        const auto start = scene_->project(c.kind, center);
        const auto end = scene_->project(c.kind, center + 5.0 * c.motion);
        ASSERT_TRUE(start && end && box.right >= 0) << name(c.kind);
        // Tolerance: the rim of the arrow and half a pixel.
        const double slack = 3 + 0.08 * std::hypot(end->x - start->x, end->y - start->y);
        if (c.right != 0) {
            EXPECT_NEAR(c.right > 0 ? box.left : box.right, start->x, slack) << name(c.kind);
            EXPECT_NEAR(c.right > 0 ? box.right : box.left, end->x, slack) << name(c.kind);
            EXPECT_GT((end->x - start->x) * c.right, 10);
        } else {
            EXPECT_NEAR(c.down > 0 ? box.top : box.bottom, start->y, slack) << name(c.kind);
            EXPECT_NEAR(c.down > 0 ? box.bottom : box.top, end->y, slack) << name(c.kind);
            EXPECT_GT((end->y - start->y) * c.down, 10);
        }
    }
}

TEST_F(SceneMotion, AnArrowOfFewPixelsStillHasHeadAndShaft) {
    scene_->resize(1500, 320, 1);
    move({4, 0, 0});
    const auto start = scene_->project(ViewKind::Axial, scene_->crosshair());
    const auto end = scene_->project(ViewKind::Axial, scene_->crosshair() + Vec3{4, 0, 0});
    ASSERT_TRUE(start && end);
    for (const double pixels : {2.0, 4.0, 8.0, 12.0}) {
        change([&](DisplayOptions& display) {
            setOption(display, "arrows", false);
            setOption(display, "arrow-spacing", 1e4); // one arrow, in the middle
            setOption(display, "arrow-scale", pixels / (end->x - start->x));
            display.colorMaximum = 6;
        });
        const RgbaImage without = picture();
        change([](DisplayOptions& display) { setOption(display, "arrows", true); });
        const RgbaImage with = picture();
        const Box box = changedBox(without, with, 0, 350);
        ASSERT_GE(box.right, 0) << pixels;
        EXPECT_GT(box.right - box.left, box.bottom - box.top) << pixels;
        const auto widthAt = [&](double part) {
            const int x = static_cast<int>(std::lround(box.left + part * (box.right - box.left)));
            const Box column = changedBox(without, with, x, x + 1);
            return column.bottom - column.top + 1;
        };
        EXPECT_LT(widthAt(0.2), 0.7 * widthAt(0.5)) << pixels << ": the shaft is thin";
        EXPECT_LT(widthAt(0.95), 0.7 * widthAt(0.5)) << pixels << ": the tip is pointed";
    }
}

TEST_F(SceneMotion, ArrowsMapAndBarLeavePixels) {
    change([](DisplayOptions& display) { setOption(display, "arrows", false); });
    move({3, 3, 3});
    const RgbaImage still = picture();
    change([](DisplayOptions& display) { setOption(display, "arrows", true); });
    const RgbaImage arrows = picture();
    for (int view = 0; view < 3; ++view)
        EXPECT_GT(changedPixels(still, arrows, {300 * view, 0, 180, 320}), 300) << view;
    EXPECT_GT(changedPixels(still, arrows, {760, 0, 140, 320}), 500) << "the legend";
    change([](DisplayOptions& display) {
        setOption(display, "arrows", false);
        setOption(display, "magnitude", true);
    });
    const RgbaImage map = picture();
    for (int view = 0; view < 3; ++view)
        EXPECT_GT(changedPixels(still, map, {300 * view, 0, 180, 320}), 3000) << view;
    EXPECT_GT(changedPixels(still, map, {760, 0, 140, 320}), 500) << "the legend";
    scene_->setResult(nullptr);
    EXPECT_EQ(changedPixels(still, picture()), 0);
}

TEST_F(SceneMotion, ArrowsAreSeenInTheVolumeToo) {
    change([](DisplayOptions& display) {
        display.layout = Layout::Single3D;
        display.volume = false;
        setOption(display, "arrows", false);
        setOption(display, "arrow-scale", 2);
    });
    move({0, 0, 4});
    const RgbaImage still = picture();
    change([](DisplayOptions& display) { setOption(display, "arrows", true); });
    const RgbaImage arrows = picture();
    EXPECT_GT(changedPixels(still, arrows, {200, 0, 400, 320}), 2000);
    change([](DisplayOptions& display) { setOption(display, "arrow-spacing", 30); });
    const int few = changedPixels(still, picture(), {200, 0, 400, 320});
    change([](DisplayOptions& display) { setOption(display, "arrow-spacing", 8); });
    EXPECT_GT(changedPixels(still, picture(), {200, 0, 400, 320}), 2 * few) << "density";
}

TEST_F(SceneMotion, TheColorOfAnArrowIsThatOfItsMagnitude) {
    change([](DisplayOptions& display) {
        setOption(display, "arrow-spacing", 1e4);
        setOption(display, "arrow-scale", 10);
        display.colorMaximum = 4;
        display.colorMap = ColorMap::Viridis;
    });
    for (const double millimeters : {1.0, 2.0, 4.0}) {
        move({millimeters, 0, 0});
        change(
            [&](DisplayOptions& display) { setOption(display, "arrow-scale", 20 / millimeters); });
        const RgbaImage image = picture();
        const auto at = scene_->project(ViewKind::Axial, scene_->crosshair() + Vec3{14, 0, 0});
        ASSERT_TRUE(at);
        const std::uint8_t* pixel = image.at(static_cast<int>(at->x), static_cast<int>(at->y));
        const Color expected = colorAt(ColorMap::Viridis, millimeters / 4);
        EXPECT_NEAR(pixel[0], 255 * static_cast<double>(expected.red), 6) << millimeters;
        EXPECT_NEAR(pixel[1], 255 * static_cast<double>(expected.green), 6) << millimeters;
        EXPECT_NEAR(pixel[2], 255 * static_cast<double>(expected.blue), 6) << millimeters;
    }
}

TEST_F(SceneMotion, TheMapHasTheColorOfTheMagnitudeInMillimeters) {
    change([](DisplayOptions& display) {
        setOption(display, "arrows", false);
        setOption(display, "magnitude", true);
        setOption(display, "magnitude-opacity", 1);
        display.colorMaximum = 5;
    });
    move({0, 0, 3});
    const RgbaImage image = picture();
    const auto at = scene_->project(ViewKind::Axial, scene_->crosshair() + Vec3{5, 5, 0});
    const std::uint8_t* pixel = image.at(static_cast<int>(at->x), static_cast<int>(at->y));
    const Color expected = colorAt(ColorMap::Viridis, 0.6);
    EXPECT_NEAR(pixel[0], 255 * static_cast<double>(expected.red), 4);
    EXPECT_NEAR(pixel[1], 255 * static_cast<double>(expected.green), 4);
    EXPECT_NEAR(pixel[2], 255 * static_cast<double>(expected.blue), 4);
}

TEST_F(SceneMotion, TheScaleIsThatOfTheSequenceWhateverWasShown) {
    scene_->setSequence(sequenceOn(frame_->geometry), 0, 100, 1.4);
    scene_->setFrame(frame_);
    move({1, 0, 0.5});
    EXPECT_DOUBLE_EQ(scene_->colorMaximum(), 1.5);
    const RgbaImage before = picture();
    move({0, 5.5, 0});
    EXPECT_DOUBLE_EQ(scene_->colorMaximum(), 1.5);
    EXPECT_GT(changedPixels(before, picture()), 500);
    move({1, 0, 0.5});
    EXPECT_EQ(before.pixels, picture().pixels);
    change([](DisplayOptions& display) { display.colorMaximum = 2.5; });
    EXPECT_DOUBLE_EQ(scene_->colorMaximum(), 2.5);
    change([](DisplayOptions& display) { display.colorMaximum = 0; });
    EXPECT_DOUBLE_EQ(scene_->colorMaximum(), 1.5);
}

TEST_F(SceneMotion, MotionBelowTheFloorIsDrawnAsRest) {
    // The smallest voxel side is 1.5 mm.
    scene_->setSequence(sequenceOn(frame_->geometry), 0, 100, 1e-5);
    scene_->setFrame(frame_);
    EXPECT_GE(scene_->colorMaximum(), restVoxels * 1.5);
    change([](DisplayOptions& display) {
        setOption(display, "magnitude", true);
        setOption(display, "arrows", true);
    });
    move({0, 0, 0});
    const RgbaImage rest = picture();
    move({0.04 * 1.5, 0, 0});
    EXPECT_EQ(rest.pixels, picture().pixels);
    move({0.2 * 1.5, 0, 0});
    EXPECT_GT(changedPixels(rest, picture(), {0, 0, 180, 320}), 500);
    // Small motion is seen by those who ask for it.
    change([](DisplayOptions& display) { display.colorMaximum = 0.05; });
    move({0, 0, 0});
    const RgbaImage fine = picture();
    move({0.03, 0, 0});
    EXPECT_GT(changedPixels(fine, picture(), {0, 0, 180, 320}), 500);
}

TEST_F(SceneMotion, ShortArrowsStandOutFromDarkAndBrightGround) {
    for (const float ground : {12.0f, 100.0f}) {
        frame_ = volume(frame_->geometry, [&](Vec3) { return ground; });
        for (const double part : {0.15, 1.0}) { // fractions of the scale: dark and bright colors
            show(frame_);
            change([](DisplayOptions& display) {
                display.layout = Layout::ThreeSlices;
                display.crosshair = display.annotations = false;
                display.colorMaximum = 4;
                setOption(display, "arrows", true);
                setOption(display, "arrow-scale", 1);
            });
            move({4 * part, 0, 0});
            const RgbaImage image = picture();
            int dark = 0, bright = 0;
            for (int y = 60; y < 260; ++y)
                for (int x = 60; x < 200; ++x) {
                    const std::uint8_t* p = image.at(x, y);
                    const double light = 0.3 * p[0] + 0.59 * p[1] + 0.11 * p[2];
                    dark += light < 70;
                    bright += light > 160;
                }
            EXPECT_GT(dark, 300) << ground << " " << part;
            EXPECT_GT(bright, 300) << ground << " " << part;
        }
    }
}

TEST_F(SceneMotion, OutdatedMotionIsFadedOrHiddenAndSaysSo) {
    const RgbaImage nothing = picture();
    move({3, -2, 2});
    const RgbaImage current = picture();
    scene_->setMotionNotes(
        {.left = "motion 17 to 18\nestimating …", .right = {}, .difference = {}});
    EXPECT_TRUE(scene_->needsRender());
    const RgbaImage outdated = picture();
    // The difference from a picture without motion, away from note and color bar.
    const auto strength = [&](const RgbaImage& image) {
        double sum = 0;
        for (int y = 70; y < image.height; ++y)
            for (int x = 0; x < 600; ++x)
                for (int channel = 0; channel < 3; ++channel)
                    sum += std::abs(image.at(x, y)[channel] - nothing.at(x, y)[channel]);
        return sum;
    };
    EXPECT_GT(strength(outdated), 0.1 * strength(current));
    EXPECT_LT(strength(outdated), 0.6 * strength(current));
    const Region text{0, 0, 160, 50};
    EXPECT_GT(changedPixels(nothing, outdated, text), 100);

    change([](DisplayOptions& display) { display.outdatedMotion = false; });
    const RgbaImage hidden = picture();
    EXPECT_EQ(strength(hidden), 0);
    EXPECT_GT(changedPixels(nothing, hidden, text), 100);

    scene_->setMotionNotes({});
    EXPECT_EQ(changedPixels(current, picture()), 0);
    scene_->setMotionNotes({.left = "motion 17 to 18", .right = {}, .difference = {}});
    show(frame_);
    EXPECT_EQ(scene_->motionNotes(), MotionNotes{});
}

TEST_F(SceneMotion, AHeldScaleIsUsedWhateverTheOptionsAre) {
    move({0, 0, 1.4});
    const RgbaImage alone = picture();
    const DisplayScale scale = scene_->scale();
    change([](DisplayOptions& display) { display.colorMaximum = 5; });
    EXPECT_GT(changedPixels(alone, picture()), 100);
    scene_->holdScale(scale);
    EXPECT_EQ(scene_->scale(), scale);
    EXPECT_EQ(changedPixels(alone, picture()), 0);
}

TEST_F(SceneMotion, ACameraThatIsSetAgainShowsTheSamePicture) {
    change([](DisplayOptions& display) { display.layout = Layout::FourUp; });
    move({3, -2, 2});
    scene_->rotate(35, 20);
    ASSERT_TRUE(scene_->pointerPressed(PointerButton::Right, 20, 20, false));
    scene_->pointerMoved(25, 7, false);
    scene_->pointerReleased(PointerButton::Right, 25, 7);
    const SceneCamera camera = scene_->camera();
    const RgbaImage before = picture();
    scene_->resetCameras();
    EXPECT_NE(scene_->camera(), camera);
    EXPECT_GT(changedPixels(before, picture()), 1000);
    scene_->setCamera(camera);
    EXPECT_EQ(scene_->camera(), camera);
    EXPECT_EQ(picture().pixels, before.pixels);
}

TEST_F(SceneMotion, TheProbeReadsTheDisplacement) {
    move({1, -2, 3});
    const auto at = scene_->project(ViewKind::Coronal, scene_->crosshair());
    const auto probe = scene_->probe(at->x, at->y);
    ASSERT_TRUE(probe && probe->displacement);
    EXPECT_NEAR(length(*probe->displacement - Vec3{1, -2, 3}), 0, 1e-4);
}

} // namespace
} // namespace systole
