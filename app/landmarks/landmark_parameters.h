// What can be chosen of landmarks that are found and followed in the viewer.
#pragma once

#include "compute/core/params.h"
#include "compute/landmarks/corners.h"
#include "compute/landmarks/tracker.h"

namespace systole {

/// Rows of the detection, then those of the tracker; the ids are options of `systole landmarks
/// detect` and `landmarks track`.
const ParamTable& landmarkTable();

/// Whether the row is one of the detection.
bool choosesLandmarks(const ParamRow& row);

CornerSettings cornerSettings(const ParamSet& parameters);
/// For voxels of this spacing, mm.
TrackerSettings trackerSettings(const ParamSet& parameters, Vec3 spacing);

/// Whether detection (`detection`: true) or tracking have the same parameters in both.
bool sameParameters(const ParamSet& a, const ParamSet& b, bool detection);

} // namespace systole
