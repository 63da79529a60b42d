// All overlays: their list, and the set of one side.
#pragma once

#include "render/overlay.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace systole {

const std::vector<OverlayKind>& overlayKinds();

/// One overlay of each kind, for the views of one side. The functions match those of Overlay.
class Overlays {
public:
    Overlays();
    Overlays(const Overlays&) = delete;
    Overlays& operator=(const Overlays&) = delete;

    void attach(ViewKind view, vtkRenderer* renderer);
    /// Also records in the state whether an overlay colors the slices, the scale of arrows, what
    /// legends there are, and the lines under the names of views.
    Uploaded prepare(SceneState& state);
    std::size_t update(const SceneState& state, const ViewPose& pose);
    void shade(const SceneState& state, SliceLook& look) const;
    double arrowScale(const SceneState& state) const;
    /// True if the legend of the motion applies to what is shown.
    bool useColors(const SceneState& state) const;
    /// Scales of colors that don't represent the motion, each once.
    std::vector<ColorScale> ownScales(const SceneState& state) const;
    double volumeOpacity(const SceneState& state) const; ///< the smallest factor

    bool unfinished() const;
    std::uint64_t made() const; ///< the sum

    /// Voxel-sized textures by their content, each name prefixed with `whose`.
    std::vector<BufferPool::Usage::Holder> textures(const std::string& whose) const;
    void releaseTextures();

private:
    std::vector<std::unique_ptr<Overlay>> overlays_; ///< overlays in the order of overlayKinds()
};

} // namespace systole
