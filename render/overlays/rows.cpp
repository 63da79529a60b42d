#include "render/overlays/rows.h"

#include "compute/core/error.h"
#include "render/overlays/overlay_kinds.h"

#include <algorithm>
#include <utility>

namespace systole {

namespace {

bool anyOn(const DisplayOptions& display, OverlayCondition OverlayKind::*condition) {
    return std::ranges::any_of(overlayKinds(), [&](const OverlayKind& kind) {
        return kind.rows.front().isOn(display) && (kind.*condition)(display);
    });
}

} // namespace

bool showsMotionOverlays(const DisplayOptions& display) {
    return anyOn(display, &OverlayKind::showsMotion);
}
bool colorsMotion(const DisplayOptions& display) {
    return anyOn(display, &OverlayKind::colorsMotion);
}
bool readsHostFields(const DisplayOptions& display) {
    return anyOn(display, &OverlayKind::readsHostField);
}
bool readsStandardErrors(const DisplayOptions& display) {
    return anyOn(display, &OverlayKind::readsStandardError);
}
bool readsCycle(const DisplayOptions& display) { return anyOn(display, &OverlayKind::readsCycle); }
bool flickers(const DisplayOptions& display) { return anyOn(display, &OverlayKind::flickers); }

const std::vector<DisplayRow>& displayRows() {
    static const std::vector<DisplayRow> rows = [] {
        std::vector<DisplayRow> all = sceneRows();
        for (const OverlayKind& kind : overlayKinds())
            all.insert(all.end(), kind.rows.begin(), kind.rows.end());
        return all;
    }();
    return rows;
}

const DisplayRow& displayRow(const std::string& id) {
    for (const DisplayRow& row : displayRows())
        if (row.isNamed(id))
            return row;
    throw ComputeError("the display has no option '" + id +
                       "'; systole snapshot --help-all lists them");
}

void setOption(DisplayOptions& display, const std::string& id, ParamValue value) {
    displayRow(id).set(display, std::move(value));
}

} // namespace systole
