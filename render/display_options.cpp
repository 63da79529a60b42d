#include "render/display_options.h"

#include "compute/core/enum_text.h"

namespace systole {

const char* name(Layout layout) { return enumText(layout, {"single", "three", "four", "side"}); }

const char* name(ViewKind view) { return enumText(view, {"3D", "Axial", "Coronal", "Sagittal"}); }

const char* name(LegendCorner corner) {
    return enumText(corner, {"bottom-right", "bottom-left", "top-right", "top-left"});
}

const char* name(CutPlane plane) {
    return enumText(plane, {"facing", "axial", "coronal", "sagittal"});
}

} // namespace systole
