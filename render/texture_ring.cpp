#include "render/texture_ring.h"

#include "render/error.h"

#include <vtk_glew.h>

#include <algorithm>

namespace systole {
namespace {

bool sameObject(const std::weak_ptr<const void>& a, const std::shared_ptr<const void>& b) {
    return !a.expired() && !a.owner_before(b) && !b.owner_before(a);
}

} // namespace

TextureRing::Upload TextureRing::show(const std::shared_ptr<const void>& key,
                                      const std::function<VolumeView<const float>()>& voxels) {
    ++uses_;
    for (Slot& slot : slots_)
        if (slot.texture && sameObject(slot.key, key)) {
            slot.lastUse = uses_;
            return {slot.texture.id(), 0};
        }

    const VolumeView<const float> view = voxels();
    if (view.size != size_)
        throw RenderError("a frame of another size than its sequence's can't be shown");
    Slot& slot = *std::ranges::min_element(slots_, {}, &Slot::lastUse);
    if (!slot.texture)
        slot.texture = makeScalarTexture(size_, halfFloat_);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glTextureSubImage3D(slot.texture.id(), 0, 0, 0, 0, size_.x, size_.y, size_.z, GL_RED, GL_FLOAT,
                        view.data);
    slot.key = key;
    slot.lastUse = uses_;
    return {slot.texture.id(), view.voxels() * sizeof(float)};
}

void TextureRing::clear() {
    for (Slot& slot : slots_)
        slot = {};
}

} // namespace systole
