// The window, as a user meets it: under a virtual display, with real files, OpenGL and estimation.
#include "render/overlays/rows.h"
#include "tests/app/window/window_fixture.h"

#include <QDropEvent>
#include <QMimeData>
#include <QUrl>
#include <gmock/gmock.h>

#include <set>

namespace systole {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::WindowTest;
using testing::writeBall;

TEST_F(WindowTest, OpensPlaysAndEstimatesWhileItPlays) {
    openAndShow(path);
    EXPECT_TRUE(window->session().playback.playing());
    std::set<int> shown;
    EXPECT_TRUE(becomes([&] {
        shown.insert(window->session().shownFrame);
        return shown.size() == 6;
    }));
    ASSERT_TRUE(becomes([&] { return window->session().result != nullptr; }));
    EXPECT_EQ(window->session().result->field->geometry.size(), (Size3{24, 24, 24}));
    // Round after round every pair gets its field.
    EXPECT_TRUE(becomes([&] { return window->session().estimation.cachedFrames.size() == 6; }));
    EXPECT_TRUE(becomes([&] {
        const Session& session = window->session();
        return session.result->fixedFrame == session.shownFrame;
    }));
    EXPECT_FALSE(window->session().timing.empty());
    EXPECT_GT(window->session().figures.painted, 1u);
    EXPECT_EQ(message(), "");
}

TEST_F(WindowTest, EveryElementLeavesItsMark) {
    openAndShow(path);
    window->session().marks.endSystole = 3;
    pauseAt(1);
    const QImage complete = picture();
    const double ratio = window->devicePixelRatioF();
    const Viewport& viewport = window->viewport();
    EXPECT_NEAR(complete.width(), (viewport.width() - ImGuiLayer::columnWidth) * ratio, 2);
    EXPECT_NEAR(complete.height(), viewport.height() * ratio, 1);
    EXPECT_EQ(differingPixels(complete, picture()), 0);
    const int whole = complete.width() * complete.height();

    for (const char* option : {"volume", "arrows", "crosshair", "annotations"}) {
        setOption(window->session().display, option, false);
        window->refresh();
        settle();
        EXPECT_GT(differingPixels(complete, picture()), 50);
        setOption(window->session().display, option, true);
        window->refresh();
        settle();
    }
    EXPECT_EQ(differingPixels(complete, picture()), 0);
    window->session().display.layout = Layout::Single3D;
    window->refresh();
    settle();
    EXPECT_GT(differingPixels(complete, picture()), whole / 20);
}

TEST_F(WindowTest, KeysAct) {
    openAndShow(path);
    key(Qt::Key_Space);
    EXPECT_FALSE(window->session().playback.playing());
    key(Qt::Key_Home);
    EXPECT_EQ(window->session().playback.frame(), 0);
    key(Qt::Key_Period);
    key(Qt::Key_Right);
    EXPECT_EQ(window->session().playback.frame(), 2);
    key(Qt::Key_Comma);
    key(Qt::Key_Left);
    key(Qt::Key_Left);
    EXPECT_EQ(window->session().playback.frame(), 5);
    key(Qt::Key_End);
    EXPECT_EQ(window->session().playback.frame(), 5);
    key(Qt::Key_E);
    EXPECT_EQ(window->session().marks.endSystole, 5);
    EXPECT_EQ(window->session().marks.endDiastole, std::nullopt);
    std::string keys;
    for (const DisplayRow& row : displayRows()) {
        if (!row.key)
            continue;
        keys += row.key;
        const DisplayOptions& display = window->session().display;
        const bool before = row.isOn(display);
        key(row.key);
        EXPECT_NE(row.isOn(display), before) << row.param.id;
        key(row.key);
        EXPECT_EQ(row.isOn(display), before) << row.param.id;
    }
    EXPECT_THAT(keys, ::testing::UnorderedElementsAre('V', 'G', 'O', 'S', 'J', 'N', 'K', 'F', 'P'));
    key(Qt::Key_PageUp); // the start is between two slices
    const Vec3 before = window->scene().crosshair();
    key(Qt::Key_PageUp);
    EXPECT_NEAR(length(window->scene().crosshair() - before), 2, 1e-6);
    key(Qt::Key_PageDown);
    EXPECT_NEAR(length(window->scene().crosshair() - before), 0, 1e-6);
    settle();
    key(Qt::Key_3);
    EXPECT_TRUE(window->scene().needsRender());
    key(Qt::Key_M);
    EXPECT_FALSE(window->session().motion.enabled);
    EXPECT_EQ(window->session().result, nullptr);
    key(Qt::Key_Space);
    EXPECT_TRUE(window->session().playback.playing());
}

TEST_F(WindowTest, SteppingShowsTheMotionOfTheFrameSteppedTo) {
    openAndShow(path);
    pauseAt(4);
    EXPECT_EQ(window->session().result->movingFrame, 5);
    key(Qt::Key_Right);
    EXPECT_TRUE(becomes([&] {
        const Session& session = window->session();
        return session.shownFrame == 5 && session.result && session.result->fixedFrame == 5;
    }));
    EXPECT_EQ(window->session().result->movingFrame, 0); // the closing pair
}

TEST_F(WindowTest, NewParametersMakeNewFields) {
    openAndShow(path);
    pauseAt(2);
    const auto before = window->session().result;
    MotionChoice& motion = window->session().motion;
    for (const ParamRow& row : motion.method->parameters->rows())
        if (row.type == ParamType::Real && row.id == "alpha")
            motion.set(row.id, 0.5 * (row.minimum + row.maximum));
    ASSERT_GT(motion.revision, 0u);
    window->refresh();
    // The last good one stays until the new one is there.
    ASSERT_NE(window->session().result, nullptr);
    EXPECT_EQ(window->session().result->fixedFrame, 2);
    EXPECT_TRUE(becomes([&] {
        return window->session().result != before && window->session().result->fixedFrame == 2;
    }));
    EXPECT_GT(window->session().result->generation, before->generation);
}

TEST_F(WindowTest, SideBySideShowsTwoEstimationsAndTheirDifference) {
    openAndShow(path);
    Session& session = window->session();
    session.compared.set("alpha", 20.0);
    pauseAt(2);
    const QImage fourUp = picture();
    QTest::keyClick(window.get(), Qt::Key_4, Qt::ControlModifier);
    EXPECT_EQ(session.display.layout, Layout::SideBySide);
    ASSERT_TRUE(becomes([&] { return session.right.comparison != nullptr; }));
    EXPECT_EQ(session.right.result->fixedFrame, 2);
    EXPECT_GT(session.right.comparison->difference.maximum, 0);
    settle();
    const QImage sides = picture();
    EXPECT_GT(differingPixels(fourUp, sides), sides.width() * sides.height() / 20);
    std::set<ViewSide> seen;
    for (int y = 5; y < window->viewport().height(); y += 20)
        for (int x = 5; x < window->viewport().width(); x += 20)
            if (const auto under = window->scene().probe(x, y))
                seen.insert(under->side);
    EXPECT_EQ(seen.size(), 3u);

    const Panel& panel = findPanel(window->panels(), "Side by side");
    const std::string text = panel.text(session);
    EXPECT_THAT(text, HasSubstr("alpha\t0.3\t20\n"));
    EXPECT_THAT(text, HasSubstr("maximum difference mm\t"));
    EXPECT_THAT(text, Not(HasSubstr("the bounds"))) << "other parameters needn't give equal fields";

    // The panel itself can be drawn with everything in it, and the layout left again.
    findPanel(window->panels(), "Side by side").open = true;
    drawPanels();
    QTest::keyClick(window.get(), Qt::Key_3, Qt::ControlModifier);
    EXPECT_TRUE(becomes([&] { return session.right.result == nullptr; }));
    EXPECT_EQ(message(), "");
}

TEST_F(WindowTest, ADroppedFileOpens) {
    openAndShow(path);
    const std::string other = writeBall(folder, "other.nii.gz", 20, 3);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(other))});
    QDragEnterEvent enter({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window.get(), &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent drop({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window.get(), &drop);
    EXPECT_TRUE(becomes([&] {
        return window->session().opened->sequence.frames == 3 && window->session().shownFrame >= 0;
    }));
    EXPECT_THAT(window->windowTitle().toStdString(), HasSubstr("other.nii.gz"));
    EXPECT_TRUE(becomes([&] {
        return window->session().result &&
               window->session().result->field->geometry.size() == Size3{20, 20, 20};
    }));
}

TEST_F(WindowTest, ABadFileIsASentenceAndTheWindowGoesOn) {
    const std::string bad = folder / "bad.nii.gz";
    testing::writeText(bad, "this is no image at all");
    window->open({bad});
    ASSERT_TRUE(becomes([&] { return !window->loading(); }));
    EXPECT_THAT(message(), HasSubstr("bad.nii.gz"));
    EXPECT_TRUE(window->findChild<QFrame*>("messageBar")->isVisible());
    openAndShow(path);
    EXPECT_FALSE(window->findChild<QFrame*>("messageBar")->isVisible());
    // An open file stays open when the next one can't be opened.
    window->open({folder / "missing.nii.gz"});
    ASSERT_TRUE(becomes([&] { return !window->loading(); }));
    EXPECT_THAT(message(), HasSubstr("missing.nii.gz"));
    const int frame = window->session().shownFrame;
    EXPECT_TRUE(becomes([&] { return window->session().shownFrame != frame; }));
}

TEST_F(WindowTest, OneFrameIsShownWithoutMotion) {
    openAndShow(writeBall(folder, "single.nii.gz", 20, 1));
    settle();
    EXPECT_EQ(window->session().shownFrame, 0);
    EXPECT_FALSE(window->session().playback.playing());
    EXPECT_EQ(window->session().result, nullptr);
    key(Qt::Key_Space);
    EXPECT_FALSE(window->session().playback.playing());
    EXPECT_EQ(message(), "");
}

TEST_F(WindowTest, ClosingWhileItEstimatesEnds) {
    openAndShow(writeBall(folder, "large.nii.gz", 72, 3));
    window->session().motion.keepEstimating = true; // all three pairs may be there already
    ASSERT_TRUE(becomes([&] { return window->session().estimation.estimatingFrame >= 0; }));
    window->close();
    window.reset();
}

TEST_F(WindowTest, ClosingWhileItLoadsEnds) {
    window->open({writeBall(folder, "large.nii.gz", 72, 3)});
    window.reset();
}

TEST_F(WindowTest, PanelsTakeClicks) {
    openAndShow(path);
    pauseAt(1);
    Panel& first = *window->panels().front();
    first.open = false; // it is the one that a first start opens
    const int right = window->viewport().width();
    // Press and release on the panel's heading, below that of the group, reach it though no draw
    // lies between them.
    const QPoint heading(right - ImGuiLayer::columnWidth + 80, 34);
    QTest::mouseMove(&window->viewport(), heading);
    drawPanels();
    QTest::mouseClick(&window->viewport(), Qt::LeftButton, Qt::NoModifier, heading);
    EXPECT_TRUE(becomes([&] { return first.open; }));
    QTest::mouseClick(&window->viewport(), Qt::LeftButton, Qt::NoModifier, heading);
    EXPECT_TRUE(becomes([&] { return !first.open; }));
}

TEST_F(WindowTest, HiddenPanelsLeaveTheirPlaceToThePicture) {
    openAndShow(path);
    const double x = window->viewport().width() - 20;
    EXPECT_FALSE(window->scene().viewAt(x, 100).has_value());
    for (const auto& panel : window->panels())
        panel->shown = false;
    window->viewport().arrange();
    EXPECT_TRUE(window->scene().viewAt(x, 100).has_value());
}

TEST_F(WindowTest, DraggingInTheSceneTurnsItAndOverThePanelsDoesNot) {
    openAndShow(path);
    window->session().display.layout = Layout::Single3D;
    pauseAt(1);
    Viewport& viewport = window->viewport();
    const auto drag = [&](QPoint from, QPoint to) {
        QTest::mousePress(&viewport, Qt::LeftButton, Qt::NoModifier, from);
        QTest::mouseMove(&viewport, (from + to) / 2);
        QTest::mouseMove(&viewport, to);
        QTest::mouseRelease(&viewport, Qt::LeftButton, Qt::NoModifier, to);
    };
    const auto corner = [&] { return *window->scene().project(ViewKind::Volume3D, {0, 0, 0}); };
    const ScenePoint before = corner();
    drag({300, 300}, {360, 320});
    const ScenePoint turned = corner();
    EXPECT_GT(std::hypot(turned.x - before.x, turned.y - before.y), 2);
    settle();
    drag({viewport.width() - 100, 400}, {300, 300});
    EXPECT_NEAR(corner().x, turned.x, 1e-6);
    EXPECT_NEAR(corner().y, turned.y, 1e-6);
}

TEST_F(WindowTest, AnotherOpenGlContextShowsTheSamePicture) {
    openAndShow(path);
    pauseAt(1);
    const QImage before = picture();
    const QSize size = window->viewport().size();
    QWidget* central = window->takeCentralWidget();
    central->setParent(nullptr);
    central->resize(400, 300);
    central->show(); // a window of its own has a context of its own
    ASSERT_TRUE(isExposed(central));
    window->setCentralWidget(central);
    ASSERT_TRUE(becomes([&] { return window->viewport().isValid(); }));
    ASSERT_TRUE(becomes([&] { return window->viewport().size() == size; }));
    settle();
    const QImage after = picture();
    ASSERT_EQ(before.size(), after.size());
    EXPECT_LT(differingPixels(before, after), before.width() * before.height() / 50);
}

TEST_F(WindowTest, UnknownTimeIsSaidAndCanBeGiven) {
    openAndShow(writeBall(folder, "timeless.nii.gz", 20, 4, 0));
    const Session& session = window->session();
    EXPECT_FALSE(session.playback.timeKnown());
    window->open({folder / "timeless.nii.gz"}, 50);
    ASSERT_TRUE(becomes([&] { return !window->loading(); }));
    EXPECT_TRUE(session.playback.timeKnown());
    EXPECT_TRUE(session.timeGivenByUser);
    window->session().playback.pause();
    window->session().playback.seek(2);
    EXPECT_NEAR(session.playback.milliseconds(), 100, 1e-6);
}

} // namespace
} // namespace systole
