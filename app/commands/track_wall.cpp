#include "app/commands/track_wall.h"

#include "app/commands/tissue.h"
#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace systole {
namespace {

/// Millimeters along the axes of the grid.
Vec3 alongAxes(const Geometry& geometry, Vec3 position) {
    const Vec3 index = geometry.physicalToIndex(position), spacing = geometry.spacing();
    return {index.x * spacing.x, index.y * spacing.y, index.z * spacing.z};
}
Vec3 toPhysical(const Geometry& geometry, Vec3 along) {
    const Vec3 spacing = geometry.spacing();
    return geometry.indexToPhysical(
        {along.x / spacing.x, along.y / spacing.y, along.z / spacing.z});
}

TrackWallFrame carryFrame(const elasticity::WallTracks& wall, const std::vector<Vec3>& points,
                          const Geometry& geometry, int frame, LandmarkTracks& tracks,
                          ExecContext& ctx) {
    const auto t = static_cast<std::size_t>(frame);
    std::vector<Vec3> displacements(points.size());
    std::vector<double> weights(points.size(), 0);
    for (std::size_t i = 0; i < points.size(); ++i)
        if (const auto& found = tracks.tracks[i].frames[t]) {
            displacements[i] = alongAxes(geometry, found->position) - points[i];
            weights[i] = found->certainty;
        }
    TrackWallFrame summary;
    summary.frame = frame;
    try {
        summary.report = wall.carry(displacements, weights, ctx);
    } catch (const Cancelled&) {
        throw;
    } catch (const ComputeError& error) {
        summary.failure = error.what();
        return summary;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!wall.holds(i))
            continue;
        const Vec3 now = toPhysical(geometry, points[i] + displacements[i]);
        auto& position = tracks.tracks[i].frames[t];
        if (position)
            summary.meanChange += length(now - position->position) / summary.report.springs;
        position = TrackedPosition{now, position ? position->certainty : 0};
    }
    return summary;
}

} // namespace

TrackWallOutcome carryTracks(const TrackWallJob& job, const Geometry& geometry,
                             LandmarkTracks& tracks, ExecContext ctx) {
    const TissueLabels tissue =
        readTissueLabels(job.labels, job.label, geometry, "--elastic-label", ctx);
    std::vector<std::uint8_t> wall(geometry.voxels());
    std::ranges::transform(tissue.map.view().span(), wall.begin(), [&](float label) {
        return label == static_cast<float>(tissue.label) ? 1 : 0;
    });
    const auto reference = static_cast<std::size_t>(tracks.reference);
    std::vector<Vec3> points;
    for (const LandmarkTracks::Track& track : tracks.tracks)
        points.push_back(alongAxes(geometry, track.frames[reference]->position));
    const elasticity::WallTracks elastic({wall.data(), geometry.size()}, geometry.spacing(), points,
                                         job.options);
    TrackWallOutcome outcome;
    outcome.label = tissue.label;
    outcome.points = elastic.held();
    const std::size_t frames = tracks.tracks.empty() ? 0 : tracks.tracks.front().frames.size();
    for (std::size_t t = 0; t < frames; ++t) {
        if (t == reference)
            continue;
        ctx.report("elastic wall", static_cast<double>(t) / static_cast<double>(frames));
        outcome.frames.push_back(
            carryFrame(elastic, points, geometry, static_cast<int>(t), tracks, ctx));
    }
    return outcome;
}

} // namespace systole
