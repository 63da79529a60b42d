// CUDA writing into OpenGL's objects in place, so that nothing of voxel size goes over the bus to
// be seen. Includable from any C++ file: OpenGL's objects are their names, CUDA's types are in
// interop.cuh.
//
// A CudaInterop belongs to one OpenGL context. That context is current in every call but reaches(),
// cuda() and lastSeconds().
#pragma once

#include "compute/core/volume.h"
#include "compute/cuda/context.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {

/// An OpenGL object as CUDA sees it while it is mapped.
struct InteropTarget;

/// What fills an object: enqueues its work on the target's stream and doesn't wait. `sources` live
/// until the device has done that work.
struct InteropWrite {
    std::function<void(const InteropTarget&)> enqueue;
    std::vector<std::shared_ptr<const void>> sources;
};

/// CUDA's hold on an OpenGL object; to be let go before the object itself.
class InteropObject {
public:
    virtual ~InteropObject() = default;
};

class CudaInterop {
public:
    struct Answer {
        std::unique_ptr<CudaInterop> interop; ///< null where there is none
        std::string reason;                   ///< why there is none: a clause for people
    };
    /// Whether CUDA can write into this context: asks which CUDA device draws it and tries on
    /// `texture`, a 3D texture of floats whose contents are lost. Never throws; leaves no error of
    /// CUDA's behind.
    static Answer tryOn(unsigned texture);

    ~CudaInterop(); ///< after all its objects; waits for what it has enqueued
    CudaInterop(const CudaInterop&) = delete;
    CudaInterop& operator=(const CudaInterop&) = delete;

    int device() const; ///< that draws: index in cudaStatus().devices
    /// Whether this is memory of the device that draws.
    bool reaches(const void* memory) const;
    /// Streams and scratch memory of that device; Display is the stream of the writes.
    CudaContext& cuda() const;

    /// A 3D texture of 1, 2 or 4 components with immutable storage, or a buffer. Every write
    /// overwrites all that is read of it later. Throws ComputeError.
    std::shared_ptr<InteropObject> texture(unsigned name) const;
    std::shared_ptr<InteropObject> buffer(unsigned name) const;

    /// Has the object filled by the next flush().
    void write(std::shared_ptr<InteropObject> object, InteropWrite write);
    /// Once a picture, before it is drawn: maps all objects to be written in one call, runs the
    /// writes in their order, unmaps. Later OpenGL commands find what was written; the calling
    /// thread doesn't wait. Throws ComputeError.
    void flush();
    /// Device time of the last flush that is known to be done; 0 before the first.
    double lastSeconds();

private:
    struct Impl;
    explicit CudaInterop(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Fills a texture of half or single floats with a frame on the device, after its `ready`.
InteropWrite copyToTexture(std::shared_ptr<const Volume> frame);

} // namespace systole
