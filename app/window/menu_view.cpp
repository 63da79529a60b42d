// The View menu: layout, what is shown, where the views look, panels.
#include "app/window/menus.h"
#include "app/window/window.h"
#include "render/overlays/rows.h"

#include <QMenu>

#include <utility>

namespace systole {
namespace {

bool showsVolumeView(const DisplayOptions& display) {
    return display.layout == Layout::Single3D || display.layout == Layout::FourUp ||
           (display.layout == Layout::SideBySide && display.sideView == ViewKind::Volume3D);
}

bool showsSlice(const DisplayOptions& display) {
    const bool inVolume = showsVolumeView(display) && (display.slicesIn3D || display.cutAway);
    const bool slices = display.layout == Layout::ThreeSlices || display.layout == Layout::FourUp;
    return slices || inVolume ||
           (display.layout == Layout::SideBySide && display.sideView != ViewKind::Volume3D);
}

} // namespace

void Menus::buildView() {
    QMenu* menu = addMenu(QStringLiteral("&View"));
    addLayouts(menu);
    menu->addSeparator();
    for (const DisplayRow& row : displayRows())
        if (row.isSwitch())
            add(menu,
                {.text = QString::fromStdString(row.label),
                 .keys = row.key ? QList<QKeySequence>{QKeySequence(static_cast<int>(row.key))}
                                 : QList<QKeySequence>{},
                 .act = [this, &row] { window_.toggle(row); },
                 .on = [this, &row] { return row.isOn(window_.session().display); }});
    menu->addSeparator();
    for (const DisplayRow& row : displayRows())
        if (row.menu)
            addChoices(menu, row);
    menu->addSeparator();
    addPositions(menu);
    menu->addSeparator();
    addPanels(menu->addMenu(QStringLiteral("&Panels")));
}

void Menus::addLayouts(QMenu* menu) {
    const auto addLayout = [&](const QString& text, Qt::Key key, Layout layout) {
        add(menu, {.text = text,
                   .keys = {QKeySequence(Qt::CTRL | key)},
                   .act =
                       [this, layout] {
                           window_.session().display.layout = layout;
                           window_.refresh();
                       },
                   .on = [this, layout] { return window_.session().display.layout == layout; }});
    };
    addLayout(QStringLiteral("&3D only"), Qt::Key_1, Layout::Single3D);
    addLayout(QStringLiteral("&Three slices"), Qt::Key_2, Layout::ThreeSlices);
    addLayout(QStringLiteral("&Four-up"), Qt::Key_3, Layout::FourUp);
    addLayout(QStringLiteral("S&ide by side"), Qt::Key_4, Layout::SideBySide);
    QMenu* sides = menu->addMenu(QStringLiteral("Side &by side shows"));
    for (const ViewKind kind : viewKinds)
        add(sides, {.text = QString::fromLatin1(name(kind)),
                    .act =
                        [this, kind] {
                            window_.session().display.sideView = kind;
                            window_.session().display.layout = Layout::SideBySide;
                            window_.refresh();
                        },
                    .on = [this, kind] { return window_.session().display.sideView == kind; }});
}

void Menus::addPositions(QMenu* menu) {
    const auto addStandard = [&](const QString& text, Qt::Key key, StandardView view) {
        add(menu, {.text = text,
                   .keys = {QKeySequence(key)},
                   .act =
                       [this, view] {
                           window_.scene().setStandardView(view);
                           window_.refresh();
                       },
                   .whyNot =
                       [this] {
                           if (!showsVolumeView(window_.session().display))
                               return std::string("no 3D view is shown");
                           return lacksFile();
                       }});
    };
    addStandard(QStringLiteral("From anterior"), Qt::Key_1, StandardView::Anterior);
    addStandard(QStringLiteral("From left"), Qt::Key_3, StandardView::Left);
    addStandard(QStringLiteral("From superior"), Qt::Key_7, StandardView::Superior);
    const auto addSlice = [&](const QString& text, Qt::Key key, int step) {
        add(menu, {.text = text,
                   .keys = {QKeySequence(key)},
                   .act = [this, step] { window_.stepSlice(step); },
                   .whyNot =
                       [this] {
                           if (!showsSlice(window_.session().display))
                               return std::string("no slice is shown");
                           return lacksFile();
                       }});
    };
    addSlice(QStringLiteral("Next slice"), Qt::Key_PageUp, 1);
    addSlice(QStringLiteral("Previous slice"), Qt::Key_PageDown, -1);
}

void Menus::addPanels(QMenu* menu) {
    PanelGroup group = window_.panels().front()->group();
    for (const auto& owned : window_.panels()) {
        Panel* panel = owned.get();
        if (std::exchange(group, panel->group()) != panel->group())
            menu->addSeparator();
        add(menu, {.text = QString::fromLatin1(panel->title()),
                   .act =
                       [this, panel] {
                           panel->shown = !panel->shown;
                           panel->open = panel->open || panel->shown;
                           window_.viewport().arrange();
                       },
                   .on = [panel] { return panel->shown; }});
    }
}

} // namespace systole
