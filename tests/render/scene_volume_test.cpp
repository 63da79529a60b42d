// The 3D view.
#include "render/gl/offscreen.h"
#include "tests/render/render_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

class SceneVolume : public SceneTest {
protected:
    void single() {
        change([](DisplayOptions& display) {
            display.layout = Layout::Single3D;
            display.annotations = false;
            display.volumePreset = "mr";
        });
    }
};

TEST_F(SceneVolume, EachElementLeavesPixels) {
    show(ball(obliqueGeometry()));
    single();
    const RgbaImage volume = picture();
    change([](DisplayOptions& display) { display.volume = false; });
    const RgbaImage empty = picture();
    EXPECT_GT(changedPixels(volume, empty), 3000);
    change([](DisplayOptions& display) { display.slicesIn3D = true; });
    EXPECT_GT(changedPixels(empty, picture()), 3000);
    change([](DisplayOptions& display) {
        display.slicesIn3D = false;
        display.annotations = true;
    });
    EXPECT_GT(changedPixels(empty, picture()), 100);
}

TEST_F(SceneVolume, ARepeatedFrameIsIdentical) {
    show(ball(obliqueGeometry()));
    const RgbaImage first = picture();
    EXPECT_FALSE(scene_->needsRender());
    EXPECT_EQ(first.pixels, picture().pixels);
}

TEST_F(SceneVolume, ShowsTheFrameThatWasSetAndComesBackToIt) {
    const Geometry geometry = obliqueGeometry();
    const auto small = ball(geometry, 8), large = ball(geometry, 16);
    show(small);
    single();
    const RgbaImage smallBall = picture();
    scene_->setFrame(large);
    EXPECT_TRUE(scene_->needsRender());
    const RgbaImage largeBall = picture();
    EXPECT_GT(scene_->times().fieldToGlBytes, 0);
    EXPECT_GT(changedPixels(smallBall, largeBall), 2000);
    // More frames than the ring has places: each must still be shown as itself.
    for (int i = 0; i < 5; ++i) {
        scene_->setFrame(ball(geometry, 10 + i));
        picture();
    }
    scene_->setFrame(small);
    EXPECT_EQ(smallBall.pixels, picture().pixels);
}

TEST_F(SceneVolume, AMirroredDirectionIsDrawnAsItsRightHandedTwin) {
    const Geometry geometry = obliqueGeometry({24, 24, 24});
    // A twin with the same voxels in space, the first index counted from the other end.
    Matrix3 mirrored = geometry.direction();
    for (auto& row : mirrored)
        row[0] = -row[0];
    const Geometry twin(geometry.size(), geometry.spacing(), geometry.indexToPhysical({23, 0, 0}),
                        mirrored);
    const Vec3 center = geometry.center();
    const auto value = [=](Vec3 p) {
        const Vec3 d = p - center - Vec3{6, 0, 4};
        return static_cast<float>(100 * std::exp(-dot(d, d) / 120));
    };
    show(volume(geometry, value));
    single();
    const RgbaImage right = picture();
    show(volume(twin, value));
    single();
    const RgbaImage left = picture();
    change([](DisplayOptions& display) { display.volume = false; });
    const int drawn = changedPixels(left, picture());
    EXPECT_GT(drawn, 2000);
    EXPECT_LT(changedPixels(right, left), drawn / 20);
}

TEST_F(SceneVolume, TheBallIsSeenWhereItLies) {
    const Geometry geometry = obliqueGeometry({32, 40, 28});
    const Vec3 place = geometry.center() + Vec3{8, -5, 10};
    show(volume(geometry, [=](Vec3 p) {
        const Vec3 d = p - place;
        return static_cast<float>(100 * std::exp(-dot(d, d) / 32));
    }));
    single();
    for (const StandardView view :
         {StandardView::Anterior, StandardView::Left, StandardView::Superior}) {
        scene_->setStandardView(view);
        const RgbaImage with = picture();
        change([](DisplayOptions& display) { display.volume = false; });
        const RgbaImage without = picture();
        change([](DisplayOptions& display) { display.volume = true; });
        double sum = 0, x0 = 0, y0 = 0;
        for (int y = 0; y < with.height; ++y)
            for (int x = 0; x < with.width; ++x) {
                const double weight = std::abs(with.at(x, y)[0] - without.at(x, y)[0]);
                sum += weight;
                x0 += weight * (x + 0.5);
                y0 += weight * (y + 0.5);
            }
        ASSERT_GT(sum, 0);
        const auto expected = scene_->project(ViewKind::Volume3D, place);
        ASSERT_TRUE(expected);
        EXPECT_NEAR(x0 / sum, expected->x, 3);
        EXPECT_NEAR(y0 / sum, expected->y, 3);
        const auto center = scene_->project(ViewKind::Volume3D, geometry.center());
        switch (view) { // left is on the right from in front, posterior from the left
        case StandardView::Anterior:
            EXPECT_GT(expected->x, center->x + 5);
            EXPECT_LT(expected->y, center->y - 5);
            break;
        case StandardView::Left:
            EXPECT_LT(expected->x, center->x - 5);
            EXPECT_LT(expected->y, center->y - 5);
            break;
        case StandardView::Superior:
            EXPECT_LT(expected->y, center->y - 5); // anterior is up
            break;
        }
    }
}

TEST_F(SceneVolume, CuttingAwayOpensTheVolumeTowardsTheObserver) {
    const Geometry geometry = obliqueGeometry({32, 32, 32}, 0);
    const Vec3 center = geometry.center();
    // Two balls, one in front of the crosshair's coronal plane and one behind it, to either side.
    show(volume(geometry, [=](Vec3 p) {
        const Vec3 a = p - center - Vec3{15, -20, 0}, b = p - center - Vec3{-15, 20, 0};
        return static_cast<float>(100 * (std::exp(-dot(a, a) / 40) + std::exp(-dot(b, b) / 40)));
    }));
    single();
    scene_->setStandardView(StandardView::Anterior);
    const RgbaImage whole = picture();
    change([](DisplayOptions& display) { display.cutAway = true; });
    const RgbaImage cut = picture();
    const int middle = whole.width / 2;
    // The front is gone.
    EXPECT_GT(changedPixels(whole, cut, {middle, 0, middle, whole.height}), 300);
    EXPECT_LT(changedPixels(whole, cut, {0, 0, middle, whole.height}), 30); // the back stays
}

TEST_F(SceneVolume, CroppingTakesEachSideAway) {
    const Geometry geometry = obliqueGeometry({32, 32, 32}, 0);
    const Vec3 center = geometry.center();
    struct Case {
        const char* option;
        Vec3 offset; // offset of the ball that disappears
        StandardView view;
    };
    for (const Case& c : {Case{"crop-right", {-18, 0, 0}, StandardView::Anterior},
                          Case{"crop-left", {18, 0, 0}, StandardView::Anterior},
                          Case{"crop-inferior", {0, 0, -14}, StandardView::Anterior},
                          Case{"crop-superior", {0, 0, 14}, StandardView::Anterior},
                          Case{"crop-anterior", {0, -20, 0}, StandardView::Left},
                          Case{"crop-posterior", {0, 20, 0}, StandardView::Left}}) {
        show(volume(geometry, [=](Vec3 p) {
            const Vec3 a = p - center - c.offset, b = p - center + c.offset;
            return static_cast<float>(100 *
                                      (std::exp(-dot(a, a) / 30) + std::exp(-dot(b, b) / 30)));
        }));
        single();
        scene_->setStandardView(c.view);
        const RgbaImage whole = picture();
        change([&](DisplayOptions& display) { setOption(display, c.option, 45.0); });
        const RgbaImage cropped = picture();
        const auto changed = [&](Vec3 offset) {
            const auto at = scene_->project(ViewKind::Volume3D, center + offset);
            return changedPixels(
                whole, cropped,
                {static_cast<int>(at->x) - 12, static_cast<int>(at->y) - 12, 24, 24});
        };
        EXPECT_GT(changed(c.offset), 200) << c.option;
        EXPECT_LT(changed(-1.0 * c.offset), 20) << c.option;
        change([&](DisplayOptions& display) { setOption(display, c.option, 0.0); });
        EXPECT_EQ(whole.pixels, picture().pixels) << c.option;
    }
}

TEST_F(SceneVolume, ThePlaneOfTheCutCanBeChosen) {
    const Geometry geometry = obliqueGeometry({32, 32, 32}, 0);
    const Vec3 center = geometry.center();
    // Two balls, above and below the crosshair's axial plane.
    show(volume(geometry, [=](Vec3 p) {
        const Vec3 a = p - center - Vec3{0, 0, 12}, b = p - center + Vec3{0, 0, 12};
        return static_cast<float>(100 * (std::exp(-dot(a, a) / 30) + std::exp(-dot(b, b) / 30)));
    }));
    single();
    scene_->setStandardView(StandardView::Anterior);
    scene_->rotate(0, 20); // seen from the front, slightly from above
    const RgbaImage whole = picture();
    change([](DisplayOptions& display) {
        display.cutAway = true;
        display.cutPlane = CutPlane::Axial;
    });
    const RgbaImage cut = picture();
    const auto changed = [&](Vec3 offset) {
        const auto at = scene_->project(ViewKind::Volume3D, center + offset);
        return changedPixels(whole, cut,
                             {static_cast<int>(at->x) - 10, static_cast<int>(at->y) - 10, 20, 20});
    };
    EXPECT_GT(changed({0, 0, 12}), 150);
    EXPECT_LT(changed({0, 0, -12}), 20);
}

TEST_F(SceneVolume, ArrowsAreCutAndCroppedLikeTheVolume) {
    const Geometry geometry = obliqueGeometry({32, 32, 32}, 0);
    const auto frame = volume(geometry, [](Vec3) { return 60.0f; });
    show(frame);
    single();
    scene_->setStandardView(StandardView::Anterior);
    change([](DisplayOptions& display) { display.volume = false; });
    const RgbaImage none = picture();
    scene_->setResult(uniformMotion(frame, {0, 0, 3}, resources_.pool()));
    // The legend stands in the other half.
    change([](DisplayOptions& display) { display.legend = LegendCorner::BottomLeft; });
    const Region right{260, 0, 220, 400};
    const int all = changedPixels(none, picture(), right);
    change([](DisplayOptions& display) { display.cropLeft = 50; }); // seen on the right
    EXPECT_GT(all, 2000);
    EXPECT_LT(changedPixels(none, picture(), right), all / 20);
}

TEST_F(SceneVolume, TheVolumeIsClearerWhileArrowsAreShown) {
    const Geometry geometry = obliqueGeometry({32, 32, 32}, 0);
    const auto frame = ball(geometry, 20);
    show(frame);
    single();
    const auto result = uniformMotion(frame, {0, 0, 3}, resources_.pool());
    scene_->setResult(result);
    const auto colored = [&](double opacity) {
        change([&](DisplayOptions& display) { display.volumeOpacityWithArrows = opacity; });
        // Number of pixels that the arrows inside change.
        change([](DisplayOptions& display) { setOption(display, "arrow-opacity", 1.0); });
        const RgbaImage with = picture();
        change([](DisplayOptions& display) { setOption(display, "arrow-opacity", 0.0); });
        return changedPixels(with, picture(), {160, 120, 160, 160});
    };
    const int hidden = colored(1), seen = colored(0.2);
    EXPECT_GT(seen, hidden + 1000);
}

TEST_F(SceneVolume, DraggingTurnsAndTheWheelZooms) {
    show(ball(obliqueGeometry()));
    single();
    const Vec3 corner = scene_->crosshair() + Vec3{10, -10, 10};
    const auto before = scene_->project(ViewKind::Volume3D, corner);
    scene_->pointerPressed(PointerButton::Left, 200, 200, false);
    scene_->pointerMoved(260, 215, false);
    scene_->pointerReleased(PointerButton::Left, 260, 215);
    const auto turned = scene_->project(ViewKind::Volume3D, corner);
    EXPECT_GT(turned->x, before->x + 3) << "what is in front follows the pointer";
    const auto distance = [&] {
        const auto a = scene_->project(ViewKind::Volume3D, corner);
        const auto b = scene_->project(ViewKind::Volume3D, scene_->crosshair());
        return std::hypot(a->x - b->x, a->y - b->y);
    };
    const double small = distance();
    scene_->wheel(3, 200, 200);
    EXPECT_GT(distance(), 1.15 * small);
    scene_->rotate(0, 500); // stops over the head
    const auto top = scene_->project(ViewKind::Volume3D, scene_->crosshair() + Vec3{0, 0, 10});
    const auto middle = scene_->project(ViewKind::Volume3D, scene_->crosshair());
    EXPECT_NEAR(top->x, middle->x, 2);
    EXPECT_NEAR(top->y, middle->y, 2);
}

/// How coarse it gets in use depends on the time of paints; here it is given.
class CoarseSampling : public SceneVolume, public testing::WithParamInterface<double> {
protected:
    CoarseSampling() { options_.interactivePixelsPerRay = GetParam(); }
};

TEST_P(CoarseSampling, KeepsTheVolumeInItsPlaceInEveryLayout) {
    show(ball(obliqueGeometry()));
    for (const Layout layout : {Layout::Single3D, Layout::FourUp}) {
        change([&](DisplayOptions& display) {
            display.layout = layout;
            display.volumePreset = "mr";
            display.annotations = display.crosshair = false;
            display.volume = true;
        });
        scene_->setInteractive(false);
        const RgbaImage fine = picture();
        scene_->setInteractive(true);
        const RgbaImage coarse = picture();
        change([](DisplayOptions& display) { display.volume = false; });
        const RgbaImage none = picture();
        const auto weight = [&](const RgbaImage& image) {
            double sum = 0;
            for (std::size_t i = 0; i < image.pixels.size(); ++i)
                sum += std::abs(image.pixels[i] - none.pixels[i]);
            return sum;
        };
        ASSERT_GT(weight(fine), 1e5) << name(layout);
        EXPECT_NEAR(weight(coarse) / weight(fine), 1, 0.2) << name(layout);
        double apart = 0;
        for (std::size_t i = 0; i < fine.pixels.size(); ++i)
            apart += std::abs(fine.pixels[i] - coarse.pixels[i]);
        EXPECT_LT(apart, 0.25 * weight(fine)) << name(layout);
    }
}

INSTANTIATE_TEST_SUITE_P(SceneVolume, CoarseSampling, testing::Values(2.0, 4.0, 8.0, 12.0));

class SlicesFirst : public SceneVolume {
protected:
    SlicesFirst() { options_.slicesFirst = true; }
};

TEST_F(SlicesFirst, TheVolumeJoinsWithTheSecondPictureOfASequence) {
    show(ball(obliqueGeometry()));
    const OffscreenFramebuffer framebuffer(scene_->size().width, scene_->size().height);
    const auto drawn = [&] {
        scene_->draw(framebuffer.id());
        return framebuffer.read();
    };
    const RgbaImage slices = drawn();
    EXPECT_TRUE(scene_->volumeIsDue());
    EXPECT_TRUE(scene_->needsRender());
    const RgbaImage all = drawn();
    EXPECT_FALSE(scene_->volumeIsDue());
    EXPECT_FALSE(scene_->needsRender());
    EXPECT_GT(changedPixels(slices, all), 500);
    change([](DisplayOptions& display) { display.volume = false; });
    EXPECT_LT(changedPixels(slices, drawn()), changedPixels(slices, all) / 4);
}

TEST_F(SlicesFirst, ACaptureHasTheVolume) {
    show(ball(obliqueGeometry()));
    const RgbaImage first = picture();
    EXPECT_FALSE(scene_->volumeIsDue());
    EXPECT_EQ(first.pixels, picture().pixels);
}

TEST_F(SceneVolume, FullQualityIsOwedAfterTurning) {
    show(ball(obliqueGeometry()));
    single();
    const RgbaImage still = picture();
    scene_->setInteractive(true);
    picture();
    EXPECT_FALSE(scene_->needsRender());
    scene_->setInteractive(false);
    EXPECT_EQ(scene_->needsRender(), scene_->isSoftware());
    EXPECT_EQ(still.pixels, picture().pixels);
    EXPECT_FALSE(scene_->needsRender());
}

} // namespace
} // namespace systole
