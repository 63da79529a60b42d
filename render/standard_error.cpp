#include "render/standard_error.h"

#include "render/sampling_math.h"

#include <algorithm>
#include <stdexcept>

namespace systole {

const ErrorComponent& errorComponent(const std::string& name) {
    for (const ErrorComponent& component : errorComponents)
        if (name == component.name)
            return component;
    throw std::out_of_range("no component " + name);
}

float standardErrorAt(const VectorField& error, const ErrorComponent& component,
                      std::size_t voxel) {
    const Vec3 spacing = error.geometry.spacing();
    const FieldView<const float> view = error.view();
    const float along[] = {static_cast<float>(spacing.x) * view.u[voxel],
                           static_cast<float>(spacing.y) * view.v[voxel],
                           static_cast<float>(spacing.z) * view.w[voxel]};
    return component.axis < 0 ? std::max({along[0], along[1], along[2]}) : along[component.axis];
}

std::optional<Vec3> standardErrorAt(const VectorField& error, Vec3 position) {
    const sampling::Cell cell = sampling::cellAt(sampling::Grid(error.geometry), position);
    if (!cell.inside)
        return std::nullopt;
    Vec3 along = error.geometry.spacing();
    for (int axis = 0; axis < 3; ++axis)
        along[axis] *= sampling::interpolate(error.view().componentView(axis), cell);
    return along;
}

} // namespace systole
