// The View menu: layout, what is shown, where the views look, panels.
#include "app/window/menus.h"
#include "app/window/window.h"
#include "render/overlays/overlay_kinds.h"
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
    QMenu* menu = addMenu("&View");
    addLayouts(menu);
    menu->addSeparator();
    addSwitches(menu, sceneRows());
    QMenu* overlays = menu->addMenu(QStringLiteral("&Overlays"));
    for (const OverlayKind& kind : overlayKinds())
        addSwitches(overlays, kind.rows);
    menu->addSeparator();
    for (const DisplayRow& row : displayRows())
        if (row.menu)
            addChoices(menu, row);
    menu->addSeparator();
    addPositions(menu);
    menu->addSeparator();
    addPanels(menu->addMenu(QStringLiteral("&Panels")));
    add(menu, {.text = "Column of panels",
               .keys = "F9",
               .act = [this] { window_.showColumn(!window_.showsColumn()); },
               .on = [this] { return window_.showsColumn(); }});
    add(menu, {.text = "Full scree&n",
               .keys = "F11",
               .act = [this] { window_.setFullScreen(!window_.isFullScreen()); },
               .on = [this] { return window_.isFullScreen(); }});
}

void Menus::addLayouts(QMenu* menu) {
    const auto addLayout = [&](const char* text, const char* key, Layout layout) {
        add(menu, {.text = text,
                   .keys = key,
                   .act = [=, this] { window_.session().display.layout = layout; },
                   .on = [=, this] { return window_.session().display.layout == layout; }});
    };
    addLayout("&3D only", "Ctrl+1", Layout::Single3D);
    addLayout("&Three slices", "Ctrl+2", Layout::ThreeSlices);
    addLayout("&Four views", "Ctrl+3", Layout::FourUp);
    addLayout("S&ide by side", "Ctrl+4", Layout::SideBySide);
    QMenu* sides = menu->addMenu(QStringLiteral("Side &by side shows"));
    for (const ViewKind kind : viewKinds)
        add(sides, {.text = name(kind),
                    .act =
                        [=, this] {
                            window_.session().display.sideView = kind;
                            window_.session().display.layout = Layout::SideBySide;
                        },
                    .on = [=, this] { return window_.session().display.sideView == kind; }});
}

void Menus::addSwitches(QMenu* menu, const std::vector<DisplayRow>& rows) {
    for (const DisplayRow& row : rows)
        if (row.isSwitch())
            add(menu, {.text = row.label,
                       .keys = row.key ? std::string(1, row.key) : "",
                       .act = [this, &row] { window_.toggle(row); },
                       .on = [this, &row] { return row.isOn(window_.session().display); }});
}

void Menus::addPositions(QMenu* menu) {
    const auto lacking = [this](bool (*shows)(const DisplayOptions&), const char* what) {
        return [=, this] { return shows(window_.session().display) ? lacksFile() : what; };
    };
    const auto addStandard = [&](const char* text, const char* key, StandardView view) {
        add(menu, {text, key, [=, this] { window_.scene().setStandardView(view); },
                   lacking(showsVolumeView, "no 3D view is shown")});
    };
    addStandard("From anterior", "1", StandardView::Anterior);
    addStandard("From left", "3", StandardView::Left);
    addStandard("From superior", "7", StandardView::Superior);
    const auto addSlice = [&](const char* text, const char* key, int step) {
        add(menu, {text, key, [=, this] { window_.stepSlice(step); },
                   lacking(showsSlice, "no slice is shown")});
    };
    addSlice("Next slice", "PgUp", 1);
    addSlice("Previous slice", "PgDown", -1);
}

void Menus::addPanels(QMenu* menu) {
    PanelGroup group = window_.panels().front()->group();
    for (const auto& owned : window_.panels()) {
        Panel* panel = owned.get();
        if (std::exchange(group, panel->group()) != panel->group())
            menu->addSeparator();
        add(menu, {.text = panel->title(),
                   .act =
                       [this, panel] {
                           panel->shown = !panel->shown;
                           panel->open = panel->open || panel->shown;
                           window_.showColumn(window_.showsColumn() || panel->shown);
                       },
                   .on = [panel] { return panel->shown; }});
    }
}

} // namespace systole
