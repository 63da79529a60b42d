#include "render/overlays/surface_colors.h"

#include "render/sampling_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace systole {
namespace {

constexpr float unknown = -1;
constexpr int steps = 4; ///< ticks of diverging scales

Vec3 vec(const std::array<float, 3>& p) { return {p[0], p[1], p[2]}; }

std::vector<float> partsOf(std::size_t count, const std::function<float(std::size_t)>& partOf) {
    std::vector<float> parts(count);
    for (std::size_t i = 0; i < count; ++i)
        parts[i] = partOf(i);
    return parts;
}

float clamped(double part) {
    return std::isfinite(part) ? static_cast<float>(std::clamp(part, 0.0, 1.0)) : unknown;
}

SurfaceScale diverging(const char* caption, const char* unit, double maximum,
                       const std::function<double(double)>& valueAt) {
    SurfaceScale scale{{ColorMap::Diverging, caption, unit, {}}, maximum};
    for (int i = 0; i <= steps; ++i) {
        const double part = i / static_cast<double>(steps);
        scale.colors.ticks.push_back({part, fmt::format("{:.3g}", valueAt(part))});
    }
    return scale;
}

/// Displacement in voxels at an index; outside the grid that of its border.
Vec3 displacementAtIndex(FieldView<const float> field, Vec3 index) {
    const sampling::Cell cell = sampling::cellNear(field.size, index);
    return {sampling::interpolate(field.componentView(0), cell),
            sampling::interpolate(field.componentView(1), cell),
            sampling::interpolate(field.componentView(2), cell)};
}

double jacobianAt(FieldView<const float> field, Vec3 index) {
    double m[3][3]; // [component][axis]
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 ahead = index, behind = index;
        const double last = field.size[axis] - 1;
        ahead[axis] = std::min(index[axis] + 1, last);
        behind[axis] = std::max(index[axis] - 1, 0.0);
        const double apart = ahead[axis] - behind[axis];
        const Vec3 change = displacementAtIndex(field, ahead) - displacementAtIndex(field, behind);
        for (int component = 0; component < 3; ++component)
            m[component][axis] =
                (component == axis ? 1 : 0) + (apart > 0 ? change[component] / apart : 0);
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

} // namespace

SurfaceScale jacobianScale(double maximum) {
    return diverging("|J|", "", maximum,
                     [maximum](double part) { return std::pow(maximum, 2 * part - 1); });
}

SurfaceScale curvatureScale(double maximum) {
    return diverging("curvature", "1/mm", maximum,
                     [maximum](double part) { return maximum * (2 * part - 1); });
}

SurfaceScale distanceScale(double maximum, ColorMap map) {
    return {{map, "from original", "mm", colorBarTicks(maximum)}, maximum};
}

std::vector<float> displacementParts(const TriangleMesh& mesh, const VectorField& motion,
                                     double maximum) {
    const sampling::Grid grid(motion.geometry);
    const FieldView<const float> field = motion.view();
    return partsOf(mesh.points.size(), [&](std::size_t i) {
        const sampling::Cell cell = sampling::cellAt(grid, vec(mesh.points[i]));
        return cell.inside
                   ? clamped(sampling::norm(sampling::interpolate(grid, field, cell)) / maximum)
                   : unknown;
    });
}

std::vector<float> jacobianParts(const TriangleMesh& mesh, const VectorField& motion,
                                 double maximum) {
    const sampling::Grid grid(motion.geometry);
    const FieldView<const float> field = motion.view();
    return partsOf(mesh.points.size(), [&](std::size_t i) {
        const Vec3 at = vec(mesh.points[i]);
        if (!sampling::cellAt(grid, at).inside)
            return unknown;
        const double jacobian = jacobianAt(field, grid.physicalToIndex(at));
        return jacobian > 0 ? clamped(0.5 + 0.5 * std::log(jacobian) / std::log(maximum)) : unknown;
    });
}

std::vector<float> curvatureParts(const std::vector<float>& curvature, double maximum) {
    return partsOf(curvature.size(), [&](std::size_t i) {
        return clamped(0.5 + 0.5 * static_cast<double>(curvature[i]) / maximum);
    });
}

std::vector<float> distanceParts(const std::vector<float>& millimeters, double maximum) {
    return partsOf(millimeters.size(), [&](std::size_t i) {
        return clamped(static_cast<double>(millimeters[i]) / maximum);
    });
}

} // namespace systole
