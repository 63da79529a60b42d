#include "render/glyph_sampling.h"

#include <algorithm>
#include <cmath>

namespace systole {

sampling::VolumeLattice volumeLattice(const Geometry& grid, double spacing) {
    sampling::VolumeLattice lattice;
    for (int axis = 0; axis < 3; ++axis) {
        const int count = grid.size()[axis];
        const double voxels = std::round(spacing / grid.spacing()[axis]);
        const int stride = static_cast<int>(std::clamp(voxels, 1.0, static_cast<double>(count)));
        lattice.stride[axis] = stride;
        lattice.first[axis] = (count - 1) % stride / 2;
        lattice.count[axis] = (count - 1 - lattice.first[axis]) / stride + 1;
    }
    return lattice;
}

sampling::SliceLattice sliceLattice(const Geometry& grid, ViewKind slice, Vec3 position,
                                    double spacing) {
    const ViewPlane plane = viewPlane(slice);
    const PhysicalBox box = boxAround(grid);
    spacing = std::max(spacing, 0.5 * smallestSpacing(grid));
    const auto halfCount = [&](Vec3 direction) {
        const double extent = std::abs(dot(box.extent(), direction));
        return static_cast<int>(std::floor(0.5 * extent / spacing));
    };
    sampling::SliceLattice lattice;
    lattice.center = box.center();
    lattice.center[plane.axis] = position[plane.axis];
    lattice.right = spacing * plane.right;
    lattice.up = spacing * plane.up;
    lattice.columns = halfCount(plane.right);
    lattice.rows = halfCount(plane.up);
    lattice.axis = plane.axis;
    return lattice;
}

sampling::ArrowSource arrowSource(const VectorField& field, const GlyphRules& rules) {
    sampling::ArrowSource source;
    source.grid = sampling::Grid(field.geometry);
    source.field = field.view();
    if (rules.image) {
        source.imageGrid = sampling::Grid(rules.image->geometry);
        source.image = rules.image->view();
    }
    source.darkest = rules.darkest;
    source.smallestMagnitude = rules.smallestMagnitude;
    return source;
}

std::vector<Glyph> sampleGlyphs(const VectorField& field, const GlyphLattice& lattice,
                                const GlyphRules& rules) {
    const sampling::ArrowSource source = arrowSource(field, rules);
    std::vector<Glyph> glyphs;
    std::visit(
        [&](const auto& places) {
            for (std::size_t place = 0; place < places.places(); ++place)
                if (const Glyph glyph = sampling::arrowAt(source, places, place); glyph.length > 0)
                    glyphs.push_back(glyph);
        },
        lattice);
    return glyphs;
}

double volumeGlyphSpacing(const Geometry& geometry, int arrows) {
    double cubicMillimeters = 1;
    for (int axis = 0; axis < 3; ++axis)
        cubicMillimeters *= geometry.size()[axis] * geometry.spacing()[axis];
    return std::max(smallestSpacing(geometry), std::cbrt(cubicMillimeters / arrows));
}

double sliceGlyphSpacing(const Geometry& geometry, ViewKind slice, int arrows) {
    const ViewPlane plane = viewPlane(slice);
    const Vec3 extent = boxAround(geometry).extent();
    const double longer =
        std::max(std::abs(dot(extent, plane.right)), std::abs(dot(extent, plane.up)));
    return std::max(smallestSpacing(geometry), longer / arrows);
}

} // namespace systole
