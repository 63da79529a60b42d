// The Laboratory panel in the window: its wide place, its answer, its exports.
#include "app/base/lessons.h"
#include "app/feature/panel.h"
#include "app/features/laboratory/lab_picture.h"
#include "app/features/laboratory/laboratory_tool.h"
#include "app/features/laboratory/summary.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/lab_support.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

namespace systole {
namespace {

using ::testing::HasSubstr;

class LaboratoryTest : public testing::WindowTest {
protected:
    /// A record of two kernels is all that there is to ask, besides the catalogue.
    void SetUp() override {
        lab::GpuRecord record;
        record.machine = test::madeUpMachine();
        record.when = "2026-11-21";
        record.driver = "none";
        record.compiledFor = 90;
        for (const char* kernel : {"jacobi/direct", "jacobi/shared"})
            for (int threads = 32; threads <= 1024; threads += 32)
                record.points.push_back(
                    test::madeUpPoint(kernel, 200, threads, 1e-3 + 1e-6 * std::abs(threads - 256)));
        std::filesystem::create_directories(folder / "gpu_profiles");
        testing::writeText(folder / "gpu_profiles/made-up.json", lab::toJson(record));
        setenv("SYSTOLE_ASSETS", folder.path().c_str(), 1);
        WindowTest::SetUp();
    }
    void TearDown() override {
        window.reset();
        unsetenv("SYSTOLE_ASSETS");
    }

    Panel& panel() { return findPanel(window->panels(), laboratoryTitle); }
    LaboratoryTool& lab() { return window->tools().get<LaboratoryTool>(); }
    /// Opens the panel and waits for the answer to a question of its own.
    void openPanel() {
        openPanels(window->panels(), {laboratoryTitle});
        window->refresh();
        ASSERT_TRUE(becomes([&] { return !lab().status.gpus.empty(); })) << lab().status.failure;
        const auto& gpus = lab().status.gpus;
        const auto record = std::find_if(gpus.begin(), gpus.end(), [](const LabChoice& gpu) {
            return gpu.name == test::madeUpMachine().name;
        });
        ASSERT_NE(record, gpus.end());
        lab().request.gpu = *record;
        lab().ask({});
        ASSERT_TRUE(becomes([&] {
            return lab().status.answered == lab().asked && lab().status.answer;
        })) << lab().status.failure;
        window->refresh();
        settle();
    }
    static int pixelsOf(const QImage& image, const QRect& part, QRgb color) {
        int count = 0;
        for (int y = part.top(); y <= part.bottom(); ++y)
            for (int x = part.left(); x <= part.right(); ++x) {
                const QRgb p = image.pixel(x, y);
                count += std::abs(qRed(p) - qRed(color)) < 12 &&
                         std::abs(qGreen(p) - qGreen(color)) < 12 &&
                         std::abs(qBlue(p) - qBlue(color)) < 12;
            }
        return count;
    }
};

TEST_F(LaboratoryTest, ShowsItsSourceAndWhatItSays) {
    openAndShow(path);
    openPanel();
    const std::string text = panel().text(window->session());
    EXPECT_THAT(text, HasSubstr(lab().status.answer->source));
    EXPECT_THAT(text, HasSubstr("ecorded"));
    EXPECT_THAT(text, HasSubstr(test::madeUpMachine().name));
    EXPECT_THAT(text, HasSubstr("best measured: 256 threads, 1 ms"));
    EXPECT_THAT(text, HasSubstr("mean error: Wu"));
    EXPECT_THAT(text, HasSubstr(lab::toCsv(*lab().status.answer)));
}

TEST_F(LaboratoryTest, TakesTheLowerPartOfTheViewAndGivesItBack) {
    openAndShow(path);
    pauseAt(1);
    const int height = window->viewport().height();
    EXPECT_TRUE(window->scene().viewAt(100, height - 20).has_value());
    openPanel();
    ASSERT_TRUE(becomes([&] { return !window->scene().viewAt(100, height - 20).has_value(); }));
    EXPECT_TRUE(window->scene().viewAt(100, 20).has_value());
    settle();
    const QImage image = picture();
    const double ratio = window->devicePixelRatioF();
    const QRect lower(0, static_cast<int>(0.5 * image.height()),
                      static_cast<int>(0.5 * image.width()), image.height() / 2 - 1);
    EXPECT_GT(pixelsOf(image, lower, qRgb(86, 180, 233)), 300 * ratio); // the measured curve
    // The scene is above it: gray tissue where the upper views are.
    int bright = 0;
    for (int y = 0; y < image.height() / 4; ++y)
        for (int x = 0; x < image.width(); ++x)
            bright += qGray(image.pixel(x, y)) > 150;
    EXPECT_GT(bright, 500);
    panel().open = false;
    window->refresh();
    EXPECT_TRUE(becomes([&] { return window->scene().viewAt(100, height - 20).has_value(); }));
}

TEST_F(LaboratoryTest, ADragOverThePlotsTurnsNothing) {
    openAndShow(path);
    window->session().display.layout = Layout::Single3D;
    pauseAt(1);
    openPanel();
    Viewport& viewport = window->viewport();
    const ScenePoint before = *window->scene().project(ViewKind::Volume3D, {0, 0, 0});
    const QPoint from(200, viewport.height() - 100), to(300, viewport.height() - 60);
    QTest::mousePress(&viewport, Qt::LeftButton, Qt::NoModifier, from);
    QTest::mouseMove(&viewport, (from + to) / 2);
    QTest::mouseMove(&viewport, to);
    QTest::mouseRelease(&viewport, Qt::LeftButton, Qt::NoModifier, to);
    settle();
    const ScenePoint after = *window->scene().project(ViewKind::Volume3D, {0, 0, 0});
    EXPECT_EQ(before.x, after.x);
    EXPECT_EQ(before.y, after.y);
    EXPECT_EQ(message(), "");
}

TEST_F(LaboratoryTest, ItsPageIsDrawnInTheWindowsContextAndTheSceneGoesOn) {
    openAndShow(path);
    pauseAt(1);
    openPanel();
    const QImage before = picture();
    const RgbaImage page = window->viewport().drawn([this](double pixelRatio) {
        return drawLaboratory(*lab().status.answer, labPictureWidth, labPictureHeight, pixelRatio);
    });
    const double ratio = window->devicePixelRatioF();
    EXPECT_EQ(page.width, std::lround(1280 * ratio));
    EXPECT_EQ(page.height, std::lround(800 * ratio));
    const QImage seen(page.pixels.data(), page.width, page.height, QImage::Format_RGBA8888);
    EXPECT_GT(pixelsOf(seen, seen.rect(), qRgb(86, 180, 233)), 1000);
    settle();
    const QImage after = picture();
    ASSERT_EQ(before.size(), after.size());
    int differing = 0;
    for (int y = 0; y < before.height(); ++y)
        for (int x = 0; x < before.width(); ++x)
            differing += before.pixel(x, y) != after.pixel(x, y);
    EXPECT_LT(differing, before.width() * before.height() / 50);
}

TEST_F(LaboratoryTest, ThePointerBringsTheFiguresOfAPoint) {
    openAndShow(path);
    pauseAt(1);
    openPanel();
    Viewport& viewport = window->viewport();
    // The tooltip's own ground is found nowhere else.
    const auto tooltip = [&] { return pixelsOf(picture(), picture().rect(), qRgb(20, 20, 20)); };
    const int before = tooltip();
    QTest::mouseMove(&viewport, QPoint(200, viewport.height() - 120));
    EXPECT_TRUE(becomes([&] { return tooltip() > before + 5000; }));
    QTest::mouseMove(&viewport, QPoint(viewport.width() - 30, viewport.height() - 5));
    EXPECT_TRUE(becomes([&] { return tooltip() < before + 1000; }));
}

TEST_F(LaboratoryTest, ALessonStaysItsOwnOnAnotherGpu) {
    openAndShow(path);
    pauseAt(1);
    openPanel();
    const auto isAnswered = [&] {
        return becomes([&] {
            window->refresh();
            return lab().status.answered == lab().asked;
        });
    };
    lab().ask(*lesson(1).experiment, 1);
    ASSERT_TRUE(isAnswered());
    settle();
    // The arrow of the first list in the column is the one of the GPUs.
    Viewport& viewport = window->viewport();
    const QImage image = viewport.grabFramebuffer(); // includes the column
    const double ratio = window->devicePixelRatioF();
    const int x = viewport.width() - 24; // right of the lists, whether there is a scroll bar or not
    int y = 60;
    while (y < viewport.height() &&
           pixelsOf(image,
                    QRect(static_cast<int>((x - 1) * ratio), static_cast<int>(y * ratio), 3, 1),
                    qRgb(51, 61, 77)) < 3)
        ++y;
    ASSERT_LT(y, viewport.height());
    const LabChoice before = *lab().request.gpu;
    QTest::mouseMove(&viewport, QPoint(x, y + 8));
    QTest::mouseClick(&viewport, Qt::LeftButton, Qt::NoModifier, QPoint(x, y + 8));
    drawPanels();
    const QPoint entry(x - 100, y + 8 + 100); // some rows below
    QTest::mouseMove(&viewport, entry);
    drawPanels();
    QTest::mouseClick(&viewport, Qt::LeftButton, Qt::NoModifier, entry);
    ASSERT_TRUE(becomes([&] { return !(*lab().request.gpu == before); }));
    EXPECT_EQ(lab().lesson, 1);
    EXPECT_EQ(lab().request.question.kernels, lesson(1).experiment->kernels);
    ASSERT_TRUE(isAnswered());
    EXPECT_THAT(panel().text(window->session()), HasSubstr("Lesson 1: " + lesson(1).title));
}

TEST_F(LaboratoryTest, AQuestionWithoutAnswerIsASentence) {
    openAndShow(path);
    openPanel();
    lab::LabQuestion question;
    question.side = 3;
    lab().ask(question);
    ASSERT_TRUE(becomes([&] { return !lab().status.failure.empty(); }));
    EXPECT_THAT(panel().text(window->session()), HasSubstr(lab().status.failure));
    EXPECT_TRUE(lab().status.answer); // the last one stays
}

TEST_F(LaboratoryTest, ClockAndEstimationRestWhileTheDeviceIsMeasured) {
    openAndShow(path);
    Session& session = window->session();
    session.motion.keepEstimating = true;
    ASSERT_TRUE(becomes([&] { return session.estimation.estimated > 1; }));
    ASSERT_TRUE(lab().status.gpus.empty()); // not in use: the status is the test's own
    lab().status.busy = lab().status.measuring = true;
    ASSERT_TRUE(becomes([&] {
        window->refresh();
        return session.estimation.estimatingFrame < 0;
    }));
    const int frame = session.playback.frame();
    const std::uint64_t estimated = session.estimation.estimated;
    const auto before = session.result;
    QTest::qWait(500); // a dozen frames
    window->refresh();
    EXPECT_TRUE(session.playback.playing());
    EXPECT_EQ(session.playback.frame(), frame);
    EXPECT_EQ(session.estimation.estimated, estimated);
    EXPECT_EQ(session.result, before); // the last motion stays on the screen
    lab().status = {};
    EXPECT_TRUE(becomes([&] {
        window->refresh();
        return session.playback.frame() != frame && session.estimation.estimated > estimated;
    }));
}

TEST_F(LaboratoryTest, ThePanelThatIsAskedForComesIntoSightInALowWindow) {
    openAndShow(path);
    window->resize(1000, 480);
    ASSERT_TRUE(becomes([&] { return window->viewport().height() < 480; }));
    // Longer than the window is high, with others above and below it.
    Panel& asked = findPanel(window->panels(), "Motion parameters");
    openPanels(window->panels(), {asked.title()});
    for (const auto& other : window->panels())
        EXPECT_EQ(other->open, other.get() == &asked) << other->title();
    window->refresh();
    settle();
    drawPanels();
    // Its heading is the first of the column now.
    const QPoint heading(window->viewport().width() - ImGuiLayer::columnWidth + 80, 16);
    QTest::mouseMove(&window->viewport(), heading);
    drawPanels();
    EXPECT_TRUE(asked.keepInSight);
    QTest::mouseClick(&window->viewport(), Qt::LeftButton, Qt::NoModifier, heading);
    EXPECT_TRUE(becomes([&] { return !asked.open; }));
    EXPECT_FALSE(asked.keepInSight);
}

} // namespace
} // namespace systole
