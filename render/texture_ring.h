// The OpenGL textures of the most recently shown frames. Showing a frame returns a texture name,
// regardless of how the voxels got there: written in place by CUDA, or uploaded by the host.
#pragma once

#include "compute/core/volume.h"
#include "compute/core/voxel_box.h"
#include "compute/cuda/interop.h"
#include "render/gl/voxel_upload.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace systole {

/// The content of a texture, the same for either upload path.
struct TextureSource {
    std::shared_ptr<const void> key;               ///< identifies the voxels: same key, same voxels
    std::function<VolumeView<const float>()> host; ///< called only for host upload
    /// Boxes of the host's voxels that are uploaded; the other voxels are undefined; empty: all are
    /// uploaded.
    std::vector<VoxelBox> boxes{};
    CudaInterop* interop = nullptr;       ///< null: host upload
    std::function<InteropWrite()> device; ///< called only when CUDA writes
};

/// Data that a draw transferred to OpenGL.
struct Uploaded {
    bool written = false;  ///< anything written, including in place
    std::size_t bytes = 0; ///< bytes over the bus
    Uploaded& operator+=(const Uploaded& more) {
        written = written || more.written;
        bytes += more.bytes;
        return *this;
    }
};

/// Several textures in turn: a new frame is written while OpenGL may still draw the previous one,
/// and a frame that is shown again soon needs no second upload. All functions but the constructor
/// need the context current.
class TextureRing {
public:
    /// halfFloat: 16 bits per voxel, for images known to need no more.
    explicit TextureRing(bool halfFloat = false) : halfFloat_(halfFloat) {}

    struct Shown {
        unsigned texture = 0; ///< valid until the second next call, or clear()
        /// Data that this call uploaded; empty: the voxels were already there.
        Uploaded uploaded;
        bool byInterop = false; ///< CUDA wrote the texture's content
    };
    /// Returns the texture of the source, of this size; textures of another size are freed. What
    /// the host has goes through `upload`. Data from CUDA is available after the interop's next
    /// flush().
    Shown show(const TextureSource& source, Size3 size, VoxelUpload& upload);

    std::size_t memoryBytes() const; ///< bytes of the existing textures

    /// Frees the textures.
    void clear();

private:
    struct Slot {
        GlTexture texture;
        std::shared_ptr<InteropObject> interop; ///< declared after the texture: released before it
        std::weak_ptr<const void> key;
        std::uint64_t lastUse = 0;
        bool byInterop = false;
    };
    std::size_t write(const Slot& slot, VolumeView<const float> voxels,
                      const std::vector<VoxelBox>& boxes, VoxelUpload& upload) const;

    Size3 size_;
    bool halfFloat_;
    std::array<Slot, 3> slots_;
    std::uint64_t uses_ = 0;
};

} // namespace systole
