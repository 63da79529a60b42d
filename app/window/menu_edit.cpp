// The Edit menu: undo, redo, and what can be reset.
#include "app/live/resets.h"
#include "app/window/menus.h"
#include "app/window/window.h"

#include <QMenu>

namespace systole {

void Menus::buildEdit() {
    QMenu* menu = addMenu(QStringLiteral("&Edit"));
    const auto text = [](const QString& verb, const std::string& what) {
        return what.empty() ? verb
                            : QStringLiteral("%1: %2").arg(verb, QString::fromStdString(what));
    };
    add(menu,
        {.text = QStringLiteral("&Undo"),
         .keys = {QKeySequence(Qt::CTRL | Qt::Key_Z)},
         .act = [this] { window_.undo(); },
         .whyNot = [this] { return window_.history().canUndo() ? "" : "nothing changed"; },
         .textNow =
             [this, text] { return text(QStringLiteral("&Undo"), window_.history().undoText()); }});
    add(menu,
        {.text = QStringLiteral("&Redo"),
         .keys = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z)},
         .act = [this] { window_.redo(); },
         .whyNot = [this] { return window_.history().canRedo() ? "" : "nothing undone"; },
         .textNow =
             [this, text] { return text(QStringLiteral("&Redo"), window_.history().redoText()); }});
    menu->addSeparator();
    const auto lacking = [this] { return lacksFile(); };
    add(menu, {.text = QStringLiteral("Reset the &views: rotation, zoom, pan"),
               .keys = {QKeySequence(Qt::Key_R)},
               .act = [this] { window_.reset(Resets::Views); },
               .whyNot = lacking});
    add(menu, {.text = QStringLiteral("Reset the &display options: window, colors, overlays"),
               .act = [this] { window_.reset(Resets::Display); },
               .whyNot = lacking});
    add(menu, {.text = QStringLiteral("Reset the motion &parameters"),
               .act = [this] { window_.reset(Resets::Parameters); },
               .textNow =
                   [this] {
                       return QStringLiteral("Reset the motion &parameters to %1")
                           .arg(QString::fromStdString(presetsText(window_.session())));
                   }});
    add(menu, {.text = QStringLiteral("Remove the &marks ED and ES"),
               .act = [this] { window_.reset(Resets::Marks); },
               .whyNot =
                   [this] {
                       const CardiacMarks& marks = window_.session().marks;
                       return marks.endDiastole || marks.endSystole ? "" : "no frame is marked";
                   }});
    add(menu, {.text = QStringLiteral("Reset &all of these"),
               .act = [this] { window_.reset(Resets::All); },
               .whyNot = lacking});
}

} // namespace systole
