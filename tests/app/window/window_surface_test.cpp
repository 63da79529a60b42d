// The Surface panel in the window.
#include "app/panels/panel.h"
#include "app/tools/surface/surface_tool.h"
#include "tests/app/window/window_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

namespace systole {
namespace {

using ::testing::HasSubstr;

class SurfacePanelTest : public testing::WindowTest {
protected:
    SurfaceTool& surface() { return window->tools().get<SurfaceTool>(); }
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
    EXPECT_EQ(std::ranges::count(text, '\n'),
              static_cast<std::ptrdiff_t>(surface().frames().size()) + 1);
    EXPECT_THAT(text, HasSubstr("isosurface"));

    choice.source = SurfaceOrigin::None;
    ++choice.revision;
    window->refresh();
    ASSERT_TRUE(becomes([&] { return surface().shown == nullptr; }));
}

} // namespace
} // namespace systole
