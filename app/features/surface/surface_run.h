// Makes the surfaces of frames on its own thread, one task at a time.
#pragma once

#include "app/anatomy/live_surface.h"
#include "app/features/surface/surface_choice.h"
#include "app/task/backend.h"
#include "app/task/task.h"
#include "compute/core/frame_result.h"
#include "compute/core/volume.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace systole {

/// A surface to make from its source, or to carry along from one that is there.
struct SurfaceTask {
    SurfaceChoice choice;
    int frames = 1; ///< that the sequence has
    int frame = 0;  ///< whose surface is made from the source
    /// Cuda: from the source on a device, or as DevicePolicy says.
    Backend backend = Backend::Cpu;
    std::shared_ptr<const Volume> gray; ///< the frame; only a threshold needs it
    /// Of a segmentation: a value per voxel of `grid`.
    std::shared_ptr<const std::vector<std::uint8_t>> labels{};
    Geometry grid{};
    /// Carry this one instead, the first frame's, by the motion from the first frame into another
    /// one, on the host.
    std::shared_ptr<const LiveSurface> from{};
    std::shared_ptr<const FrameResult> motion{};
};

class SurfaceRun {
public:
    struct Options {
        int threads = 1;
        std::function<void()> notify; ///< called on the thread when surfaces are there
        DeviceAccess devices{};
    };
    explicit SurfaceRun(Options options);
    ~SurfaceRun(); ///< cancels and joins

    /// Starts a task; call it when not busy.
    void start(SurfaceTask task);
    /// Ends what is under way, whose surfaces are dropped.
    void cancel();
    bool busy() const;
    /// The surfaces made since the last call.
    LiveSurfaces take();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The task as command and window run it.
const Task& denoiseTask();

} // namespace systole
