// When images count as lying on one grid: headers round their numbers.
#pragma once

#include "io/dicom/planes.h"

namespace systole {

/// Images nearer to each other along their normal lie in one plane; mm.
inline constexpr double samePlaneMillimeters = 0.02;

bool haveOneSize(const DicomPlane& a, const DicomPlane& b);
bool haveOneOrientation(const DicomPlane& a, const DicomPlane& b);
bool haveOneSpacing(const DicomPlane& a, const DicomPlane& b);

/// Whether the distance of two slices can't be the usual one; mm.
bool isUnevenGap(double gap, double usual);
/// How far a slice may lie beside the line through the others that are `step` apart; mm.
double besideTheLine(double step);

} // namespace systole
