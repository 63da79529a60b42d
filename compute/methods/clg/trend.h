// The trend: the part of the motion that smoothness leaves free.
#pragma once

#include "compute/ops/pyramid.h"
#include "compute/ops/smooth.h"

namespace systole::clg {

/// How a level's trend is found: the field is brought to the grid of a coarser level, where the
/// mean is as wide but has fewer voxels to add, smoothed there, and brought back.
struct TrendGrid {
    std::size_t level = 0; ///< level of the pyramid; the field's own: nothing is resampled
    std::array<int, 3> factor{1, 1, 1}; ///< decimation from the field's level
    TapsOfAxes taps;                    ///< weights of the mean on that grid
};

/// Sigma of the mean; one of them is positive.
struct TrendWidth {
    double voxels = 0; ///< sigma of a Gaussian on each level's own grid, voxels
    /// Sigma as a share of the longest edge of the frame, if `voxels` is 0. The mean is
    /// cubicMeanTaps() on the first grid, from the field's level on, on which sigma is at most 4
    /// voxels, else on the coarsest, where sigma is limited to 10 voxels.
    double share = 0;
};

TrendGrid trendGrid(const std::vector<PyramidLevel>& levels, std::size_t level, TrendWidth width);

/// trendGrid() of each level; none where nothing is left free: widths of 0, and, with a share,
/// slices whose spacing exceeds 2.5 times the smallest one. Smoothness across them is needed: they
/// know too little of each other.
std::vector<TrendGrid> trendGrids(const std::vector<PyramidLevel>& levels, TrendWidth width);

} // namespace systole::clg
