#include "render/glyph_sampling.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace systole {
namespace {

bool tooDark(const GlyphRules& rules, Vec3 position) {
    if (!rules.image)
        return false;
    const std::optional<float> value = valueAt(*rules.image, position);
    return !value || *value < rules.darkest;
}

Glyph makeGlyph(Vec3 position, double magnitude, Vec3 drawn) {
    const double drawnLength = length(drawn);
    const Vec3 direction = drawnLength > 0 ? (1 / drawnLength) * drawn : Vec3{0, 0, 1};
    return {static_cast<float>(position.x),  static_cast<float>(position.y),
            static_cast<float>(position.z),  static_cast<float>(magnitude),
            static_cast<float>(direction.x), static_cast<float>(direction.y),
            static_cast<float>(direction.z), static_cast<float>(drawnLength)};
}

} // namespace

std::vector<Glyph> sampleVolume(const VectorField& field, const GlyphRules& rules) {
    const Geometry& grid = field.geometry;
    const FieldView<const float> view = field.view();
    int stride[3], first[3];
    for (int axis = 0; axis < 3; ++axis) {
        const int count = grid.size()[axis];
        const double voxels = std::round(rules.spacing / grid.spacing()[axis]);
        stride[axis] = static_cast<int>(std::clamp(voxels, 1.0, static_cast<double>(count)));
        first[axis] = (count - 1) % stride[axis] / 2;
    }

    std::vector<Glyph> glyphs;
    for (int z = first[2]; z < view.size.z; z += stride[2])
        for (int y = first[1]; y < view.size.y; y += stride[1])
            for (int x = first[0]; x < view.size.x; x += stride[0]) {
                const Vec3 mm = grid.voxelVectorToPhysical({view.componentView(0)(x, y, z),
                                                            view.componentView(1)(x, y, z),
                                                            view.componentView(2)(x, y, z)});
                const double magnitude = length(mm);
                if (!(magnitude > 0 && magnitude >= rules.smallestMagnitude))
                    continue;
                const Vec3 position = grid.indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                if (!tooDark(rules, position))
                    glyphs.push_back(makeGlyph(position, magnitude, mm));
            }
    return glyphs;
}

std::vector<Glyph> sampleSlice(const VectorField& field, ViewKind slice, Vec3 position,
                               const GlyphRules& rules) {
    const ViewPlane plane = viewPlane(slice);
    const PhysicalBox box = boxAround(field.geometry);
    const Vec3 centre = box.centre();
    const auto halfCount = [&](Vec3 direction) {
        const double extent = std::abs(dot(box.extent(), direction));
        return static_cast<int>(std::floor(0.5 * extent / rules.spacing));
    };
    const int columns = halfCount(plane.right), rows = halfCount(plane.up);
    Vec3 origin = centre;
    origin[plane.axis] = position[plane.axis];

    std::vector<Glyph> glyphs;
    for (int row = -rows; row <= rows; ++row)
        for (int column = -columns; column <= columns; ++column) {
            const Vec3 at =
                origin + (column * rules.spacing) * plane.right + (row * rules.spacing) * plane.up;
            const std::optional<Vec3> mm = displacementAt(field, at);
            if (!mm)
                continue;
            const double magnitude = length(*mm);
            Vec3 inPlane = *mm;
            inPlane[plane.axis] = 0;
            const double drawn = length(inPlane);
            if (!(drawn > 0 && drawn >= rules.smallestMagnitude) || tooDark(rules, at))
                continue;
            glyphs.push_back(makeGlyph(at, magnitude, inPlane));
        }
    return glyphs;
}

double volumeGlyphSpacing(const Geometry& geometry, int arrows) {
    double cubicMillimetres = 1, smallest = geometry.spacing().x;
    for (int axis = 0; axis < 3; ++axis) {
        cubicMillimetres *= geometry.size()[axis] * geometry.spacing()[axis];
        smallest = std::min(smallest, geometry.spacing()[axis]);
    }
    return std::max(smallest, std::cbrt(cubicMillimetres / arrows));
}

double sliceGlyphSpacing(const Geometry& geometry, ViewKind slice, int arrows) {
    const ViewPlane plane = viewPlane(slice);
    const Vec3 extent = boxAround(geometry).extent();
    const double longer =
        std::max(std::abs(dot(extent, plane.right)), std::abs(dot(extent, plane.up)));
    double smallest = geometry.spacing().x;
    for (int axis = 1; axis < 3; ++axis)
        smallest = std::min(smallest, geometry.spacing()[axis]);
    return std::max(smallest, longer / arrows);
}

double magnitudeQuantile(const VectorField& field, double part, const Volume* image,
                         float darkest) {
    constexpr std::size_t sample = 20000;
    const FieldView<const float> view = field.view();
    const std::size_t voxels = field.geometry.voxels();
    const std::size_t stride = std::max<std::size_t>(1, voxels / sample);
    std::vector<double> magnitudes;
    magnitudes.reserve(voxels / stride + 1);
    for (std::size_t i = 0; i < voxels; i += stride) {
        if (image && image->voxels.data()[i] < darkest)
            continue;
        const double mm =
            length(field.geometry.voxelVectorToPhysical({view.u[i], view.v[i], view.w[i]}));
        if (std::isfinite(mm))
            magnitudes.push_back(mm);
    }
    if (magnitudes.empty())
        return 0;
    const double last = static_cast<double>(magnitudes.size() - 1);
    const auto at =
        magnitudes.begin() + static_cast<std::ptrdiff_t>(std::clamp(part, 0.0, 1.0) * last + 0.5);
    std::nth_element(magnitudes.begin(), at, magnitudes.end());
    return *at;
}

double roundUp(double value) {
    if (!(value > 0) || !std::isfinite(value))
        return 0;
    const double decade = std::pow(10, std::floor(std::log10(value)));
    for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0})
        if (value <= step * decade * (1 + 1e-9))
            return step * decade;
    return 10 * decade;
}

} // namespace systole
