// Whatever opens is closed again, many times and faster than it is drawn: nothing answers a key
// that has gone already, and nothing is called that has gone.
#include "tests/app/window/window_fixture.h"

#include <QDialog>
#include <QDoubleSpinBox>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QTimer>

#include <string>
#include <vector>

namespace systole {
namespace {

class DialogsTest : public testing::WindowTest {
protected:
    static constexpr int times = 10;

    void SetUp() override {
        WindowTest::SetUp();
        if (IsSkipped())
            return;
        window->session().motion.enabled = false; // the dialogs are the matter, not the motion
        openAndShow(path);
        window->host().answer = [](const FileQuestion&) { return std::string(); };
        window->messages().openFolderWith = [](const std::string&) {};
        QObject::connect(&closer, &QTimer::timeout, &closer, [this] { closeModal(); });
        closer.start(0);
    }

    /// A dialog with an event loop of its own gets Escape, and two more that are nobody's.
    void closeModal() {
        QWidget* const modal = QApplication::activeModalWidget();
        if (!modal)
            return;
        ++modals;
        const QPointer<QWidget> kept(modal);
        for (int i = 0; i < 3; ++i)
            if (kept)
                QTest::keyClick(kept, Qt::Key_Escape);
    }

    static std::vector<QDialog*> dialogs() {
        std::vector<QDialog*> shown;
        for (QWidget* widget : QApplication::topLevelWidgets())
            if (auto* dialog = qobject_cast<QDialog*>(widget); dialog && dialog->isVisible())
                shown.push_back(dialog);
        return shown;
    }
    static QDialog* dialog(const QString& title) {
        for (QDialog* each : dialogs())
            if (each->windowTitle() == title)
                return each;
        return nullptr;
    }
    void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QApplication::setActiveWindow(window.get());
        QTest::keyClick(window.get(), static_cast<Qt::Key>(key), modifiers);
    }
    void escapeEverywhere() {
        for (int i = 0; i < 3; ++i) {
            for (QDialog* each : dialogs())
                QTest::keyClick(each, Qt::Key_Escape);
            press(Qt::Key_Escape);
        }
    }
    std::vector<QAction*> actions() const {
        std::vector<QAction*> all;
        for (QMenu* menu : window->menuBar()->findChildren<QMenu*>())
            for (QAction* action : menu->actions())
                if (!action->menu() && !action->isSeparator())
                    all.push_back(action);
        return all;
    }

    QTimer closer;
    int modals = 0;
};

TEST_F(DialogsTest, EscapeBetweenTheEndOfTheKeySheetAndTheEndOfItsKey) {
    for (int i = 0; i < times; ++i) {
        press(Qt::Key_H);
        const QPointer<QDialog> sheet = dialog(QStringLiteral("Keys"));
        ASSERT_TRUE(sheet);
        press(Qt::Key_Escape); // the keyboard may still be the window's
        EXPECT_FALSE(sheet->isVisible());
        press(Qt::Key_Escape);
        // The sheet goes, and nothing else of what waits: the next key comes first.
        QCoreApplication::sendPostedEvents(sheet, QEvent::DeferredDelete);
        EXPECT_TRUE(sheet.isNull());
        press(Qt::Key_Escape);
        press(Qt::Key_Escape);
    }
    EXPECT_TRUE(dialogs().empty());
}

TEST_F(DialogsTest, AKeySheetThatWaitsForItsEndDoesNotSwallowTheNext) {
    for (int i = 0; i < times; ++i) {
        press(Qt::Key_H);
        EXPECT_TRUE(dialog(QStringLiteral("Keys"))) << i;
        i % 2 == 0 ? press(Qt::Key_Escape) : press(Qt::Key_H);
        EXPECT_FALSE(dialog(QStringLiteral("Keys"))) << i;
    }
}

TEST_F(DialogsTest, WindowsThatStayOpenAndCloseAtOnce) {
    const std::vector<std::pair<QString, std::function<void()>>> windows{
        {QStringLiteral("Keys"), [&] { press(Qt::Key_Question); }},
        {QStringLiteral("Lessons"), [&] { press(Qt::Key_F1); }},
        {QStringLiteral("Manual"), [&] { press(Qt::Key_F1, Qt::ShiftModifier); }},
        {QStringLiteral("Messages"), [&] { window->messages().showWindow(); }}};
    for (const auto& [title, open] : windows)
        for (int i = 0; i < times; ++i) {
            open();
            ASSERT_TRUE(dialog(title)) << title.toStdString() << i;
            escapeEverywhere();
            EXPECT_FALSE(dialog(title)) << title.toStdString() << i;
            if (i % 3 == 0)
                QCoreApplication::processEvents();
        }
}

TEST_F(DialogsTest, DialogsWithALoopOfTheirOwnEndByEscape) {
    const std::vector<std::function<void()>> dialogs{
        [&] { press(Qt::Key_O, Qt::ControlModifier); }, [&] { window->openFolder(); },
        [&] { window->askFrameTime(); }, [&] { window->help().showAbout(); }};
    for (const auto& open : dialogs)
        for (int i = 0; i < times; ++i) {
            const int before = modals;
            open(); // returns when it is closed
            EXPECT_GT(modals, before);
            EXPECT_EQ(QApplication::activeModalWidget(), nullptr);
        }
    window->host().answer = {}; // the window's own dialogs for files
    for (int i = 0; i < times; ++i) {
        const int before = modals;
        press(Qt::Key_F12, Qt::ShiftModifier);
        ASSERT_TRUE(becomes([&] { return modals > before; }));
    }
    EXPECT_EQ(message(), "");
}

TEST_F(DialogsTest, EveryEntryOfTheMenusTenTimesWithEscapes) {
    const QByteArray home = qgetenv("HOME");
    qputenv("HOME", folder.path().c_str()); // folder for pictures
    const std::vector<QAction*> all = actions();
    EXPECT_GT(all.size(), 90u);
    for (QAction* const action : all) {
        if (action->text().contains(QStringLiteral("Quit")))
            continue;
        SCOPED_TRACE(action->text().toStdString());
        for (int i = 0; i < times; ++i) {
            if (!action->shortcut().isEmpty() && i % 2 == 0)
                QTest::keySequence(window.get(), action->shortcut());
            else
                action->trigger();
            escapeEverywhere();
        }
        QCoreApplication::processEvents();
        ASSERT_TRUE(becomes([] { return !QApplication::activeModalWidget(); }));
    }
    escapeEverywhere();
    EXPECT_TRUE(dialogs().empty());
    EXPECT_TRUE(window->isVisible());
    qputenv("HOME", home);
}

TEST_F(DialogsTest, TheWindowGoesWhileItsOtherWindowsAndAnEditAreOpen) {
    for (int i = 0; i < 3; ++i) {
        press(Qt::Key_H);
        window->messages().showWindow();
        press(Qt::Key_F1);
        press(Qt::Key_F1, Qt::ShiftModifier);
        auto* speed = window->findChild<QDoubleSpinBox*>();
        ASSERT_NE(speed, nullptr);
        speed->setFocus();
        speed->selectAll();
        QTest::keyClicks(speed, QStringLiteral("2.5")); // not confirmed
        window.reset();
        QCoreApplication::processEvents();
        EXPECT_TRUE(dialogs().empty());
        makeWindow();
        openAndShow(path);
    }
}

} // namespace
} // namespace systole
