// The legend of the motion: its arrow, and where it stands.
#include "render/legend.h"
#include "tests/render/scene_motion_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace systole {
namespace {

TEST_F(SceneMotion, TheLegendsArrowIsAsLongAsTheDrawnOnes) {
    scene_->resize(1500, 640, 1);
    change([](DisplayOptions& display) {
        setOption(display, "arrows", true);
        setOption(display, "arrow-spacing", 1e4); // one arrow, in the middle
        setOption(display, "arrow-scale", 3);
        display.colorMaximum = 100; // no arrow is longer
    });
    Legend legend;
    legend.arrowScale = 3;
    legend.maximum = 100;
    const auto zero = scene_->project(ViewKind::Sagittal, scene_->crosshair());
    const auto ahead = scene_->project(ViewKind::Sagittal, scene_->crosshair() + Vec3{0, 10, 0});
    ASSERT_TRUE(zero && ahead);
    legend.millimetersPerPixel = 10 / (ahead->x - zero->x);
    const auto place = placeLegend(legend, 498, 640);
    ASSERT_TRUE(place && place->arrowMillimeters > 0);
    move({0, place->arrowMillimeters, 0});
    const RgbaImage image = picture();
    // White in the legend, between its black outline.
    int inLegend = 0;
    const int x0 = 1500 - 498 + static_cast<int>(place->x);
    const int y = 640 - static_cast<int>(place->y + 30);
    for (int x = x0; x < x0 + static_cast<int>(place->width); ++x)
        inLegend += image.at(x, y)[0] > 240 && image.at(x, y)[2] > 240;
    EXPECT_NEAR(inLegend, place->arrowPixels, 3);
    EXPECT_NEAR(place->arrowPixels, 3 * place->arrowMillimeters / legend.millimetersPerPixel, 1e-6);
}

TEST_F(SceneMotion, NamesOfPointsStayOffTheLegend) {
    scene_->resize(450, 320, 1);
    change([](DisplayOptions& display) {
        display.layout = Layout::Single3D;
        display.volume = false;
        display.annotations = true;
        setOption(display, "arrows", false);
        setOption(display, "magnitude", true);
    });
    move({0, 0, 1e-4}); // rest: nothing but the legend
    Legend legend;
    const auto place = placeLegend(legend, 450, 320);
    ASSERT_TRUE(place);
    const Box inLegend{static_cast<int>(place->x), static_cast<int>(320 - place->y - place->height),
                       static_cast<int>(place->x + place->width), static_cast<int>(320 - place->y)};
    // A point of the 3D view whose picture is left of the legend, at half its height.
    Vec3 at = scene_->crosshair();
    for (int step = 0; step < 4; ++step) {
        const auto here = scene_->project(ViewKind::Volume3D, at);
        const auto right = scene_->project(ViewKind::Volume3D, at + Vec3{1, 0, 0});
        const auto up = scene_->project(ViewKind::Volume3D, at + Vec3{0, 0, 1});
        ASSERT_TRUE(here && right && up);
        at.x += (inLegend.left - 20 - here->x) / (right->x - here->x);
        at.z += ((inLegend.top + inLegend.bottom) / 2 - here->y) / (up->y - here->y);
    }
    SceneMark mark{.position = at};
    scene_->setMarks({mark});
    const RgbaImage without = picture();
    mark.text = "apex";
    scene_->setMarks({mark});
    const RgbaImage with = picture();
    const int width = inLegend.right - inLegend.left, height = inLegend.bottom - inLegend.top;
    EXPECT_EQ(changedPixels(without, with, {inLegend.left, inLegend.top, width, height}), 0);
    EXPECT_GT(changedPixels(without, with, {0, inLegend.top, inLegend.left, height}), 20)
        << "it is left of its point";
}

TEST_F(SceneMotion, TheLegendStandsInTheChosenCornerAndLeavesTheMiddleFree) {
    for (const auto& [width, height] : {std::pair(1400, 900), std::pair(610, 460)})
        for (const Layout layout : {Layout::ThreeSlices, Layout::FourUp, Layout::Single3D}) {
            scene_->resize(width, height, 1);
            change([&](DisplayOptions& display) {
                display.layout = layout;
                display.volume = false;
                setOption(display, "arrows", false);
                setOption(display, "magnitude", true);
            });
            scene_->setResult(nullptr);
            const RgbaImage without = picture();
            move({0, 0, 1e-4}); // rest: nothing but the legend
            RgbaImage last = without;
            for (const LegendCorner corner : legendCorners) {
                change([&](DisplayOptions& display) { display.legend = corner; });
                const RgbaImage image = picture();
                EXPECT_GT(changedPixels(without, image), 500) << name(corner) << name(layout);
                EXPECT_GT(changedPixels(last, image), 500) << name(corner) << name(layout);
                last = image;
                const ViewKind kind =
                    layout == Layout::ThreeSlices ? ViewKind::Sagittal : ViewKind::Volume3D;
                int left = width, right = 0, top = height, bottom = 0;
                for (int y = 0; y < height; ++y)
                    for (int x = 0; x < width; ++x)
                        if (scene_->viewAt(x + 0.5, y + 0.5) == kind) {
                            left = std::min(left, x);
                            right = std::max(right, x + 1);
                            top = std::min(top, y);
                            bottom = std::max(bottom, y + 1);
                        }
                const int w = right - left, h = bottom - top;
                EXPECT_EQ(changedPixels(without, image, {left + w / 2 - 10, top, 20, h}), 0)
                    << name(corner) << name(layout) << width;
                EXPECT_EQ(changedPixels(without, image, {left, top + h / 2 - 10, w, 20}), 0)
                    << name(corner) << name(layout) << width;
            }
        }
}

TEST_F(SceneMotion, TheLegendIsDraggedToAnotherCorner) {
    move({3, 0, 0});
    (void)picture();
    std::optional<LegendCorner> wanted;
    scene_->onLegendDragged([&](LegendCorner corner) { wanted = corner; });
    // The legend is at the lower right of the sagittal view; the window must not change.
    bool window = false;
    scene_->onWindowLevelDragged([&](WindowLevel) { window = true; });
    ASSERT_TRUE(scene_->pointerPressed(PointerButton::Left, 870, 290, false));
    scene_->pointerMoved(860, 280, false);
    EXPECT_FALSE(wanted) << "still its own corner";
    scene_->pointerMoved(640, 40, false);
    EXPECT_EQ(wanted, LegendCorner::TopLeft);
    scene_->pointerReleased(PointerButton::Left, 640, 40);
    EXPECT_FALSE(window);
    // Elsewhere a drag is one of the window.
    ASSERT_TRUE(scene_->pointerPressed(PointerButton::Left, 640, 250, false));
    scene_->pointerMoved(650, 240, false);
    scene_->pointerReleased(PointerButton::Left, 650, 240);
    EXPECT_TRUE(window);
}

} // namespace
} // namespace systole
