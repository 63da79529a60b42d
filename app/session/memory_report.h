// Memory use by owner, on the device and on the host: the content of the Memory panel.
#pragma once

#include "app/estimation/pipeline.h"
#include "compute/core/buffer.h"

#include <cstddef>
#include <string>
#include <vector>

namespace systole {

/// One pool of buffers, with its owner.
struct PoolMemory {
    std::string owner; ///< "estimation", "frames"
    MemorySpace space = MemorySpace::Host;
    BufferPool::Usage usage;

    std::size_t takenBytes() const { return usage.usedBytes + usage.idleBytes; }
};

struct MemoryReport {
    std::string device; ///< name of the device in use; empty: none
    /// Free and total device memory, from the driver, as of one of the last estimations.
    std::size_t deviceFree = 0, deviceTotal = 0;
    std::size_t hostTotal = 0;                       ///< memory of this machine
    std::vector<PoolMemory> pools;                   ///< pools on the device first
    int residentFrames = 0;                          ///< frames of the sequence on the device
    std::vector<BufferPool::Usage::Holder> textures; ///< OpenGL textures
    bool texturesOnDevice = false;                   ///< OpenGL runs on the device in use

    /// Ignores pools that were never used.
    void add(const std::string& owner, MemorySpace space, BufferPool::Usage usage);
    void add(const std::string& owner, const EstimationMemory& memory);

    std::vector<const PoolMemory*> poolsOf(MemorySpace space) const;
    std::size_t takenOf(MemorySpace space) const; ///< sum over its pools
    std::size_t textureBytes() const;
    /// Device memory not listed here: CUDA itself, its textures, other programs.
    std::size_t otherOnDevice() const;

    /// All numbers, tab-separated.
    std::string text() const;
};

/// Bytes for which the full length of a bar stands, so that the taken part is readable: `whole`, or
/// if less than an eighth of it is taken, twice `taken`, rounded up to a power of two.
std::size_t zoomedLength(std::size_t taken, std::size_t whole);

} // namespace systole
