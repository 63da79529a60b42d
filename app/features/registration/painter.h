// The thread that makes the pictures of a registration.
#pragma once

#include "app/features/registration/device_picture.h"
#include "app/task/backend.h"
#include "compute/core/newest_job_thread.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
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
    void run(const Request& job, const CancelToken& cancel);
    RegistrationPicture firstOf(const Request& job, const ExecContext& ctx);
    void complete(const Request& job, RegistrationPicture& made, const ExecContext& ctx);
    void deliver(const Request& job, const RegistrationPicture& made);

    const std::function<void()> notify_;
    BufferPool pool_;
    ThreadTeam team_;
    // Used only by the thread.
    DevicePolicy device_;
    DevicePictures onDevice_;

    // Guarded by the thread's lock.
    std::optional<WantedPicture> painting_, painted_, failed_;
    std::string problem_;
    /// The views' boxes of the picture being painted are delivered: the rest can wait.
    bool shown_ = false;
    std::shared_ptr<const RegistrationPicture> picture_;
    std::chrono::steady_clock::time_point lastFigures_{};

    NewestJobThread<Request> jobs_; ///< last: it uses all of the above
};

} // namespace systole
