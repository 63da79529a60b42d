// Who holds how much memory, on the device and on the host: what the Device memory panel shows.
#pragma once

#include "app/estimation/pipeline.h"
#include "compute/core/buffer.h"

#include <cstddef>
#include <string>
#include <vector>

namespace systole {

/// One pool of buffers, by whose it is.
struct PoolMemory {
    std::string owner; ///< "estimation", "frames"
    MemorySpace space = MemorySpace::Host;
    BufferPool::Usage usage;

    std::size_t takenBytes() const { return usage.usedBytes + usage.idleBytes; }
};

struct MemoryReport {
    std::string device; ///< name of the one in use; empty: none
    /// Of all its memory, the driver's answer as of one of the last estimations.
    std::size_t deviceFree = 0, deviceTotal = 0;
    std::size_t hostTotal = 0;                       ///< of this machine
    std::vector<PoolMemory> pools;                   ///< those on the device first
    int residentFrames = 0;                          ///< of the sequence, on the device
    std::vector<BufferPool::Usage::Holder> textures; ///< of OpenGL
    bool texturesOnDevice = false;                   ///< OpenGL runs on the device in use

    /// Pools that were never used are left out.
    void add(const std::string& owner, MemorySpace space, BufferPool::Usage usage);
    void add(const std::string& owner, const EstimationMemory& memory);

    std::vector<const PoolMemory*> poolsOf(MemorySpace space) const;
    std::size_t takenOf(MemorySpace space) const; ///< by all its pools
    std::size_t textureBytes() const;
    /// Taken on the device by nobody who is named here: CUDA itself, its textures, other programs.
    std::size_t otherOnDevice() const;

    /// Every number, tab-separated.
    std::string text() const;
};

} // namespace systole
