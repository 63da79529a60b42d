// The Surface panel in the window.
#include "app/anatomy/ejection.h"
#include "app/feature/panel.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "app/features/surface/surface_tool.h"
#include "tests/app/window/window_fixture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace systole {
namespace {

using ::testing::HasSubstr;

class SurfacePanelTest : public testing::WindowTest {
protected:
    SurfaceTool& surface() { return window->tools().get<SurfaceTool>(); }
    std::string panelText() {
        return findPanel(window->panels(), "Surface").text(window->session());
    }
};

TEST_F(SurfacePanelTest, ShowsFiguresAndCurvesOfEveryFrame) {
    openAndShow(path);
    pauseAt(1);
    Panel& panel = openPanels(window->panels(), {"Surface"});
    window->viewport().arrange();
    window->refresh();
    settle();
    const QImage before = picture();
    SurfaceChoice& choice = surface().choice;
    choice.source = SurfaceOrigin::Threshold;
    choice.threshold = 100;
    choice.carried = false;
    ++choice.revision;
    window->refresh();
    ASSERT_TRUE(becomes([&] {
        return !surface().frames().empty() &&
               std::ranges::all_of(surface().frames(),
                                   [](const auto& made) { return made != nullptr; });
    }));
    settle();
    EXPECT_NE(picture(), before);
    const std::string text = panel.text(window->session());
    EXPECT_THAT(text, HasSubstr("volume_ml"));
    EXPECT_EQ(std::ranges::count(surface().volumes(), '\n'),
              static_cast<std::ptrdiff_t>(surface().frames().size()) + 1);
    EXPECT_THAT(text, HasSubstr("isosurface"));

    choice.source = SurfaceOrigin::None;
    ++choice.revision;
    window->refresh();
    ASSERT_TRUE(becomes([&] { return surface().shown == nullptr; }));
}

TEST_F(SurfacePanelTest, EachEjectionFractionNamesItsSource) {
    openAndShow(path);
    pauseAt(0);
    SurfaceChoice& choice = surface().choice;
    choice.source = SurfaceOrigin::Threshold;
    choice.threshold = 100;
    choice.carried = false;
    ++choice.revision;
    window->refresh();
    ASSERT_TRUE(becomes([&] { return complete(surface().frames()); }));
    ASSERT_TRUE(becomes([&] { return complete(surface().others()); }));
    // A ball of 0.25 to 0.31 of the side.
    const std::string text = panelText();
    const double fraction = ejectionOf(surface().frames())->fraction;
    EXPECT_NEAR(fraction, 1 - std::pow(0.254 / 0.306, 3), 0.05);
    EXPECT_THAT(text, HasSubstr(fmt::format("ejection fraction {:.1f} %, threshold in each frame",
                                            100 * fraction)));
    EXPECT_THAT(text, HasSubstr(fmt::format("ejection fraction {:.1f} %, carried by the motion",
                                            100 * ejectionOf(surface().others())->fraction)));
    const std::string differ = disagreement(surface().frames(), surface().others());
    EXPECT_THAT(text, HasSubstr(differ));
}

TEST_F(SurfacePanelTest, DoubtsOfTheSegmentationStandBesideTheEjectionFraction) {
    window->session().motion.enabled = false;
    openAndShow(path);
    window->session().playback.pause();
    auto& segment = window->tools().get<SegmentationTool>();
    window->refresh();
    // A chamber up to the edge of the image, with hardly a wall.
    const int frames = segment.labels.frames();
    for (int frame = 0; frame < frames; ++frame) {
        segment.labels.paint(frame, {.center = {2, 23, 23}, .radius = 12.0 + frame, .disk = false});
        segment.labels.paint(
            frame, {.center = {40, 40, 40}, .radius = 3, .disk = false, .label = wallLabel});
    }
    surface().showLabel(chamberLabel);
    window->refresh();
    ASSERT_TRUE(becomes([&] { return complete(surface().frames()); }));
    const std::string text = panelText();
    EXPECT_THAT(text, HasSubstr("ejection fraction"));
    EXPECT_THAT(text, HasSubstr("times are usual"));
    EXPECT_THAT(text, HasSubstr("Volumes are up to the image's edge: the inside reaches the edge "
                                "of the image in 6 of 6 frames"));
    EXPECT_THAT(findPanel(window->panels(), "Segment").text(window->session()),
                HasSubstr("times are usual"));
}

} // namespace
} // namespace systole
