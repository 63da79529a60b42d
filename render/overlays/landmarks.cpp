// Landmarks followed through the frames: points with tails, in the slices and in the 3D view.
#include "render/overlay.h"
#include "render/overlays/surface_layer.h"
#include "render/overlays/track_mesh.h"

#include <vtkNew.h>
#include <vtkRenderer.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace systole {
namespace {

const std::vector<DisplayRow>& rows() {
    static const std::vector<DisplayRow> rows{
        {.param = switchParam("landmarks", true,
                              "Landmarks followed through the frames, with their tails. Those that "
                              "an elastic wall carried along are diamonds, in 3D octahedra."),
         .label = "Landmar&ks",
         .section = "Surface and landmarks",
         .extra = true},
        {.param = switchParam("lost-landmarks", false,
                              "Lost landmarks, small and white, where they were seen last."),
         .label = "L&ost landmarks",
         .section = "Surface and landmarks",
         .extra = true},
        {.param = choiceParam(
             "landmark-color", "displacement", {"plain", "displacement", "certainty", "error"},
             "What colors the landmarks: nothing, the length of their "
             "displacement, the certainty of the tracking, or the distance from the "
             "reference points, where there are some."),
         .label = "landmark color"},
        {.param = realParam("landmark-maximum", 0, 0, 1e6, "mm",
                            "Upper end of displacements or errors in the landmarks' colors; chosen "
                            "when not given."),
         .label = "landmark maximum",
         .automatic = true,
         .sliderMaximum = 30},
        {.param = realParam("landmark-radius", 0, 0, 100, "mm",
                            "Radius of a landmark; chosen when not given."),
         .label = "point radius",
         .automatic = true,
         .sliderMaximum = 5},
        {.param = realParam("landmark-slab", 0, 0, 1000, "mm",
                            "Distance from a slice beyond which it doesn't show landmarks; they "
                            "shrink towards it. Chosen when not given."),
         .label = "depth in slice",
         .automatic = true,
         .sliderMaximum = 30},
        {.param = realParam("landmark-tail", 6, 0, 1000, "",
                            "Frames that the tails of landmarks reach back."),
         .label = "tail, frames",
         .sliderMaximum = 30},
    };
    return rows;
}
enum Row { Shown, Lost, Colored, Maximum, Radius, Slab, Tail };

constexpr Color plainColor{1, 1, 1};
/// Radius of a point, as a fraction of the volume's longest side.
constexpr double automaticRadius = 0.008;
constexpr double automaticSlab = 4;  ///< half thickness of the slab, in radii of a point
constexpr double volumeBehind = 0.3; ///< factor on the volume's opacity

bool shows(const SceneState& state) {
    return state.geometry && state.tracks && !state.tracks->tracks.empty() &&
           rows()[Shown].isOn(state.display);
}

double orElse(double wanted, double automatic) { return wanted > 0 ? wanted : automatic; }

class Landmarks : public Overlay {
public:
    void attach(ViewKind view, vtkRenderer* renderer) override {
        Part& part = parts_[view];
        part.layer->setBuffers(part.buffers);
        renderer->AddViewProp(part.layer);
    }

    Uploaded prepare(const SceneState& state) override {
        if (shows(state) && (!map_ || mapOf_ != mapFor(state))) {
            mapOf_ = mapFor(state);
            map_ = makeColorMapTexture(mapOf_);
        }
        return {};
    }

    std::size_t update(const SceneState& state, const ViewPose& pose) override {
        Part& part = parts_[pose.kind];
        part.layer->SetVisibility(shows(state));
        if (!shows(state))
            return 0;
        const bool volume = pose.kind == ViewKind::Volume3D;
        const Source source{state.tracks, state.trackFrame, lookOf(state, pose.kind)};
        if (!part.made || !(*part.made == source)) {
            TrackMesh made = trackMesh(*state.tracks, state.trackFrame, source.look);
            part.buffers->setMesh(std::make_shared<const TriangleMesh>(std::move(made.mesh)));
            part.buffers->setColors(std::move(made.parts));
            part.made = source;
        }
        SurfaceLook look;
        look.plain = plainColor;
        look.colorMap = map_.id();
        look.towardsLight = pose.towardsObserver;
        look.flat = !volume;
        if (pose.kept)
            look.kept = *pose.kept;
        part.layer->setLook(look);
        return part.buffers->pendingBytes();
    }

    std::optional<ColorScale> ownScale(const SceneState& state) const override {
        const std::string colored = rows()[Colored].text(state.display);
        if (!shows(state) || colored == "plain")
            return std::nullopt;
        if (colored == "certainty")
            return ColorScale{mapFor(state), "certainty", "", colorBarTicks(1)};
        return ColorScale{mapFor(state), colored == "error" ? "landmark error" : "landmarks", "mm",
                          colorBarTicks(maximum(state))};
    }
    double volumeOpacity(const SceneState& state) const override {
        return shows(state) ? volumeBehind : 1;
    }
    void releaseTextures() override { map_.reset(); }

private:
    struct Source {
        std::shared_ptr<const SceneTracks> tracks;
        int frame = 0;
        TrackLook look;
        bool operator==(const Source&) const = default;
    };
    struct Part {
        std::shared_ptr<SurfaceBuffers> buffers = std::make_shared<SurfaceBuffers>();
        vtkNew<SurfaceLayer> layer;
        std::optional<Source> made; ///< inputs of the buffers' content; empty: they have none
    };

    /// Motion has other colors for its millimeters.
    static ColorMap mapFor(const SceneState& state) {
        return beside(state.display.colorMap, ColorMap::Rocket);
    }
    /// Maximum of all frames, so that the colors don't change while playing.
    double maximum(const SceneState& state) const {
        if (measured_ != state.tracks) {
            displacement_ = largeDisplacement(*state.tracks);
            error_ = largeError(*state.tracks);
            measured_ = state.tracks;
        }
        const double largest =
            rows()[Colored].text(state.display) == "error" ? error_ : displacement_;
        return orElse(rows()[Maximum].real(state.display), largest > 0 ? roundUp(largest) : 1);
    }

    TrackLook lookOf(const SceneState& state, ViewKind view) const {
        const DisplayOptions& display = state.display;
        const std::string colored = rows()[Colored].text(display);
        const Vec3 extent = state.box.extent();
        TrackLook look;
        look.colors = colored == "plain"       ? TrackColors::Plain
                      : colored == "certainty" ? TrackColors::Certainty
                      : colored == "error"     ? TrackColors::Error
                                               : TrackColors::Displacement;
        look.maximum = maximum(state);
        look.radius = orElse(rows()[Radius].real(display),
                             automaticRadius * std::max({extent.x, extent.y, extent.z}));
        look.tail = static_cast<int>(std::lround(rows()[Tail].real(display)));
        look.lost = rows()[Lost].isOn(display);
        if (view == ViewKind::Volume3D)
            return look;
        look.axis = viewPlane(view).axis;
        look.offset = state.crosshair[look.axis];
        look.slab = orElse(rows()[Slab].real(display), automaticSlab * look.radius);
        return look;
    }

    PerView<Part> parts_;
    GlTexture map_;
    ColorMap mapOf_ = ColorMap::Viridis;
    /// Tracks of the following two values.
    mutable std::shared_ptr<const SceneTracks> measured_;
    mutable double displacement_ = 0, error_ = 0;
};

} // namespace

OverlayKind landmarksOverlay() {
    OverlayKind kind{rows(), makeOverlay<Landmarks>};
    kind.showsMotion = never;
    return kind;
}

} // namespace systole
