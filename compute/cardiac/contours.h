// Strain by the length of contours and by the thickness of the wall.
#pragma once

#include "compute/cardiac/measures.h"

#include <vector>

namespace systole::cardiac {

/// Change (L − L₀) / L₀ since end diastole, of lengths that are summed over a segment or over all.
/// Longitudinal: the columns of the shell from base to apex and up again on the other side (apart,
/// where the labels are cut at the apex); circumferential: its rows, closed; radial: its lines, or
/// what the others leave of the volume. A line belongs to the segment of its middle, and half of
/// what joins two lines to each. A segment in which no line was found has no strain: NaN.
class ContourMeter {
public:
    ContourMeter(const Ventricle& ventricle, const Shell& shell, const MeasureOptions& options);

    /// Sets `strain` of the frame and of its segments.
    void addStrains(const CarriedShell& diastole, const CarriedShell& now,
                    FrameMeasures& frame) const;
    /// Sets `thickness` of the segments.
    void addThickness(const CarriedShell& shell, FrameMeasures& frame) const;

    const std::vector<int>& segments() const { return segment_; } ///< number, by line

private:
    /// [segment], the whole last.
    std::vector<Directions> lengths(const CarriedShell& shell) const;
    std::size_t segmentOf(int row, int column) const;

    Depth depth_;
    RadialBy radial_;
    std::size_t segments_;
    bool closed_;               ///< contours run on across the apex
    std::vector<int> segment_;  ///< segment of each line, from 0
    std::vector<double> lines_; ///< lines of each segment that were found
};

} // namespace systole::cardiac
