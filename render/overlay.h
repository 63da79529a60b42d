// Interface of overlays: arrows, maps and other displays of a field, drawn over and between the
// frames. render/overlays/overlay_kinds.cpp lists them.
#pragma once

#include "render/color_bar.h"
#include "render/display_rows.h"
#include "render/scene_state.h"
#include "render/texture_ring.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class vtkRenderer;

namespace systole {

struct SliceLook;

/// The viewing direction of a view at the time of an update.
struct ViewPose {
    ViewKind kind = ViewKind::Volume3D;
    Vec3 towardsObserver;
    double millimetersPerPixel = 1; ///< framebuffer pixels; in the 3D view at the volume's center
    /// The box that cut and crop leave of the volume; none: the volume is whole.
    std::optional<PhysicalBox> kept;
};

/// The overlay's colors that represent millimeters in the legend.
enum class OverlayColors { None, Own, Slices };

/// One object serves the four views of one side (Left, Right or Difference); SceneState is what
/// that side shows. All functions but the constructor, attach(), colors() and arrowScale() need
/// the context current.
class Overlay {
public:
    virtual ~Overlay() = default;

    /// Adds its props to a view of the side; called once per view.
    virtual void attach(ViewKind, vtkRenderer*) {}
    /// Called before the updates of a draw: transfers to OpenGL what the views share.
    virtual Uploaded prepare(const SceneState&) { return {}; }
    /// Updates its props in one view to the state, which may have nothing to show. Returns the
    /// bytes that the draw will transfer to OpenGL.
    virtual std::size_t update(const SceneState&, const ViewPose&) { return 0; }
    /// Changes the look of a slice that is about to be drawn.
    virtual void shade(const SceneState&, SliceLook&) const {}
    virtual OverlayColors colors(const SceneState&) const { return OverlayColors::None; }
    /// Lines under the name of its side's views, and of its slices alone; empty: none.
    virtual std::string label(const SceneState&) const { return {}; }
    virtual std::string sliceLabel(const SceneState&) const { return {}; }
    /// Colors of its own that don't represent the motion; they have a legend beside that one.
    virtual std::optional<ColorScale> ownScale(const SceneState&) const { return std::nullopt; }
    /// Factor on the volume's opacity, so that what the overlay draws inside it is seen.
    virtual double volumeOpacity(const SceneState& state) const {
        return arrowScale(state) > 0 ? state.display.volumeOpacityWithArrows : 1;
    }
    /// Drawn mm per mm of motion of its arrows, for the legend; 0: it draws none.
    virtual double arrowScale(const SceneState&) const { return 0; }

    /// Whether a draw left out data that a thread is still computing, which happens only with
    /// SceneState::waits off; and how often a thread has finished some, so that another draw is
    /// due.
    virtual bool unfinished() const { return false; }
    virtual std::uint64_t made() const { return 0; }

    virtual std::size_t textureBytes() const { return 0; } ///< bytes of its voxel-sized textures
    virtual void releaseTextures() {}
};

/// Objects that an overlay keeps for each view.
template <typename Part>
class PerView {
public:
    Part& operator[](ViewKind view) { return parts_[static_cast<std::size_t>(view)]; }

private:
    std::array<Part, std::size(viewKinds)> parts_;
};

template <typename Kind>
std::unique_ptr<Overlay> makeOverlay() {
    return std::make_unique<Kind>();
}

/// Whether something is true of an overlay with these options.
using OverlayCondition = bool (*)(const DisplayOptions&);
inline bool always(const DisplayOptions&) { return true; }
inline bool never(const DisplayOptions&) { return false; }

/// An entry in the list of overlays.
struct OverlayKind {
    std::vector<DisplayRow> rows; ///< its switch first, then its options
    std::unique_ptr<Overlay> (*make)() = nullptr;
    /// Content of the textures that textureBytes() counts, for the user interface.
    std::string textures{};
    // While its switch is on:
    OverlayCondition showsMotion = always;
    OverlayCondition colorsMotion = never; ///< its colors are lengths of motion (Overlay::colors())
    OverlayCondition readsHostField = never;     ///< it shows only motion that is on the host
    OverlayCondition readsStandardError = never; ///< it shows FrameResult::standardError
    OverlayCondition readsCycle = never; ///< it shows the motion of all frames (Scene::setCycle())
    OverlayCondition flickers = never;   ///< it shows two images in turn (Scene::flicker())
};

} // namespace systole
