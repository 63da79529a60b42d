#include "render/gl/voxel_upload.h"

#include "render/base/error.h"
#include "render/gl/half_float.h"

#include <vtk_glew.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace systole {
namespace {

/// While OpenGL reads one, the next is filled. A row of the largest texture has 64 KiB.
constexpr std::size_t chunkBytes = std::size_t{4} << 20;
constexpr int maxThreads = 8;

void waitFor(void*& fence) {
    if (!fence)
        return;
    const auto sync = static_cast<GLsync>(fence);
    constexpr GLuint64 nanoseconds = 1'000'000'000;
    while (glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT, nanoseconds) == GL_TIMEOUT_EXPIRED) {
    }
    glDeleteSync(sync);
    fence = nullptr;
}

/// Rows of a box, one behind the other.
void copyRows(VolumeView<const float> voxels, const VoxelBox& box, bool halfFloat, std::byte* to,
              ThreadTeam& threads) {
    const auto length = static_cast<std::size_t>(box.size.x);
    const std::size_t rowBytes = length * (halfFloat ? sizeof(std::uint16_t) : sizeof(float));
    constexpr std::size_t bytesATask = std::size_t{128} << 10;
    const int rows = box.size.y * box.size.z;
    const int aTask = static_cast<int>(std::max<std::size_t>(1, bytesATask / rowBytes));
    threads.run((rows + aTask - 1) / aTask, [&](int task) {
        const int end = std::min(rows, (task + 1) * aTask);
        for (int row = task * aTask; row < end; ++row) {
            const float* from = voxels.data + voxels.offset(box.x, box.y + row % box.size.y,
                                                            box.z + row / box.size.y);
            std::byte* const there = to + static_cast<std::size_t>(row) * rowBytes;
            if (halfFloat) // OpenGL would convert voxel by voxel, some hundred times as slowly
                toHalf(from, length, reinterpret_cast<std::uint16_t*>(there));
            else
                std::memcpy(there, from, rowBytes);
        }
    });
}

} // namespace

VoxelUpload::VoxelUpload(int threads)
    : threads_(std::min(threads > 0
                            ? threads
                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency())),
                        maxThreads)) {}

std::size_t VoxelUpload::memoryBytes() const {
    std::size_t bytes = 0;
    for (const Chunk& chunk : chunks_)
        bytes += chunk.bytes;
    return bytes;
}

void VoxelUpload::release() {
    for (Chunk& chunk : chunks_) {
        waitFor(chunk.read);
        chunk = {};
    }
}

/// One that OpenGL doesn't read any more, of at least so many bytes.
VoxelUpload::Chunk& VoxelUpload::free(std::size_t bytes) {
    Chunk& chunk = chunks_[next_++ % chunks_.size()];
    waitFor(chunk.read);
    if (chunk.bytes >= bytes)
        return chunk;
    chunk = {};
    GLuint id = 0;
    glCreateBuffers(1, &id);
    chunk.buffer = GlBuffer(id);
    constexpr GLbitfield access = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    const auto size = static_cast<GLsizeiptr>(bytes);
    glNamedBufferStorage(id, size, nullptr, access | GL_CLIENT_STORAGE_BIT);
    chunk.memory = static_cast<std::byte*>(glMapNamedBufferRange(id, 0, size, access));
    if (!chunk.memory)
        throw RenderError("OpenGL has no memory to upload voxels through");
    chunk.bytes = bytes;
    return chunk;
}

std::size_t VoxelUpload::write(unsigned texture, VolumeView<const float> voxels,
                               const VoxelBox& box, bool halfFloat) {
    const std::size_t voxelBytes = halfFloat ? sizeof(std::uint16_t) : sizeof(float);
    const int rows = static_cast<int>(
        std::max<std::size_t>(1, chunkBytes / (static_cast<std::size_t>(box.size.x) * voxelBytes)));
    // Whole planes, or of large ones a part.
    const int height = std::min(rows, box.size.y), depth = std::max(1, rows / box.size.y);
    for (int z = 0; z < box.size.z; z += depth)
        for (int y = 0; y < box.size.y; y += height) {
            const VoxelBox piece{
                box.x,
                box.y + y,
                box.z + z,
                {box.size.x, std::min(height, box.size.y - y), std::min(depth, box.size.z - z)}};
            Chunk& chunk = free(piece.voxels() * voxelBytes);
            copyRows(voxels, piece, halfFloat, chunk.memory, threads_);
            glBindBuffer(GL_PIXEL_UNPACK_BUFFER, chunk.buffer.id());
            glPixelStorei(GL_UNPACK_ALIGNMENT, static_cast<GLint>(voxelBytes));
            glTextureSubImage3D(texture, 0, piece.x, piece.y, piece.z, piece.size.x, piece.size.y,
                                piece.size.z, GL_RED, halfFloat ? GL_HALF_FLOAT : GL_FLOAT,
                                nullptr);
            chunk.read = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
            // Here, since the next piece may find no memory: others upload from their own.
            glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
            glPixelStorei(GL_UNPACK_ALIGNMENT, sizeof(float)); // OpenGL's own
        }
    return box.voxels() * voxelBytes;
}

} // namespace systole
