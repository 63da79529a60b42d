// One anatomical slice, resampled in the shader from the 3D texture of the shown frame.
#pragma once

#include "compute/core/geometry.h"
#include "render/gl/gl_objects.h"

#include <vtkProp.h>

#include <array>

namespace systole {

/// The parallelogram from `origin` along `right` and `up` (whole edges), LPS mm. The textures are
/// owned by others and must exist while the layer is drawn.
struct SliceLook {
    Vec3 origin, right, up;
    std::array<float, 16> worldToTexture{};
    unsigned frame = 0;     ///< 0: nothing is drawn
    unsigned magnitude = 0; ///< |displacement| or |difference| in mm; 0: no map
    unsigned colorMap = 0;
    bool colored = false; ///< the window's values have the colors of the map; then no magnitude
    double window = 1, level = 0.5;
    double mapOpacity = 0, mapMaximum = 1;
    double mapRest = 0;               ///< below it the map is clear; in the map's unit
    double darkest = 0, darkFade = 1; ///< where the map fades out, gray values
};

class SliceLayer : public vtkProp {
public:
    static SliceLayer* New();
    vtkTypeMacro(SliceLayer, vtkProp)

    void setLook(const SliceLook& look) { look_ = look; }
    int RenderOpaqueGeometry(vtkViewport* viewport) override;
    void ReleaseGraphicsResources(vtkWindow* window) override;

private:
    SliceLook look_;
    GlProgram program_;
    GlVertexArray corners_; ///< no attributes: the shader makes the corners
};

} // namespace systole
