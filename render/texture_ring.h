// The OpenGL textures of the frames that were shown last. Whoever shows a frame gets a texture name
// and doesn't learn how the voxels came there.
#pragma once

#include "compute/core/volume.h"
#include "render/gl_objects.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

namespace systole {

/// Several textures in turn: a new frame is written while OpenGL may still draw the one before, and
/// a frame that is shown again soon needs no second upload. Context current for all but the
/// constructor and uploadPath().
class TextureRing {
public:
    /// halfFloat: 16 bits a voxel, for images that are known to need no more.
    TextureRing(Size3 size, bool halfFloat) : size_(size), halfFloat_(halfFloat) {}

    struct Upload {
        unsigned texture = 0;  ///< stays valid until the next call but two, or clear()
        std::size_t bytes = 0; ///< moved to OpenGL by this call; 0: it was there already
    };
    /// The texture of what `key` stands for; `voxels` is asked only when it isn't there.
    Upload show(const std::shared_ptr<const void>& key,
                const std::function<VolumeView<const float>()>& voxels);

    /// Frees the textures.
    void clear();
    static const char* uploadPath() { return "host upload"; }

private:
    struct Slot {
        GlTexture texture;
        std::weak_ptr<const void> key;
        std::uint64_t lastUse = 0;
    };
    Size3 size_;
    bool halfFloat_;
    std::array<Slot, 3> slots_;
    std::uint64_t uses_ = 0;
};

} // namespace systole
