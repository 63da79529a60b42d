// How far the measures of a left ventricle may be wrong: their spread when draws of the motion's
// error are added to it.
#pragma once

#include "compute/cardiac/measures.h"

namespace systole::cardiac {

/// Standard errors of a frame's measures, in their units; NaN where these are.
struct FrameErrors {
    Directions strain;
    std::vector<Directions> segments; ///< strain, by number − 1
    double twist = 0;
    /// Standard error of the wall's motion, mm: the root mean square length of the drawn errors,
    /// the median over the wall's voxels.
    double wall = 0;
};

/// Draws of the error of each frame's motion: the n-th element is the n-th draw of all frames, its
/// `frame` and times those of the motion.
using DrawnErrors = std::vector<VentricleMotion>;

/// Standard errors are this times the spread: smoothness biases the strain of a segment as a whole,
/// which no draw shows. So that 90 % of the strains of the phantoms' family, seeds 1 to 10, lie
/// within the interval of 90 % (`systole bench certainty`).
inline constexpr double strainCalibration = 1.32;

/// Standard errors by frame; those of the reference are 0. They are strainCalibration times the
/// root mean square of the differences of the measures with each draw, which must belong to the
/// motion. `fits` has the order of the options. Throws what measuresOf() throws.
std::vector<FrameErrors> measureErrors(const VentricleFits& fits, const VentricleMotion& motion,
                                       const Measures& measures, const DrawnErrors& drawn,
                                       const MeasureOptions& options, const ExecContext& ctx);

} // namespace systole::cardiac
