#include "render/display_options.h"

#include <cstddef>

namespace systole {

const char* name(Layout layout) {
    static constexpr const char* names[] = {"single", "three", "four", "side"};
    return names[static_cast<std::size_t>(layout)];
}

const char* name(ViewKind view) {
    static constexpr const char* names[] = {"3D", "Axial", "Coronal", "Sagittal"};
    return names[static_cast<std::size_t>(view)];
}

const char* name(LegendCorner corner) {
    static constexpr const char* names[] = {"bottom-right", "bottom-left", "top-right", "top-left"};
    return names[static_cast<std::size_t>(corner)];
}

const char* name(CutPlane plane) {
    static constexpr const char* names[] = {"facing", "axial", "coronal", "sagittal"};
    return names[static_cast<std::size_t>(plane)];
}

} // namespace systole
