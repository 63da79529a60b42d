#include "io/dicom/one_grid.h"

#include <cmath>

namespace systole {
namespace {

/// Tolerance for components of directions (no unit) and for pixel spacing, mm.
constexpr double sameNumber = 1e-3;
/// Tolerance for distances of slices, relative to the usual distance.
constexpr double unevenness = 0.02;
/// Positions are decimal strings and some writers round them to a hundredth.
constexpr double roundedMillimeters = 0.05;

} // namespace

bool haveOneSize(const DicomPlane& a, const DicomPlane& b) {
    return a.file->rows == b.file->rows && a.file->columns == b.file->columns;
}

bool haveOneOrientation(const DicomPlane& a, const DicomPlane& b) {
    return length(a.alongRow - b.alongRow) <= sameNumber &&
           length(a.alongColumn - b.alongColumn) <= sameNumber;
}

bool haveOneSpacing(const DicomPlane& a, const DicomPlane& b) {
    return std::abs(a.columnSpacing - b.columnSpacing) <= sameNumber &&
           std::abs(a.rowSpacing - b.rowSpacing) <= sameNumber;
}

bool isUnevenGap(double gap, double usual) {
    return std::abs(gap - usual) > unevenness * usual + samePlaneMillimeters;
}

double besideTheLine(double step) { return roundedMillimeters + unevenness * step; }

} // namespace systole
