// The lessons in the window: pages, and the experiment at one click.
#include "app/base/lessons.h"
#include "app/base/version.h"
#include "app/features/laboratory/laboratory_tool.h"
#include "tests/app/window/window_fixture.h"

#include <QAction>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextTable>
#include <QTimer>
#include <QUrl>
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

namespace systole {
namespace {

using ::testing::HasSubstr;

class LessonsTest : public testing::WindowTest {
protected:
    LessonsWindow& reader() { return *window->lessons().window(); }
    std::string pageText() { return reader().page().toPlainText().toStdString(); }
};

TEST_F(LessonsTest, F1OpensTheFirstPageAndTheListTheOthers) {
    openAndShow(path);
    EXPECT_EQ(window->lessons().window(), nullptr);
    key(Qt::Key_F1);
    ASSERT_NE(window->lessons().window(), nullptr);
    EXPECT_TRUE(reader().isVisible());
    EXPECT_FALSE(reader().isModal());
    EXPECT_EQ(reader().parentWidget(), nullptr); // else it would lie over the curves
    EXPECT_FALSE(reader().testAttribute(Qt::WA_QuitOnClose));
    EXPECT_EQ(reader().number(), 1);
    const auto* list = reader().findChild<QListWidget*>();
    EXPECT_EQ(list->count(), static_cast<int>(lessons().size()));
    EXPECT_GE(list->count(), 8);
    for (const Lesson& lesson : lessons()) {
        reader().open(lesson.number);
        EXPECT_EQ(reader().number(), lesson.number);
        EXPECT_THAT(pageText(), HasSubstr(lesson.title));
    }
    EXPECT_EQ(message(), "");
}

TEST_F(LessonsTest, InALowWindowThePageHasMostOfTheRoom) {
    openAndShow(path);
    window->lessons().show(1);
    reader().resize(596, 215);
    ASSERT_TRUE(becomes([&] { return reader().height() == 215; }));
    reader().answer().setText(QString(600, QLatin1Char('a')).replace(10, 1, QLatin1Char(' ')));
    reader().resize(596, 216);
    ASSERT_TRUE(becomes([&] { return reader().height() == 216; }));
    EXPECT_GT(reader().page().height(), 216 / 2);
    EXPECT_GT(reader().page().width(), 596 * 2 / 3);
}

TEST_F(LessonsTest, TablesOfAPageAreTables) {
    openAndShow(path);
    window->lessons().show(1);
    int tables = 0;
    for (QTextFrame* frame : reader().page().document()->rootFrame()->childFrames())
        if (auto* table = qobject_cast<QTextTable*>(frame)) {
            ++tables;
            EXPECT_GT(table->rows(), 1);
            EXPECT_GT(table->format().cellPadding(), 0);
        }
    std::ifstream file(lessonPath(lesson(1)));
    const std::string source{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(tables > 0, source.find("\n| ---") != std::string::npos);
    EXPECT_THAT(pageText(), ::testing::Not(HasSubstr("| ---")));
}

TEST_F(LessonsTest, TheButtonPutsTheQuestionToTheLaboratoryAndTheAnswerComes) {
    openAndShow(path);
    window->lessons().show(1);
    EXPECT_THAT(reader().answer().text().toStdString(), HasSubstr("hasn't been run"));
    QTest::mouseClick(&reader().runButton(), Qt::LeftButton);
    const LaboratoryTool& lab = window->tools().get<LaboratoryTool>();
    EXPECT_EQ(lab.lesson, 1);
    EXPECT_EQ(lab.asked, 1u);
    EXPECT_EQ(lab.request.question.kernels, lesson(1).experiment->kernels);
    EXPECT_TRUE(findPanel(window->panels(), "Laboratory").open);
    ASSERT_TRUE(becomes([&] {
        return lab.status.answered == lab.asked && !lab.status.busy &&
               (lab.status.answer || !lab.status.failure.empty());
    }));
    window->refresh();
    const std::string shown = reader().answer().text().toStdString();
    if (lab.status.answer) {
        EXPECT_THAT(
            shown,
            HasSubstr(
                QString::fromStdString(lab.status.answer->source).toHtmlEscaped().toStdString()));
        const std::string headline = lesson(1).headline(*lab.status.answer);
        EXPECT_THAT(shown,
                    HasSubstr(QString::fromStdString(headline).toHtmlEscaped().toStdString()));
    } else {
        EXPECT_THAT(
            shown,
            HasSubstr(QString::fromStdString(lab.status.failure).toHtmlEscaped().toStdString()));
    }
    // Another lesson's page doesn't show this one's answer.
    reader().open(2);
    window->refresh();
    EXPECT_THAT(reader().answer().text().toStdString(), HasSubstr("hasn't been run"));
}

TEST_F(LessonsTest, AnExperimentOfACommandIsNamedAndHasNoButton) {
    openAndShow(path);
    for (const Lesson& each : lessons()) {
        window->lessons().show(each.number);
        window->refresh();
        EXPECT_EQ(reader().runButton().isEnabled(), each.command.empty()) << each.title;
        if (!each.command.empty()) {
            EXPECT_THAT(reader().answer().text().toStdString(), HasSubstr(each.command));
            window->lessons().run(each);
            EXPECT_FALSE(findPanel(window->panels(), "Bias").open) << each.title;
        }
    }
}

TEST_F(LessonsTest, OverTheCurvesItGoesAboveThemAndStaysInFront) {
    openAndShow(path);
    window->resize(1000, 700);
    window->move(0, 0);
    window->lessons().show(1);
    reader().move(0, 0);
    reader().resize(900, 660);
    ASSERT_TRUE(becomes([&] { return reader().width() == 900 && window->width() == 1000; }));
    QTest::mouseClick(&reader().runButton(), Qt::LeftButton);
    const Viewport& viewport = window->viewport();
    EXPECT_TRUE(becomes([&] {
        const QRect view(viewport.mapToGlobal(QPoint(0, 0)), viewport.size());
        return view.contains(reader().frameGeometry());
    }));
    const QRect view(viewport.mapToGlobal(QPoint(0, 0)), viewport.size());
    EXPECT_LE(reader().frameGeometry().bottom(), view.top() + view.height() / 2);
    EXPECT_TRUE(reader().runButton().isVisible());
    EXPECT_TRUE(reader().rect().contains(
        QRect(reader().runButton().mapTo(&reader(), QPoint(0, 0)), reader().runButton().size())));
    // The reader keeps its place if it covers no curves.
    const QRect place = reader().geometry();
    QTest::mouseClick(&reader().runButton(), Qt::LeftButton);
    EXPECT_EQ(reader().geometry(), place);
}

TEST_F(LessonsTest, ItCoversNeitherMapsNorPanelOfAnExperimentHoweverThatBegan) {
    openAndShow(path);
    window->resize(1000, 700);
    window->move(0, 0);
    window->lessons().show(14);
    reader().move(60, 0);
    reader().resize(900, 660);
    ASSERT_TRUE(becomes([&] { return reader().width() == 900 && window->width() == 1000; }));
    window->lessons().run(lesson(14));
    const Viewport& viewport = window->viewport();
    const QPoint corner = viewport.mapToGlobal(QPoint(0, 0));
    EXPECT_TRUE(becomes([&] {
        const QRect taken = reader().frameGeometry();
        return taken.right() < corner.x() + viewport.width() - ImGuiLayer::columnWidth &&
               taken.bottom() < corner.y() + viewport.height() / 2 + 1;
    }));
}

TEST_F(LessonsTest, ItIsNeverLargerThanTheScreen) {
    openAndShow(path);
    window->move(0, 0);
    window->lessons().show(1);
    const QSize room = window->screen()->availableSize();
    EXPECT_LE(reader().width(), room.width());
    EXPECT_LE(reader().height(), room.height());
    const QRect taken = window->frameGeometry();
    if (room.width() - taken.right() - 1 >= 560) {
        EXPECT_FALSE(reader().frameGeometry().intersects(taken));
    }
}

TEST_F(LessonsTest, AboutSaysTheVersion) {
    QAction* about = nullptr;
    for (QAction* action : window->findChildren<QAction*>())
        if (action->text().contains(QStringLiteral("About")))
            about = action;
    ASSERT_NE(about, nullptr);
    std::string text;
    QTimer looking; // polls for the box, which has an event loop of its own
    QObject::connect(&looking, &QTimer::timeout, [&] {
        if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) {
            text = box->text().toStdString();
            box->close();
        }
    });
    looking.start(20);
    about->trigger();
    EXPECT_THAT(text, HasSubstr(programVersion()));
}

TEST_F(LessonsTest, HelpOpensTheManualAndItsLinksLeadFromPageToPage) {
    setenv("SYSTOLE_MANUAL", (folder / "").c_str(), 1);
    testing::writeText(folder / "README.md",
                       "# Manual\n\n- [First steps](first.md)\n- [Keys](keys.md), again "
                       "[those](keys.md)\n- [Elsewhere](https://example.org/other.md)\n");
    testing::writeText(folder / "first.md", "# First steps\n\nSee [the keys](keys.md).\n");
    testing::writeText(folder / "keys.md", "# All keys\n");
    QTest::keyClick(window.get(), Qt::Key_F1, Qt::ShiftModifier);
    ASSERT_NE(window->help().manual(), nullptr);
    PagesWindow& manual = *window->help().manual();
    EXPECT_TRUE(manual.isVisible());
    const auto text = [&] { return manual.page().toPlainText().toStdString(); };
    EXPECT_EQ(manual.findChild<QListWidget*>()->count(), 3);
    EXPECT_THAT(text(), HasSubstr("First steps"));
    manual.choose(1);
    EXPECT_THAT(text(), HasSubstr("See the keys"));
    emit manual.page().anchorClicked(QUrl(QStringLiteral("keys.md")));
    EXPECT_EQ(manual.current(), 2u);
    EXPECT_THAT(text(), HasSubstr("All keys"));
    unsetenv("SYSTOLE_MANUAL");
}

TEST_F(LessonsTest, PagesComeFromTheFolderThatIsNamed) {
    setenv("SYSTOLE_LESSONS", (folder / "").c_str(), 1);
    testing::writeText(folder / lesson(1).file,
                       "# Another heading\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n");
    openAndShow(path);
    window->lessons().show(1);
    unsetenv("SYSTOLE_LESSONS");
    EXPECT_THAT(pageText(), HasSubstr("Another heading"));
    EXPECT_EQ(reader().page().document()->rootFrame()->childFrames().size(), 1);
}

} // namespace
} // namespace systole
