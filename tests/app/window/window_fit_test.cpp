// The window on screens of all sizes, and what it keeps between two starts.
#include "app/window/screen_fit.h"
#include "render/overlays/rows.h"
#include "tests/app/window/window_fixture.h"

#include <QMenuBar>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>

#include <fstream>
#include <string>
#include <vector>

namespace systole {
namespace {

QRect framed(const QRect& place) {
    return place.adjusted(-windowBorder, -titleBarHeight, windowBorder, windowBorder);
}

TEST(ScreenFit, AWindowLiesInItsScreenWithTitleAndBorders) {
    const QRect screens[] = {{0, 0, 1366, 768},   {0, 0, 1400, 900},   {0, 27, 900, 573},
                             {0, 0, 803, 451},    {1920, 0, 900, 600}, {-1366, 200, 1366, 728},
                             {60, 28, 3780, 2132}};
    const QRect wanted[] = {{0, 0, 1400, 900},        {300, 100, 640, 360},
                            {-5000, -5000, 800, 600}, {9000, 9000, 1000, 640},
                            {0, 0, 100000, 90000},    {500, 700, 1, 1}};
    for (const QRect& screen : screens)
        for (const QRect& want : wanted) {
            const QRect place = placeOnScreen(want, screen);
            EXPECT_TRUE(screen.contains(framed(place)));
            EXPECT_LE(place.width(), want.width());
            EXPECT_LE(place.height(), want.height());
            EXPECT_EQ(placeOnScreen(place, screen), place) << "what fits stays";
        }
    const QRect fits(200, 150, 640, 400);
    EXPECT_EQ(placeOnScreen(fits, {0, 0, 1366, 768}), fits);
    EXPECT_EQ(placeOnScreen({1000, 500, 640, 400}, {0, 0, 1366, 768}).size(), QSize(640, 400))
        << "moved before it is made smaller";
    EXPECT_EQ(placeOnScreen(fits, QRect()), fits) << "no screen";
}

TEST(ScreenFit, AWindowAtTheUpperEdgeStaysUnderAThinTitle) {
    const QMargins thin(1, 20, 1, 6);
    const QRect screen(0, 0, 1366, 768);
    const QRect left(4, 29, 1358, 724); // as a window manager placed one of the size that fits
    EXPECT_EQ(placeOnScreen(left, screen, thin), left);
    EXPECT_EQ(placeOnScreen(left, screen).y(), titleBarHeight);
    EXPECT_EQ(placeOnScreen({4, 2, 1358, 724}, screen, thin).y(), 20);
}

class FitTest : public testing::WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        if (IsSkipped())
            return;
        window.reset();
        QCoreApplication::setOrganizationName(QStringLiteral("systole"));
        QCoreApplication::setApplicationName(QStringLiteral("systole"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                           QString::fromStdString(folder / "settings"));
        file = QSettings().fileName().toStdString();
        ASSERT_EQ(file.find(folder.path().string()), 0u);
    }
    void start() {
        window.reset();
        window = std::make_unique<Window>(WindowOptions{});
        window->session().motion.enabled = false;
        window->show();
        ASSERT_TRUE(isExposed(window.get()));
        QApplication::setActiveWindow(window.get());
    }
    std::vector<std::string> openTitles() const {
        std::vector<std::string> titles;
        for (const auto& panel : window->panels())
            if (panel->open)
                titles.emplace_back(panel->title());
        return titles;
    }
    bool isOnScreen() const {
        return window->screen()->availableGeometry().contains(framed(window->geometry()));
    }
    void writeSettings(const std::string& text) {
        window.reset();
        std::filesystem::create_directories(std::filesystem::path(file).parent_path());
        testing::writeText(file, text);
        QSettings().sync();
    }

    std::string file; ///< path of the settings
};

TEST_F(FitTest, TheFirstStartShowsTheView) {
    start();
    EXPECT_EQ(openTitles(), std::vector<std::string>{"View"});
    const QSize room = window->screen()->availableGeometry().size();
    EXPECT_EQ(framed(window->geometry()).size().boundedTo(room), framed(window->geometry()).size());
}

TEST_F(FitTest, EveryBarIsInASmallWindow) {
    start();
    for (const QSize size : {QSize(1358, 724), QSize(892, 556), QSize(795, 407)}) {
        window->resize(size);
        ASSERT_TRUE(becomes([&] { return window->size() == size; }));
        const auto isInside = [&](const QWidget* part) {
            const QRect place(part->mapTo(window.get(), QPoint(0, 0)), part->size());
            return part->isVisible() && window->rect().contains(place);
        };
        const auto* transport = window->findChild<QWidget*>(QStringLiteral("transportBar"));
        ASSERT_TRUE(transport);
        for (const QWidget* child : transport->findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
            EXPECT_TRUE(isInside(child)) << child->objectName().toStdString() << size.width();
        EXPECT_TRUE(isInside(window->statusBar()));
        EXPECT_TRUE(isInside(window->menuBar()));
        EXPECT_TRUE(isInside(&window->viewport()));
        EXPECT_GE(window->viewport().height(), 200);
    }
}

TEST_F(FitTest, LayoutOverlaysPanelsAndSizeAreThereAtTheNextStart) {
    start();
    window->resize(900, 700);
    DisplayOptions& display = window->session().display;
    display.layout = Layout::ThreeSlices;
    setOption(display, "magnitude", true);
    setOption(display, "arrows", false);
    setOption(display, "lock-scale", true);
    openPanels(window->panels(), {"Segment", "Timing"});
    findPanel(window->panels(), "Landmarks").shown = false;
    window->showColumn(false);
    ASSERT_TRUE(becomes([&] { return window->size() == QSize(900, 700); }));
    window->close();
    start();
    EXPECT_EQ(window->size(), QSize(900, 700));
    const DisplayOptions& kept = window->session().display;
    EXPECT_EQ(kept.layout, Layout::ThreeSlices);
    EXPECT_TRUE(displayRow("magnitude").isOn(kept));
    EXPECT_FALSE(displayRow("arrows").isOn(kept));
    EXPECT_FALSE(kept.lockScale) << "of one session";
    EXPECT_EQ(openTitles(), (std::vector<std::string>{"Segment", "Timing"}));
    EXPECT_FALSE(findPanel(window->panels(), "Landmarks").shown);
    EXPECT_FALSE(window->showsColumn());
    EXPECT_FALSE(window->edits().history().canUndo());
    EXPECT_FALSE(window->isFullScreen());
}

TEST_F(FitTest, AWindowIsWhereItWasLeftUnderTheFrameThatItHad) {
    start();
    window->setGeometry(4, 22, 1200, 700);
    ASSERT_TRUE(becomes([&] { return window->geometry() == QRect(4, 22, 1200, 700); }));
    window->close();
    // No window manager draws a frame here; that of the last session is what counts.
    const auto startUnder = [&](const QVariantList& frame) {
        QSettings().setValue("frame", frame);
        start();
        return window->geometry();
    };
    EXPECT_EQ(startUnder({1, 20, 1, 6}), QRect(4, 22, 1200, 700));
    window->close();
    EXPECT_EQ(startUnder({1, 20, 1, 6}), QRect(4, 22, 1200, 700)) << "again";
    EXPECT_EQ(startUnder({1, -20, 1, 4000}).y(), titleBarHeight) << "no frame";
}

TEST_F(FitTest, AWindowThatRemembersNothingWritesNothing) {
    WindowOptions options;
    options.remember = false;
    window = std::make_unique<Window>(options);
    window->show();
    window->close();
    window.reset();
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(FitTest, APlaceOffTheScreenAndAFullScreenAreBroughtBack) {
    start();
    window->setGeometry(1500, 1100, 1000, 700); // mostly off a screen of 1600 by 1200
    window->close();
    start();
    EXPECT_TRUE(isOnScreen());
    window->setGeometry(-900, -650, 1000, 700);
    window->close();
    start();
    EXPECT_TRUE(isOnScreen());
    window->setFullScreen(true);
    window->close();
    start();
    EXPECT_FALSE(window->isFullScreen());
}

TEST_F(FitTest, BrokenAndForeignSettingsDoNoHarm) {
    const DisplayOptions usual;
    const std::string texts[] = {
        std::string(300, '\0') + "\x7f"
                                 "ELF\xff\xfe[[[",
        "[General]\ngeometry=@ByteArray(\\x1\\xd9\\xd0\\xcb\\0\\x3\\0\\0nonsense)\n[display]"
        "\nlayout=",
        "[display]\nlayout=hexagonal\nside-view=7\narrows=maybe\nvolume=@Variant(\\0\\0\\0\\x7f)\n"
        "crosshair=1\n[panels]\nopen=Weather, News\nhidden=Weather\n",
        "[General]\ngeometry=1, 2, 3\nrecentFiles=@Invalid()\nlastFolder=@Size(1 "
        "2)\ncardiacMarks=5\n"
        "[panels]\nopen=@Rect(1 2 3 4)\n"};
    for (const std::string& text : texts) {
        SCOPED_TRACE(text);
        writeSettings(text);
        start();
        for (const DisplayRow& row : displayRows())
            if (!row.grayValue) { // which suit the sequence
                EXPECT_EQ(row.value(window->session().display), row.value(usual)) << row.param.id;
            }
        EXPECT_EQ(openTitles(), std::vector<std::string>{"View"});
        EXPECT_TRUE(findPanel(window->panels(), "Segment").shown);
        openAndShow(path);
        EXPECT_EQ(message(), "");
        window->close();
    }
}

TEST_F(FitTest, SettingsThatCannotBeWrittenDoNoHarm) {
    window.reset();
    std::filesystem::create_directories(file); // a folder in the place of the file
    start();
    openAndShow(path);
    window->close();
    EXPECT_FALSE(window->isVisible());
}

TEST_F(FitTest, TheColumnGoesAndComesBackWithAPanelOfTheMenu) {
    start();
    openAndShow(path);
    window->session().display.layout = Layout::Single3D;
    window->refresh();
    Viewport& viewport = window->viewport();
    const auto inScene = [&] {
        return window->scene().viewAt(viewport.width() - 20, 100).has_value();
    };
    ASSERT_TRUE(becomes([&] { return !inScene(); }));
    QTest::keyClick(window.get(), Qt::Key_F9);
    EXPECT_TRUE(becomes([&] { return inScene(); }));
    for (QAction* action : window->menuBar()->findChildren<QAction*>())
        if (action->text() == QLatin1String("Segment") && action->isCheckable()) {
            action->trigger(); // hidden
            EXPECT_FALSE(window->showsColumn());
            action->trigger(); // shown
        }
    EXPECT_TRUE(window->showsColumn());
    EXPECT_TRUE(becomes([&] { return !inScene(); }));
    window->showColumn(false);
    for (QAction* action : window->menuBar()->findChildren<QAction*>())
        if (action->text() == QLatin1String("Segment") && !action->isCheckable())
            action->trigger(); // the entry of the Tools menu
    EXPECT_TRUE(window->showsColumn());
}

} // namespace
} // namespace systole
