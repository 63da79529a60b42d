// Series that belong together: scanners often store each phase of the heart, or each breath hold,
// as a series of its own.
#pragma once

#include "io/dicom/planes.h"

#include <cstddef>
#include <vector>

namespace systole {

using DicomSeries = std::vector<DicomPlane>;

enum class SeriesJoining { Alone, Phases, Slices };

struct JoinedSeries {
    std::vector<std::size_t> members; ///< indices of series
    SeriesJoining joining = SeriesJoining::Alone;
    std::size_t images = 0;
    std::size_t positions = 0; ///< number of different positions along the normal; 0: not stated
};

/// Every series once. Joined are, of those on one grid in one space: volumes of one phase at the
/// same positions; and single slices at different positions, or slabs of them that together are
/// evenly spaced, with as many images per position.
std::vector<JoinedSeries> joinedSeries(const std::vector<DicomSeries>& series);

} // namespace systole
