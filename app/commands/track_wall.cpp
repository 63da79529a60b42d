#include "app/commands/track_wall.h"

#include "app/segmentation/tissue_labels.h"

#include <utility>

namespace systole {

TrackWallOutcome carryTracks(const TrackWallJob& job, const Geometry& geometry,
                             LandmarkTracks& tracks, ExecContext ctx) {
    const TissueLabels tissue =
        readTissueLabels(job.labels, job.label, geometry, "--elastic-label", ctx);
    const std::vector<std::uint8_t> voxels = tissue.voxels();
    const TracksInWall wall({voxels.data(), geometry.size()}, geometry,
                            positionsIn(tracks, tracks.reference), job.options);
    TrackWallOutcome outcome{tissue.label, wall.points(), {}};
    const std::size_t frames = tracks.tracks.empty() ? 0 : tracks.tracks.front().frames.size();
    for (int frame = 0; frame < static_cast<int>(frames); ++frame) {
        if (frame == tracks.reference)
            continue;
        ctx.report("elastic wall", frame / static_cast<double>(frames));
        TrackPositions positions = positionsIn(tracks, frame);
        WallFrame carried = wall.carry(positions, ctx);
        setPositions(tracks, frame, positions);
        outcome.frames.push_back({frame, std::move(carried)});
    }
    return outcome;
}

} // namespace systole
