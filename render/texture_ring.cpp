#include "render/texture_ring.h"

#include "render/error.h"
#include "render/half_float.h"

#include <vtk_glew.h>

#include <algorithm>

namespace systole {
namespace {

bool sameObject(const std::weak_ptr<const void>& a, const std::shared_ptr<const void>& b) {
    return !a.expired() && !a.owner_before(b) && !b.owner_before(a);
}

/// The voxels of a box, one behind the other.
void toHalf(VolumeView<const float> voxels, const VoxelBox& box, std::vector<std::uint16_t>& out) {
    out.resize(box.voxels());
    const auto row = static_cast<std::size_t>(box.size.x);
    std::uint16_t* to = out.data();
    for (int z = 0; z < box.size.z; ++z)
        for (int y = 0; y < box.size.y; ++y, to += row)
            systole::toHalf(voxels.data + voxels.offset(box.x, box.y + y, box.z + z), row, to);
}

} // namespace

TextureRing::Shown TextureRing::show(const TextureSource& source) {
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
        bytes = upload(slot, source.host(), source.boxes);
    }
    slot.key = source.key;
    slot.lastUse = uses_;
    slot.byInterop = source.interop != nullptr;
    return {slot.texture.id(), {true, bytes}, slot.byInterop};
}

std::size_t TextureRing::upload(Slot& slot, VolumeView<const float> voxels,
                                const std::vector<VoxelBox>& boxes) const {
    if (voxels.size != size_)
        throw RenderError("a frame of another size than its sequence's can't be shown");
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    std::size_t bytes = 0;
    std::vector<std::uint16_t> halves;
    for (const VoxelBox& box : boxes.empty() ? std::vector{VoxelBox::whole(size_)} : boxes) {
        const auto write = [&](GLenum type, const void* from, std::size_t voxelBytes) {
            glTextureSubImage3D(slot.texture.id(), 0, box.x, box.y, box.z, box.size.x, box.size.y,
                                box.size.z, GL_RED, type, from);
            bytes += box.voxels() * voxelBytes;
        };
        if (halfFloat_) { // OpenGL would convert voxel by voxel, some hundred times as slowly
            toHalf(voxels, box, halves);
            glPixelStorei(GL_UNPACK_ALIGNMENT, sizeof halves[0]);
            write(GL_HALF_FLOAT, halves.data(), sizeof halves[0]);
            glPixelStorei(GL_UNPACK_ALIGNMENT, sizeof(float)); // OpenGL's own
            continue;
        }
        glPixelStorei(GL_UNPACK_ROW_LENGTH, size_.x);
        glPixelStorei(GL_UNPACK_IMAGE_HEIGHT, size_.y);
        write(GL_FLOAT, voxels.data + voxels.offset(box.x, box.y, box.z), sizeof voxels.data[0]);
        glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
        glPixelStorei(GL_UNPACK_IMAGE_HEIGHT, 0);
    }
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
