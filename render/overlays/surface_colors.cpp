#include "render/overlays/surface_colors.h"

#include "compute/core/affine_map.h"
#include "render/display_scale.h"
#include "render/sampling_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

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

const Contraction& contractionOf(Deformation quantity) {
    return quantity == Deformation::Jacobian || quantity == Deformation::LogJacobian
               ? volumeContracts
               : lengthContracts;
}

SurfaceScale contracting(SurfaceScale scale, const Contraction& contraction) {
    scale.colors.highest = contraction.name;
    scale.colors.lowest = contraction.other;
    return scale;
}

} // namespace

double redEnd(Deformation quantity, double maximum) {
    return contractionOf(quantity).redEnd(quantity == Deformation::Jacobian ? std::log(maximum)
                                                                            : maximum);
}

SurfaceScale deformationScale(Deformation quantity, double wanted, bool sinceFirst) {
    const auto chosen = [&](double pair, double since) {
        return wanted > 0 ? wanted : sinceFirst ? since : pair;
    };
    const char* const caption = captionOf(quantity);
    if (quantity == Deformation::Jacobian) {
        const double maximum = std::max(chosen(1.25, 2), 1.001);
        const double red = redEnd(quantity, maximum);
        return contracting(diverging(caption, "", maximum,
                                     [red](double part) { return std::exp(red * (2 * part - 1)); }),
                           contractionOf(quantity));
    }
    const double maximum =
        quantity == Deformation::LogJacobian ? chosen(0.25, 0.7) : chosen(0.1, 0.4);
    return contractionScale(caption, "", maximum, contractionOf(quantity));
}

SurfaceScale divergingScale(const char* caption, const char* unit, double maximum) {
    return diverging(caption, unit, maximum,
                     [maximum](double part) { return maximum * (2 * part - 1) + 0.0; }); // no -0
}

SurfaceScale contractionScale(const char* caption, const char* unit, double maximum,
                              const Contraction& contraction) {
    SurfaceScale scale = divergingScale(caption, unit, contraction.redEnd(maximum));
    scale.maximum = maximum;
    return contracting(std::move(scale), contraction);
}

SurfaceScale curvatureScale(double maximum) { return divergingScale("curvature", "1/mm", maximum); }

SurfaceScale distanceScale(double maximum, ColorMap map) {
    return {{map, "from original", "mm", colorBarTicks(maximum)}, maximum};
}

SurfaceScale standardErrorScale(const ErrorComponent& component, double wanted,
                                const Geometry& grid, ColorMap motion) {
    const Vec3 spacing = grid.spacing();
    const double maximum =
        wanted > 0 ? wanted : roundUp(std::min({spacing.x, spacing.y, spacing.z}) / 2);
    return {{beside(motion, ColorMap::Cividis), component.title, "mm", colorBarTicks(maximum)},
            maximum};
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

std::vector<float> deformationParts(const TriangleMesh& mesh, const VectorField& motion,
                                    Deformation quantity, double maximum) {
    const sampling::Grid grid(motion.geometry);
    const FieldView<const float> field = motion.view();
    const double end = redEnd(quantity, maximum);
    return partsOf(mesh.points.size(), [&](std::size_t i) {
        const Vec3 at = vec(mesh.points[i]);
        if (!sampling::cellAt(grid, at).inside)
            return unknown;
        const Matrix3 change = indexGradientAt(field, grid.physicalToIndex(at));
        return determinant(change) > 0 ? clamped(0.5 + 0.5 * valueOf(quantity, change, grid) / end)
                                       : unknown;
    });
}

std::vector<float> standardErrorParts(const TriangleMesh& mesh, const VectorField& error,
                                      const ErrorComponent& component, double maximum) {
    const sampling::Grid grid(error.geometry);
    const Size3 size = error.geometry.size();
    return partsOf(mesh.points.size(), [&](std::size_t i) {
        const Vec3 at = vec(mesh.points[i]);
        if (!sampling::cellAt(grid, at).inside)
            return unknown;
        const Vec3 index = grid.physicalToIndex(at);
        const std::size_t voxel = error.view().componentView(0).offset(
            std::clamp(static_cast<int>(std::lround(index.x)), 0, size.x - 1),
            std::clamp(static_cast<int>(std::lround(index.y)), 0, size.y - 1),
            std::clamp(static_cast<int>(std::lround(index.z)), 0, size.z - 1));
        return clamped(static_cast<double>(standardErrorAt(error, component, voxel)) / maximum);
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
