// Makes the surface of a frame: from its source, or carried along by the motion.
#pragma once

#include "app/features/surface/surface_run.h"
#include "compute/core/exec.h"
#include "compute/core/sequence.h"

#include <memory>
#include <optional>
#include <string>

namespace systole {

class SurfaceMaker {
public:
    /// The surface of the task's frame from its source. A label map with one frame is that of every
    /// frame; one with several must have those of the sequence. Throws ComputeError, FileError.
    LiveSurface make(const SurfaceTask& task, const ExecContext& ctx);

    /// The surface moved along; its frame becomes the motion's moving one. Distances from the
    /// original stay at their points. Throws ComputeError for motion that isn't on the host.
    static LiveSurface carry(const LiveSurface& from, const FrameResult& motion,
                             const ExecContext& ctx);

private:
    std::shared_ptr<const Volume> labels(const SurfaceTask& task, const ExecContext& ctx);

    std::string labelFile_; ///< path of `labels_`
    std::optional<Sequence> labels_;
};

} // namespace systole
