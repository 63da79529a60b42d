// Pictures saved from the window, and what it shows while the motion isn't that of the frame.
#include "app/live/motion_file.h"
#include "app/live/saved_picture.h"
#include "compute/motion/methods.h"
#include "io/formats/writer.h"
#include "render/overlays/rows.h"
#include "tests/app/window/window_fixture.h"

#include <QClipboard>
#include <QMenuBar>
#include <QMimeData>
#include <QStatusBar>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace systole {
namespace {

using ::testing::HasSubstr;

class WindowPicturesTest : public testing::WindowTest {
protected:
    static QImage image(const std::string& png) { return QImage(QString::fromStdString(png)); }

    const MotionNotes& notes() const { return window->scene().motionNotes(); }

    void set(const std::string& option, const ParamValue& value) {
        setOption(window->session().display, option, value);
        window->refresh();
        settle();
    }

    /// An estimation with these parameters doesn't end while a test runs.
    void estimateEndlessly(MotionChoice& motion) {
        motion.setBackend(Backend::CpuReference);
        for (const char* number : {"warps", "sweeps"})
            for (const ParamRow& row : motion.method->parameters->rows())
                if (row.id == number)
                    motion.set(row.id, static_cast<int>(row.maximum));
        motion.set("tolerance", 0.0);
        motion.set("adaptive", false);
        window->refresh();
        settle();
    }

    QAction* action(const QString& text) {
        for (QAction* menu : window->menuBar()->actions())
            for (QAction* action : menu->menu()->actions())
                if (action->text().remove('&') == text)
                    return action;
        return nullptr;
    }

    std::string saved(const std::string& name) {
        const std::string png = folder / name;
        window->pictures().save(png);
        EXPECT_TRUE(becomes([&] { return std::filesystem::exists(png); }));
        return png;
    }

    void expectSamePixelsAgain(const std::string& png) {
        const std::string again = png + ".again.png";
        const testing::Outcome outcome = testing::run({"snapshot", "--like", png, "-o", again});
        EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
        EXPECT_EQ(outcome.errors, "");
        EXPECT_FALSE(image(png).isNull());
        EXPECT_EQ(image(png), image(again));
    }
};

TEST_F(WindowPicturesTest, TheShownMotionIsSavedForItkAndForNifti) {
    const QString entry = QStringLiteral("Save the motion field as…");
    EXPECT_NE(action(entry + QStringLiteral(" (no file is open)")), nullptr);
    openAndShow(path);
    pauseAt(2);
    ASSERT_NE(action(entry), nullptr);
    EXPECT_TRUE(action(entry)->isEnabled());
    const Session& session = window->session();
    EXPECT_EQ(motionFileName(session), "ball_motion_0002_to_0003.mha");
    BufferPool pool;
    const MillimeterField shown = toMillimeters(*session.result->field, pool);
    for (const char* name : {"motion.mha", "motion.nii.gz"}) {
        const std::string file = folder / name;
        window->exports().saveMotion(file, session.result);
        ASSERT_TRUE(becomes([&] { return std::filesystem::exists(file); })) << message();
        const MillimeterField read = readField(file, pool);
        EXPECT_EQ(read.geometry.size(), shown.geometry.size());
        EXPECT_TRUE(std::ranges::equal(read.vectors.span(), shown.vectors.span())) << name;
    }
    window->exports().saveMotion(path, session.result); // not over the open image
    EXPECT_TRUE(becomes([&] { return !message().empty(); }));
    window->exports().saveMotion(folder / "motion.txt", session.result);
    EXPECT_TRUE(becomes([&] { return message().find(".mha or .nii.gz") != std::string::npos; }));
}

TEST_F(WindowPicturesTest, MotionOfAnEarlierMethodIsNamedAfterIt) {
    openAndShow(testing::writeBall(folder, "larger.nii.gz", 40, 6));
    MotionChoice& motion = window->session().motion;
    const MotionMethod& wanted = *motion.method;
    motion.choose(motionMethod("demons"));
    pauseAt(2);
    EXPECT_EQ(notes(), MotionNotes{});
    motion.choose(wanted);
    estimateEndlessly(motion);
    EXPECT_EQ(notes().left, "motion 2 to 3\nearlier method: demons\nestimating …");
    const auto labels = window->statusBar()->findChildren<QLabel*>();
    EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->text().startsWith(QStringLiteral("motion 2 → 3 (earlier"));
    }));
}

TEST_F(WindowPicturesTest, MotionOfAnotherFrameOrOfEarlierParametersIsFadedAndSaysSo) {
    path = testing::writeBall(folder, "larger.nii.gz", 40, 6);
    openAndShow(path);
    // Starts from rest, as the motion at the end of the test does.
    ++window->session().motion.revision;
    pauseAt(2);
    EXPECT_EQ(notes(), MotionNotes{});
    const MotionChoice before = window->session().motion;
    const QImage fresh = picture();

    estimateEndlessly(window->session().motion);
    EXPECT_EQ(notes().left, "motion 2 to 3\nearlier parameters\nestimating …");
    const QImage stale = picture();
    EXPECT_GT(differingPixels(fresh, stale), 500);
    key(Qt::Key_Right);
    ASSERT_TRUE(becomes([&] { return window->session().shownFrame == 3; }));
    settle();
    EXPECT_EQ(window->session().result->fixedFrame, 2);
    EXPECT_EQ(notes().left, "motion 2 to 3\nearlier parameters\nestimating …");
    const QImage other = picture();

    // The option hides it, but it is still named.
    set("outdated-motion", false);
    const QImage hidden = picture();
    EXPECT_GT(differingPixels(other, hidden), 300);
    set("arrows", false);
    set("outdated-motion", true);
    const auto belowTexts = [](const QImage& all) { // part of the lower left view below its texts
        return all.copy(0, all.height() * 2 / 3, all.width() / 2, all.height() / 3);
    };
    EXPECT_EQ(differingPixels(belowTexts(hidden), belowTexts(picture())), 0);
    EXPECT_GT(differingPixels(belowTexts(hidden), belowTexts(other)), 300);

    // The frame looks as before when its own motion is back.
    set("arrows", true);
    window->session().motion.copyFrom(before);
    window->session().playback.seek(2);
    window->refresh();
    ASSERT_TRUE(becomes([&] { return notes() == MotionNotes{}; }));
    settle();
    EXPECT_EQ(differingPixels(fresh, picture()), 0);
}

TEST_F(WindowPicturesTest, EachSideSaysItForItself) {
    path = testing::writeBall(folder, "larger.nii.gz", 40, 6);
    openAndShow(path);
    window->session().display.layout = Layout::SideBySide;
    pauseAt(1);
    ASSERT_TRUE(becomes([&] { return window->session().right.comparison != nullptr; }));
    settle();
    EXPECT_EQ(notes(), MotionNotes{});
    estimateEndlessly(window->session().compared);
    const Session& session = window->session();
    EXPECT_EQ(notes().left, "");
    // A side shows motion of its own settings, or none.
    if (session.right.result) {
        EXPECT_THAT(notes().right, HasSubstr("estimating …"));
    } else {
        EXPECT_THAT(window->scene().sideBySide().rightLabel, HasSubstr("estimating"));
    }
}

TEST_F(WindowPicturesTest, APictureOfTheWindowIsMadeAgainPixelForPixel) {
    openAndShow(path);
    // Every pair is estimated while it plays, from the field of the pair before.
    ASSERT_TRUE(becomes([&] { return window->session().estimation.cachedFrames.size() == 6; }));
    pauseAt(4);
    Scene& scene = window->scene();
    scene.rotate(33, -11);
    ASSERT_TRUE(scene.pointerPressed(PointerButton::Right, 40, 40, false)); // zoom
    scene.pointerMoved(43, 21, false);
    scene.pointerReleased(PointerButton::Right, 43, 21);
    scene.setCrosshair({22.3, 24.9, 20.1});
    set("magnitude", true);
    const QImage shown = picture();
    const std::string png = saved("window.png");
    const QImage file = image(png);
    // The file has the shown picture, with a caption below it.
    EXPECT_EQ(file.width(), shown.width());
    EXPECT_GT(file.height(), shown.height());
    EXPECT_EQ(differingPixels(file.copy(0, 0, shown.width(), shown.height()), shown), 0);
    expectSamePixelsAgain(png);

    set("caption", false);
    EXPECT_EQ(image(saved("bare.png")).size(), shown.size());
    expectSamePixelsAgain(folder / "bare.png");
}

TEST_F(WindowPicturesTest, PicturesWhilePlayingAndSideBySideAreMadeAgainToo) {
    openAndShow(path);
    ASSERT_TRUE(becomes([&] { return window->session().result != nullptr; }));
    expectSamePixelsAgain(saved("playing.png"));
    window->session().display.layout = Layout::SideBySide;
    window->session().compared.set("alpha", 20.0);
    pauseAt(2);
    ASSERT_TRUE(becomes([&] { return window->session().right.comparison != nullptr; }));
    settle();
    expectSamePixelsAgain(saved("sides.png"));
    EXPECT_TRUE(readPictureRecord(folder / "sides.png").difference);
}

TEST_F(WindowPicturesTest, APictureOfOutdatedMotionIsMadeAgainAsOutdated) {
    path = testing::writeBall(folder, "larger.nii.gz", 40, 6);
    openAndShow(path);
    pauseAt(2);
    estimateEndlessly(window->session().motion);
    key(Qt::Key_Right);
    ASSERT_TRUE(becomes([&] { return window->session().shownFrame == 3; }));
    settle();
    const std::string png = saved("outdated.png");
    const PictureRecord record = readPictureRecord(png);
    EXPECT_EQ(record.frame, 3);
    EXPECT_EQ(record.left->fixedFrame, 2);
    EXPECT_EQ(record.left->parameters.at("adaptive"),
              ParamValue(true)); // parameters of the shown motion
    EXPECT_THAT(record.notes.left, HasSubstr("motion 2 to 3"));
    EXPECT_THAT(captionOf(record), ::testing::Contains("motion 2 to 3 (of another frame)"));
    expectSamePixelsAgain(png);
}

TEST_F(WindowPicturesTest, ThePictureCanBeCopiedWithWhatMakesItAgain) {
    openAndShow(path);
    pauseAt(1);
    QGuiApplication::clipboard()->clear();
    QTest::keyClick(window.get(), Qt::Key_C, Qt::ControlModifier);
    const auto data = [] { return QGuiApplication::clipboard()->mimeData(); };
    ASSERT_TRUE(becomes([&] { return data() && data()->hasImage(); }));
    const QByteArray png = data()->data("image/png");
    testing::writeText(folder / "copied.png", png.toStdString());
    expectSamePixelsAgain(folder / "copied.png");
    EXPECT_EQ(QImage::fromData(png).size(), qvariant_cast<QImage>(data()->imageData()).size());
}

TEST_F(WindowPicturesTest, TheKeySavesIntoTheFolderOfPictures) {
    openAndShow(path);
    pauseAt(1);
    const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
    setenv("HOME", folder.path().c_str(), 1);
    std::filesystem::create_directory(folder.path() / "Pictures");
    key(Qt::Key_F12);
    std::string png;
    ASSERT_TRUE(becomes([&] {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
            if (entry.path().filename().string().rfind("systole_", 0) == 0)
                png = entry.path().string();
        return !png.empty();
    }));
    setenv("HOME", home.c_str(), 1);
    EXPECT_EQ(readPictureRecord(png).frame, 1);
    ASSERT_NE(action("Screenshot of the window…"), nullptr);
    ASSERT_NE(action("Caption"), nullptr);
    EXPECT_TRUE(action("Caption")->isChecked());
}

TEST_F(WindowPicturesTest, AScreenshotOfTheWindowKnowsItsScene) {
    openAndShow(path);
    pauseAt(1);
    const std::string png = folder / "whole.png";
    window->pictures().saveScreenshot(png);
    EXPECT_EQ(image(png).size(), window->size() * window->devicePixelRatioF());
    EXPECT_EQ(readPictureRecord(png).content, PictureContent::Window);
    const testing::Outcome outcome =
        testing::run({"snapshot", "--like", png, "-o", folder / "scene.png", "--no-caption"});
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_THAT(outcome.errors, HasSubstr("only its views"));
    EXPECT_EQ(differingPixels(image(folder / "scene.png"), picture()), 0);
}

TEST_F(WindowPicturesTest, AnImageThatHasGoneSinceCanStillBePictured) {
    const std::string image = folder / "gone.nii.gz";
    std::filesystem::copy_file(path, image);
    openAndShow(image);
    pauseAt(1);
    std::filesystem::remove(image);
    const std::string png = saved("of_gone.png");
    EXPECT_EQ(readPictureRecord(png).sha256, "");
    const testing::Outcome outcome =
        testing::run({"snapshot", "--like", png, path, "-o", folder / "again.png"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr("wasn't known"));
}

TEST_F(WindowPicturesTest, AFileThatCannotBeWrittenIsAMessage) {
    openAndShow(path);
    pauseAt(1);
    window->pictures().save(folder / "none/there.png");
    EXPECT_TRUE(becomes([&] { return message().find("there.png") != std::string::npos; }));
}

} // namespace
} // namespace systole
