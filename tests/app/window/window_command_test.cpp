// "Copy as command line": the command gives the pixels of the window's views.
#include "app/features/angle/angle_tool.h"
#include "app/features/landmarks/landmark_tool.h"
#include "app/features/profile/profile_tool.h"
#include "app/features/ruler/ruler_tool.h"
#include "app/features/surface/surface_tool.h"
#include "app/live/command_line.h"
#include "render/overlays/rows.h"
#include "tests/app/window/window_fixture.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QProcess>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>

namespace systole {
namespace {

using ::testing::HasSubstr;

TEST(ShellWord, IsQuotedWhereAShellWouldReadItOtherwise) {
    EXPECT_EQ(shellWord("a/b-c.nii.gz"), "a/b-c.nii.gz");
    EXPECT_EQ(shellWord(""), "''");
    EXPECT_EQ(shellWord("my heart.nii"), "'my heart.nii'");
    EXPECT_EQ(shellWord("it's $HOME;x"), "'it'\\''s $HOME;x'");
}

TEST(CameraNumbers, ReadBackAsTheyWere) {
    SceneCamera camera;
    camera.eye = {1, 2, 3};
    camera.up = {0, 0, 1};
    camera.slices[2] = {1.5, {4, 5, 6}};
    EXPECT_EQ(cameraOf(numbersOf(camera)), camera);
    EXPECT_EQ(numbersOf(camera).size(), 21u);
}

struct State {
    const char* name;
    std::function<void(Window&)> set;
};
void PrintTo(const State& state, std::ostream* out) { *out << state.name; }

Vec3 centerOf(Window& window) { return window.session().opened->sequence.geometry.center(); }
void turnOn(Window& window, const char* id) { displayRow(id).set(window.session().display, true); }

const State states[] = {
    {"AsOpened", [](Window&) {}},
    {"TurnedAndWindowed",
     [](Window& window) {
         window.scene().rotate(40, -15);
         window.scene().setCrosshair(centerOf(window) + Vec3{2, -3, 1});
         DisplayOptions& display = window.session().display;
         displayRow("crosshair").set(display, false);
         display.window *= 0.7;
     }},
    {"SlicesWithMagnitude",
     [](Window& window) {
         DisplayOptions& display = window.session().display;
         display.layout = Layout::ThreeSlices;
         turnOn(window, "magnitude");
         displayRow("color-map").set(display, std::string("viridis"));
     }},
    {"OtherParameters",
     [](Window& window) {
         window.session().motion.set("alpha", 0.2);
         turnOn(window, "deformation");
     }},
    {"NoMotion", [](Window& window) { window.session().motion.enabled = false; }},
    {"Distance",
     [](Window& window) {
         window.tools().get<RulerTool>().set(
             std::array{centerOf(window), centerOf(window) + Vec3{5, 0, 0}});
     }},
    {"Angle",
     [](Window& window) {
         const Vec3 at = centerOf(window);
         window.tools().get<AngleTool>().set({{at, at + Vec3{5, 0, 0}}, {at, at + Vec3{3, 3, 0}}});
     }},
    {"TimeProfile",
     [](Window& window) {
         window.tools().get<ProfileTool>().set(
             std::array{centerOf(window), centerOf(window) + Vec3{0, 6, 0}});
     }},
    {"SurfaceOfAThreshold",
     [](Window& window) {
         auto& surface = window.tools().get<SurfaceTool>();
         surface.choice.source = SurfaceOrigin::Threshold;
         surface.choice.threshold = 100;
         surface.choice.carried = false;
         ++surface.choice.revision;
     }},
    {"Landmarks", [](Window& window) { window.tools().get<LandmarkTool>().find(1); }},
};

class CopiedCommandTest : public testing::WindowTest, public ::testing::WithParamInterface<State> {
protected:
    /// The pixels of a PNG that the copied command has made.
    QImage drawn(const std::string& command) {
        const std::string script = folder / "command.sh", png = folder / "picture.png";
        std::ofstream(script) << "set -e\ncd " << shellWord(folder.path()) << "\nexec "
                              << shellWord(testing::executable())
                              << command.substr(std::string("systole").size()) << " --no-caption\n";
        QProcess shell;
        shell.setProcessChannelMode(QProcess::MergedChannels);
        shell.start(QStringLiteral("/bin/sh"), {QString::fromStdString(script)});
        shell.waitForFinished(200'000);
        EXPECT_EQ(shell.exitCode(), 0) << shell.readAll().toStdString() << "\n" << command;
        return QImage(QString::fromStdString(png));
    }
};

TEST_P(CopiedCommandTest, GivesTheSamePixels) {
    openAndShow(path);
    pauseAt(1);
    GetParam().set(*window);
    window->refresh();
    ASSERT_TRUE(becomes([&] {
        return !window->tools().unfinished() &&
               std::ranges::all_of(window->tools(),
                                   [](const auto& tool) { return tool->completeFor(1, false); });
    }));
    if (window->session().motion.enabled)
        pauseAt(1);
    window->pictures().copyCommand(false);
    const std::string command = QGuiApplication::clipboard()->text().toStdString();
    EXPECT_THAT(command, HasSubstr("systole snapshot "));
    const std::string shown = folder / "shown.png";
    window->pictures().save(shown);
    ASSERT_TRUE(becomes([&] { return std::filesystem::exists(shown); }));
    const QImage after = drawn(command);
    const QImage file(QString::fromStdString(shown));
    ASSERT_EQ(file.width(), after.width());
    const QImage before =
        file.copy(0, 0, after.width(), after.height()); // all rows but the caption
    EXPECT_EQ(before.convertToFormat(QImage::Format_RGBA8888),
              after.convertToFormat(QImage::Format_RGBA8888))
        << command;
}

INSTANTIATE_TEST_SUITE_P(, CopiedCommandTest, ::testing::ValuesIn(states),
                         [](const auto& info) { return info.param.name; });

using CopiedWindowTest = testing::WindowTest;

TEST_F(CopiedWindowTest, NamesItsPanelsAndSize) {
    openAndShow(path);
    pauseAt(1);
    window->pictures().copyCommand(true);
    const std::string command = QGuiApplication::clipboard()->text().toStdString();
    EXPECT_THAT(command, HasSubstr("systole view "));
    EXPECT_THAT(command, HasSubstr("--overlay only"));
    EXPECT_THAT(command, HasSubstr("--size 1000x640"));
}

} // namespace
} // namespace systole
