// CUDA writes directly into OpenGL objects, so that no volume data crosses the bus for display. Any
// C++ file can include it: OpenGL objects are passed by name, CUDA's types are in interop.cuh.
//
// A CudaInterop belongs to one OpenGL context. That context must be current in every call except
// reaches(), cuda() and lastSeconds().
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

/// Fills an object: enqueues its work on the target's stream and doesn't wait. `sources` are kept
/// alive until the device has finished that work.
struct InteropWrite {
    std::function<void(const InteropTarget&)> enqueue;
    std::vector<std::shared_ptr<const void>> sources;
};

/// An OpenGL object registered with CUDA; release it before the object itself.
class InteropObject {
public:
    virtual ~InteropObject() = default;
};

class CudaInterop {
public:
    struct Answer {
        std::unique_ptr<CudaInterop> interop; ///< null if unavailable
        std::string reason;                   ///< why it is unavailable: a readable clause
    };
    /// Whether CUDA can write into this context: asks which CUDA device draws it and tries on
    /// `texture`, a 3D texture of floats whose contents are lost. Never throws; leaves no
    /// pending CUDA error.
    static Answer tryOn(unsigned texture);

    ~CudaInterop(); ///< destroy its objects first; waits for the enqueued work
    CudaInterop(const CudaInterop&) = delete;
    CudaInterop& operator=(const CudaInterop&) = delete;

    int device() const; ///< index of the drawing device in cudaStatus().devices
    /// Whether `memory` belongs to the drawing device.
    bool reaches(const void* memory) const;
    /// Streams and scratch memory of the drawing device; writes run on the Display stream.
    CudaContext& cuda() const;

    /// A 3D texture of 1, 2 or 4 components with immutable storage, or a buffer. Every write
    /// must overwrite everything that is read later. Throws ComputeError.
    std::shared_ptr<InteropObject> texture(unsigned name) const;
    std::shared_ptr<InteropObject> buffer(unsigned name) const;

    /// Schedules filling the object at the next flush().
    void write(std::shared_ptr<InteropObject> object, InteropWrite write);
    /// Call once per picture, before drawing: maps all objects to be written in one call, runs the
    /// writes in their order, unmaps. Later OpenGL commands see the written data; the calling
    /// thread doesn't wait. Throws ComputeError.
    void flush();
    /// Device time in seconds of the last flush known to be complete; 0 before the first.
    double lastSeconds();

private:
    struct Impl;
    explicit CudaInterop(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Fills a texture of half or single floats with a frame on the device, once it is `ready`.
InteropWrite copyToTexture(std::shared_ptr<const Volume> frame);

/// Fills a part of a buffer, from the byte `offset`, with bytes on the device once they are `ready`
/// (null: they are); `owner` keeps them.
InteropWrite copyToBuffer(const void* memory, std::size_t offset, std::size_t bytes,
                          std::shared_ptr<const CudaEvent> ready,
                          std::shared_ptr<const void> owner);

} // namespace systole
