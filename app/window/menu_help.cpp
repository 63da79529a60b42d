// The Help menu: manual, lessons, keys, messages, about.
#include "app/window/menus.h"
#include "app/window/window.h"

#include <QMenu>

namespace systole {

void Menus::buildHelp() {
    QMenu* menu = addMenu("&Help");
    add(menu, {"Ma&nual", "Shift+F1", [this] { window_.help().showManual(); }});
    add(menu, {"&Lessons", "F1", [this] { window_.lessons().show(); }});
    add(menu, {"&Keys", "H; ?; Shift+?", [this] { window_.help().toggleKeySheet(); }});
    add(menu, {"&Messages", "", [this] { window_.messages().showWindow(); }});
    add(menu, {"&About Systole", "", [this] { window_.help().showAbout(); }});
}

} // namespace systole
