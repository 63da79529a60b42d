// The task of making the surface of a frame, from its source or from one that is carried along.
#pragma once

#include "app/anatomy/live_surface.h"
#include "app/features/surface/surface_choice.h"
#include "app/task/backend.h"
#include "app/task/task.h"
#include "app/task/task_run.h"
#include "compute/core/frame_result.h"
#include "compute/core/volume.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace systole {

class SurfaceMaker;

/// A surface to make from its source, or to carry along from one that is there.
struct SurfaceTask {
    SurfaceChoice choice;
    int frames = 1; ///< number of frames in the sequence
    int frame = 0;  ///< frame whose surface is made
    /// Cuda: from the source on a device, or as DevicePolicy says.
    Backend backend = Backend::Cpu;
    std::shared_ptr<const Volume> gray; ///< the frame; only a threshold needs it
    /// Labels of a segmentation: a value per voxel of `grid`.
    std::shared_ptr<const std::vector<std::uint8_t>> labels{};
    Geometry grid{};
    /// Carry this one instead, the first frame's, by the motion from the first frame into another
    /// one, on the host.
    std::shared_ptr<const LiveSurface> from{};
    std::shared_ptr<const FrameResult> motion{};
};

struct SurfaceOutcome {
    int frame = 0;
    std::shared_ptr<const LiveSurface> made; ///< its `problem` says why there is no surface
    std::string failure;                     ///< always empty
};

/// See TaskRun.
class SurfaceWork {
public:
    using Task = SurfaceTask;
    using Outcome = SurfaceOutcome;

    explicit SurfaceWork(DeviceAccess devices = {});
    ~SurfaceWork();

    void run(const SurfaceTask& task, SurfaceOutcome& outcome, const ExecContext& ctx);

private:
    LiveSurface make(const SurfaceTask& task, const ExecContext& ctx);

    std::unique_ptr<SurfaceMaker> maker_;
    DevicePolicy device_; ///< opened with the first task that wants it
};

using SurfaceRun = TaskRun<SurfaceWork>;

/// The task as command and window run it.
const Task& denoiseTask();

} // namespace systole
