// Contents of the slice views, and their positions.
#include "render/base/error.h"
#include "tests/render/render_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace systole {
namespace {

constexpr ViewKind slices[] = {ViewKind::Axial, ViewKind::Coronal, ViewKind::Sagittal};

class SceneSlices : public SceneTest {
protected:
    void SetUp() override {
        SceneTest::SetUp();
        if (scene_)
            scene_->resize(900, 320, 1);
    }
    void slicesOnly() {
        change([](DisplayOptions& display) {
            display.layout = Layout::ThreeSlices;
            display.crosshair = display.annotations = false;
        });
    }
    /// Center of the bright pixels of one view.
    std::optional<ScenePoint> brightSpot(const RgbaImage& image, ViewKind kind) {
        double sum = 0, x0 = 0, y0 = 0;
        for (int y = 0; y < image.height; ++y)
            for (int x = 0; x < image.width; ++x)
                if (scene_->viewAt(x + 0.5, y + 0.5) == kind) {
                    const double weight = std::max(0, image.at(x, y)[1] - 90);
                    sum += weight;
                    x0 += weight * (x + 0.5);
                    y0 += weight * (y + 0.5);
                }
        if (sum == 0)
            return std::nullopt;
        return ScenePoint{x0 / sum, y0 / sum};
    }
    double meanBrightness(const RgbaImage& image) {
        double sum = 0;
        for (int y = 0; y < image.height; ++y)
            for (int x = 0; x < image.width; ++x)
                sum += image.at(x, y)[1];
        return sum / (image.width * image.height);
    }
};

TEST_F(SceneSlices, ABrightVoxelIsSeenWhereItLiesOnAnObliquePermutedGrid) {
    const Geometry geometry = obliqueGeometry({32, 40, 28});
    for (const Vec3 index : {Vec3{9, 25, 17}, Vec3{20, 12, 9}}) {
        auto frame = volume(geometry, [](Vec3) { return 0.0f; });
        frame->view()(static_cast<int>(index.x), static_cast<int>(index.y),
                      static_cast<int>(index.z)) = 100;
        show(frame);
        slicesOnly();
        const Vec3 lps = geometry.indexToPhysical(index);
        scene_->setCrosshair(lps);
        const RgbaImage image = picture();
        for (const ViewKind kind : slices) {
            const auto seen = brightSpot(image, kind);
            const auto expected = scene_->project(kind, lps);
            ASSERT_TRUE(seen && expected) << name(kind);
            EXPECT_NEAR(seen->x, expected->x, 1.0) << name(kind);
            EXPECT_NEAR(seen->y, expected->y, 1.0) << name(kind);
            const auto probe = scene_->probe(seen->x, seen->y);
            ASSERT_TRUE(probe && probe->value) << name(kind);
            EXPECT_LT(length(probe->position - lps), 1.0) << name(kind);
            EXPECT_GT(*probe->value, 40) << name(kind);
        }
    }
}

TEST_F(SceneSlices, RightIsOnTheLeftAndAnteriorAndSuperiorAreUp) {
    const Geometry geometry = obliqueGeometry({32, 40, 28});
    const Vec3 center = geometry.center();
    // A ball to the left, behind and above the center, by unlike distances.
    const Vec3 offset{9, 6, 12};
    auto frame = volume(geometry, [&](Vec3 p) {
        const Vec3 d = p - center - offset;
        return static_cast<float>(100 * std::exp(-dot(d, d) / 18));
    });
    show(frame);
    slicesOnly();
    scene_->setCrosshair(center + offset);
    const RgbaImage image = picture();
    struct Expectation {
        ViewKind kind;
        double right, down; // mm
    };
    for (const auto& [kind, right, down] : {Expectation{ViewKind::Axial, offset.x, offset.y},
                                            Expectation{ViewKind::Coronal, offset.x, -offset.z},
                                            Expectation{ViewKind::Sagittal, offset.y, -offset.z}}) {
        const auto spot = brightSpot(image, kind);
        ASSERT_TRUE(spot) << name(kind);
        // The volume's center is the middle of each third of the window.
        const double column = 300.0 * (kind == ViewKind::Axial     ? 0.5
                                       : kind == ViewKind::Coronal ? 1.5
                                                                   : 2.5);
        const double dx = spot->x - column, dy = spot->y - 160;
        EXPECT_GT(dx / right, 0) << name(kind);
        EXPECT_GT(dy / down, 0) << name(kind);
        EXPECT_NEAR(dx / right, dy / down, 0.12 * dx / right) << name(kind) << ": same scale";
    }
}

TEST_F(SceneSlices, WindowAndLevelChangeTheBrightness) {
    show(ball(obliqueGeometry()));
    slicesOnly();
    const double normal = meanBrightness(picture());
    change([](DisplayOptions& display) { display.window = 100, display.level = 20; });
    const double lowLevel = meanBrightness(picture());
    EXPECT_GT(lowLevel, 1.2 * normal);
    change([](DisplayOptions& display) { display.window = 100, display.level = 95; });
    EXPECT_LT(meanBrightness(picture()), 0.8 * normal);
}

TEST_F(SceneSlices, DraggingWithTheLeftButtonSetsWindowAndLevel) {
    show(ball(obliqueGeometry()));
    slicesOnly();
    const WindowLevel before = scene_->automaticWindow(scene_->display());
    const DisplayOptions unchanged = scene_->display();
    WindowLevel dragged;
    scene_->onWindowLevelDragged([&](WindowLevel wanted) { dragged = wanted; });
    EXPECT_TRUE(scene_->pointerPressed(PointerButton::Left, 100, 100, false));
    EXPECT_TRUE(scene_->pointerMoved(140, 70, false));
    EXPECT_TRUE(scene_->pointerReleased(PointerButton::Left, 140, 70));
    EXPECT_GT(dragged.window, before.window);
    EXPECT_LT(dragged.level, before.level); // upwards is brighter
    EXPECT_EQ(scene_->display(), unchanged) << "it is the owner who sets them";
    EXPECT_FALSE(scene_->pointerMoved(180, 90, false)) << "the drag has ended";
    change([&](DisplayOptions& display) {
        display.window = dragged.window;
        display.level = dragged.level;
    });
    EXPECT_TRUE(scene_->needsRender());
}

TEST_F(SceneSlices, WindowPresetsSetTheBrightnessOfTheirTissue) {
    // Air, lung, muscle and bone in Hounsfield units, in four quarters along x.
    const Geometry geometry({40, 40, 40}, {2, 2, 2}, {-39, -39, -39});
    const auto frame = volume(geometry, [](Vec3 p) {
        return p.x < -20 ? -1000.0f : p.x < 0 ? -700.0f : p.x < 20 ? 50.0f : 800.0f;
    });
    Sequence sequence = sequenceOn(geometry);
    sequence.modality = "";
    scene_->setSequence(sequence, -1000, 800);
    scene_->setFrame(frame);
    slicesOnly();
    EXPECT_EQ(scene_->modality(), "ct") << "by its values";
    struct Case {
        const char* preset;
        double lung, muscle, bone; // gray, 0 to 255
    };
    for (const Case& c : {Case{"soft-tissue", 0, 134, 255}, Case{"lung", 110, 238, 255},
                          Case{"bone", 0, 83, 178}, Case{"auto", 43, 149, 255}}) {
        change([&](DisplayOptions& display) {
            setOption(display, "window-preset", std::string(c.preset));
        });
        const RgbaImage image = picture();
        const auto gray = [&](double x) {
            const auto at = scene_->project(ViewKind::Axial, {x, 8, 0});
            return image.at(static_cast<int>(at->x), static_cast<int>(at->y))[1];
        };
        EXPECT_NEAR(gray(-10), c.lung, 3) << c.preset;
        EXPECT_NEAR(gray(10), c.muscle, 3) << c.preset;
        EXPECT_NEAR(gray(30), c.bone, 3) << c.preset;
    }
}

TEST_F(SceneSlices, WindowAndLevelAreWrittenInEverySlice) {
    show(ball(obliqueGeometry()));
    slicesOnly();
    change([](DisplayOptions& display) {
        display.annotations = true;
        display.window = 100;
        display.level = 50;
    });
    const RgbaImage before = picture();
    // The gray values hardly change, but the number does.
    change([](DisplayOptions& display) { display.level = 51; });
    const RgbaImage after = picture();
    for (int view = 0; view < 3; ++view)
        EXPECT_GT(changedPixels(before, after, {300 * view, 270, 120, 50}), 4) << view;
}

TEST_F(SceneSlices, WheelStepsTheSliceByOneVoxelAndStopsAtTheBorder) {
    show(ball(obliqueGeometry()));
    slicesOnly();
    for (const double x : {150.0, 450.0, 750.0})
        scene_->wheel(1, x, 160); // the middle lies between two slices
    const Vec3 before = scene_->crosshair();
    EXPECT_TRUE(scene_->wheel(1, 150, 160)); // axial
    EXPECT_NEAR(scene_->crosshair().z - before.z, 1.5, 1e-9);
    EXPECT_TRUE(scene_->wheel(-2, 450, 160)); // coronal
    EXPECT_NEAR(scene_->crosshair().y - before.y, -5.0, 1e-9);
    EXPECT_TRUE(scene_->wheel(0.5, 750, 160)); // sagittal, half a notch
    EXPECT_EQ(scene_->crosshair().x, before.x);
    EXPECT_TRUE(scene_->wheel(0.5, 750, 160));
    EXPECT_NEAR(scene_->crosshair().x - before.x, 2.0, 1e-9);
    scene_->wheel(1e6, 150, 160);
    const double top = scene_->crosshair().z;
    EXPECT_LT(top, before.z + 30);
    scene_->wheel(1, 150, 160);
    EXPECT_EQ(scene_->crosshair().z, top);
}

TEST_F(SceneSlices, TheCrosshairIsLinkedAcrossTheViews) {
    show(ball(obliqueGeometry()));
    slicesOnly();
    const RgbaImage before = picture();
    const auto under = scene_->probe(170, 140); // a point in the axial view
    ASSERT_TRUE(under && under->view == ViewKind::Axial);
    EXPECT_TRUE(scene_->pointerMoved(170, 140, true));
    EXPECT_NEAR(length(scene_->crosshair() - under->position), 0, 1e-9);
    // The plane of the axial view stays; the two others show other slices now.
    const RgbaImage after = picture();
    EXPECT_EQ(changedPixels(before, after, {0, 0, 298, 320}), 0);
    EXPECT_GT(changedPixels(before, after, {302, 0, 296, 320}), 200);
    EXPECT_GT(changedPixels(before, after, {602, 0, 298, 320}), 200);
    const auto inCoronal = scene_->project(ViewKind::Coronal, scene_->crosshair());
    ASSERT_TRUE(inCoronal);
    EXPECT_NEAR(length(scene_->probe(inCoronal->x, inCoronal->y)->position - scene_->crosshair()),
                0, 1e-6);
}

TEST_F(SceneSlices, CrosshairAndLabelsLeavePixels) {
    show(ball(obliqueGeometry()));
    slicesOnly();
    const RgbaImage bare = picture();
    change([](DisplayOptions& display) { display.crosshair = true; });
    const RgbaImage lines = picture();
    for (const ViewKind kind : slices) { // all four arms, and a free middle
        const auto at = scene_->project(kind, scene_->crosshair());
        ASSERT_TRUE(at);
        const int x = static_cast<int>(at->x), y = static_cast<int>(at->y);
        EXPECT_GE(changedPixels(bare, lines, {x - 2, y - 40, 5, 30}), 29) << name(kind) << " up";
        EXPECT_GE(changedPixels(bare, lines, {x - 2, y + 10, 5, 30}), 29) << name(kind) << " down";
        EXPECT_GE(changedPixels(bare, lines, {x - 40, y - 2, 30, 5}), 29) << name(kind) << " left";
        EXPECT_GE(changedPixels(bare, lines, {x + 10, y - 2, 30, 5}), 29) << name(kind) << " right";
        EXPECT_EQ(changedPixels(bare, lines, {x - 4, y - 4, 9, 9}), 0) << name(kind);
    }
    change([](DisplayOptions& display) { display.annotations = true; });
    for (int view = 0; view < 3; ++view)
        EXPECT_GT(changedPixels(lines, picture(), {300 * view, 0, 298, 320}), 100) << view;
}

TEST_F(SceneSlices, ZoomAndPanMoveThePictureAndResetBringsItBack) {
    show(ball(obliqueGeometry()));
    slicesOnly();
    const RgbaImage before = picture();
    const Vec3 center = scene_->crosshair();
    scene_->pointerPressed(PointerButton::Right, 150, 160, false);
    scene_->pointerMoved(150, 100, false);
    scene_->pointerReleased(PointerButton::Right, 150, 100);
    EXPECT_GT(changedPixels(before, picture(), {0, 0, 298, 320}), 300);
    scene_->pointerPressed(PointerButton::Middle, 150, 160, false);
    scene_->pointerMoved(180, 150, false);
    scene_->pointerReleased(PointerButton::Middle, 180, 150);
    const auto moved = scene_->project(ViewKind::Axial, center);
    ASSERT_TRUE(moved);
    EXPECT_NEAR(moved->x, 149 + 30, 1.5); // the point under the pointer follows it
    EXPECT_NEAR(moved->y, 160 - 10, 1.5);
    scene_->resetCameras();
    EXPECT_EQ(changedPixels(before, picture()), 0);
}

TEST_F(SceneSlices, AMapOfValuesIsBlendedOverTheImageAndLeavesTheVolume) {
    const Geometry grid({32, 40, 28}, {2, 2, 2});
    const double middle = grid.center().y;
    const auto frame = volume(grid, [&](Vec3 p) { return p.y < middle ? 80.0f : 5.0f; });
    show(frame);
    slicesOnly();
    const RgbaImage plain = picture();
    auto colors = std::make_shared<ValueColors>();
    colors->scale = {ColorMap::Diverging, "map", "", {{0, "0"}, {1, "1"}}};
    colors->low = 1; // the lowest number is red
    colors->high = 0;
    colors->text = [](double number) { return number < 0.25 ? "least" : "middle"; };
    // The lowest number is on the patient's left, dark or bright; the middle one elsewhere.
    const double half = grid.center().x;
    const auto values = volume(grid, [&](Vec3 p) { return p.x > half ? 0.0f : 0.5f; });
    scene_->setValues({colors, values, nullptr, {}});
    const RgbaImage mapped = picture();
    const Color red = colorAt(ColorMap::Diverging, 1);
    for (const double dy : {-10.0, 10.0})
        for (const double dx : {-10.0, 10.0}) {
            const Vec3 at = scene_->crosshair() + Vec3{dx, dy, 0};
            const auto place = scene_->project(ViewKind::Axial, at);
            ASSERT_TRUE(place);
            const int x = static_cast<int>(place->x), y = static_cast<int>(place->y);
            const std::uint8_t *before = plain.at(x, y), *after = mapped.at(x, y);
            const auto probe = scene_->probe(place->x, place->y);
            ASSERT_TRUE(probe && probe->value);
            EXPECT_EQ(*probe->value, dy < 0 ? 80.0f : 5.0f) << "of the image";
            EXPECT_EQ(probe->meaning, dx > 0 ? "least" : "middle");
            if (dx < 0) {
                EXPECT_NEAR(after[0], before[0], 1) << "the middle of the colors is clear";
                continue;
            }
            // Fraction of the way to the map's color, by the channel that changes most.
            const double full[] = {255 * static_cast<double>(red.red),
                                   255 * static_cast<double>(red.green),
                                   255 * static_cast<double>(red.blue)};
            const auto away = [&](int channel) { return full[channel] - before[channel]; };
            int most = 0;
            for (int channel = 1; channel < 3; ++channel)
                if (std::abs(away(channel)) > std::abs(away(most)))
                    most = channel;
            const double share = (after[most] - before[most]) / away(most);
            EXPECT_GT(share, 0.5) << dy;
            EXPECT_LT(share, 0.9) << "the image is seen through it";
            for (int channel = 0; channel < 3; ++channel)
                EXPECT_NEAR(after[channel] - before[channel], share * away(channel), 3) << channel;
        }
    // The 3D view shows the image's volume.
    change([](DisplayOptions& display) { display.layout = Layout::Single3D; });
    const RgbaImage with = picture();
    scene_->setValues({});
    const RgbaImage without = picture();
    EXPECT_EQ(changedPixels(with, without, {0, 0, 700, 320}), 0) << "away from the legend";
    change([](DisplayOptions& display) { display.volume = false; });
    EXPECT_GT(changedPixels(without, picture(), {0, 0, 700, 320}), 500);
    EXPECT_THROW(
        scene_->setValues({colors,
                           volume(Geometry({4, 4, 4}, {1, 1, 1}), [](Vec3) { return 0.0f; }),
                           nullptr,
                           {}}),
        RenderError);
}

TEST_F(SceneSlices, TheTextOfALineStandsOffIt) {
    const auto frame = volume(Geometry({40, 40, 40}, {2, 2, 2}), [](Vec3) { return 30.0f; });
    show(frame);
    slicesOnly();
    change([](DisplayOptions& display) { display.annotations = true; });
    const Vec3 center = scene_->crosshair();
    for (int turn = 0; turn < 12; ++turn) {
        const double angle = 0.3 + turn * std::numbers::pi / 12;
        SceneMark mark{.position = center,
                       .to = center + 25.0 * Vec3{std::cos(angle), std::sin(angle), 0}};
        scene_->setMarks({mark});
        const RgbaImage line = picture();
        mark.text = "25.0 mm";
        scene_->setMarks({mark});
        const RgbaImage named = picture();
        const auto a = scene_->project(ViewKind::Axial, mark.position),
                   b = scene_->project(ViewKind::Axial, *mark.to);
        ASSERT_TRUE(a && b);
        const double dx = b->x - a->x, dy = b->y - a->y, size = std::hypot(dx, dy);
        int written = 0;
        double nearest = 1e9;
        for (int y = 0; y < named.height; ++y)
            for (int x = 0; x < named.width; ++x) {
                if (std::equal(named.at(x, y), named.at(x, y) + 3, line.at(x, y)) ||
                    scene_->viewAt(x + 0.5, y + 0.5) != ViewKind::Axial)
                    continue;
                ++written;
                const double px = x + 0.5 - a->x, py = y + 0.5 - a->y;
                if (const double along = (px * dx + py * dy) / size; along > 0 && along < size)
                    nearest = std::min(nearest, std::abs(px * dy - py * dx) / size);
            }
        EXPECT_GT(written, 50) << turn;
        EXPECT_GT(nearest, 2) << turn;
    }
}

} // namespace
} // namespace systole
