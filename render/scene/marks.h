// Draws the marks of a scene into one of its views.
#pragma once

#include "render/flat_layer.h"
#include "render/scene_state.h"
#include "render/view_plane.h"

#include <functional>

class vtkRenderer;

namespace systole {

/// Where a position appears in the view, framebuffer pixels from its bottom left.
using MarkPlace = std::function<ScenePoint(Vec3)>;

/// Into a slice view; `scale`: millimeters per pixel.
void drawMarks(const SceneState& state, const ViewPlane& plane, double scale,
               const MarkPlace& place, vtkRenderer* renderer, FlatLayer& shapes, TextLayer& texts);
/// Into the 3D view: only points and lines.
void drawMarks(const SceneState& state, const MarkPlace& place, vtkRenderer* renderer,
               FlatLayer& shapes, TextLayer& texts);

} // namespace systole
