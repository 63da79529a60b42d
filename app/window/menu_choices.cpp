// Submenus of the View menu for choices of the display: modality, window preset, legend.
#include "app/window/menus.h"
#include "app/window/window.h"
#include "render/overlays/rows.h"

#include <QCursor>
#include <QMenu>

#include <algorithm>

namespace systole {

void Menus::addChoices(QMenu* menu, const DisplayRow& row) {
    QString title = QString::fromStdString(row.plainLabel());
    title[0] = title[0].toUpper();
    QMenu* choices = menu->addMenu(title);
    choices->setToolTip(QString::fromStdString(row.param.help));
    for (const std::string& choice : row.param.choices) {
        QAction* action = add(
            choices,
            {.text = row.title(choice),
             .act = [this, &row, choice] { row.set(window_.session().display, choice); },
             .on = [this, &row, choice] { return row.text(window_.session().display) == choice; }});
        action->setData(QString::fromStdString(choice));
    }
    QObject::connect(choices, &QMenu::aboutToShow, &connections_, [this, choices, &row] {
        const std::vector<std::string> suitable =
            row.choicesFor(window_.session().figures.modality);
        for (QAction* action : choices->actions())
            action->setVisible(
                std::ranges::find(suitable, action->data().toString().toStdString()) !=
                suitable.end());
    });
    if (row.param.id == "modality")
        modality_ = choices;
}

void Menus::chooseModality() { modality_->popup(QCursor::pos()); }

} // namespace systole
