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

} // namespace systole
