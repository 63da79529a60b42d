// One anatomical slice, resampled in the shader from the 3D texture of the shown frame.
#pragma once

#include "compute/core/geometry.h"
#include "render/gl/gl_objects.h"

#include <vtkProp.h>

#include <array>
#include <string>

namespace systole {

class GlScope;

/// Values of the voxels as colors over a slice.
struct SliceMap {
    unsigned texture = 0; ///< texture of the values; 0: no map
    unsigned colorMap = 0;
    double opacity = 0;
    double low = 0, high = 1; ///< values at both ends of the colors; low may be the higher one
    double neutral = 0;       ///< part of the colors that means rest: 0, of diverging ones 0.5
    double rest = 0;          ///< values nearer to that of rest are clear
};

enum class FrameComparison { None, Checkerboard, Curtain, Flicker, Difference };

/// Two images in place of the frame.
struct SliceComparison {
    FrameComparison mode = FrameComparison::None;
    unsigned first = 0, second = 0; ///< textures
    bool showsSecond = false;       ///< now, of those that flicker
    double opacity = 1;             ///< opacity of the second image over the first
    double square = 10;             ///< side of the checkerboard's squares, mm
    /// Fraction of the slice's width, from the left, that shows the first image.
    double curtain = 0.5;
    Vec3 origin, right, up; ///< as SliceLook's, but of the whole slice
};

/// The parallelogram from `origin` along `right` and `up` (whole edges), LPS mm. The textures are
/// owned by others and must exist while the layer is drawn.
struct SliceLook {
    Vec3 origin, right, up;
    std::array<float, 16> worldToTexture{};
    unsigned frame = 0; ///< 0: nothing is drawn
    double window = 1, level = 0.5;
    std::array<SliceMap, 4> maps; ///< one over the other
    /// Gray values: center and half width of the fade of the maps.
    double darkest = 0, darkFade = 1;
    SliceComparison compared;
};

class SliceLayer : public vtkProp {
public:
    static SliceLayer* New();
    vtkTypeMacro(SliceLayer, vtkProp)

    void setLook(const SliceLook& look) { look_ = look; }
    int RenderOpaqueGeometry(vtkViewport* viewport) override;
    void ReleaseGraphicsResources(vtkWindow* window) override;

private:
    void setMap(GlScope& scope, const SliceMap& map, const std::string& which);
    void setComparison(GlScope& scope);

    SliceLook look_;
    GlProgram program_;
    GlVertexArray corners_; ///< no attributes: the shader makes the corners
};

} // namespace systole
