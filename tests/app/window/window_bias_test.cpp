// Volume change from noise alone in the window: one click, figures, maps, lesson.
#include "app/base/lessons.h"
#include "app/feature/panel.h"
#include "app/features/bias/bias_tool.h"
#include "app/features/surface/surface_tool.h"
#include "tests/app/window/window_fixture.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <gmock/gmock.h>

#include <cstring>

namespace systole {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class BiasPanelTest : public testing::WindowTest {
protected:
    BiasTool& bias() { return window->tools().get<BiasTool>(); }
    Panel& panel() { return findPanel(window->panels(), biasTitle); }
    void click() {
        for (QAction* menu : window->menuBar()->actions())
            for (QAction* action : menu->menu()->actions())
                if (action->text()
                        .remove(QLatin1Char('&'))
                        .startsWith(QStringLiteral("Volume change from noise alone")))
                    return action->trigger();
        FAIL() << "no such entry";
    }
    void finish() {
        ASSERT_TRUE(becomes([&] { return bias().status.run > 0 && !bias().unfinished(); }));
        EXPECT_EQ(bias().status.failure, "");
    }
    bool viewsHaveTheWholeHeight() {
        return window->scene().viewAt(100, 0.97 * window->viewport().height()).has_value();
    }
    /// Pixels of the wide area whose red and blue differ: the colors of growth and shrinkage.
    int coloredPixels() {
        drawPanels();
        const QImage image = window->viewport().grabFramebuffer();
        int count = 0;
        for (int y = image.height() / 2; y < image.height(); ++y)
            for (int x = 0; x < image.width() * 6 / 10; ++x)
                count += std::abs(qRed(image.pixel(x, y)) - qBlue(image.pixel(x, y))) > 40;
        return count;
    }
    /// Dark pixels of the wide area between bright ones of a map: the outline, and letters.
    int linePixels() {
        drawPanels();
        const QImage image = window->viewport().grabFramebuffer();
        const auto bright = [&](int x, int y) { return qGreen(image.pixel(x, y)) > 150; };
        int count = 0;
        for (int y = image.height() / 2; y < image.height(); ++y)
            for (int x = 6; x < image.width() * 6 / 10; ++x)
                count += qGreen(image.pixel(x, y)) < 60 && bright(x - 6, y) && bright(x + 6, y);
        return count;
    }
};

TEST_F(BiasPanelTest, TheMapsShowWhereTheTissueOrTheSurfaceOfTheirFrameLies) {
    openAndShow(path);
    pauseAt(2);
    bias().parameters.set("repetitions", 2);
    bias().backend = Backend::Cpu;
    EXPECT_TRUE(bias().outline().meshes.empty());
    click();
    ASSERT_TRUE(becomes([&] { return bias().status.run > 0; }));
    finish();
    EXPECT_STREQ(bias().outline().of, "bright tissue");
    EXPECT_GT(linePixels(), 400);
    auto& surface = window->tools().get<SurfaceTool>();
    surface.choice.source = SurfaceOrigin::Threshold;
    surface.choice.threshold = 100;
    surface.choice.carried = false;
    ++surface.choice.revision;
    window->refresh();
    ASSERT_TRUE(becomes([&] { return std::strcmp(bias().outline().of, "surface") == 0; }));
    EXPECT_EQ(bias().outline().meshes.front(), surface.of(2)->scene->mesh);
    EXPECT_GT(linePixels(), 400);
    // The views go on to another frame; the maps are still of theirs.
    pauseAt(1);
    ASSERT_TRUE(becomes([&] { return surface.of(1) != nullptr; }));
    EXPECT_EQ(bias().outline().meshes.front(), surface.of(2)->scene->mesh);
}

TEST_F(BiasPanelTest, OneClickRegistersTheFrameShownAndShowsMapsAndFigures) {
    openAndShow(path);
    pauseAt(2);
    bias().parameters.set("repetitions", 2);
    bias().backend = Backend::Cpu;
    openPanels(window->panels(), {biasTitle});
    settle();
    EXPECT_TRUE(viewsHaveTheWholeHeight()) << "nothing is there to be shown";
    click();
    EXPECT_TRUE(panel().open);
    ASSERT_TRUE(becomes([&] { return bias().status.run > 0; }));
    finish();
    ASSERT_TRUE(becomes([&] { return !viewsHaveTheWholeHeight(); }));
    EXPECT_THAT(panel().text(window->session()),
                AllOf(HasSubstr("ball.nii.gz, frame 2\n"),
                      HasSubstr("noise 4 % of the gray range, cpu"), HasSubstr("\nclg\t2\t"),
                      HasSubstr("\nffd\t2\t"), HasSubstr("\nunbiased\t2\t")));
    EXPECT_GT(coloredPixels(), 500);
    EXPECT_EQ(message(), "");
    // A press on a map leads the views there, but not out of its plane.
    const Vec3 before = window->scene().crosshair();
    Viewport& viewport = window->viewport();
    const int wide = viewport.width() - ImGuiLayer::columnWidth;
    const QPoint place(wide / 8, viewport.height() * 6 / 10);
    QTest::mouseMove(&viewport, place);
    drawPanels();
    QTest::mousePress(&viewport, Qt::LeftButton, {}, place);
    drawPanels();
    QTest::mouseRelease(&viewport, Qt::LeftButton, {}, place);
    drawPanels();
    const Vec3 after = window->scene().crosshair();
    EXPECT_GT(std::hypot(after.x - before.x, after.y - before.y), 2);
    EXPECT_LT(std::abs(after.z - before.z), 1.1);
    // Another file forgets it.
    openAndShow(testing::writeBall(folder, "other.nii.gz", 20, 3));
    EXPECT_EQ(bias().status.run, 0u);
}

TEST_F(BiasPanelTest, TheRegisterPanelOpensItAndItStops) {
    openAndShow(path);
    bias().backend = Backend::Cpu;
    bias().parameters.set("repetitions", 32);
    bias().parameters.set("demons", true);
    bias().showAndStart(); // as the Register panel's button does
    window->refresh();
    ASSERT_TRUE(becomes([&] { return bias().status.running; }));
    EXPECT_TRUE(panel().open);
    EXPECT_FALSE(window->session().playback.playing());
    EXPECT_EQ(bias().status.columns.size(), 4u);
    bias().stop();
    window->refresh();
    finish();
    EXPECT_TRUE(bias().status.stopped);
    EXPECT_THAT(panel().text(window->session()), HasSubstr("demons\t"));
}

TEST_F(BiasPanelTest, TheLessonRunsItAndSaysWhatItFound) {
    openAndShow(path);
    bias().parameters.set("repetitions", 2);
    bias().backend = Backend::Cpu;
    window->lessons().show(14);
    LessonsWindow& reader = *window->lessons().window();
    EXPECT_THAT(reader.answer().text().toStdString(), HasSubstr("hasn't been run"));
    QTest::mouseClick(&reader.runButton(), Qt::LeftButton);
    EXPECT_TRUE(panel().open);
    ASSERT_TRUE(becomes([&] { return bias().status.run > 0; }));
    finish();
    window->refresh();
    EXPECT_THAT(reader.answer().text().toStdString(),
                AllOf(HasSubstr("2 of 2 repetitions"), HasSubstr("unbiased: mean log |J|")));
}

} // namespace
} // namespace systole
