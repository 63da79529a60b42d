// Submenus of the View menu for choices of the display: modality, window preset, legend.
#include "app/window/window.h"
#include "render/overlays/rows.h"

#include <QAction>
#include <QCursor>
#include <QMenu>

#include <algorithm>

namespace systole {

/// A submenu with the choices of a row.
void Window::addChoices(QMenu* menu, const DisplayRow& row) {
    QString title = QString::fromStdString(row.plainLabel());
    title[0] = title[0].toUpper();
    QMenu* choices = menu->addMenu(title);
    choices->setToolTip(QString::fromStdString(row.param.help));
    for (const std::string& choice : row.param.choices) {
        QAction* action =
            addAction(choices, QString::fromStdString(row.title(choice)), {}, [this, &row, choice] {
                row.set(session_.display, choice);
                tick();
            });
        action->setCheckable(true);
        action->setData(QString::fromStdString(choice));
        checkable_.push_back(
            {action, [this, &row, choice] { return row.text(session_.display) == choice; }});
    }
    connect(choices, &QMenu::aboutToShow, this, [this, choices, &row] {
        const std::vector<std::string> suitable = row.choicesFor(session_.figures.modality);
        for (QAction* action : choices->actions())
            action->setVisible(
                std::ranges::find(suitable, action->data().toString().toStdString()) !=
                suitable.end());
    });
    if (row.param.id == "modality")
        modality_ = choices;
}

void Window::chooseModality() { modality_->popup(QCursor::pos()); }

} // namespace systole
