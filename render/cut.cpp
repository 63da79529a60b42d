#include "render/cut.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

constexpr double minPart = 0.02; ///< smallest fraction of each side that a cut leaves

int axisOf(CutPlane plane, Vec3 towardsObserver) {
    static constexpr ViewKind slices[] = {ViewKind::Axial, ViewKind::Coronal, ViewKind::Sagittal};
    if (plane != CutPlane::Facing)
        return viewPlane(slices[static_cast<std::size_t>(plane) - 1]).axis;
    int facing = 2;
    for (const int axis : {1, 0})
        if (std::abs(towardsObserver[axis]) > std::abs(towardsObserver[facing]))
            facing = axis;
    return facing;
}

} // namespace

std::optional<PhysicalBox> keptBox(const DisplayOptions& display, const PhysicalBox& whole,
                                   Vec3 crosshair, Vec3 towardsObserver) {
    const Vec3 extent = whole.extent();
    // LPS: x grows to the left, y to the back, z upwards.
    const Vec3 low{display.cropRight, display.cropAnterior, display.cropInferior};
    const Vec3 high{display.cropLeft, display.cropPosterior, display.cropSuperior};
    PhysicalBox kept = whole;
    for (int axis = 0; axis < 3; ++axis) {
        kept.low[axis] += 0.01 * low[axis] * extent[axis];
        kept.high[axis] -= 0.01 * high[axis] * extent[axis];
    }
    if (display.cutAway) {
        const int axis = axisOf(display.cutPlane, towardsObserver);
        if (towardsObserver[axis] > 0)
            kept.high[axis] = std::min(kept.high[axis], crosshair[axis]);
        else
            kept.low[axis] = std::max(kept.low[axis], crosshair[axis]);
    }
    bool less = false;
    for (int axis = 0; axis < 3; ++axis) {
        const double minExtent = minPart * extent[axis];
        kept.low[axis] = std::min(kept.low[axis], whole.high[axis] - minExtent);
        kept.high[axis] = std::max(kept.high[axis], kept.low[axis] + minExtent);
        less = less || kept.low[axis] > whole.low[axis] || kept.high[axis] < whole.high[axis];
    }
    return less ? std::optional(kept) : std::nullopt;
}

} // namespace systole
