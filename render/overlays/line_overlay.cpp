#include "render/overlays/line_overlay.h"

#include "render/glyph_sampling.h"
#include "render/view_plane.h"

#include <vtkRenderer.h>

#include <algorithm>

namespace systole {
namespace {

constexpr double rim = 0.6; ///< width of the outline, logical pixels
constexpr double faintOpacity = 0.35;

struct LineMesh {
    TriangleMesh mesh;
    std::vector<float> parts;
};

/// Mesh in the layout of SurfaceLook::lines: the faint pieces, those with a faint end, or the
/// others.
LineMesh meshOf(const std::vector<FlowLine>& lines, double colorMaximum, bool faint) {
    LineMesh made;
    const auto add = [&](const FlowPoint& end) {
        made.mesh.points.push_back({static_cast<float>(end.position.x),
                                    static_cast<float>(end.position.y),
                                    static_cast<float>(end.position.z)});
        made.parts.push_back(
            static_cast<float>(std::clamp(end.magnitude / colorMaximum, 0.0, 1.0)));
    };
    for (const FlowLine& line : lines) {
        bool goesOn = false;
        for (std::size_t i = 1; i < line.size(); ++i) {
            const bool wanted = (line[i - 1].faint || line[i].faint) == faint;
            if (wanted) {
                if (!goesOn)
                    add(line[i - 1]);
                add(line[i]);
                const auto point = static_cast<std::uint32_t>(made.mesh.points.size() - 1);
                made.mesh.triangles.push_back({point - 1, point, point});
            }
            goesOn = wanted;
        }
    }
    return made;
}

} // namespace

bool LineOverlay::shows(const SceneState& state) const {
    return state.showsMotion() && state.motion.field && rows_.front().isOn(state.display);
}

sampling::ArrowSource LineOverlay::sourceOf(const SceneState& state) {
    GlyphRules rules;
    rules.image = state.motion.fixed.get();
    rules.darkest = state.darkest();
    rules.smallestMagnitude = state.scale.rest;
    return arrowSource(*state.motion.field, rules);
}

double LineOverlay::spacingOf(const SceneState& state, ViewKind view, double wanted,
                              UsualLines usual) {
    const Geometry& grid = state.motion.geometry();
    return wanted > 0                   ? wanted
           : view == ViewKind::Volume3D ? volumeGlyphSpacing(grid, usual.inVolume)
                                        : sliceGlyphSpacing(grid, view, usual.alongSlice);
}

std::vector<Vec3> LineOverlay::placesOf(const SceneState& state, ViewKind view, double spacing) {
    const Geometry& grid = state.motion.geometry();
    std::vector<Vec3> places;
    if (view == ViewKind::Volume3D) {
        const sampling::VolumeLattice lattice = volumeLattice(grid, spacing);
        const auto index = [&](int axis, int i) {
            return static_cast<double>(lattice.first[axis] + i * lattice.stride[axis]);
        };
        for (int z = 0; z < lattice.count[2]; ++z)
            for (int y = 0; y < lattice.count[1]; ++y)
                for (int x = 0; x < lattice.count[0]; ++x)
                    places.push_back(grid.indexToPhysical({index(0, x), index(1, y), index(2, z)}));
        return places;
    }
    const sampling::SliceLattice lattice = sliceLattice(grid, view, state.crosshair, spacing);
    for (int row = -lattice.rows; row <= lattice.rows; ++row)
        for (int column = -lattice.columns; column <= lattice.columns; ++column)
            places.push_back(lattice.center + static_cast<double>(column) * lattice.right +
                             static_cast<double>(row) * lattice.up);
    return places;
}

void LineOverlay::attach(ViewKind view, vtkRenderer* renderer) {
    Part& part = parts_[view];
    for (Strokes* const strokes : {&part.faint, &part.clear}) {
        strokes->layer->setBuffers(strokes->buffers);
        renderer->AddViewProp(strokes->layer);
    }
}

std::size_t LineOverlay::update(const SceneState& state, const ViewPose& pose) {
    Part& part = parts_[pose.kind];
    for (Strokes* const strokes : {&part.faint, &part.clear}) {
        strokes->layer->SetVisibility(shows(state));
        if (!shows(state) && part.made) {
            strokes->buffers->setMesh(nullptr);
            strokes->buffers->setColors({});
        }
    }
    if (!shows(state)) {
        part.made.reset();
        return 0;
    }
    const bool volume = pose.kind == ViewKind::Volume3D;
    Source source{state.resultCount, {}, state.colorMaximum, lineOptions(state), 0};
    if (followsCycle())
        source.cycle = state.cycleCount;
    if (volume)
        source.crosshair = state.crosshair;
    else
        source.crosshair[viewPlane(pose.kind).axis] = state.crosshair[viewPlane(pose.kind).axis];
    if (!part.made || !(*part.made == source)) {
        const std::vector<FlowLine> all = lines(state, pose.kind);
        for (Strokes* const strokes : {&part.faint, &part.clear}) {
            LineMesh made = meshOf(all, state.colorMaximum, strokes == &part.faint);
            strokes->buffers->setMesh(std::make_shared<const TriangleMesh>(std::move(made.mesh)));
            strokes->buffers->setColors(std::move(made.parts));
        }
        part.made = std::move(source);
    }
    SurfaceLook look;
    look.lines = true;
    look.flat = !volume;
    look.plain = {1, 1, 1};
    look.colorMap = state.slicesColored && !volume ? 0 : state.colorMapTexture;
    look.width = width_ * state.pixelRatio;
    look.rim = rim * state.pixelRatio;
    look.opacity = state.motionOpacity() * rows_[opacityRow_].real(state.display);
    if (pose.kept)
        look.kept = *pose.kept;
    part.clear.layer->setLook(look);
    look.opacity *= faintOpacity;
    look.rim = 0;
    part.faint.layer->setLook(look);
    return part.clear.buffers->pendingBytes() + part.faint.buffers->pendingBytes();
}

double LineOverlay::volumeOpacity(const SceneState& state) const {
    return shows(state) ? state.display.volumeOpacityWithArrows : 1;
}

OverlayColors LineOverlay::colors(const SceneState& state) const {
    return shows(state) ? OverlayColors::Own : OverlayColors::None;
}

} // namespace systole
