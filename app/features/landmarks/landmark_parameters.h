// Parameters of finding and following landmarks.
#pragma once

#include "app/task/task.h"
#include "compute/core/params.h"
#include "compute/elasticity/wall_tracks.h"
#include "compute/landmarks/corners.h"
#include "compute/landmarks/tracker.h"

namespace systole {

/// The part to which a parameter belongs, in the order in which points pass through them.
enum class LandmarkPart { Detection, Tracking, Wall };

/// The parameters of the tasks, options of `systole landmarks detect` and `landmarks track`.
const ParamTable& detectionTable();
const ParamTable& trackingTable();
const ParamTable& wallTable();
/// All of them, and where points are found and the wall comes from.
const ParamTable& landmarkTable();

LandmarkPart partOf(const ParamRow& row);

CornerSettings cornerSettings(const ParamSet& parameters);
/// Points are found in the wall alone.
bool findsInWall(const ParamSet& parameters);
/// `spacing`: the voxels', mm.
TrackerSettings trackerSettings(const ParamSet& parameters, Vec3 spacing);

/// Origin of the wall that tracks move with: "none", "segmentation", "file".
enum class WallOrigin { None, Segmentation, File };
WallOrigin wallOrigin(const ParamSet& parameters);
elasticity::WallTrackOptions wallOptions(const ParamSet& parameters);

/// True if that part has the same parameters in both sets.
bool sameParameters(const ParamSet& a, const ParamSet& b, LandmarkPart part);

/// The tasks as command and window run them.
const Task& detectionTask();
const Task& trackingTask();
const Task& wallTask();

} // namespace systole
