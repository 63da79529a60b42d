// What is drawn of a result over and between the frames: the interface of arrows, maps and what
// else comes after a field. The list of them is in render/overlays.cpp.
#pragma once

#include "render/display_rows.h"
#include "render/scene_state.h"
#include "render/texture_ring.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class vtkRenderer;

namespace systole {

struct SliceLook;

/// How a view is seen at the time of an update.
struct ViewPose {
    ViewKind kind = ViewKind::Volume3D;
    Vec3 towardsObserver;
    /// Normal of the plane through the crosshair that cuts the volume open, towards what stays;
    /// none: the volume is whole.
    std::optional<Vec3> cut;
};

/// Which of the overlay's colors stand for millimetres of the color bar.
enum class OverlayColors { None, Own, Slices };

/// One object serves the four views of one side (Left, Right or Difference); SceneState is what
/// that side shows. All but the constructor, attach() and colors() with the context current.
class Overlay {
public:
    virtual ~Overlay() = default;

    /// Adds its props to a view of the side; once for each view.
    virtual void attach(ViewKind, vtkRenderer*) {}
    /// Before the updates of a draw: what the views have in common comes to OpenGL.
    virtual Uploaded prepare(const SceneState&) { return {}; }
    /// Brings its props in one view in line with the state, which may have nothing to show. Returns
    /// the bytes that the draw will move to OpenGL.
    virtual std::size_t update(const SceneState&, const ViewPose&) { return 0; }
    /// Changes the look of a slice that is about to be drawn.
    virtual void shade(const SceneState&, SliceLook&) const {}
    virtual OverlayColors colors(const SceneState&) const { return OverlayColors::None; }

    virtual std::size_t textureBytes() const { return 0; } ///< of voxel size
    virtual void releaseTextures() {}
};

/// An overlay as the list has it.
struct OverlayKind {
    std::vector<DisplayRow> rows; ///< its switch first, then its options
    std::unique_ptr<Overlay> (*make)() = nullptr;
    std::string textures{}; ///< what textureBytes() holds, for people
};

} // namespace systole
