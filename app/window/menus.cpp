// Menus, keyboard shortcuts and their actions.
#include "app/version.h"
#include "app/window/window.h"
#include "io/error.h"
#include "io/writer.h"
#include "render/error.h"
#include "render/overlays/rows.h"

#include <QAction>
#include <QDialog>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QVBoxLayout>

#include <exception>
#include <utility>

namespace systole {
namespace {

constexpr int maximumRecent = 10;
const char* const recentKey = "recentFiles";

const char* const keySheetText =
    "<table cellspacing='6'>"
    "<tr><td><b>Space</b></td><td>play, pause</td></tr>"
    "<tr><td><b>, . ← →</b></td><td>previous, next frame</td></tr>"
    "<tr><td><b>Home End</b></td><td>first, last frame</td></tr>"
    "<tr><td><b>PgUp PgDn, wheel</b></td><td>next, previous slice (wheel: over a slice)</td></tr>"
    "<tr><td><b>R</b></td><td>reset the views</td></tr>"
    "%1" // the switches of the display
    "<tr><td><b>1 3 7</b></td><td>view from anterior, left, superior</td></tr>"
    "<tr><td><b>M</b></td><td>motion estimation on or off</td></tr>"
    "<tr><td><b>Ctrl 1 2 3 4</b></td><td>layouts: 3D, slices, four-up, side by side</td></tr>"
    "<tr><td><b>D, E</b></td><td>mark this frame as end diastole, end systole</td></tr>"
    "<tr><td><b>F12</b></td><td>save the picture (Shift+F12: as …)</td></tr>"
    "<tr><td><b>Ctrl+C</b></td><td>copy the picture</td></tr>"
    "<tr><td><b>F1</b></td><td>lessons: GPU memory trade-offs, with experiments</td></tr>"
    "<tr><td><b>H ?</b></td><td>this list of keys</td></tr>"
    "<tr><td><b>Left drag</b></td><td>3D: rotate. Slice: window and level</td></tr>"
    "<tr><td><b>Middle drag</b></td><td>pan</td></tr>"
    "<tr><td><b>Right drag, wheel</b></td><td>3D: zoom (right drag in a slice too)</td></tr>"
    "<tr><td><b>Shift + move</b></td><td>slice: the crosshair follows</td></tr>"
    "</table>";

std::vector<std::string> toPaths(const QStringList& names) {
    std::vector<std::string> paths;
    for (const QString& name : names)
        paths.push_back(name.toStdString());
    return paths;
}

QList<QKeySequence> keysOf(const DisplayRow& row) {
    return row.key ? QList<QKeySequence>{QKeySequence(static_cast<int>(row.key))}
                   : QList<QKeySequence>{};
}

/// A line of the key sheet for each switch that has a key.
QString switchKeys() {
    QString lines;
    for (const DisplayRow& row : displayRows())
        if (row.key)
            lines += QStringLiteral("<tr><td><b>%1</b></td><td>%2: %3</td></tr>")
                         .arg(QLatin1Char(row.key))
                         .arg(QString::fromStdString(row.plainLabel()),
                              QString::fromStdString(row.param.help));
    return lines;
}

} // namespace

QAction* Window::addAction(QMenu* menu, const QString& text, const QList<QKeySequence>& keys,
                           std::function<void()> act) {
    QAction* action = menu->addAction(text);
    action->setShortcuts(keys);
    connect(action, &QAction::triggered, this, [act = std::move(act)] { act(); });
    return action;
}

void Window::buildMenus() {
    buildFileMenu();
    buildViewMenu();
    buildPlaybackMenu();
    buildHelpMenu();
    followMenus();
}

void Window::buildFileMenu() {
    QMenu* menu = menuBar()->addMenu(QStringLiteral("&File"));
    addAction(menu, QStringLiteral("&Open…"), {QKeySequence::Open}, [this] { openFiles(); });
    addAction(menu, QStringLiteral("Open &folder…"), {}, [this] { openFolder(); });
    recent_ = menu->addMenu(QStringLiteral("&Recent"));
    connect(recent_, &QMenu::aboutToShow, this, [this] { showRecentFiles(); });
    menu->addSeparator();
    addAction(menu, QStringLiteral("Set the frame &time…"), {}, [this] { askFrameTime(); });
    menu->addSeparator();
    addAction(menu, QStringLiteral("&Save picture"), {Qt::Key_F12},
              [this] { savePictureToPictures(); });
    addAction(menu, QStringLiteral("Save picture &as…"), {Qt::SHIFT | Qt::Key_F12},
              [this] { savePictureAs(); });
    addAction(menu, QStringLiteral("&Copy picture"), {QKeySequence::Copy},
              [this] { copyPicture(); });
    addAction(menu, QStringLiteral("Screenshot of the &window…"), {},
              [this] { saveScreenshotAs(); });
    addAction(menu, QStringLiteral("&Export the panels' numbers…"), {},
              [this] { exportNumbers(); });
    menu->addSeparator();
    addAction(menu, QStringLiteral("&Quit"), {QKeySequence::Quit}, [this] { close(); });
}

void Window::buildViewMenu() {
    QMenu* menu = menuBar()->addMenu(QStringLiteral("&View"));
    const auto addChecked = [&](const QString& text, const QList<QKeySequence>& keys,
                                std::function<void()> act, std::function<bool()> on) {
        QAction* action = addAction(menu, text, keys, std::move(act));
        action->setCheckable(true);
        checkable_.push_back({action, std::move(on)});
    };
    const auto addLayout = [&](const QString& text, int key, Layout layout) {
        addChecked(
            text, {QKeySequence(Qt::CTRL | static_cast<Qt::Key>(key))},
            [this, layout] {
                session_.display.layout = layout;
                tick();
            },
            [this, layout] { return session_.display.layout == layout; });
    };
    addLayout(QStringLiteral("&3D only"), Qt::Key_1, Layout::Single3D);
    addLayout(QStringLiteral("&Three slices"), Qt::Key_2, Layout::ThreeSlices);
    addLayout(QStringLiteral("&Four-up"), Qt::Key_3, Layout::FourUp);
    addLayout(QStringLiteral("S&ide by side"), Qt::Key_4, Layout::SideBySide);
    QMenu* sides = menu->addMenu(QStringLiteral("Side &by side shows"));
    for (const ViewKind kind : viewKinds) {
        QAction* action = addAction(sides, QString::fromLatin1(name(kind)), {}, [this, kind] {
            session_.display.sideView = kind;
            session_.display.layout = Layout::SideBySide;
            tick();
        });
        action->setCheckable(true);
        checkable_.push_back({action, [this, kind] { return session_.display.sideView == kind; }});
    }
    menu->addSeparator();
    for (const DisplayRow& row : displayRows())
        if (row.isSwitch())
            addChecked(
                QString::fromStdString(row.label), keysOf(row), [this, &row] { toggle(row); },
                [this, &row] { return row.isOn(session_.display); });
    menu->addSeparator();
    const auto addView = [&](const QString& text, Qt::Key key, StandardView view) {
        addAction(menu, text, {key}, [this, view] {
            scene_.setStandardView(view);
            tick();
        });
    };
    addView(QStringLiteral("From anterior"), Qt::Key_1, StandardView::Anterior);
    addView(QStringLiteral("From left"), Qt::Key_3, StandardView::Left);
    addView(QStringLiteral("From superior"), Qt::Key_7, StandardView::Superior);
    addAction(menu, QStringLiteral("&Reset the views"), {Qt::Key_R}, [this] {
        scene_.resetCameras();
        tick();
    });
    addAction(menu, QStringLiteral("Next slice"), {Qt::Key_PageUp}, [this] { stepSlice(1); });
    addAction(menu, QStringLiteral("Previous slice"), {Qt::Key_PageDown},
              [this] { stepSlice(-1); });
    menu->addSeparator();
    QMenu* panels = menu->addMenu(QStringLiteral("&Panels"));
    for (const auto& owned : panels_) {
        Panel* panel = owned.get();
        QAction* action = addAction(panels, QString::fromLatin1(panel->title()), {}, [this, panel] {
            panel->shown = !panel->shown;
            panel->open = panel->open || panel->shown;
            viewport_->arrange();
        });
        action->setCheckable(true);
        checkable_.push_back({action, [panel] { return panel->shown; }});
    }
}

void Window::buildPlaybackMenu() {
    QMenu* menu = menuBar()->addMenu(QStringLiteral("&Playback"));
    const auto addStep = [&](const QString& text, const QList<QKeySequence>& keys,
                             std::function<void(Playback&)> step) {
        addAction(menu, text, keys, [this, step = std::move(step)] {
            step(session_.playback);
            tick();
        });
    };
    addAction(menu, QStringLiteral("&Play or pause"), {Qt::Key_Space}, [this] { togglePlay(); });
    addStep(QStringLiteral("&Next frame"), {Qt::Key_Period, Qt::Key_Right},
            [](Playback& playback) { playback.step(1); });
    addStep(QStringLiteral("Pre&vious frame"), {Qt::Key_Comma, Qt::Key_Left},
            [](Playback& playback) { playback.step(-1); });
    addStep(QStringLiteral("&First frame"), {Qt::Key_Home},
            [](Playback& playback) { playback.seek(0); });
    addStep(QStringLiteral("&Last frame"), {Qt::Key_End},
            [](Playback& playback) { playback.seek(playback.frames() - 1); });
    addStep(QStringLiteral("&Slower"), {Qt::Key_Minus},
            [](Playback& playback) { playback.setSpeed(playback.speed() / 1.25); });
    addStep(QStringLiteral("Fas&ter"), {Qt::Key_Plus},
            [](Playback& playback) { playback.setSpeed(playback.speed() * 1.25); });
    menu->addSeparator();
    const auto addMark = [&](const QString& text, Qt::Key key,
                             std::optional<int> CardiacMarks::*mark) {
        addAction(menu, text, {key}, [this, mark] {
            const int frame = session_.playback.frame();
            std::optional<int>& marked = session_.marks.*mark;
            if (session_.opened)
                marked = marked == frame ? std::nullopt : std::optional<int>(frame);
            tick();
        });
    };
    addMark(QStringLiteral("Mark end &diastole here"), Qt::Key_D, &CardiacMarks::endDiastole);
    addMark(QStringLiteral("Mark end s&ystole here"), Qt::Key_E, &CardiacMarks::endSystole);
    menu->addSeparator();
    const auto addMotionSwitch = [&](const QString& text, const QList<QKeySequence>& keys,
                                     bool MotionChoice::*option) {
        QAction* action = addAction(menu, text, keys, [this, option] {
            session_.motion.*option = !(session_.motion.*option);
            tick();
        });
        action->setCheckable(true);
        checkable_.push_back({action, [this, option] { return session_.motion.*option; }});
    };
    addMotionSwitch(QStringLiteral("Estimate &motion"), {Qt::Key_M}, &MotionChoice::enabled);
    addMotionSwitch(QStringLiteral("&Keep estimating"), {}, &MotionChoice::keepEstimating);
}

void Window::buildHelpMenu() {
    QMenu* menu = menuBar()->addMenu(QStringLiteral("&Help"));
    addAction(menu, QStringLiteral("&Lessons"), {Qt::Key_F1}, [this] { showLessons(); });
    addAction(menu, QStringLiteral("&Keys"), {Qt::Key_H, Qt::Key_Question, QKeySequence("Shift+?")},
              [this] { toggleKeySheet(); });
    addAction(menu, QStringLiteral("&About Systole"), {}, [this] { showAbout(); });
}

void Window::followMenus() {
    for (const ActionState& state : checkable_)
        state.action->setChecked(state.on());
}

void Window::openFiles() {
    const QStringList names = QFileDialog::getOpenFileNames(
        this, QStringLiteral("Open a 4D image, or one 3D image per frame"));
    sinceTick_.restart();
    if (!names.isEmpty())
        open(toPaths(names));
}

void Window::openFolder() {
    const QString name =
        QFileDialog::getExistingDirectory(this, QStringLiteral("Open a folder of DICOM files"));
    sinceTick_.restart();
    if (!name.isEmpty())
        open({name.toStdString()});
}

void Window::showRecentFiles() {
    recent_->clear();
    for (const QString& entry : QSettings().value(recentKey).toStringList()) {
        const QStringList names = entry.split(QLatin1Char('\n'));
        QString text = QFileInfo(names.first()).fileName();
        if (names.size() > 1)
            text += QStringLiteral(" and %1 more").arg(names.size() - 1);
        text.replace(QLatin1Char('&'), QStringLiteral("&&"));
        addAction(recent_, text, {}, [this, names] {
            open(toPaths(names));
        })->setToolTip(names.first());
    }
    recent_->setToolTipsVisible(true);
    if (recent_->isEmpty())
        recent_->addAction(QStringLiteral("No recent files"))->setEnabled(false);
}

void Window::rememberFile(const std::vector<std::string>& paths) {
    if (!options_.remember)
        return;
    QStringList names;
    for (const std::string& path : paths)
        names << QFileInfo(QString::fromStdString(path)).absoluteFilePath();
    QSettings settings;
    QStringList recent = settings.value(recentKey).toStringList();
    const QString entry = names.join(QLatin1Char('\n'));
    recent.removeAll(entry);
    recent.prepend(entry);
    settings.setValue(recentKey, QStringList(recent.mid(0, maximumRecent)));
}

void Window::exportNumbers() {
    const QString path =
        QFileDialog::getSaveFileName(this, QStringLiteral("Export the panels' numbers to"),
                                     QStringLiteral("systole.txt"), QStringLiteral("Text (*.txt)"));
    sinceTick_.restart();
    if (path.isEmpty())
        return;
    std::string text;
    for (const auto& panel : panels_)
        text += std::string(panel->title()) + "\n" + panel->text(session_) + "\n";
    try {
        writeTextAtomically(path.toStdString(), text);
    } catch (const FileError& error) {
        fail(error.what());
    }
}

void Window::toggleKeySheet() {
    if (keySheet_) {
        keySheet_->close();
        return;
    }
    keySheet_ = new QDialog(this);
    keySheet_->setAttribute(Qt::WA_DeleteOnClose);
    keySheet_->setWindowTitle(QStringLiteral("Keys"));
    auto* layout = new QVBoxLayout(keySheet_);
    layout->addWidget(new QLabel(QString::fromUtf8(keySheetText).arg(switchKeys()), keySheet_));
    // The dialog has the keyboard focus: the same keys close it.
    for (const int key : {Qt::Key_H, Qt::Key_Question}) {
        auto* action = new QAction(keySheet_);
        action->setShortcut(QKeySequence(key));
        connect(action, &QAction::triggered, keySheet_, &QDialog::close);
        keySheet_->addAction(action);
    }
    keySheet_->show();
}

void Window::showAbout() {
    QMessageBox::about(
        this, QStringLiteral("About Systole"),
        QStringLiteral("<h3>Systole %1</h3><p>Live estimation and display of cardiac "
                       "motion.</p><p><b>For research and teaching, not for diagnosis.</b></p>"
                       "<p>Apache License 2.0</p>")
            .arg(QString::fromLatin1(programVersion())));
    sinceTick_.restart();
}

} // namespace systole
