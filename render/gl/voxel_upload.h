// Voxels on their way from the host into textures, through buffers that OpenGL reads by itself:
// what it is given in the host's own memory it first copies, on the calling thread alone.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/voxel_box.h"
#include "render/gl/gl_objects.h"

#include <array>
#include <cstddef>

namespace systole {

/// All functions but the constructor need the context current; the destructor does until release().
class VoxelUpload {
public:
    /// Threads that fill the buffers: at most 8, which fill memory as fast as it takes them; 0:
    /// all.
    explicit VoxelUpload(int threads);
    ~VoxelUpload() { release(); }
    VoxelUpload(const VoxelUpload&) = delete;
    VoxelUpload& operator=(const VoxelUpload&) = delete;

    /// Uploads the box of the voxels to the same place of a 3D texture of their size, of single
    /// floats or, with `halfFloat`, half ones. Returns the bytes uploaded. The voxels may go as
    /// soon as it returns; commands that follow see the new ones.
    std::size_t write(unsigned texture, VolumeView<const float> voxels, const VoxelBox& box,
                      bool halfFloat);

    int threads() const { return threads_.threads(); }
    std::size_t memoryBytes() const; ///< host memory of the buffers, bytes
    /// Frees the buffers.
    void release();

private:
    /// A part of what is under way.
    struct Chunk {
        GlBuffer buffer;
        std::byte* memory = nullptr; ///< mapped memory of the buffer, valid as long as this exists
        void* read = nullptr;        ///< a fence: OpenGL has read what was last in it; null: it has
        std::size_t bytes = 0;
    };
    Chunk& free(std::size_t bytes);

    ThreadTeam threads_;
    std::array<Chunk, 4> chunks_;
    std::size_t next_ = 0;
};

} // namespace systole
