#include "app/window/menus.h"

#include "app/window/window.h"

#include <QMenu>
#include <QMenuBar>

#include <utility>

namespace systole {

Menus::Menus(Window& window) : window_(window) {
    // The menu bar is in the window, even if the desktop has one of its own: messages are shown
    // next to it.
    window_.menuBar()->setNativeMenuBar(false);
    buildFile();
    buildEdit();
    buildView();
    buildPlayback();
    buildTools();
    buildHelp();
    follow();
}

void Menus::buildTools() {
    QMenu* menu = addMenu("&Tools");
    // Panels are what most tools are used by; the others stay as they are.
    for (const auto& owned : window_.panels())
        if (Panel* const panel = owned.get(); panel->group() == PanelGroup::Analysis)
            add(menu, {.text = panel->title(), .act = [this, panel] {
                           panel->shown = panel->open = panel->keepInSight = true;
                           window_.showColumn(true);
                       }});
    menu->addSeparator();
    for (const auto& tool : window_.tools())
        for (const Action& action : tool->actions())
            add(menu, action);
}

QMenu* Menus::addMenu(const char* title) {
    return window_.menuBar()->addMenu(QString::fromUtf8(title));
}

QAction* Menus::add(QMenu* menu, Action entry) {
    QAction* action = menu->addAction(QString::fromStdString(entry.text));
    if (!entry.keys.empty()) // Qt makes an empty sequence of an empty text
        action->setShortcuts(QKeySequence::listFromString(QString::fromStdString(entry.keys)));
    action->setCheckable(static_cast<bool>(entry.on));
    QObject::connect(action, &QAction::triggered, &connections_, [this, act = entry.act] {
        act();
        window_.refresh();
    });
    items_.push_back({action, std::move(entry)});
    return action;
}

void Menus::follow() {
    for (const auto& [action, entry] : items_) {
        const std::string why = entry.whyNot ? entry.whyNot() : "";
        const std::string text = entry.textNow ? entry.textNow() : entry.text;
        action->setText(QString::fromStdString(text + (why.empty() ? "" : " (" + why + ")")));
        action->setEnabled(why.empty());
        if (entry.on)
            action->setChecked(entry.on());
    }
}

std::vector<Menus::KeyLine> Menus::keyLines() const {
    std::vector<KeyLine> lines;
    for (const auto& [action, entry] : items_) {
        QStringList keys;
        for (const QKeySequence& key : action->shortcuts()) {
            const QString text = key.toString(QKeySequence::NativeText);
            if (!text.startsWith(QStringLiteral("Shift+?"))) // listed as ? already
                keys << text;
        }
        QString text = QString::fromStdString(entry.text);
        if (!keys.empty())
            lines.push_back({keys.join(QStringLiteral(" or ")),
                             text.remove(QLatin1Char('&')).remove(QStringLiteral("…"))});
    }
    return lines;
}

std::string Menus::lacksFile() const { return window_.session().opened ? "" : "no file is open"; }

std::string Menus::lacksFrames() const {
    const auto& opened = window_.session().opened;
    return !opened                       ? "no file is open"
           : opened->sequence.frames < 2 ? "the file has one frame"
                                         : "";
}

} // namespace systole
