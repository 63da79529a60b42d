// The File menu: open, save, quit.
#include "app/live/motion_file.h"
#include "app/window/menus.h"
#include "app/window/window.h"

#include <QFileInfo>
#include <QMenu>

namespace systole {

void Menus::buildFile() {
    QMenu* menu = addMenu(QStringLiteral("&File"));
    const auto lacking = [this] { return lacksFile(); };
    add(menu, {.text = QStringLiteral("&Open…"),
               .keys = {QKeySequence(Qt::CTRL | Qt::Key_O)},
               .act = [this] { window_.openFiles(); }});
    add(menu, {.text = QStringLiteral("Open &folder…"), .act = [this] { window_.openFolder(); }});
    recent_ = menu->addMenu(QStringLiteral("&Recent"));
    recent_->setToolTipsVisible(true);
    QObject::connect(recent_, &QMenu::aboutToShow, recent_, [this] { showRecent(); });
    menu->addSeparator();
    add(menu, {.text = QStringLiteral("Set the frame &time…"),
               .act = [this] { window_.askFrameTime(); },
               .whyNot = [this] { return lacksFrames(); }});
    menu->addSeparator();
    add(menu, {.text = QStringLiteral("&Save picture"),
               .keys = {QKeySequence(Qt::Key_F12)},
               .act = [this] { window_.savePictureToPictures(); },
               .whyNot = lacking});
    add(menu, {.text = QStringLiteral("Save picture &as…"),
               .keys = {QKeySequence(Qt::SHIFT | Qt::Key_F12)},
               .act = [this] { window_.savePictureAs(); },
               .whyNot = lacking});
    add(menu, {.text = QStringLiteral("&Copy picture"),
               .keys = {QKeySequence(Qt::CTRL | Qt::Key_C)},
               .act = [this] { window_.copyPicture(); },
               .whyNot = lacking});
    add(menu, {.text = QStringLiteral("Screenshot of the &window…"),
               .act = [this] { window_.saveScreenshotAs(); }});
    add(menu, {.text = QStringLiteral("Save the &motion field as…"),
               .act = [this] { window_.saveMotionAs(); },
               .whyNot = [this] { return whyNoMotionFile(window_.session()); }});
    add(menu, {.text = QStringLiteral("&Export the panels' numbers…"),
               .act = [this] { window_.exportNumbers(); },
               .whyNot = lacking});
    menu->addSeparator();
    add(menu, {.text = QStringLiteral("&Quit"),
               .keys = {QKeySequence(Qt::CTRL | Qt::Key_Q)},
               .act = [this] { window_.close(); }});
}

/// Filled when it is opened.
void Menus::showRecent() {
    recent_->clear();
    for (const QStringList& names : window_.recentFiles()) {
        QString text = QFileInfo(names.first()).fileName();
        if (names.size() > 1)
            text += QStringLiteral(" and %1 more").arg(names.size() - 1);
        text.replace(QLatin1Char('&'), QStringLiteral("&&"));
        QAction* action = recent_->addAction(text);
        action->setToolTip(names.first());
        QObject::connect(action, &QAction::triggered, &window_, [this, names] {
            std::vector<std::string> paths;
            for (const QString& name : names)
                paths.push_back(name.toStdString());
            window_.open(paths);
        });
    }
    if (recent_->isEmpty())
        recent_->addAction(QStringLiteral("No recent files"))->setEnabled(false);
}

} // namespace systole
