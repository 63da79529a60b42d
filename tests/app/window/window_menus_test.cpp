// Menus and key sheet: every entry does what it says, or says why it can't.
#include "app/window/key_sheet.h"
#include "tests/app/window/window_fixture.h"

#include <QDialog>
#include <QMenu>
#include <QMenuBar>
#include <gmock/gmock.h>

#include <set>

namespace systole {
namespace {

using ::testing::HasSubstr;

class WindowMenusTest : public testing::WindowTest {
protected:
    /// All entries that do something, without separators and submenus.
    QList<QAction*> entries() const {
        QList<QAction*> all;
        gather(window->menuBar()->actions(), all);
        return all;
    }
    QAction* entry(const std::string& text) const {
        for (QAction* action : entries())
            if (plain(action).rfind(text, 0) == 0)
                return action;
        return nullptr;
    }
    static std::string plain(const QAction* action) {
        return action->text().remove(QLatin1Char('&')).toStdString();
    }
    const Session& session() const { return window->session(); }

private:
    static void gather(const QList<QAction*>& from, QList<QAction*>& all) {
        for (QAction* action : from) {
            if (action->menu())
                gather(action->menu()->actions(), all);
            else if (!action->isSeparator())
                all << action;
        }
    }
};

TEST_F(WindowMenusTest, EscapeClosesTheKeySheetFromTheWindowBehind) {
    openAndShow(path);
    window->help().toggleKeySheet();
    auto* const sheet = window->findChild<KeySheet*>();
    ASSERT_TRUE(sheet && sheet->isVisible());
    QApplication::setActiveWindow(window.get());
    QTest::keyClick(&window->viewport(), Qt::Key_Escape);
    EXPECT_TRUE(becomes([&] { return !window->findChild<KeySheet*>(); }));
}

TEST_F(WindowMenusTest, NoTwoEntriesOfAMenuShareALetter) {
    openAndShow(path);
    const auto check = [](const auto& self, const QList<QAction*>& actions) -> void {
        std::set<QChar> letters;
        for (const QAction* action : actions) {
            const QString text = action->text();
            const qsizetype at = text.indexOf(QLatin1Char('&'));
            const bool isNew = at < 0 || letters.insert(text[at + 1].toLower()).second;
            EXPECT_TRUE(isNew) << text.toStdString();
            if (action->menu())
                self(self, action->menu()->actions());
        }
    };
    check(check, window->menuBar()->actions());
}

TEST_F(WindowMenusTest, EveryMenuFitsASmallScreen) {
    openAndShow(path);
    for (const QAction* action : window->menuBar()->actions())
        EXPECT_LE(action->menu()->sizeHint().height(), 580) << plain(action);
}

TEST_F(WindowMenusTest, DisabledEntriesSayWhy) {
    const auto check = [&](const std::string& reason) {
        int disabled = 0;
        for (const QAction* action : entries())
            if (!action->isEnabled()) {
                EXPECT_THAT(plain(action), HasSubstr(" ("));
                disabled += plain(action).find("(" + reason + ")") != std::string::npos;
            }
        return disabled;
    };
    EXPECT_GT(check("no file is open"), 10);
    openAndShow(testing::writeBall(folder, "single.nii.gz", 20, 1));
    EXPECT_GT(check("the file has one frame"), 5);
    EXPECT_EQ(check("no file is open"), 0);
    openAndShow(path);
    EXPECT_EQ(check("the file has one frame"), 0);
    window->session().display.layout = Layout::ThreeSlices;
    window->refresh();
    EXPECT_EQ(plain(entry("From left")), "From left (no 3D view is shown)");
    window->session().display.layout = Layout::Single3D;
    window->refresh();
    EXPECT_TRUE(entry("From left")->isEnabled());
    EXPECT_EQ(plain(entry("Next slice")), "Next slice (no slice is shown)");
}

TEST_F(WindowMenusTest, SwitchesSwitchAndShowTheirState) {
    openAndShow(path);
    pauseAt(1);
    int switches = 0;
    for (QAction* action : entries()) {
        if (!action->isCheckable() || !action->isEnabled() || action->isChecked())
            continue;
        ++switches;
        action->trigger();
        EXPECT_TRUE(action->isChecked()) << plain(action);
    }
    EXPECT_GT(switches, 6);
}

TEST_F(WindowMenusTest, TheKeySheetListsTheKeysOfTheMenusAndFitsASmallWindow) {
    openAndShow(path);
    key(Qt::Key_H);
    auto* sheet = window->findChild<QDialog*>();
    ASSERT_NE(sheet, nullptr);
    std::string text;
    for (const QLabel* label : sheet->findChildren<QLabel*>())
        text += label->text().toStdString();
    for (const QAction* action : entries())
        for (const QKeySequence& keys : action->shortcuts()) {
            if (keys == QKeySequence("Shift+?"))
                continue; // equals the key ?
            EXPECT_THAT(text, HasSubstr(keys.toString().toHtmlEscaped().toStdString()))
                << plain(action);
        }
    EXPECT_LE(sheet->width(), 900);
    EXPECT_LE(sheet->height(), 570);
    QTest::keyClick(sheet, Qt::Key_H);
    EXPECT_TRUE(becomes([&] { return window->findChild<QDialog*>() == nullptr; }));
}

TEST_F(WindowMenusTest, KeysAreUnique) {
    std::set<QString> seen;
    for (const QAction* action : entries())
        for (const QKeySequence& keys : action->shortcuts())
            EXPECT_TRUE(seen.insert(keys.toString()).second) << keys.toString().toStdString();
}

TEST_F(WindowMenusTest, UndoAndRedoNameWhatTheyDo) {
    openAndShow(path);
    pauseAt(1);
    EXPECT_EQ(plain(entry("Undo")), "Undo (nothing changed)");
    const SceneCamera camera = window->scene().camera();
    key(Qt::Key_V);
    EXPECT_FALSE(session().display.volume);
    EXPECT_EQ(plain(entry("Undo")), "Undo: Volume");
    key(Qt::Key_7);
    EXPECT_NE(window->scene().camera(), camera);
    EXPECT_EQ(plain(entry("Undo")), "Undo: position of the views");
    const auto undo = [&] { QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier); };
    const auto redo = [&] {
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    };
    undo();
    const auto near = [](Vec3 a, Vec3 b) { return length(a - b) < 1e-9 * (1 + length(a)); };
    EXPECT_TRUE(near(window->scene().camera().eye, camera.eye));
    EXPECT_EQ(plain(entry("Redo")), "Redo: position of the views");
    undo();
    EXPECT_TRUE(session().display.volume);
    EXPECT_EQ(plain(entry("Undo")), "Undo (nothing changed)");
    redo();
    EXPECT_FALSE(session().display.volume);
    EXPECT_TRUE(entry("Redo")->isEnabled());
}

TEST_F(WindowMenusTest, UndoingAParameterEstimatesAnew) {
    openAndShow(path);
    pauseAt(1);
    const double alpha = session().motion.parameters.real("alpha");
    window->session().motion.set("alpha", 30.0);
    window->refresh();
    const std::uint64_t revision = session().motion.revision;
    window->edits().undo();
    EXPECT_EQ(session().motion.parameters.real("alpha"), alpha);
    EXPECT_GT(session().motion.revision, revision);
    EXPECT_TRUE(becomes([&] { return session().estimation.cachedFrames.size() == 1; }));
}

TEST_F(WindowMenusTest, AnotherFileBeginsAnotherHistory) {
    openAndShow(path);
    key(Qt::Key_V);
    EXPECT_TRUE(window->edits().history().canUndo());
    openAndShow(testing::writeBall(folder, "other.nii.gz", 20, 3));
    EXPECT_FALSE(window->edits().history().canUndo());
}

TEST_F(WindowMenusTest, EachResetIsOneStepAndAllOfThemToo) {
    openAndShow(path);
    pauseAt(1);
    Session& session = window->session();
    const double window0 = session.display.window;
    session.display.window = 2 * window0;
    session.motion.set("alpha", 30.0);
    session.marks.endSystole = 2;
    window->refresh();
    const auto run = [&](const std::string& text) {
        ASSERT_NE(entry(text), nullptr) << text;
        entry(text)->trigger();
    };
    run("Reset the display options");
    EXPECT_EQ(session.display.window, window0);
    EXPECT_EQ(session.motion.parameters.real("alpha"), 30);
    EXPECT_EQ(window->edits().history().undoText(), "reset of the display options");
    window->edits().undo();
    EXPECT_EQ(session.display.window, 2 * window0);
    EXPECT_THAT(plain(entry("Reset the motion parameters")), HasSubstr("to preset default"));
    run("Reset all of these");
    EXPECT_EQ(session.display.window, window0);
    EXPECT_NE(session.motion.parameters.real("alpha"), 30);
    EXPECT_EQ(session.marks.endSystole, std::nullopt);
    EXPECT_EQ(plain(entry("Remove the marks")), "Remove the marks ED and ES (no frame is marked)");
    window->edits().undo();
    EXPECT_EQ(session.motion.parameters.real("alpha"), 30);
    EXPECT_EQ(session.marks.endSystole, 2);
}

TEST_F(WindowMenusTest, TheWholeCycleIsEstimatedAndCanBeCancelled) {
    openAndShow(testing::writeBall(folder, "larger.nii.gz", 40, 6));
    window->session().playback.pause();
    window->session().motion.set("alpha", 30.0); // playing may have estimated all frames already
    window->refresh();
    QAction* cycle = entry("Estimate the whole cycle");
    ASSERT_NE(cycle, nullptr);
    cycle->trigger();
    window->refresh();
    ASSERT_EQ(session().cycle.total, 6);
    EXPECT_EQ(plain(cycle), "Cancel estimating the whole cycle");
    cycle->trigger();
    EXPECT_EQ(session().cycle.total, 0);
    cycle->trigger();
    ASSERT_TRUE(becomes([&] { return session().estimation.cachedFrames.size() == 6; }));
    EXPECT_TRUE(becomes([&] { return plain(cycle) == "Estimate the whole cycle"; }));
}

} // namespace
} // namespace systole
