#include "render/texture_ring.h"

#include "render/base/error.h"

#include <algorithm>

namespace systole {
namespace {

bool sameObject(const std::weak_ptr<const void>& a, const std::shared_ptr<const void>& b) {
    return !a.expired() && !a.owner_before(b) && !b.owner_before(a);
}

} // namespace

TextureRing::Shown TextureRing::show(const TextureSource& source, Size3 size, VoxelUpload& upload) {
    if (!(size == size_))
        clear();
    size_ = size;
    ++uses_;
    for (Slot& slot : slots_)
        if (slot.texture && sameObject(slot.key, source.key)) {
            slot.lastUse = uses_;
            return {slot.texture.id(), {}, slot.byInterop};
        }

    Slot& slot = *std::ranges::min_element(slots_, {}, &Slot::lastUse);
    slot.key.reset(); // its content is lost, even if the new frame never arrives
    if (!slot.texture)
        slot.texture = makeScalarTexture(size_, halfFloat_);
    std::size_t bytes = 0;
    if (source.interop) {
        if (!slot.interop)
            slot.interop = source.interop->texture(slot.texture.id());
        source.interop->write(slot.interop, source.device());
    } else {
        bytes = write(slot, source.host(), source.boxes, upload);
    }
    slot.key = source.key;
    slot.lastUse = uses_;
    slot.byInterop = source.interop != nullptr;
    return {slot.texture.id(), {true, bytes}, slot.byInterop};
}

std::size_t TextureRing::write(const Slot& slot, VolumeView<const float> voxels,
                               const std::vector<VoxelBox>& boxes, VoxelUpload& upload) const {
    if (voxels.size != size_)
        throw RenderError("a frame of another size than its sequence's can't be shown");
    std::size_t bytes = 0;
    for (const VoxelBox& box : boxes.empty() ? std::vector{VoxelBox::whole(size_)} : boxes)
        bytes += upload.write(slot.texture.id(), voxels, box, halfFloat_);
    return bytes;
}

std::size_t TextureRing::memoryBytes() const {
    const auto textures = std::ranges::count_if(
        slots_, [](const Slot& slot) { return static_cast<bool>(slot.texture); });
    return static_cast<std::size_t>(textures) * size_.voxels() * (halfFloat_ ? 2 : 4);
}

void TextureRing::clear() {
    for (Slot& slot : slots_)
        slot = {};
}

} // namespace systole
