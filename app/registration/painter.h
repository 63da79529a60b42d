// The thread that makes the pictures of a registration.
#pragma once

#include "app/estimation/backend.h"
#include "app/registration/picture.h"

#include <functional>
#include <memory>
#include <string>

namespace systole {

/// The newest wanted picture wins. First the voxels that the views show, then, while nothing newer
/// is wanted, the rest of the volume and the figures.
class RegistrationPainter {
public:
    struct Options {
        int threads = 1;
        int device = 0; ///< index in cudaStatus().devices, for Backend::Cuda
        /// Called on the painter's thread after each picture; must not block.
        std::function<void()> notify{};
        DeviceAccess devices{};
    };
    explicit RegistrationPainter(Options options);
    ~RegistrationPainter(); ///< cancels and joins

    struct Request {
        WantedPicture picture;
        /// Cuda: on the device, where the iteration has control points; otherwise, and if the
        /// device can't, on the CPU.
        Backend backend = Backend::Cpu;
        bool keepOnDevice = false; ///< the views draw from that device: no copy on the host
        bool hurry = false;        ///< the next picture matters more than the figures of this one
    };
    /// Returns the newest finished picture of this run and view, or null, and requests this one
    /// unless it is that. Never waits.
    std::shared_ptr<const RegistrationPicture> find(const Request& wanted);
    /// Why the last one that was requested couldn't be made, or not on the device, in one sentence;
    /// empty: it was.
    std::string problem() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
