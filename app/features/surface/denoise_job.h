// Job of `systole denoise`, and its outcome.
#pragma once

#include "app/cli/overwrite.h"
#include "app/features/surface/surfaces_in_time.h"
#include "app/task/backend.h"
#include "compute/core/sequence.h"
#include "compute/core/voxel_box.h"
#include "compute/surface/surface.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Definition of the inside of a surface.
struct SurfaceSource {
    enum class Kind { Label, Threshold, Mesh };
    Kind kind = Kind::Label;
    std::optional<int> label; ///< none: the only one of the map
    double threshold = 0;
    double meshSpacing = 1; ///< mm, of the grid that a mesh is sampled on
};

struct DenoiseJob {
    std::vector<std::string> files;
    SurfaceSource source;
    double frameTimeMilliseconds = 0; ///< 0: as the file says
    const SurfaceMethod* method = nullptr;
    std::optional<ParamSet> parameters;
    BackendChoice backend;       ///< backend that the method runs on
    MeanInTimeParameters inTime; ///< no frames: each frame by itself
    /// Motion for `inTime`: "estimate", "none", or a folder of fields.
    std::string motion = "estimate";
    std::vector<std::string> images; ///< gray values whose motion is estimated; none: the source's
    bool closedCycle = false;
    SurfaceEdge edge = SurfaceEdge::Closed;
    std::string output, distance, json; ///< the last two may be empty
    OverwriteOption overwrite;
};

/// Source of the signed distances of a job's frames: opened and checked, with frames on demand.
class DistanceSource {
public:
    virtual ~DistanceSource() = default;
    /// The grid of the distances: the file's, or the box of it that the surfaces of all frames
    /// need.
    virtual const Geometry& geometry() const = 0;
    virtual Geometry wholeGeometry() const { return geometry(); } ///< the file's
    virtual VoxelBox box() const { return VoxelBox::whole(geometry().size()); }
    virtual int frames() const = 0;
    virtual double timeOf(int frame) const = 0; ///< s; NaN when unknown
    /// The signed distance of a frame. Errors name the file, and the frame if there are several.
    virtual void distance(int frame, VolumeView<float> phi, const ExecContext& ctx) = 0;
    virtual nlohmann::ordered_json record() const = 0; ///< description for the record
};
/// Throws FileError and UsageError.
std::unique_ptr<DistanceSource> openDistanceSource(const DenoiseJob& job, const ExecContext& ctx);

/// The job's frames and their motion for denoising in time. Both arguments must outlive it.
FramesInTime framesInTime(const DenoiseJob& job, DistanceSource& source, const ExecContext& ctx);

/// One frame's outcome; the mesh itself has been written.
struct FrameSurface {
    int frame = 0;
    double timeSeconds = unknownTime;
    std::string file;
    MeshMeasures measures;
    bool touchesEdge = false;
    DenoiseReport denoised;
};

struct DenoiseOutcome {
    std::vector<FrameSurface> frames;
    BackendChoice backend; ///< backend that denoised the last frame
    double readSeconds = 0, denoiseSeconds = 0, extractSeconds = 0, writeSeconds = 0;
};

/// Every file that a job of so many frames writes.
std::vector<std::string> outputsOf(const DenoiseJob& job, int frames);

/// Makes and writes the surfaces, distances and, for several frames, volumes.csv. Until all frames
/// are written the table is volumes.unfinished.csv and lists those that there are: it marks what a
/// run that failed or was killed has left. Errors name the file and the frame.
DenoiseOutcome runDenoise(const DenoiseJob& job, DistanceSource& source, const ExecContext& ctx);

nlohmann::ordered_json denoiseRecord(const DenoiseJob& job, const DistanceSource& source,
                                     const DenoiseOutcome& outcome);

} // namespace systole
