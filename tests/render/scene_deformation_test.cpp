// The deformation map, grid, streamlines and pathlines in the views, by pixels.
#include "render/gl/offscreen.h"
#include "tests/render/scene_motion_support.h"
#include "tests/support/box_ventricle.h"
#include "tests/support/linear_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

namespace systole {
namespace {

class SceneDeformation : public SceneMotion {
protected:
    void SetUp() override {
        SceneMotion::SetUp();
        if (scene_)
            change([](DisplayOptions& display) { setOption(display, "arrows", false); });
    }
    std::shared_ptr<FrameResult> linear(const Matrix3& m, int fixed = 0, int moving = 1) {
        auto result = uniformMotion(frame_, {}, resources_.pool());
        result->field =
            std::make_shared<VectorField>(linearField(frame_->geometry, m, resources_.pool()));
        result->fixedFrame = fixed;
        result->movingFrame = moving;
        return result;
    }
    void expectColor(const RgbaImage& image, Vec3 position, const Color& color) {
        const auto at = scene_->project(ViewKind::Axial, position);
        const std::uint8_t* pixel = image.at(static_cast<int>(at->x), static_cast<int>(at->y));
        EXPECT_NEAR(pixel[0], 255 * static_cast<double>(color.red), 4);
        EXPECT_NEAR(pixel[1], 255 * static_cast<double>(color.green), 4);
        EXPECT_NEAR(pixel[2], 255 * static_cast<double>(color.blue), 4);
    }
};

TEST_F(SceneDeformation, TheMapHasTheColorOfTheQuantity) {
    const double stretch = 1.2;
    scene_->setResult(linear({{{stretch - 1, 0, 0}, {0, 0, 0}, {0, 0, -0.1}}}));
    change([](DisplayOptions& display) {
        setOption(display, "deformation", true);
        setOption(display, "deformation-opacity", 1);
    });
    struct Case {
        const char* quantity;
        double maximum, part;
    };
    const double jacobian = stretch * 0.9;
    for (const Case& c :
         {Case{"jacobian", 1.1, 0.5 - 0.5 * std::log(jacobian) / std::log(1.1)},
          Case{"log-jacobian", 0.2, 0.5 - 0.5 * std::log(jacobian) / 0.2},
          Case{"largest-strain", 0.5, 0.5 - 0.5 * (stretch * stretch - 1) / 2 / 0.5},
          Case{"smallest-strain", 0.2, 0.5 - 0.5 * (0.81 - 1) / 2 / 0.2}}) {
        change([&](DisplayOptions& display) {
            setOption(display, "deformation-of", std::string(c.quantity));
            setOption(display, "deformation-maximum", c.maximum);
        });
        SCOPED_TRACE(c.quantity);
        expectColor(picture(), scene_->crosshair() + Vec3{5, 5, 0},
                    colorAt(ColorMap::Diverging, c.part));
    }
}

TEST_F(SceneDeformation, FramesThatComeAgainHaveTheirMapAgain) {
    std::vector<std::shared_ptr<FrameResult>> cycle; // longer than there are textures
    for (const double stretch : {0.1, 0.2, 0.3, 0.4})
        cycle.push_back(linear({{{stretch, 0, 0}, {0, 0, 0}, {0, 0, 0}}}));
    change([](DisplayOptions& display) {
        setOption(display, "deformation", true);
        setOption(display, "deformation-maximum", 1);
    });
    const auto picturesOf = [&](const char* quantity) {
        change([&](DisplayOptions& display) {
            setOption(display, "deformation-of", std::string(quantity));
        });
        std::vector<RgbaImage> pictures;
        for (const auto& result : cycle) {
            scene_->setResult(result);
            pictures.push_back(picture());
        }
        return pictures;
    };
    const auto first = picturesOf("log-jacobian"), again = picturesOf("log-jacobian"),
               strain = picturesOf("largest-strain"), later = picturesOf("log-jacobian");
    const Region slices{0, 0, 700, 320}; // away from the legend
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        EXPECT_EQ(again[i].pixels, first[i].pixels) << i;
        EXPECT_EQ(later[i].pixels, first[i].pixels) << i;
        EXPECT_NE(first[(i + 1) % cycle.size()].pixels, first[i].pixels) << i;
    }
    EXPECT_GT(changedPixels(first.back(), strain.back(), slices), 500);
}

TEST_F(SceneDeformation, ADrawThatDoesNotWaitShowsTheMapOnceItIsMade) {
    scene_->setResult(linear({{{0.3, 0, 0}, {0, 0, 0}, {0, 0, 0}}}));
    change([](DisplayOptions& display) { setOption(display, "deformation", true); });
    const RgbaImage waited = picture(); // capture()
    change([](DisplayOptions& display) { setOption(display, "deformation", false); });
    picture(); // forgets the map
    change([](DisplayOptions& display) { setOption(display, "deformation", true); });
    scene_->setWaits(false);
    EXPECT_EQ(picture().pixels, waited.pixels) << "what is captured waits";
    scene_->setResult(linear({{{0.3, 0, 0}, {0, 0, 0}, {0, 0, 0}}})); // another field
    const SceneSize size = scene_->size();
    OffscreenFramebuffer drawn(size.width, size.height);
    scene_->draw(drawn.id());
    while (!scene_->needsRender())
        std::this_thread::yield();
    EXPECT_TRUE(scene_->unfinished());
    scene_->draw(drawn.id());
    EXPECT_EQ(drawn.read().pixels, waited.pixels);
    EXPECT_FALSE(scene_->needsRender() || scene_->unfinished());
    scene_->setWaits(true);
}

TEST_F(SceneDeformation, WhereNothingDeformsTheImageIsSeen) {
    const RgbaImage plain = picture();
    change([](DisplayOptions& display) { setOption(display, "deformation", true); });
    move({3, 3, 3}); // all of it alike
    EXPECT_EQ(changedPixels(plain, picture(), {0, 0, 700, 320}), 0) << "away from the legend";
    // And where there is no tissue.
    frame_ = volume(frame_->geometry, [](Vec3) { return 1.0f; });
    scene_->setFrame(frame_);
    scene_->setResult(nullptr);
    const RgbaImage dark = picture();
    scene_->setResult(linear({{{0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0}}}));
    EXPECT_EQ(changedPixels(dark, picture(), {0, 0, 700, 320}), 0);
}

TEST_F(SceneDeformation, StrainAlongTheHeartsAxesHasItsColors) {
    change([](DisplayOptions& display) {
        setOption(display, "strain", true);
        setOption(display, "strain-opacity", 1);
    });
    const auto motion = linear({{{-0.1, 0, 0}, {0, -0.2, 0}, {0, 0, 0.3}}});
    scene_->setStrain(
        std::make_shared<SceneStrain>(SceneStrain{boxVentricle(frame_->geometry), motion}));
    struct Case {
        const char *along, *tensor;
        double contraction; ///< red along each axis
    };
    const auto expectColors = [&](const Case& c) {
        SCOPED_TRACE(c.along);
        change([&](DisplayOptions& display) {
            setOption(display, "strain-along", std::string(c.along));
            setOption(display, "strain-tensor", std::string(c.tensor));
            setOption(display, "strain-maximum", 40);
        });
        expectColor(picture(), scene_->crosshair() + Vec3{5, 5, 0},
                    colorAt(ColorMap::Diverging, 0.5 + 0.5 * c.contraction / 0.4));
    };
    for (const Case& c :
         {Case{"longitudinal", "engineering", 0.1}, Case{"circumferential", "engineering", 0.2},
          Case{"radial", "engineering", 0.3},
          Case{"radial", "green-lagrange", (1.3 * 1.3 - 1) / 2}})
        expectColors(c);
    // Strain since end diastole in another frame than the ventricle's: lengths relative to those
    // there.
    const auto diastole = linear({{{0.2, 0, 0}, {0, 0.25, 0}, {0, 0, -0.2}}});
    scene_->setStrain(std::make_shared<SceneStrain>(
        SceneStrain{boxVentricle(frame_->geometry), motion, diastole}));
    for (const Case& c :
         {Case{"longitudinal", "engineering", 1 - 0.9 / 1.2},
          Case{"circumferential", "green-lagrange", (1 - std::pow(0.8 / 1.25, 2)) / 2}})
        expectColors(c);
    scene_->setStrain(std::make_shared<SceneStrain>(
        SceneStrain{boxVentricle(frame_->geometry), nullptr, diastole}));
    expectColors({"radial", "engineering", 1 / 0.8 - 1}); // the ventricle's own frame
    scene_->setStrain(std::make_shared<SceneStrain>(
        SceneStrain{boxVentricle(frame_->geometry), diastole, diastole}));
    const RgbaImage atDiastole = picture();
    // The image is seen if there is no heart.
    scene_->setStrain(nullptr);
    const RgbaImage without = picture();
    EXPECT_EQ(changedPixels(without, atDiastole, {0, 0, 700, 320}), 0) << "nothing is strained";
    change([](DisplayOptions& display) { setOption(display, "strain", false); });
    EXPECT_EQ(changedPixels(without, picture(), {0, 0, 700, 320}), 0);
}

TEST_F(SceneDeformation, MapsOfTwoMeaningsHaveALegendEach) {
    change([](DisplayOptions& display) {
        display.layout = Layout::Single3D;
        setOption(display, "deformation", true);
    });
    scene_->setResult(linear({{{0.2, 0, 0}, {0, 0, 0}, {0, 0, 0}}}));
    const RgbaImage one = picture();
    change([](DisplayOptions& display) { setOption(display, "arrows", true); });
    // The legend of the motion stands next to the other one.
    EXPECT_GT(changedPixels(one, picture(), {0, 160, 150, 160}), 300);
}

TEST_F(SceneDeformation, LinesGoWhereTheMotionGoes) {
    // Motion along x: streamlines and pathlines are wider than high, spacing is large enough for
    // one.
    const auto result = uniformMotion(frame_, {6, 0, 0}, resources_.pool());
    for (const char* id : {"streamline", "pathline"}) {
        scene_->setResult(nullptr);
        change([&](DisplayOptions& display) {
            display.colorMaximum = 6;
            setOption(display, std::string(id) + "s", true);
            setOption(display, std::string(id) + "-spacing", 1e4);
        });
        const RgbaImage without = picture();
        if (std::string(id) == "streamline")
            change([](DisplayOptions& display) { setOption(display, "streamline-length", 20); });
        scene_->setResult(result);
        const Box box = changedBox(without, picture(), 0, 250);
        const Vec3 center = scene_->crosshair();
        const bool stream = std::string(id) == "streamline";
        const auto from = scene_->project(ViewKind::Axial, center - Vec3{stream ? 10.0 : 0, 0, 0});
        const auto to = scene_->project(ViewKind::Axial, center + Vec3{stream ? 10.0 : 6, 0, 0});
        EXPECT_NEAR(box.left, from->x, 4) << id;
        EXPECT_NEAR(box.right, to->x, 4) << id;
        if (!stream) {
            EXPECT_LT(box.bottom - box.top, 4) << id;
        } else { // the arrowhead at the end that the motion leads to
            const auto middle = static_cast<int>((from->x + to->x) / 2);
            const RgbaImage with = picture();
            const Box tail = changedBox(without, with, 0, middle);
            const Box head = changedBox(without, with, middle, 250);
            EXPECT_LT(tail.bottom - tail.top, 4);
            EXPECT_GT(head.bottom - head.top, 5);
        }
        change([&](DisplayOptions& display) { setOption(display, std::string(id) + "s", false); });
    }
}

TEST_F(SceneDeformation, StreamlinesThatCircleEnd) {
    scene_->setResult(linear({{{0, -0.2, 0}, {0.2, 0, 0}, {0, 0, 0}}}));
    change([](DisplayOptions& display) {
        setOption(display, "streamlines", true);
        setOption(display, "streamline-spacing", 15);
    });
    picture();
    const auto bytesOfLength = [&](double millimeters) {
        change(
            [&](DisplayOptions& display) { setOption(display, "streamline-length", millimeters); });
        picture();
        return scene_->times().fieldToGlBytes;
    };
    const double shorter = bytesOfLength(60), longest = bytesOfLength(3000);
    EXPECT_LT(shorter, longest);
    EXPECT_EQ(bytesOfLength(6000), longest);
}

TEST_F(SceneDeformation, PathlinesGoOnThroughTheFramesThatAreKnown) {
    change([](DisplayOptions& display) {
        setOption(display, "pathlines", true);
        setOption(display, "pathline-spacing", 1e4);
    });
    const RgbaImage without = picture();
    const auto motion = [&](Vec3 millimeters, int fixed, int moving) {
        auto result = uniformMotion(frame_, millimeters, resources_.pool());
        result->fixedFrame = fixed;
        result->movingFrame = moving;
        return result;
    };
    const auto first = motion({6, 0, 0}, 0, 1), second = motion({0, 8, 0}, 1, 2),
               fourth = motion({-9, 0, 0}, 3, 0);
    scene_->setResult(first);
    const Box one = changedBox(without, picture(), 0, 250);
    scene_->setCycle({first, second, fourth});
    const Box two = changedBox(without, picture(), 0, 250);
    const auto end = scene_->project(ViewKind::Axial, scene_->crosshair() + Vec3{6, 8, 0});
    EXPECT_NEAR(two.right, one.right, 2);
    EXPECT_NEAR(two.bottom, end->y, 4);
    EXPECT_EQ(two.left, one.left) << "frame 2 is lacking: it ends before frame 3";
    change([](DisplayOptions& display) { setOption(display, "pathline-frames", 1); });
    const Box limited = changedBox(without, picture(), 0, 250);
    EXPECT_EQ(limited.bottom, one.bottom);
}

TEST_F(SceneDeformation, PathlinesThatAreSwitchedOffKeepNoMotionInMemory) {
    change([](DisplayOptions& display) { setOption(display, "pathlines", true); });
    auto first = linear({{{0.1, 0, 0}, {0, 0, 0}, {0, 0, 0}}}, 0, 1);
    auto second = linear({{{0, 0, 0}, {0, 0.1, 0}, {0, 0, 0}}}, 1, 2);
    const std::weak_ptr<const FrameResult> watched = second;
    scene_->setResult(first);
    scene_->setCycle({std::move(first), std::move(second)});
    picture();
    EXPECT_FALSE(watched.expired());
    change([](DisplayOptions& display) { setOption(display, "pathlines", false); });
    scene_->setCycle({});
    EXPECT_TRUE(watched.expired());
}

TEST_F(SceneDeformation, OnlyTheirOwnOptionsMakeLinesAnew) {
    change([](DisplayOptions& display) { setOption(display, "grid", true); });
    move({4, 0, 0});
    picture();
    const double first = scene_->times().fieldToGlBytes; // bytes of the frame and the lines
    change([](DisplayOptions& display) {
        setOption(display, "grid-opacity", 0.4);
        setOption(display, "streamline-spacing", 7);
        setOption(display, "deformation-maximum", 2);
    });
    picture();
    EXPECT_EQ(scene_->times().fieldToGlBytes, first) << "nothing went to OpenGL since";
    change([](DisplayOptions& display) { setOption(display, "grid-scale", 2); });
    picture();
    EXPECT_LT(scene_->times().fieldToGlBytes, first) << "the lines alone";
}

TEST_F(SceneDeformation, TheGridMovesWithTheTissueAlsoInTheVolume) {
    change([](DisplayOptions& display) {
        setOption(display, "grid", true);
        setOption(display, "grid-spacing", 15);
        setOption(display, "grid-scale", 1);
    });
    move({0.01, 0, 0});
    const RgbaImage atRest = picture();
    move({4, 0, 0});
    const RgbaImage moved = picture();
    EXPECT_GT(changedPixels(atRest, moved, {0, 0, 300, 320}), 500);
    change([](DisplayOptions& display) { setOption(display, "grid-scale", 1e-6); });
    const RgbaImage unmoved = picture();
    // A vertical line through the middle of the axial slice moves to the right by 4 mm.
    const Vec3 at = scene_->crosshair() + Vec3{0, 7, 0};
    const auto isLine = [&](const RgbaImage& image, Vec3 position) {
        const auto p = scene_->project(ViewKind::Axial, position);
        int most = 0;
        for (int dx = -1; dx <= 1; ++dx) {
            const std::uint8_t* pixel =
                image.at(static_cast<int>(p->x) + dx, static_cast<int>(p->y));
            most = std::max(most, std::abs(pixel[0] - pixel[2]));
        }
        return most > 30;
    };
    EXPECT_TRUE(isLine(unmoved, at));
    EXPECT_FALSE(isLine(moved, at));
    EXPECT_TRUE(isLine(moved, at + Vec3{4, 0, 0}));
    change([](DisplayOptions& display) {
        display.layout = Layout::Single3D;
        display.volume = false;
        setOption(display, "grid", false);
    });
    const RgbaImage without = picture();
    change([](DisplayOptions& display) { setOption(display, "grid", true); });
    EXPECT_GT(changedPixels(without, picture(), {200, 0, 400, 320}), 1000);
}

} // namespace
} // namespace systole
