// The pictures of a measured left ventricle: bull's-eyes, curves, volume, histogram of J.
#pragma once

#include "app/base/drawing.h"
#include "app/features/cardiac/strain_run.h"

#include <span>
#include <string>
#include <vector>

namespace systole {

struct BullsEyeQuantity;
struct BullsEyeRange;

/// The segments at one place of the list of frames, with the scale of its colors.
Drawing bullsEyeDrawing(const StrainOutcome& outcome, cardiac::AhaModel model,
                        const BullsEyeQuantity& quantity, std::size_t frame);
/// Bull's-eye of given values, one per segment of the model. `hatched`: whether each segment is
/// hatched; empty: none is.
Drawing bullsEyeDrawing(std::span<const double> values, const std::vector<bool>& hatched,
                        cardiac::AhaModel model, const BullsEyeQuantity& quantity,
                        BullsEyeRange range);
/// Strain of every segment over time in one direction (0 longitudinal, 1 circumferential, 2
/// radial), dashed that of the whole ventricle, and end systole.
Drawing strainCurves(const StrainOutcome& outcome, cardiac::AhaModel model, int direction);
/// The colors of these curves in the places of the segments.
Drawing segmentColorKey(cardiac::AhaModel model);
/// The cavity's volume over time inside mid-wall, ml.
Drawing volumeCurve(const StrainOutcome& outcome);
/// Rotation of base and apex over time, dashed the twist.
Drawing twistCurves(const StrainOutcome& outcome);
/// Histogram of J in the wall's voxels at end systole.
Drawing jacobianHistogram(const StrainOutcome& outcome);

} // namespace systole
