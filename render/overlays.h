// All overlays: their list, and the set that one side has.
#pragma once

#include "render/overlay.h"

#include <memory>
#include <string>
#include <vector>

namespace systole {

const std::vector<OverlayKind>& overlayKinds();

/// One overlay of each kind, for the views of one side. As Overlay has it.
class Overlays {
public:
    Overlays();
    Overlays(const Overlays&) = delete;
    Overlays& operator=(const Overlays&) = delete;

    void attach(ViewKind view, vtkRenderer* renderer);
    /// Also notes in the state whether an overlay colors the slices.
    Uploaded prepare(SceneState& state);
    std::size_t update(const SceneState& state, const ViewPose& pose);
    void shade(const SceneState& state, SliceLook& look) const;
    /// The bar of colors says something of what is shown.
    bool useColors(const SceneState& state) const;

    /// Textures of voxel size by what they hold, `whose` before each.
    std::vector<BufferPool::Usage::Holder> textures(const std::string& whose) const;
    void releaseTextures();

private:
    std::vector<std::unique_ptr<Overlay>> overlays_; ///< as overlayKinds()
};

} // namespace systole
