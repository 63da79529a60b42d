// The Help menu: manual, lessons, keys, messages, about.
#include "app/version.h"
#include "app/window/menus.h"
#include "app/window/window.h"

#include <QMenu>

namespace systole {

void Menus::buildHelp() {
    QMenu* menu = addMenu(QStringLiteral("&Help"));
    add(menu, {.text = QStringLiteral("Ma&nual"),
               .keys = {QKeySequence(Qt::SHIFT | Qt::Key_F1)},
               .act = [this] { window_.showManual(); }});
    add(menu, {.text = QStringLiteral("&Lessons"),
               .keys = {QKeySequence(Qt::Key_F1)},
               .act = [this] { window_.showLessons(); }});
    add(menu, {.text = QStringLiteral("&Keys"),
               .keys = {QKeySequence(Qt::Key_H), QKeySequence(Qt::Key_Question),
                        QKeySequence(QStringLiteral("Shift+?"))},
               .act = [this] { window_.toggleKeySheet(); }});
    add(menu, {.text = QStringLiteral("&Messages"), .act = [this] { window_.showMessages(); }});
    add(menu, {.text = QStringLiteral("&About Systole"), .act = [this] { window_.showAbout(); }});
}

} // namespace systole
