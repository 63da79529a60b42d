#include "app/window/menus.h"

#include "app/window/window.h"

#include <QMenuBar>

#include <utility>

namespace systole {

Menus::Menus(Window& window) : window_(window) {
    // In the window itself also where the desktop has a menu bar: messages are shown beside it.
    window_.menuBar()->setNativeMenuBar(false);
    buildFile();
    buildEdit();
    buildView();
    buildPlayback();
    buildHelp();
    follow();
}

QMenu* Menus::addMenu(const QString& title) { return window_.menuBar()->addMenu(title); }

QAction* Menus::add(QMenu* menu, MenuEntry entry) {
    QAction* action = menu->addAction(entry.text);
    action->setShortcuts(entry.keys);
    action->setCheckable(static_cast<bool>(entry.on));
    QObject::connect(action, &QAction::triggered, &window_, [act = entry.act] { act(); });
    items_.push_back({action, std::move(entry)});
    return action;
}

void Menus::follow() {
    for (const Item& item : items_) {
        const MenuEntry& entry = item.entry;
        const std::string why = entry.whyNot ? entry.whyNot() : std::string();
        QString text = entry.textNow ? entry.textNow() : entry.text;
        if (!why.empty())
            text += QStringLiteral(" (%1)").arg(QString::fromStdString(why));
        item.action->setText(text);
        item.action->setEnabled(why.empty());
        if (entry.on)
            item.action->setChecked(entry.on());
    }
}

std::vector<Menus::KeyLine> Menus::keyLines() const {
    std::vector<KeyLine> lines;
    for (const auto& [action, entry] : items_) {
        QStringList keys;
        for (const QKeySequence& key : entry.keys) {
            const QString text = key.toString(QKeySequence::NativeText);
            if (!text.startsWith(QStringLiteral("Shift+?"))) // the same key as ?
                keys << text;
        }
        QString text = entry.text;
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
