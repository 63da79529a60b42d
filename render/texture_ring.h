// The OpenGL textures of the frames that were shown last. Whoever shows a frame gets a texture name
// and doesn't learn how the voxels came there: CUDA wrote them in place, or the host uploaded them.
#pragma once

#include "compute/core/volume.h"
#include "compute/cuda/interop.h"
#include "render/gl/gl_objects.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

namespace systole {

/// What is shown: the texture is the same whichever way the voxels come.
struct TextureSource {
    std::shared_ptr<const void> key; ///< stands for the voxels: the same key, the same voxels
    std::function<VolumeView<const float>()> host; ///< asked only when the host uploads
    CudaInterop* interop = nullptr;                ///< null: the host uploads
    std::function<InteropWrite()> device;          ///< asked only when CUDA writes
};

/// What a draw moved to OpenGL.
struct Uploaded {
    bool written = false;  ///< anything, also in place
    std::size_t bytes = 0; ///< over the bus
    Uploaded& operator+=(const Uploaded& more) {
        written = written || more.written;
        bytes += more.bytes;
        return *this;
    }
};

/// Several textures in turn: a new frame is written while OpenGL may still draw the one before, and
/// a frame that is shown again soon needs no second upload. Context current for all but the
/// constructor.
class TextureRing {
public:
    /// halfFloat: 16 bits a voxel, for images that are known to need no more.
    TextureRing(Size3 size, bool halfFloat) : size_(size), halfFloat_(halfFloat) {}

    struct Shown {
        unsigned texture = 0;   ///< stays valid until the next call but two, or clear()
        Uploaded uploaded;      ///< by this call; nothing: the voxels were there already
        bool byInterop = false; ///< CUDA wrote what the texture holds
    };
    /// The texture of the source. What CUDA writes is there after the interop's next flush().
    Shown show(const TextureSource& source);

    std::size_t memoryBytes() const; ///< of the textures that there are

    /// Frees the textures.
    void clear();

private:
    struct Slot {
        GlTexture texture;
        std::shared_ptr<InteropObject> interop; ///< after the texture: let go before it
        std::weak_ptr<const void> key;
        std::uint64_t lastUse = 0;
        bool byInterop = false;
    };
    std::size_t upload(Slot& slot, VolumeView<const float> voxels) const;

    Size3 size_;
    bool halfFloat_;
    std::array<Slot, 3> slots_;
    std::uint64_t uses_ = 0;
};

} // namespace systole
