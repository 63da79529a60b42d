#include "render/overlays/rows.h"

#include "compute/core/error.h"
#include "render/overlays.h"

#include <algorithm>
#include <utility>

namespace systole {

bool showsMotionOverlays(const DisplayOptions& display) {
    return std::ranges::any_of(overlayKinds(), [&](const OverlayKind& kind) {
        return kind.rows.front().isOn(display) && (!kind.showsMotion || kind.showsMotion(display));
    });
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
    std::string ids;
    for (const DisplayRow& row : displayRows()) {
        if (row.param.id == id)
            return row;
        ids += (ids.empty() ? "" : ", ") + row.param.id;
    }
    throw ComputeError("the display has no option '" + id + "'; there are " + ids);
}

void setOption(DisplayOptions& display, const std::string& id, ParamValue value) {
    displayRow(id).set(display, std::move(value));
}

} // namespace systole
