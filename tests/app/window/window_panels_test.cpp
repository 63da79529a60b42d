// The live panels in the window, over a sequence that plays.
#include "app/feature/panel.h"
#include "app/features/profile/profile_tool.h"
#include "app/kit/tool_widgets.h"
#include "compute/motion/methods.h"
#include "tests/app/window/window_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <variant>

namespace systole {
namespace {

using ::testing::HasSubstr;

class LivePanelsTest : public testing::WindowTest {
protected:
    Panel& show(const std::string& title) {
        Panel& panel = openPanels(window->panels(), {title});
        window->viewport().arrange();
        window->refresh();
        return panel;
    }
    /// Colors of the column: a heading alone has few.
    std::size_t colors() {
        const QImage all = window->viewport().grabFramebuffer();
        std::set<QRgb> seen;
        for (int y = 0; y < all.height(); ++y)
            for (int x = all.width() - ImGuiLayer::columnWidth; x < all.width(); ++x)
                seen.insert(all.pixel(x, y));
        return seen.size();
    }
};

TEST(Plots, AFrameStandsAtItsTimeWhereThatIsKnown) {
    Session session;
    EXPECT_EQ(placeOfFrame(session, 3), 3);
    auto opened = std::make_shared<OpenedSequence>();
    opened->sequence.frames = 4;
    session.opened = opened;
    EXPECT_STREQ(frameAxisName(session), "frame");
    opened->sequence.timesSeconds = {0, 0.03, 0.07, 0.1};
    EXPECT_STREQ(frameAxisName(session), "time, ms");
    EXPECT_NEAR(placedByFrame(session, {{2, 5}}).front().x, 70, 1e-9);
}

TEST_F(LivePanelsTest, OccupancyTimesKernelsWhileItIsOpen) {
    window->session().motion.setBackend(Backend::Cpu); // a device estimates again for the times
    openAndShow(path);
    pauseAt(1);
    EXPECT_FALSE(window->session().kernelTimesWanted);
    const auto field = window->session().result;
    Panel& panel = show("Occupancy");
    EXPECT_TRUE(becomes([&] { return window->session().kernelTimesWanted; }));
    settle();
    EXPECT_EQ(window->session().result, field); // finished fields stay
    EXPECT_FALSE(window->session().profiles.empty());
    EXPECT_THAT(panel.text(window->session()), HasSubstr("solve\t"));
    EXPECT_GT(colors(), 50u);
    panel.open = false;
    window->viewport().update();
    EXPECT_TRUE(becomes([&] { return !window->session().kernelTimesWanted; }));
    EXPECT_EQ(message(), "");
}

TEST_F(LivePanelsTest, DeviceMemoryNamesTheBuffers) {
    openAndShow(path);
    pauseAt(1);
    Panel& panel = show("Memory");
    settle();
    const std::string text = panel.text(window->session());
    EXPECT_THAT(text, HasSubstr("bytes of this machine\t"));
    EXPECT_THAT(text, HasSubstr("frames ("));
    EXPECT_THAT(text, HasSubstr("\tmotion of a frame\t"));
    EXPECT_THAT(text, HasSubstr("OpenGL textures ("));
    EXPECT_THAT(text, HasSubstr("picture (host)\tupload buffers\t"));
    EXPECT_GT(colors(), 50u);
    EXPECT_EQ(message(), "");
}

TEST(Parameters, SlidersOfAllMethodsKeepToValuesThatMakeSense) {
    for (const MotionMethod& method : motionMethods())
        for (const ParamRow& row : method.parameters->rows()) {
            SCOPED_TRACE(method.name + " " + row.id);
            EXPECT_EQ(plainNumber(row.sliderMaximum()).find('e'), std::string::npos);
            if (row.type == ParamType::Real) {
                const double usual = std::get<double>(row.defaultValue);
                EXPECT_LE(row.sliderMaximum(), std::max(1000.0, 100 * usual));
                EXPECT_GE(usual, row.sliderMinimum());
                EXPECT_LE(usual, row.sliderMaximum());
            }
        }
}

TEST(Parameters, HelpInAPanelNamesRowsAndNotOptions) {
    for (const MotionMethod& method : motionMethods())
        for (const ParamRow& row : method.parameters->rows())
            for (const ParamRow& named : method.parameters->rows())
                EXPECT_EQ((helpInWords(*method.parameters, row) + " ").find("--" + named.id + " "),
                          std::string::npos)
                    << method.name << " " << row.id;
    const ParamTable table({realParam("beta", 1, 0, 2, "", "Half of --alpha; off with --no-beta."),
                            realParam("alpha", 1, 0, 2, "", "b").titled("smoothness")});
    EXPECT_EQ(helpInWords(table, table.row("beta")), "Half of 'smoothness'; off with --no-beta.");
}

TEST_F(LivePanelsTest, ParametersAreInWordsAndExplainedUnderThePointer) {
    openAndShow(path);
    pauseAt(1);
    show("Motion parameters");
    drawPanels();
    // The tooltip's ground, which is almost opaque, is darker than the column's.
    const auto tooltip = [&] {
        const QImage all = window->viewport().grabFramebuffer();
        int count = 0;
        for (int y = 0; y < all.height(); ++y)
            for (int x = 0; x < all.width(); ++x)
                count += std::abs(qRed(all.pixel(x, y)) - 21) <= 1 &&
                         std::abs(qBlue(all.pixel(x, y)) - 21) <= 1;
        return count;
    };
    const int before = tooltip();
    Viewport& viewport = window->viewport();
    int explained = 0;
    for (int y = 40; y < viewport.height(); y += 8) { // down the column of labels
        QTest::mouseMove(&viewport, QPoint(viewport.width() - ImGuiLayer::columnWidth + 30, y));
        drawPanels();
        explained += tooltip() > before + 3000;
    }
    EXPECT_GT(explained, 10);
    EXPECT_EQ(message(), "");
}

TEST_F(LivePanelsTest, ATimeProfileTakesNothingOfTheViewsBeforeItsLineIsDrawn) {
    openAndShow(path);
    window->resize(900, 600);
    ASSERT_TRUE(becomes([&] { return window->width() == 900; }));
    window->session().display.layout = Layout::ThreeSlices;
    pauseAt(1);
    const int height = window->viewport().height();
    const auto sceneAt = [&](double share) {
        return window->scene().viewAt(100, share * height).has_value();
    };
    key(Qt::Key_T);
    settle();
    EXPECT_TRUE(findPanel(window->panels(), "Time profile").open);
    EXPECT_TRUE(sceneAt(0.97)) << "nothing moved under the pointer";
    const QPoint from(60, height / 2), to(130, height / 2);
    QTest::mousePress(&window->viewport(), Qt::LeftButton, Qt::NoModifier, from);
    QTest::mouseMove(&window->viewport(), to);
    settle();
    EXPECT_TRUE(sceneAt(0.97)) << "nor in the middle of the drag";
    QTest::mouseRelease(&window->viewport(), Qt::LeftButton, Qt::NoModifier, to);
    ASSERT_TRUE(becomes([&] { return !sceneAt(0.97); }));
    settle();
    EXPECT_TRUE(sceneAt(0.6)) << "most of a low window stays the views'";
    EXPECT_FALSE(sceneAt(0.7));
    QTest::keyClick(window.get(), Qt::Key_T, Qt::ShiftModifier);
    EXPECT_TRUE(becomes([&] { return sceneAt(0.97); }));
}

TEST_F(LivePanelsTest, AWideAreaWithoutTheColumnHasTheWholeWidthAndThePointer) {
    openAndShow(path);
    window->tools().get<ProfileTool>().set(std::array{Vec3{-5, 0, 0}, Vec3{5, 0, 0}});
    show("Time profile");
    window->showColumn(false);
    settle();
    const Viewport& viewport = window->viewport();
    const double low = 0.95 * viewport.height();
    ASSERT_TRUE(becomes([&] { return !window->scene().viewAt(100, low).has_value(); }));
    EXPECT_FALSE(window->scene().viewAt(viewport.width() - 20, low).has_value());
    EXPECT_TRUE(window->scene().viewAt(viewport.width() - 20, 20).has_value());
    const ScenePoint before = *window->scene().project(ViewKind::Axial, {0, 0, 0});
    QTest::mousePress(&window->viewport(), Qt::RightButton, Qt::NoModifier,
                      QPoint(200, static_cast<int>(low)));
    QTest::mouseMove(&window->viewport(), QPoint(260, static_cast<int>(low) - 30));
    QTest::mouseRelease(&window->viewport(), Qt::RightButton, Qt::NoModifier,
                        QPoint(260, static_cast<int>(low) - 30));
    settle();
    EXPECT_EQ(window->scene().project(ViewKind::Axial, {0, 0, 0})->x, before.x) << "no zoom";
}

} // namespace
} // namespace systole
