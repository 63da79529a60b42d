// The motion as arrows: flat in the slices, solid in the volume.
#include "render/overlay.h"
#include "render/overlays/glyph_layer.h"

#include <vtkNew.h>
#include <vtkRenderer.h>

#include <algorithm>
#include <cstdint>

namespace systole {
namespace {

const std::vector<DisplayRow>& rows() {
    static const std::vector<DisplayRow> rows{
        {.param = switchParam("arrows", true, "Arrows of the motion to the next frame."),
         .former = "glyphs",
         .label = "&Arrows",
         .section = "Motion",
         .key = 'G',
         .extra = true},
        {.param = realParam("arrow-spacing", 0, 0, 1e6, "mm",
                            "Millimeters between arrows; chosen when not given."),
         .former = "glyph-spacing",
         .label = "arrow spacing",
         .automatic = true,
         .sliderMaximum = 20},
        {.param = realParam("arrow-scale", 0, 0, 1e6, "",
                            "Drawn millimeters per millimeter of motion; chosen for the sequence "
                            "when not given."),
         .former = "glyph-scale",
         .label = "arrow scale",
         .automatic = true,
         .sliderMaximum = 10},
        {.param = realParam("arrow-opacity", 1, 0, 1, "", "Opacity of the arrows."),
         .former = "glyph-opacity",
         .label = "arrow opacity"},
    };
    return rows;
}
enum Row { Shown, Spacing, Scale, Opacity };

bool isOn(const SceneState& state) {
    return state.showsMotion() && rows()[Shown].isOn(state.display);
}

/// How arrows differ between kinds of views.
struct Style {
    double smallest;  ///< minimum magnitude drawn, in SceneState::smallestGlyphPart of the map
    double thickness; ///< thickness in spacings
    double (*spacing)(const Geometry& grid, ViewKind kind);
};
constexpr int arrowsAlongSlice = 28, arrowsInVolume = 3500;
/// Length of the shortest arrows: logical pixels, but no more than this part of a spacing.
constexpr double shortestArrow = 8, shortestPart = 0.8;
constexpr Style flat{1, 0.5, [](const Geometry& grid, ViewKind kind) {
                         return sliceGlyphSpacing(grid, kind, arrowsAlongSlice);
                     }};
constexpr Style solid{1.5, 0.42, [](const Geometry& grid, ViewKind) {
                          return volumeGlyphSpacing(grid, arrowsInVolume);
                      }};

class Arrows : public Overlay {
public:
    void attach(ViewKind view, vtkRenderer* renderer) override {
        renderer->AddViewProp(parts_[view].layer);
    }

    std::size_t update(const SceneState& state, const ViewPose& pose) override {
        Part& part = parts_[pose.kind];
        part.layer->SetVisibility(isOn(state));
        if (!isOn(state))
            return 0;
        const Style& style = pose.kind == ViewKind::Volume3D ? solid : flat;
        const double wanted = rows()[Spacing].real(state.display);
        const double spacing =
            wanted > 0 ? wanted : style.spacing(state.motion.geometry(), pose.kind);
        sample(part, state, pose, style, spacing);
        part.layer->setLook(look(state, pose, style, spacing));
        return part.layer->pendingBytes();
    }

    OverlayColors colors(const SceneState& state) const override {
        return isOn(state) ? OverlayColors::Own : OverlayColors::None;
    }

    double arrowScale(const SceneState& state) const override {
        if (!isOn(state))
            return 0;
        const double wanted = rows()[Scale].real(state.display);
        return wanted > 0 ? wanted : state.scale.arrows;
    }

private:
    /// Data and options from which the arrows were sampled.
    struct Source {
        std::uint64_t result = 0;
        double position = 0, spacing = 0, smallest = 0;
        bool operator==(const Source&) const = default;
    };
    /// The arrows of one view.
    struct Part {
        vtkNew<GlyphLayer> layer;
        Source source;
    };

    static void sample(Part& part, const SceneState& state, const ViewPose& pose,
                       const Style& style, double spacing) {
        const bool volume = pose.kind == ViewKind::Volume3D;
        GlyphRules rules;
        rules.spacing = spacing;
        rules.smallestMagnitude = std::max(
            state.scale.rest, style.smallest * SceneState::smallestGlyphPart * state.colorMaximum);
        rules.darkest = state.darkest();
        const double position = volume ? 0 : state.crosshair[viewPlane(pose.kind).axis];
        const Source source{state.resultCount, position, spacing, rules.smallestMagnitude};
        if (source == part.source)
            return;
        const Geometry& grid = state.motion.geometry();
        const GlyphLattice lattice =
            volume ? GlyphLattice(volumeLattice(grid, spacing))
                   : GlyphLattice(sliceLattice(grid, pose.kind, state.crosshair, spacing));
        part.layer->setArrows(state.motion, lattice, rules);
        part.source = source;
    }

    GlyphLook look(const SceneState& state, const ViewPose& pose, const Style& style,
                   double spacing) const {
        GlyphLook look;
        look.scale = arrowScale(state);
        look.thickness = style.thickness * spacing;
        look.minimumLength = std::min(shortestArrow * state.pixelRatio * pose.millimetersPerPixel,
                                      shortestPart * spacing);
        look.rim = (pose.kind == ViewKind::Volume3D ? 0.7 : 1) * state.pixelRatio;
        look.colorMaximum = state.colorMaximum;
        look.opacity = state.motionOpacity() * rows()[Opacity].real(state.display);
        look.colorMap = state.colorMapTexture;
        if (pose.kind != ViewKind::Volume3D) {
            look.facing = pose.towardsObserver;
            look.colored = !state.slicesColored;
            return look;
        }
        look.towardsLight = pose.towardsObserver;
        if (pose.kept) {
            // Arrows that start on a cut face stay.
            const Vec3 slack{0.5 * spacing, 0.5 * spacing, 0.5 * spacing};
            look.kept = {pose.kept->low - slack, pose.kept->high + slack};
        }
        return look;
    }

    PerView<Part> parts_;
};

} // namespace

OverlayKind arrowsOverlay() {
    OverlayKind kind{rows(), makeOverlay<Arrows>};
    kind.colorsMotion = always;
    return kind;
}

} // namespace systole
