#include "render/display_options.h"

namespace systole {

const char* name(Layout layout) {
    switch (layout) {
    case Layout::Single3D:
        return "single";
    case Layout::ThreeSlices:
        return "three";
    case Layout::FourUp:
        return "four";
    case Layout::SideBySide:
        return "side";
    }
    return "";
}

const char* name(ViewKind view) {
    switch (view) {
    case ViewKind::Volume3D:
        return "3D";
    case ViewKind::Axial:
        return "Axial";
    case ViewKind::Coronal:
        return "Coronal";
    case ViewKind::Sagittal:
        return "Sagittal";
    }
    return "";
}

const char* name(LegendCorner corner) {
    switch (corner) {
    case LegendCorner::BottomRight:
        return "bottom-right";
    case LegendCorner::BottomLeft:
        return "bottom-left";
    case LegendCorner::TopRight:
        return "top-right";
    case LegendCorner::TopLeft:
        return "top-left";
    }
    return "";
}

const char* name(CutPlane plane) {
    switch (plane) {
    case CutPlane::Facing:
        return "facing";
    case CutPlane::Axial:
        return "axial";
    case CutPlane::Coronal:
        return "coronal";
    case CutPlane::Sagittal:
        return "sagittal";
    }
    return "";
}

} // namespace systole
