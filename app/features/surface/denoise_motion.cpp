// The motion by which `systole denoise --in-time` carries neighboring frames.
#include "app/base/error.h"
#include "app/base/run_record.h"
#include "app/features/surface/denoise_job.h"
#include "app/features/surface/surfaces_in_time.h"
#include "compute/motion/sequence_driver.h"
#include "compute/ops/invert_field.h"
#include "compute/ops/resample.h"
#include "compute/surface/label_box.h"
#include "io/base/error.h"
#include "io/formats/writer.h"
#include "io/source.h"

#include <fmt/format.h>

#include <utility>

namespace systole {
namespace {

using Motion = std::function<VectorField(int fixed, int moving)>;

/// Fields of a folder that `systole motion` wrote, by the frames that they lead from and to.
class StoredMotion {
public:
    StoredMotion(std::string folder, const DistanceSource& source, const ExecContext& ctx)
        : folder_(std::move(folder))
        , whole_(source.wholeGeometry())
        , grid_(source.geometry())
        , box_(source.box())
        , ctx_(ctx) {
        for (RecordedField& field : recordedFields(folder_))
            if (field.kind == "displacement")
                files_[{field.fixed, field.moving}] = std::move(field.file);
    }

    /// The stored field, or one composed of two fields that begin at the first frame.
    VectorField operator()(int fixed, int moving) const {
        if (files_.contains({fixed, moving}))
            return read(fixed, moving);
        if (!files_.contains({0, fixed}) || !files_.contains({0, moving}))
            throw FileError(fmt::format("{}: has no motion from frame {} to frame {}{}", folder_,
                                        fixed, moving,
                                        moving < fixed ? "; systole motion --close-cycle "
                                                         "estimates it"
                                                       : ""));
        const VectorField toFirst =
            toVoxels(invertField(read(0, fixed), grid_, {}, ctx_).field, *ctx_.pool);
        VectorField motion(grid_, *ctx_.pool, "motion");
        const VectorField fromFirst = read(0, moving);
        composeFields(fromFirst.view(), toFirst.view(), motion.view(), ctx_);
        return motion;
    }

private:
    VectorField read(int fixed, int moving) const {
        const std::string path = folder_ + "/" + files_.at({fixed, moving});
        const MillimeterField field = readField(path, *ctx_.pool);
        if (!field.geometry.matches(whole_, 1e-2))
            throw FileError(path + ": the field lies on another grid than the frames");
        const VectorField whole = toVoxels(field, *ctx_.pool);
        VectorField motion(grid_, *ctx_.pool, "motion");
        for (int axis = 0; axis < 3; ++axis)
            copyBox(whole.view().componentView(axis), box_, motion.view().componentView(axis));
        return motion;
    }

    std::string folder_;
    Geometry whole_, grid_;
    VoxelBox box_;
    const ExecContext& ctx_;
    std::map<std::pair<int, int>, std::string> files_;
};

/// Motion of the gray values of a sequence.
Motion motionOfImages(const std::vector<std::string>& files, const DistanceSource& source,
                      const ExecContext& ctx) {
    const auto sequence = std::make_shared<Sequence>(openSequence(files));
    if (sequence->frames != source.frames() ||
        !sequence->geometry.matches(source.wholeGeometry(), 1e-2))
        throw UsageError(
            fmt::format("--images: {} has another grid or number of frames than what is denoised",
                        files.front()));
    const IntensityScale scale = intensityScale(*sequence, ctx);
    return [sequence, scale, &source, &ctx](int fixed, int moving) {
        const auto frame = [&](int number) {
            Volume whole(sequence->geometry, *ctx.pool, "frame");
            sequence->source->read(number, whole.view());
            Volume part(source.geometry(), *ctx.pool, "part of a frame");
            copyBox(std::as_const(whole).view(), source.box(), part.view());
            return part;
        };
        return clgMotion(frame(fixed), frame(moving), scale.low, scale.high, true, ctx);
    };
}

Motion motionOfSurfaces(DistanceSource& source, const ExecContext& ctx) {
    return [&source, &ctx](int fixed, int moving) {
        const auto distance = [&](int frame) {
            Volume phi(source.geometry(), *ctx.pool, "signed distance");
            source.distance(frame, phi.view(), ctx);
            return phi;
        };
        return motionOfDistances(distance(fixed), distance(moving), ctx);
    };
}

} // namespace

FramesInTime framesInTime(const DenoiseJob& job, DistanceSource& source, const ExecContext& ctx) {
    FramesInTime frames{
        .geometry = source.geometry(),
        .frames = source.frames(),
        .closedCycle = job.closedCycle,
        .distance = [&](int frame, VolumeView<float> phi) { source.distance(frame, phi, ctx); },
        .smoothedPairs = smoothedPairsOf(source.frames())};
    if (job.motion == "estimate")
        frames.motion = !job.images.empty() ? motionOfImages(job.images, source, ctx)
                        : job.source.kind == SurfaceSource::Kind::Threshold
                            ? motionOfImages(job.files, source, ctx)
                            : motionOfSurfaces(source, ctx);
    else if (job.motion != "none")
        frames.motion = StoredMotion(job.motion, source, ctx);
    return frames;
}

} // namespace systole
