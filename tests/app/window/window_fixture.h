// A window on a small beating sequence, under the display of the tests' own.
#pragma once

#include "app/session/motion_note.h"
#include "app/window/run.h"
#include "app/window/window.h"
#include "tests/app/window/window_support.h"
#include "tests/support/becomes.h"
#include "tests/support/program.h"

#include <QApplication>
#include <QImage>
#include <QLabel>
#include <QTest>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

namespace systole::testing {

class WindowTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        if (!displayProblem().empty())
            return;
        const std::shared_ptr<void> connection = prepareApplication();
        static int argc = 1;
        static char name[] = "gui_tests";
        static char* argv[] = {name, nullptr};
        application = std::make_unique<QApplication>(argc, argv);
    }

    static void TearDownTestSuite() { application.reset(); }

    void SetUp() override {
        if (!displayProblem().empty())
            GTEST_SKIP() << displayProblem();
        path = writeBall(folder, "ball.nii.gz", 24, 6);
        makeWindow();
    }

    void makeWindow() {
        WindowOptions options;
        options.remember = false;
        window = std::make_unique<Window>(options);
        window->resize(1000, 640);
        window->show();
        ASSERT_TRUE(isExposed(window.get()));
        QApplication::setActiveWindow(window.get());
    }

    /// Waits for it as long as becomes() does.
    static bool isExposed(QWidget* widget) { return QTest::qWaitForWindowExposed(widget, 200'000); }

    /// Runs the event loop until it holds; false when it doesn't, however busy the machine is.
    template <typename Condition>
    static bool becomes(const Condition& condition) {
        return test::becomes(condition,
                             [] { QCoreApplication::processEvents(QEventLoop::AllEvents, 5); });
    }

    void openAndShow(const std::string& file) {
        window->open({file});
        ASSERT_TRUE(becomes([&] { return !window->loading(); }));
        ASSERT_TRUE(becomes([&] { return window->session().shownFrame >= 0; }));
        ASSERT_TRUE(becomes([&] { return window->session().opened->motionMeasured; }));
        // The bar of loading may just have gone: the views take its place now, not later.
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    }

    /// Pauses, and waits until the shown motion is that of this frame and of the current settings;
    /// the request may still wait while an earlier result is shown.
    void pauseAt(int frame) {
        window->session().playback.pause();
        window->session().playback.seek(frame);
        window->refresh();
        ASSERT_TRUE(becomes([&] {
            const Session& session = window->session();
            return session.shownFrame == frame && session.result &&
                   session.result->fixedFrame == frame && !motionIsOutdated(session) &&
                   session.estimation.estimatingFrame < 0;
        }));
        settle();
    }

    /// Waits until all is drawn.
    void settle() {
        ASSERT_TRUE(becomes([&] { return isDrawn(); }));
        drawPanels();
        ASSERT_TRUE(becomes([&] { return isDrawn(); }));
    }

    bool isDrawn() { return !window->scene().needsRender() && !window->scene().unfinished(); }

    /// Draws the panels some times over: one draw takes the pointer in, later ones show what
    /// follows from it.
    void drawPanels() {
        for (int draw = 0; draw < 4; ++draw) {
            QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
            window->viewport().grabFramebuffer();
        }
    }

    /// The scene without the panels, whose figures change by themselves.
    QImage picture() {
        const QImage all = window->viewport().grabFramebuffer();
        const double ratio = window->devicePixelRatioF();
        return all.copy(0, 0,
                        all.width() - static_cast<int>(std::ceil(ratio * ImGuiLayer::columnWidth)),
                        all.height());
    }
    static int differingPixels(const QImage& a, const QImage& b) {
        EXPECT_EQ(a.size(), b.size());
        int count = 0;
        for (int y = 0; y < a.height(); ++y)
            for (int x = 0; x < a.width(); ++x)
                count += a.pixel(x, y) != b.pixel(x, y);
        return count;
    }
    void key(int key) { QTest::keyClick(window.get(), static_cast<Qt::Key>(key)); }
    const std::string message() const {
        return window->findChild<QFrame*>("messageBar")->findChild<QLabel*>()->text().toStdString();
    }

    static inline std::unique_ptr<QApplication> application;
    TemporaryFolder folder;
    std::string path;
    std::unique_ptr<Window> window;
};

} // namespace systole::testing
