// Odd sizes, odd images, lost contexts and files that can't be written.
#include "tests/render/render_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

using SceneRobustness = SceneTest;

TEST_F(SceneRobustness, ANewContextShowsTheSamePicture) {
    const auto frame = ball(obliqueGeometry());
    show(frame);
    scene_->setResult(uniformMotion(frame, {1, 2, 3}, resources_.pool()));
    change([](DisplayOptions& display) { setOption(display, "magnitude", true); });
    const RgbaImage before = picture();
    for (int again = 0; again < 2; ++again) {
        scene_->release();
        EXPECT_FALSE(scene_->initialized());
        egl_.reset();
        egl_ = std::make_unique<HeadlessEgl>();
        scene_->initialize(egl_->hooks());
        EXPECT_TRUE(scene_->needsRender());
        EXPECT_EQ(changedPixels(before, picture()), 0);
    }
}

TEST_F(SceneRobustness, AnotherSequenceTakesThePlaceOfTheFirst) {
    show(ball(obliqueGeometry()));
    const RgbaImage first = picture();
    show(ball(Geometry({11, 9, 40}, {3, 3, 1}, {100, 0, -200}), 8));
    const RgbaImage second = picture();
    EXPECT_GT(changedPixels(first, second), 2000);
    EXPECT_THROW(scene_->setFrame(ball(obliqueGeometry())), RenderError);
    show(ball(obliqueGeometry()));
    EXPECT_EQ(changedPixels(first, picture()), 0);
}

TEST_F(SceneRobustness, FlatConstantAndTinyVolumesAreDrawn) {
    for (const Size3 size : {Size3{1, 1, 1}, Size3{16, 16, 1}, Size3{1, 20, 12}, Size3{2, 2, 2}}) {
        const Geometry geometry(size, {1, 1, 2}, {-3, 4, 5});
        auto frame = volume(geometry, [](Vec3) { return 5.0f; });
        scene_->setSequence(sequenceOn(geometry), 5, 5); // constant: no range
        scene_->setFrame(frame);
        scene_->setResult(uniformMotion(frame, {1, 1, 1}, resources_.pool()));
        const RgbaImage image = picture();
        EXPECT_EQ(image.width, 480);
        change([](DisplayOptions& display) { display.window = 20; });
        EXPECT_GT(changedPixels(image, picture()), 50) << size.x << size.y << size.z;
        change([](DisplayOptions& display) { display.window = 0; });
    }
}

TEST_F(SceneRobustness, EverySizeOfWindowHasItsPicture) {
    show(ball(obliqueGeometry()));
    for (const Layout layout : {Layout::Single3D, Layout::ThreeSlices, Layout::FourUp}) {
        change([&](DisplayOptions& display) { display.layout = layout; });
        for (const auto& [width, height] :
             {std::pair{1, 1}, {3, 2}, {40, 7}, {7, 90}, {300, 120}}) {
            scene_->resize(width, height, 1);
            const RgbaImage image = picture();
            EXPECT_EQ(image.width, width);
            EXPECT_EQ(image.height, height);
        }
    }
}

TEST_F(SceneRobustness, PixelRatiosEnlargeThePictureAndKeepItsContents) {
    const auto frame = ball(obliqueGeometry());
    show(frame);
    scene_->setResult(uniformMotion(frame, {1, 0, 2}, resources_.pool()));
    const Vec3 corner = scene_->crosshair() + Vec3{6, 3, -8};
    scene_->resize(480, 400, 1);
    const auto expected = scene_->project(ViewKind::Coronal, corner);
    for (const double ratio : {1.5, 2.0}) {
        scene_->resize(480, 400, ratio);
        const RgbaImage image = picture();
        EXPECT_EQ(image.width, static_cast<int>(480 * ratio));
        EXPECT_EQ(image.height, static_cast<int>(400 * ratio));
        const auto at = scene_->project(ViewKind::Coronal, corner);
        EXPECT_NEAR(at->x, expected->x, 1.5); // logical pixels stay
        EXPECT_NEAR(at->y, expected->y, 1.5);
        EXPECT_EQ(scene_->viewAt(10, 390), ViewKind::Coronal);
        EXPECT_EQ(scene_->viewAt(470, 10), ViewKind::Volume3D);
    }
}

TEST_F(SceneRobustness, AnEmptySceneDraws) {
    EXPECT_EQ(picture().width, 480);
    EXPECT_FALSE(scene_->probe(100, 100));
    EXPECT_FALSE(scene_->project(ViewKind::Axial, {}));
    scene_->stepSlice(ViewKind::Axial, 3);
    scene_->setCrosshair({1, 2, 3});
    scene_->setFrame(nullptr);
    scene_->setResult(nullptr);
    EXPECT_THROW(scene_->setFrame(ball(obliqueGeometry())), RenderError) << "before any sequence";
}

TEST_F(SceneRobustness, WhatMakesNoSenseIsRefused) {
    show(ball(obliqueGeometry()));
    DisplayOptions display = scene_->display();
    display.volumePreset = "pet";
    EXPECT_THROW(scene_->setDisplay(display), RenderError);
    const auto other = ball(Geometry({5, 5, 5}, {1, 1, 1}));
    EXPECT_THROW(scene_->setResult(uniformMotion(other, {1, 0, 0}, resources_.pool())),
                 RenderError);
    const Vec3 before = scene_->crosshair();
    scene_->setCrosshair({std::nan(""), before.y, 1e30});
    EXPECT_EQ(scene_->crosshair().x, before.x);
    EXPECT_LT(scene_->crosshair().z, 1000);
}

TEST(Picture, IsEncodedAsPng) {
    RgbaImage image;
    image.width = 3;
    image.height = 2;
    image.pixels.assign(24, 200);
    const std::string png = encodePng(image);
    EXPECT_EQ(png.substr(0, 8), std::string("\x89PNG\r\n\x1a\n", 8));
    // The header chunk: width and height, big-endian.
    EXPECT_EQ(png.substr(16, 8), std::string("\0\0\0\3\0\0\0\2", 8));
}

} // namespace
} // namespace systole
