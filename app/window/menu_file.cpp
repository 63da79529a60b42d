// The File menu: open, save, quit.
#include "app/live/motion_file.h"
#include "app/window/menus.h"
#include "app/window/window.h"

#include <QFileInfo>
#include <QMenu>

#include <filesystem>
#include <string>

namespace systole {

void Menus::buildFile() {
    QMenu* menu = addMenu("&File");
    const auto lacking = [this] { return lacksFile(); };
    add(menu, {"&Open…", "Ctrl+O", [this] { window_.openFiles(); }});
    add(menu, {"Open &folder…", "", [this] { window_.openFolder(); }});
    recent_ = menu->addMenu(QStringLiteral("&Recent"));
    recent_->setToolTipsVisible(true);
    QObject::connect(recent_, &QMenu::aboutToShow, &connections_, [this] { showRecent(); });
    recovered_ = menu->addMenu(QStringLiteral("Reco&vered work"));
    recovered_->setToolTipsVisible(true);
    QObject::connect(recovered_, &QMenu::aboutToShow, &connections_, [this] { showRecovered(); });
    menu->addSeparator();
    add(menu, {"Set the frame &time…", "", [this] { window_.askFrameTime(); },
               [this] { return lacksFrames(); }});
    menu->addSeparator();
    add(menu, {"&Save picture", "F12", [this] { window_.pictures().saveToPictures(); }, lacking});
    add(menu, {"Save picture &as…", "Shift+F12", [this] { window_.pictures().saveAs(); }, lacking});
    add(menu, {"&Copy picture", "Ctrl+C", [this] { window_.pictures().copy(); }, lacking});
    add(menu, {"Copy as command &line", "Ctrl+Shift+C",
               [this] { window_.pictures().copyCommand(false); }, lacking});
    add(menu, {"Copy the window as comman&d line", "",
               [this] { window_.pictures().copyCommand(true); }, lacking});
    add(menu,
        {"Screenshot of the &window…", "", [this] { window_.pictures().saveScreenshotAs(); }});
    add(menu, {"Save the &motion field as…", "", [this] { window_.exports().saveMotionAs(); },
               [this] { return whyNoMotionFile(window_.session()); }});
    add(menu, {"&Export the panels' numbers…", "", [this] { window_.exports().exportNumbers(); },
               lacking});
    menu->addSeparator();
    add(menu, {"&Quit", "Ctrl+Q", [this] { window_.close(); }});
}

/// Filled when it is opened.
void Menus::showRecent() {
    recent_->clear();
    for (const QStringList& names : window_.recent().all()) {
        QString text = QFileInfo(names.first()).fileName();
        if (names.size() > 1)
            text += QStringLiteral(" and %1 more").arg(names.size() - 1);
        text.replace(QLatin1Char('&'), QStringLiteral("&&"));
        QAction* action = recent_->addAction(text);
        action->setToolTip(names.first());
        QObject::connect(action, &QAction::triggered, &connections_,
                         [this, names] { window_.openNames(names); });
    }
    if (recent_->isEmpty())
        recent_->addAction(QStringLiteral("No recent files"))->setEnabled(false);
}

/// Fills the menu with the work of sessions that ended without being closed.
void Menus::showRecovered() {
    recovered_->clear();
    for (const RecoveredWork& work : window_.recovered()) {
        std::string text = work.what;
        if (!work.files.empty())
            text += ", of " + std::filesystem::path(work.files.front()).filename().string();
        QString shown = QString::fromStdString(text);
        shown.replace(QLatin1Char('&'), QStringLiteral("&&"));
        QAction* action = recovered_->addAction(shown);
        action->setToolTip(QString::fromStdString(work.folder));
        QObject::connect(action, &QAction::triggered, &connections_,
                         [this, work] { window_.reopen(work); });
    }
    if (recovered_->isEmpty())
        recovered_
            ->addAction(QStringLiteral("No work of a session that ended without being closed"))
            ->setEnabled(false);
}

} // namespace systole
