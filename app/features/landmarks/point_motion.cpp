#include "app/features/landmarks/point_motion.h"

#include "app/base/error.h"
#include "app/fields/field_sanity.h"
#include "compute/landmarks/target_error.h"
#include "compute/ops/two_grids.h"
#include "io/base/text.h"
#include "io/landmarks/landmark_file.h"
#include "io/transforms/transform_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace systole {
namespace {

/// A point lies on a track that starts no farther away than rounding in a file explains.
constexpr double sameWithinMillimeters = 0.1;

/// The tracks that are there in a fixed frame, sorted along x.
class TrackMotion {
public:
    TrackMotion(const LandmarkTracks& tracks, int fixed, int moving) {
        for (const LandmarkTracks::Track& track : tracks.tracks)
            if (const auto& start = track.frames[static_cast<std::size_t>(fixed)]) {
                const auto& end = track.frames[static_cast<std::size_t>(moving)];
                starts_.push_back(
                    {start->position, end ? std::optional(end->position) : std::nullopt});
            }
        std::ranges::stable_sort(starts_, {}, [](const Start& s) { return s.from.x; });
    }

    std::optional<Vec3> operator()(Vec3 p) const {
        const auto byX = [](const Start& s) { return s.from.x; };
        const auto end = std::ranges::upper_bound(starts_, p.x + sameWithinMillimeters, {}, byX);
        const Start* nearest = nullptr;
        double distance = sameWithinMillimeters;
        for (auto s = std::ranges::lower_bound(starts_, p.x - sameWithinMillimeters, {}, byX);
             s != end; ++s)
            if (const double away = length(s->from - p); away <= distance) {
                nearest = &*s;
                distance = away;
            }
        return nearest ? nearest->to : std::nullopt;
    }

private:
    struct Start {
        Vec3 from;
        std::optional<Vec3> to;
    };
    std::vector<Start> starts_;
};

PointMotion tracksMotion(const std::string& path, const TrackFrames& frames) {
    const LandmarkTracks tracks = readTracks(path);
    const int count = static_cast<int>(tracks.tracks.front().frames.size());
    const int fixed = frames.fixed.value_or(tracks.reference);
    if (!frames.moving && count != 2)
        throw UsageError(fmt::format("{}: the tracks have {} frames; name the one of the moving "
                                     "points by --moving-frame",
                                     path, count));
    const int moving = frames.moving.value_or(fixed == 0 ? 1 : 0);
    for (const int frame : {fixed, moving})
        if (frame < 0 || frame >= count)
            throw UsageError(fmt::format("{}: the tracks have no frame {}; their frames are 0 to "
                                         "{}",
                                         path, frame, count - 1));
    return {TrackMotion(tracks, fixed, moving),
            fmt::format("tracks, frame {} to {}", fixed, moving)};
}

} // namespace

PointMotion readPointMotion(const std::string& path, const TrackFrames& frames,
                            const Geometry* grid, const ExecContext& ctx) {
    if (isTracksFile(path))
        return tracksMotion(path, frames);
    if (frames.fixed || frames.moving)
        throw UsageError("--fixed-frame and --moving-frame choose frames of tracks; the motion is "
                         "no file of tracks");
    StoredTransform stored = readTransform(path, MatrixFormat::Lps, {}, *ctx.pool);
    if (stored.affine)
        return {[map = *stored.affine](Vec3 p) { return std::optional(map(p)); },
                stored.description};
    if (stored.isSpline) {
        if (!grid)
            throw UsageError(fmt::format("{}: control points of a spline are evaluated on the "
                                         "voxels of an image; name it by --grid",
                                         path));
        stored.vectors = toMillimeters(splineOnGrid(*stored.vectors, *grid, ctx), *ctx.pool);
    }
    if (stored.backward)
        stored.vectors =
            invertedField(path, *stored.vectors, grid ? *grid : stored.vectors->geometry, ctx);
    const auto field = std::make_shared<MillimeterField>(std::move(*stored.vectors));
    PointMotion motion{[field](Vec3 p) { return movedBy(*field, p); }, stored.description,
                       field->geometry};
    motion.notes = fileNotes(path, stored.notes);
    return motion;
}

} // namespace systole
