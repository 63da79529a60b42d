// The surface of the frame: lit in the 3D view, with the one that it was made from as a ghost, and
// its contours on the slices.
#include "render/overlay.h"
#include "render/overlays/surface_colors.h"
#include "render/overlays/surface_layer.h"

#include <vtkNew.h>
#include <vtkRenderer.h>

#include <algorithm>
#include <string>

namespace systole {
namespace {

const std::vector<DisplayRow>& rows() {
    static const std::vector<DisplayRow> rows{
        {.param = switchParam("surface", true, "The surface, lit in the 3D view."),
         .label = "Surface",
         .section = "Surface and landmarks",
         .key = 'S',
         .extra = true},
        {.param = switchParam("contours", true, "Contours of the shown surface on the slices."),
         .label = "Co&ntours",
         .section = "Surface and landmarks",
         .extra = true},
        {.param =
             choiceParam("surface-color", "plain",
                         {"plain", "displacement", "jacobian", "log-jacobian", "largest-strain",
                          "smallest-strain", "standard-error", "curvature", "distance"},
                         "What colors the surface: nothing, the length of the motion shown, its "
                         "Jacobian determinant |J| or the logarithm of it, its largest or "
                         "smallest principal strain, its largest standard error (of methods that "
                         "estimate it), the mean curvature, or the distance from the surface "
                         "before denoising."),
         .label = "surface color",
         .titles = {"plain", "displacement", "|J|", "ln |J|", "largest strain", "smallest strain",
                    "standard error", "curvature", "distance from original"}},
        {.param = realParam("surface-maximum", 0, 0, 1e6, "",
                            "Upper end of |J|, ln |J|, strain, curvature (1/mm) or distance (mm) "
                            "in the colors; chosen when not given."),
         .label = "surface maximum",
         .automatic = true,
         .sliderMaximum = 5},
        {.param = realParam("surface-opacity", 1, 0, 1, "", "Opacity of the surface."),
         .label = "surface opacity"},
        {.param = realParam("ghost-opacity", 0.35, 0, 1, "",
                            "Opacity of the ghost: the surface before denoising, or the wall "
                            "around a segmented chamber; 0: none."),
         .label = "ghost opacity"},
        {.param = realParam("surface-volume-opacity", 0.15, 0, 1, "",
                            "Factor of the volume's opacity while a surface is shown, so that it "
                            "is seen inside."),
         .label = "volume with surface"},
        {.param = realParam("contour-width", 2, 0.25, 10, "", "Width of the contours in pixels."),
         .label = "contour width"},
    };
    return rows;
}
constexpr const char* standardErrorColor = "standard-error";
enum Row { Shown, Contours, Colored, Maximum, Opacity, GhostOpacity, VolumeOpacity, Width };

constexpr Color plainColor{0.93f, 0.66f, 0.55f}, ghostColor{0.72f, 0.84f, 1.0f},
    contourColor{1.0f, 0.55f, 0.35f}, wallColor{0.30f, 0.72f, 1.0f};
constexpr double ghostContour = 0.6; ///< its width, in that of the surface's contour

bool hasMesh(const SceneState& state) {
    return state.geometry && state.surface && state.surface->mesh;
}
bool showsSurface(const SceneState& state) {
    return hasMesh(state) && rows()[Shown].isOn(state.display);
}
bool showsContours(const SceneState& state) {
    return showsSurface(state) && rows()[Contours].isOn(state.display);
}

/// Quantity that colors the surface; "plain" if the selected one is unavailable.
std::string quantity(const SceneState& state) {
    if (!showsSurface(state))
        return "plain";
    const std::string wanted = rows()[Colored].text(state.display);
    const bool motion = state.showsMotion() && state.motion.field && state.motionOpacity() > 0;
    const SceneSurface& surface = *state.surface;
    const bool known = wanted == "curvature"  ? !surface.curvature.empty()
                       : wanted == "distance" ? !surface.distance.empty()
                       : wanted == standardErrorColor
                           ? motion && state.result && state.result->standardError
                           : motion;
    return known ? wanted : "plain";
}

/// The scale of what isn't a displacement.
std::optional<SurfaceScale> scaleOf(const SceneState& state, const std::string& quantity) {
    const double wanted = rows()[Maximum].real(state.display);
    const Vec3 spacing = state.geometry ? state.geometry->spacing() : Vec3{1, 1, 1};
    const double coarsest = std::max({spacing.x, spacing.y, spacing.z});
    const auto orElse = [wanted](double automatic) { return wanted > 0 ? wanted : automatic; };
    if (const std::optional<Deformation> deformation = deformationNamed(quantity))
        return deformationScale(*deformation, wanted, state.result && state.result->sinceFirst);
    if (quantity == standardErrorColor)
        return standardErrorScale(errorComponents[0], wanted, *state.geometry,
                                  state.display.colorMap);
    if (quantity == "curvature")
        return curvatureScale(orElse(roundDown(0.25 / coarsest)));
    if (quantity == "distance")
        return distanceScale(orElse(roundUp(coarsest)),
                             beside(state.display.colorMap, ColorMap::Cividis));
    return std::nullopt;
}

std::vector<float> partsOf(const SceneState& state, const std::string& quantity) {
    const SceneSurface& surface = *state.surface;
    const double maximum =
        quantity == "displacement" ? state.colorMaximum : scaleOf(state, quantity)->maximum;
    if (quantity == "displacement")
        return displacementParts(*surface.mesh, *state.motion.field, maximum);
    if (const std::optional<Deformation> deformation = deformationNamed(quantity))
        return deformationParts(*surface.mesh, *state.motion.field, *deformation, maximum);
    if (quantity == standardErrorColor)
        return standardErrorParts(*surface.mesh, *state.result->standardError, errorComponents[0],
                                  maximum);
    return quantity == "curvature" ? curvatureParts(surface.curvature, maximum)
                                   : distanceParts(surface.distance, maximum);
}

class Surface : public Overlay {
public:
    void attach(ViewKind view, vtkRenderer* renderer) override {
        Part& part = parts_[view];
        part.ghost->setBuffers(ghost_);
        part.mesh->setBuffers(mesh_);
        renderer->AddViewProp(part.mesh);
        renderer->AddViewProp(part.ghost);
    }

    Uploaded prepare(const SceneState& state) override {
        const bool shown = showsSurface(state);
        const SceneSurface none, &surface = shown ? *state.surface : none;
        const bool meshCopied = mesh_->setMesh(surface.mesh, surface.meshOnDevice, state.interop),
                   ghostCopied =
                       ghost_->setMesh(surface.original, surface.originalOnDevice, state.interop);
        updateColors(state);
        const std::size_t bytes = mesh_->pendingBytes() + ghost_->pendingBytes();
        return {meshCopied || ghostCopied || bytes > 0, bytes};
    }

    std::size_t update(const SceneState& state, const ViewPose& pose) override {
        const bool volume = pose.kind == ViewKind::Volume3D;
        const bool shown = volume ? showsSurface(state) : showsContours(state);
        Part& part = parts_[pose.kind];
        part.mesh->SetVisibility(shown);
        part.ghost->SetVisibility(shown);
        if (!shown)
            return 0;
        SurfaceLook look;
        look.plain = volume ? plainColor : contourColor;
        look.colorMap = colorMap_;
        look.towardsLight = pose.towardsObserver;
        if (pose.kept)
            look.kept = *pose.kept;
        const double faded = state.surfaceNote.empty() ? 1 : SceneState::outdatedOpacity;
        look.opacity = faded * rows()[Opacity].real(state.display);
        if (!volume) {
            look.opacity = faded;
            const int axis = viewPlane(pose.kind).axis;
            look.facing[axis] = 1;
            look.offset = state.crosshair[axis];
            look.width = rows()[Width].real(state.display) * state.pixelRatio;
        }
        part.mesh->setLook(look);
        look.ghost = true;
        const bool walled = state.surface->walled;
        const double opacity = faded * rows()[GhostOpacity].real(state.display);
        look.plain = walled && !volume ? wallColor : ghostColor;
        look.colorMap = 0;
        look.opacity = walled && !volume && opacity > 0 ? faded : opacity;
        look.width = std::max((walled ? 1 : ghostContour) * look.width, 1.0);
        part.ghost->setLook(look);
        return 0;
    }

    std::string label(const SceneState& state) const override {
        return showsSurface(state) ? state.surfaceNote : "";
    }

    OverlayColors colors(const SceneState& state) const override {
        return quantity(state) == "displacement" ? OverlayColors::Own : OverlayColors::None;
    }
    std::optional<ColorScale> ownScale(const SceneState& state) const override {
        const std::optional<SurfaceScale> scale = scaleOf(state, quantity(state));
        return scale ? std::optional(scale->colors) : std::nullopt;
    }
    double volumeOpacity(const SceneState& state) const override {
        return showsSurface(state) ? rows()[VolumeOpacity].real(state.display) : 1;
    }

    void releaseTextures() override {
        ownMap_.reset();
        // Buffers into which CUDA has written must be released before its interop is.
        mesh_->release();
        ghost_->release();
    }

private:
    /// Data and options from which the colors were made.
    struct Source {
        std::shared_ptr<const SceneSurface> surface;
        std::string quantity;
        std::uint64_t result = 0;
        double maximum = 0;
        bool operator==(const Source&) const = default;
    };
    /// Layers that are drawn in one view.
    struct Part {
        vtkNew<SurfaceLayer> mesh, ghost;
    };

    void updateColors(const SceneState& state) {
        const std::string by = quantity(state);
        const std::optional<SurfaceScale> scale = scaleOf(state, by);
        Source source{state.surface, by, 0, scale ? scale->maximum : state.colorMaximum};
        if (by == "displacement" || by == standardErrorColor || deformationNamed(by))
            source.result = state.resultCount;
        if (!(source == source_)) {
            mesh_->setColors(by == "plain" ? std::vector<float>{} : partsOf(state, by));
            source_ = source;
        }
        colorMap_ = by == "displacement" ? state.colorMapTexture : 0;
        if (!scale)
            return;
        if (!ownMap_ || ownMapOf_ != scale->colors.map) {
            ownMap_ = makeColorMapTexture(scale->colors.map);
            ownMapOf_ = scale->colors.map;
        }
        colorMap_ = ownMap_.id();
    }

    std::shared_ptr<SurfaceBuffers> mesh_ = std::make_shared<SurfaceBuffers>(),
                                    ghost_ = std::make_shared<SurfaceBuffers>();
    PerView<Part> parts_;
    Source source_;
    GlTexture ownMap_;
    ColorMap ownMapOf_ = ColorMap::Viridis;
    unsigned colorMap_ = 0; ///< texture in the current draw; 0: plain
};

} // namespace

OverlayKind surfaceOverlay() {
    OverlayKind kind{rows(), makeOverlay<Surface>};
    kind.showsMotion = [](const DisplayOptions& display) {
        const std::string color = rows()[Colored].text(display);
        return color == "displacement" || color == standardErrorColor || deformationNamed(color);
    };
    kind.colorsMotion = [](const DisplayOptions& display) {
        return rows()[Colored].text(display) == "displacement";
    };
    kind.readsStandardError = [](const DisplayOptions& display) {
        return rows()[Colored].text(display) == standardErrorColor;
    };
    return kind;
}

} // namespace systole
