#include "app/window/help_windows.h"

#include "app/base/version.h"
#include "app/window/key_sheet.h"
#include "app/window/manual.h"
#include "io/base/error.h"

#include <QMainWindow>
#include <QMessageBox>

#include <utility>

namespace systole {

HelpWindows::HelpWindows(WindowLinks links, std::function<std::vector<Menus::KeyLine>()> keyLines)
    : links_(std::move(links)), keyLines_(std::move(keyLines)) {}

HelpWindows::~HelpWindows() { delete keySheet_; }

void HelpWindows::showManual() {
    try {
        if (!manual_) {
            manual_ = std::make_unique<PagesWindow>(QStringLiteral("Manual"), manualPages());
            manual_->placeBeside(*links_.window);
        }
    } catch (const FileError& error) {
        return links_.fail(error.what());
    }
    manual_->show();
    manual_->raise();
    manual_->activateWindow();
}

void HelpWindows::toggleKeySheet() {
    if (keySheet_ && keySheet_->isVisible()) {
        keySheet_->close();
        return;
    }
    keySheet_ = new KeySheet(keyLines_(), links_.window);
    keySheet_->show();
}

void HelpWindows::showAbout() {
    QMessageBox::about(
        links_.window, QStringLiteral("About Systole"),
        QStringLiteral("<h3>Systole %1</h3><p>Live estimation and display of cardiac "
                       "motion.</p><p><b>For research and teaching, not for diagnosis.</b></p>"
                       "<p>Apache License 2.0</p>")
            .arg(QString::fromLatin1(programVersion())));
    links_.skipTime();
}

} // namespace systole
