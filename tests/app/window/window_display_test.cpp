// The scale of colors and arrows, the modality and the legend, as a user meets them.
#include "io/formats/writer.h"
#include "render/overlays/rows.h"
#include "tests/app/window/window_fixture.h"

#include <QMenu>
#include <QMenuBar>
#include <QStatusBar>
#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

namespace systole {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::WindowTest;
using testing::writeBall;

class DisplayTest : public WindowTest {
protected:
    std::string statusText() const {
        std::string text;
        for (const QLabel* label : window->statusBar()->findChildren<QLabel*>())
            text += label->text().toStdString() + "\n";
        return text;
    }
    QMenu* submenu(const std::string& title) const {
        for (QMenu* menu : window->menuBar()->findChildren<QMenu*>())
            if (menu->title().toStdString() == title)
                return menu;
        return nullptr;
    }
    static std::vector<std::string> visibleChoices(QMenu* menu) {
        emit menu->aboutToShow();
        std::vector<std::string> texts;
        for (const QAction* action : menu->actions())
            if (action->isVisible())
                texts.push_back(action->text().toStdString());
        return texts;
    }
    static void choose(QMenu* menu, const std::string& text) {
        for (QAction* action : menu->actions())
            if (action->text().toStdString() == text)
                return action->trigger();
        FAIL() << text;
    }
    /// A ball whose values are Hounsfield units: air outside.
    std::string writeCt() {
        const std::string file = folder / "ct.nii.gz";
        writeSequence(file, Geometry({20, 20, 20}, {2, 2, 2}), 3, 0.04,
                      [](int, VolumeView<float> voxels) {
                          for (int z = 0; z < 20; ++z)
                              for (int y = 0; y < 20; ++y)
                                  for (int x = 0; x < 20; ++x)
                                      voxels(x, y, z) =
                                          std::hypot(x - 9.5, y - 9.5, z - 9.5) < 7 ? 60 : -1000;
                      });
        return file;
    }
};

TEST_F(DisplayTest, TheScaleStaysWhateverIsPlayedOrChanged) {
    openAndShow(path);
    const DisplayScale fresh = window->scene().scale();
    EXPECT_GT(fresh.motion, 0);
    ASSERT_TRUE(becomes([&] { return window->session().estimation.cachedFrames.size() == 6; }));
    EXPECT_EQ(window->scene().scale(), fresh);
    pauseAt(2);
    const auto old = window->session().result;
    window->session().motion.set("alpha", 30.0);
    window->refresh();
    ASSERT_TRUE(becomes([&] { return window->session().result != old; }));
    settle();
    EXPECT_EQ(window->scene().scale(), fresh);
    // Another window, which has seen one frame only.
    makeWindow();
    openAndShow(path);
    pauseAt(4);
    EXPECT_EQ(window->scene().scale(), fresh);
}

TEST_F(DisplayTest, ALockedScaleOutlivesItsFileAndChangesNoPixel) {
    openAndShow(path);
    pauseAt(1);
    const QImage before = picture();
    const DisplayScale scale = window->scene().scale();
    setOption(window->session().display, "lock-scale", true);
    window->refresh();
    settle();
    EXPECT_EQ(before, picture());
    openAndShow(writeCt());
    pauseAt(1);
    EXPECT_EQ(window->scene().scale().motion, scale.motion);
    EXPECT_EQ(displayRow("arrow-scale").real(window->session().display), scale.arrows);
    setOption(window->session().display, "lock-scale", false);
    window->refresh();
    settle();
    EXPECT_NE(window->scene().scale().motion, scale.motion);
    EXPECT_EQ(displayRow("arrow-scale").real(window->session().display), 0);
}

TEST_F(DisplayTest, AnUnknownModalityIsSaidAndChosen) {
    openAndShow(path);
    EXPECT_THAT(statusText(), HasSubstr("modality: "));
    const std::string unknown = window->session().figures.activePreset;
    QLabel* linked = nullptr;
    for (QLabel* label : window->statusBar()->findChildren<QLabel*>())
        if (label->text().contains(QStringLiteral("href='modality'")))
            linked = label;
    ASSERT_TRUE(linked);
    emit linked->linkActivated(QStringLiteral("modality"));
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_TRUE(menu);
    choose(menu, "Echo");
    menu->close();
    EXPECT_EQ(window->session().display.modality, "echo");
    settle();
    EXPECT_THAT(statusText(), Not(HasSubstr("modality: ")));
    EXPECT_THAT(statusText(), HasSubstr("Echo (chosen)"));
    EXPECT_EQ(window->session().figures.activePreset, "echo");
    // Another file is another question.
    openAndShow(writeBall(folder, "other.nii.gz", 20, 3));
    EXPECT_THAT(statusText(), HasSubstr("modality: "));
}

TEST_F(DisplayTest, CtIsKnownByItsValuesAndHasItsWindows) {
    openAndShow(path);
    QMenu* presets = submenu("Window preset");
    ASSERT_TRUE(presets);
    EXPECT_THAT(visibleChoices(presets), Not(::testing::Contains("CT lung")));
    EXPECT_THAT(visibleChoices(presets), ::testing::Contains("High contrast"));
    choose(presets, "High contrast");

    openAndShow(writeCt());
    EXPECT_EQ(window->session().figures.modality, "ct");
    EXPECT_THAT(statusText(), HasSubstr("CT (by its values)"));
    EXPECT_EQ(window->session().display.windowPreset, "auto") << "the other is none of CT";
    EXPECT_THAT(visibleChoices(presets), ::testing::Contains("CT lung"));
    EXPECT_THAT(visibleChoices(presets), Not(::testing::Contains("High contrast")));
    pauseAt(0);
    const QImage whole = picture();
    choose(presets, "CT soft tissue");
    settle();
    EXPECT_EQ(window->session().display.window, 400);
    EXPECT_EQ(window->session().display.level, 40);
    EXPECT_NE(whole, picture());
    window->session().display.window = 300; // as by a drag
    choose(presets, "CT soft tissue");      // again
    EXPECT_EQ(window->session().display.window, 400);
}

TEST_F(DisplayTest, InASmallWindowTheLegendLeavesTheMiddleOfItsViewFree) {
    window->resize(900, 600);
    openAndShow(path);
    for (const Layout layout : {Layout::ThreeSlices, Layout::FourUp, Layout::SideBySide}) {
        window->session().display.layout = layout;
        pauseAt(1);
        ASSERT_TRUE(becomes([&] {
            return layout != Layout::SideBySide || window->session().right.result != nullptr;
        }));
        settle();
        const QImage low = picture();
        setOption(window->session().display, "legend", std::string("top-left"));
        window->refresh();
        settle();
        const QImage high = picture();
        EXPECT_NE(low, high);
        // Moving it changed no pixel in the middle of any view.
        for (const ViewKind kind : viewKinds) {
            const auto at = window->scene().project(kind, window->scene().crosshair());
            if (!at)
                continue;
            const double ratio = window->devicePixelRatioF();
            const QRect middle(static_cast<int>(at->x * ratio) - 12,
                               static_cast<int>(at->y * ratio) - 12, 24, 24);
            EXPECT_EQ(low.copy(middle), high.copy(middle)) << name(kind) << name(layout);
        }
        setOption(window->session().display, "legend", std::string("bottom-right"));
    }
}

TEST_F(DisplayTest, TheLegendIsDraggedWithTheMouse) {
    window->session().display.layout = Layout::ThreeSlices;
    openAndShow(path);
    pauseAt(1);
    Viewport& viewport = window->viewport();
    const int right = viewport.width() - ImGuiLayer::columnWidth;
    const QPoint from(right - 30, viewport.height() - 30);
    const QPoint to(right - 30, 60);
    const double level = window->session().display.level;
    QTest::mousePress(&viewport, Qt::LeftButton, Qt::NoModifier, from);
    QTest::mouseMove(&viewport, (from + to) / 2);
    QTest::mouseMove(&viewport, to);
    QTest::mouseRelease(&viewport, Qt::LeftButton, Qt::NoModifier, to);
    EXPECT_EQ(window->session().display.legend, LegendCorner::TopRight);
    EXPECT_EQ(window->session().display.level, level);
}

TEST_F(DisplayTest, AMapMadeOnAThreadComesWithoutFurtherInput) {
    openAndShow(path);
    pauseAt(1);
    const QImage plain = picture();
    const auto painted = window->session().figures.painted;
    setOption(window->session().display, "deformation", true);
    setOption(window->session().display, "deformation-maximum", 0.01);
    window->refresh();
    ASSERT_TRUE(becomes([&] { return window->session().figures.painted > painted && isDrawn(); }));
    EXPECT_GT(differingPixels(plain, picture()), 500);
}

} // namespace
} // namespace systole
