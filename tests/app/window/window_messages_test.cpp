// Messages of the window: all of them can be read, and they cover nothing.
#include "app/window/eliding_label.h"
#include "app/window/messages_window.h"
#include "app/window/notice.h"
#include "tests/app/window/window_fixture.h"

#include <QClipboard>
#include <QDir>
#include <QMenuBar>
#include <QPushButton>
#include <QStatusBar>
#include <QTextBrowser>
#include <QToolButton>
#include <gmock/gmock.h>

#include <filesystem>

namespace systole {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class WindowMessagesTest : public testing::WindowTest {
protected:
    QFrame* fileNotes() const { return window->findChild<QFrame*>("noteBar"); }
    std::string fileNotesText() const {
        return fileNotes()->findChild<QLabel*>()->text().toStdString();
    }
    QWidget* notice() const { return window->findChild<QWidget*>("notice"); }
    static QAbstractButton* button(QWidget* in, const char* text) {
        for (auto* found : in->findChildren<QAbstractButton*>())
            if (found->text() == QString::fromUtf8(text))
                return found;
        return nullptr;
    }
    std::string logText() const { return window->messages().log().text(); }

    /// Everything that stands in the window, in its coordinates: no two may overlap.
    std::vector<QRect> places() const {
        std::vector<QWidget*> widgets{window->menuBar(), window->findChild<QFrame*>("messageBar"),
                                      fileNotes(), &window->viewport()};
        const QWidget* transport = window->findChild<QWidget*>("transportBar");
        for (auto* child : transport->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
            widgets.push_back(child);
        for (auto* child : window->statusBar()->findChildren<QLabel*>())
            widgets.push_back(child);
        std::vector<QRect> places;
        for (QWidget* widget : widgets)
            if (widget->isVisible() && !widget->size().isEmpty())
                places.emplace_back(widget->mapTo(window.get(), QPoint(0, 0)), widget->size());
        return places;
    }
    void expectApart() const {
        const std::vector<QRect> all = places();
        EXPECT_GT(all.size(), 8u);
        for (std::size_t i = 0; i < all.size(); ++i) {
            EXPECT_TRUE(window->rect().contains(all[i])) << i;
            for (std::size_t j = i + 1; j < all.size(); ++j)
                EXPECT_FALSE(all[i].intersects(all[j])) << i << ", " << j;
        }
    }
};

TEST_F(WindowMessagesTest, ASavedFileIsNamedAndItsFolderOffered) {
    const QByteArray home = qgetenv("HOME");
    qputenv("HOME", QByteArray::fromStdString(folder / ""));
    openAndShow(path);
    const QSize before = window->viewport().size();
    std::string opened;
    window->messages().openFolderWith = [&](const std::string& shown) { opened = shown; };
    key(Qt::Key_F12);
    qputenv("HOME", home);
    ASSERT_TRUE(becomes([&] { return notice()->isVisible(); }));
    EXPECT_EQ(window->viewport().size(), before); // the next picture has the same size
    const Message saved = window->messages().log().messages().back();
    EXPECT_THAT(saved.text, HasSubstr("Picture saved: "));
    EXPECT_TRUE(std::filesystem::exists(saved.path)) << saved.path;
    EXPECT_THAT(notice()->findChild<QLabel*>()->toolTip().toStdString(), HasSubstr(saved.path));
    button(notice(), "Show in folder")->click();
    EXPECT_EQ(opened, std::filesystem::path(saved.path).parent_path().string());
    button(notice(), "×")->click();
    EXPECT_FALSE(notice()->isVisible());
}

TEST_F(WindowMessagesTest, ANoticeLosesTheFoldersOfAPathFirst) {
    ElidingLabel label(Qt::ElideMiddle, window.get());
    label.resize(400, 20);
    QString far = QStringLiteral("Not saved: ");
    for (int i = 0; i < 20; ++i)
        far += QStringLiteral("/a_folder_with_a_long_name");
    label.setText(far + QStringLiteral("/heart.png: the disk is full"));
    EXPECT_EQ(label.shown().toStdString(), "Not saved: …/heart.png: the disk is full");
    label.setText(QStringLiteral("/a/heart.png: the disk is full"));
    EXPECT_EQ(label.shown(), label.text()) << "there is room for it";
    label.resize(40, 20);
    EXPECT_THAT(label.shown().toStdString(), HasSubstr("…"));
    EXPECT_LE(label.fontMetrics().horizontalAdvance(label.shown()), 40);
}

TEST_F(WindowMessagesTest, ALongMessageIsShortenedWrappedAndKeptWhole) {
    openAndShow(path);
    window->resize(900, 600);
    std::string far = "/";
    for (int i = 0; i < 20; ++i)
        far += "a_folder_with_a_long_name/";
    far += "heart.nii.gz";
    const std::string whole = far + ": can't be opened. " + std::string(60, 'x') + " " +
                              "It would have been the motion of a heart.";
    window->session().message = whole;
    window->refresh();
    QTest::qWait(50);
    EXPECT_THAT(message(), HasSubstr("heart.nii.gz: can't be opened."));
    EXPECT_THAT(message(), HasSubstr("…"));
    EXPECT_THAT(message(), HasSubstr("It would have been the motion"));
    EXPECT_EQ(window->size(), QSize(900, 600));
    expectApart();
    EXPECT_THAT(logText(), HasSubstr("error\t" + whole));
    auto* bar = window->findChild<QFrame*>("messageBar");
    ASSERT_TRUE(button(bar, "All of it")->isVisible());
    button(bar, "All of it")->click();
    auto* all = window->findChild<QTextBrowser*>();
    ASSERT_NE(all, nullptr);
    EXPECT_THAT(all->toPlainText().toStdString(), HasSubstr(whole));
    button(all->window(), "Copy all")->click();
    EXPECT_EQ(QGuiApplication::clipboard()->text().toStdString(), logText());
    // New messages come into the open list.
    window->session().message = "Another one.";
    window->refresh();
    EXPECT_THAT(all->toPlainText().toStdString(), EndsWith("Another one."));
}

TEST_F(WindowMessagesTest, NotesOfAFileAreShownOncePerOpening) {
    openAndShow(path);
    const bool plainFile = fileNotes()->isHidden();
    const std::string timeless = testing::writeBall(folder, "timeless.nii.gz", 20, 4, 0);
    openAndShow(timeless);
    ASSERT_TRUE(fileNotes()->isVisible());
    EXPECT_THAT(fileNotesText(), HasSubstr("time unknown"));
    EXPECT_THAT(logText(), HasSubstr("warning\ttimeless.nii.gz: time unknown"));
    button(fileNotes(), "×")->click();
    window->refresh();
    EXPECT_TRUE(fileNotes()->isHidden());
    window->open({timeless}, 50); // the user says the time
    ASSERT_TRUE(becomes([&] { return !window->loading(); }));
    EXPECT_THAT(fileNotesText(), Not(HasSubstr("time unknown")));
    openAndShow(timeless);
    ASSERT_TRUE(becomes([&] { return fileNotes()->isVisible(); }));
    openAndShow(path);
    EXPECT_EQ(fileNotes()->isHidden(), plainFile);
}

TEST_F(WindowMessagesTest, NothingOverlapsInASmallWindow) {
    openAndShow(
        testing::writeBall(folder, "a_heart_with_quite_a_long_name_of_a_file.nii.gz", 20, 12, 0));
    for (const QSize size : {QSize(900, 600), QSize(720, 480), QSize(1400, 900)}) {
        window->resize(size);
        window->session().message = "This failed for a reason that takes some words to tell.";
        window->refresh();
        QTest::qWait(100);
        EXPECT_EQ(window->size(), size);
        expectApart();
        for (const QLabel* label : window->statusBar()->findChildren<QLabel*>()) {
            const bool shortens = label->minimumSizeHint().width() == 0;
            EXPECT_TRUE(shortens || label->width() >= label->sizeHint().width())
                << label->text().toStdString();
        }
    }
}

TEST_F(WindowMessagesTest, WhatThePointerIsOverIsReadWholeAndGoesWithIt) {
    openAndShow(path);
    window->resize(900, 600);
    pauseAt(1);
    const auto read = [&] {
        for (const QLabel* label : window->statusBar()->findChildren<QLabel*>())
            if (label->text().contains("mm LPS   value"))
                return label;
        return static_cast<const QLabel*>(nullptr);
    };
    const std::optional<ScenePoint> middle =
        window->scene().project(ViewKind::Axial, window->scene().crosshair());
    ASSERT_TRUE(middle);
    QTest::mouseMove(&window->viewport(),
                     {static_cast<int>(middle->x) + 3, static_cast<int>(middle->y) + 3});
    ASSERT_TRUE(becomes([&] { return read() && read()->text().contains("motion"); }));
    ASSERT_TRUE(becomes([&] { return read()->width() >= read()->sizeHint().width(); }));
    QTest::mouseMove(&window->viewport(), {window->viewport().width() - 40, 300});
    EXPECT_TRUE(becomes([&] { return !read(); })) << "over the panels";
}

TEST_F(WindowMessagesTest, TheEndOfTheCycleIsReported) {
    openAndShow(path);
    window->session().cycle.on = true;
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !window->session().cycle.on; }));
    EXPECT_THAT(logText(), HasSubstr("note\tOpened "));
    EXPECT_THAT(logText(), HasSubstr("note\tThe whole cycle is estimated: 6 pairs."));
    EXPECT_TRUE(notice()->isVisible());
}

} // namespace
} // namespace systole
