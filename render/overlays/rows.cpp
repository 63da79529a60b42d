#include "render/overlays/rows.h"

#include "compute/core/error.h"
#include "render/overlays.h"

#include <algorithm>
#include <utility>

namespace systole {

namespace {

template <typename Condition>
bool anyOn(const DisplayOptions& display, const Condition& condition) {
    return std::ranges::any_of(overlayKinds(), [&](const OverlayKind& kind) {
        return kind.rows.front().isOn(display) && condition(kind);
    });
}

} // namespace

bool showsMotionOverlays(const DisplayOptions& display) {
    return anyOn(display, [&](const OverlayKind& kind) {
        return !kind.showsMotion || kind.showsMotion(display);
    });
}

bool colorsMotion(const DisplayOptions& display) {
    return anyOn(display, [&](const OverlayKind& kind) {
        return kind.colorsMotion && kind.colorsMotion(display);
    });
}

bool readsHostFields(const DisplayOptions& display) {
    return anyOn(display, [](const OverlayKind& kind) { return kind.readsHostField; });
}

bool readsStandardErrors(const DisplayOptions& display) {
    return anyOn(display, [&](const OverlayKind& kind) {
        return kind.readsStandardError && kind.readsStandardError(display);
    });
}

bool readsCycle(const DisplayOptions& display) {
    return anyOn(display, [](const OverlayKind& kind) { return kind.readsCycle; });
}

bool flickers(const DisplayOptions& display) {
    return anyOn(display,
                 [&](const OverlayKind& kind) { return kind.flickers && kind.flickers(display); });
}

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
        if (row.param.id == id)
            return row;
    throw ComputeError("the display has no option '" + id +
                       "'; systole snapshot --help-all lists them");
}

void setOption(DisplayOptions& display, const std::string& id, ParamValue value) {
    displayRow(id).set(display, std::move(value));
}

} // namespace systole
