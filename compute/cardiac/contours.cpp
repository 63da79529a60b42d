#include "compute/cardiac/contours.h"

#include <limits>

namespace systole::cardiac {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

ContourMeter::ContourMeter(const Ventricle& ventricle, const Shell& shell,
                           const MeasureOptions& options)
    : depth_(options.definition->depth)
    , radial_(options.definition->radial)
    , segments_(static_cast<std::size_t>(ahaSegments(options.model)))
    , closed_(!ventricle.placement.apicalCut)
    , lines_(segments_, 0.0) {
    std::vector<bool> found(segments_);
    for (const TransmuralLine& line : shell.lines) {
        segment_.push_back(segmentAt(
            ventricle, line.point[static_cast<std::size_t>(Depth::MidWall)], options.model));
        const auto s = static_cast<std::size_t>(segment_.back() - 1);
        ++lines_[s];
        found[s] = found[s] || line.found;
    }
    for (std::size_t s = 0; s < segments_; ++s)
        lines_[s] = found[s] ? lines_[s] : 0;
}

std::size_t ContourMeter::segmentOf(int row, int column) const {
    return static_cast<std::size_t>(
        segment_[static_cast<std::size_t>(row * Shell::columns + column % Shell::columns)] - 1);
}

std::vector<Directions> ContourMeter::lengths(const CarriedShell& shell) const {
    std::vector<Directions> sums(segments_ + 1);
    const auto add = [&](int direction, std::size_t one, std::size_t other, double size) {
        sums[one][direction] += size / 2;
        sums[other][direction] += size / 2;
        sums.back()[direction] += size;
    };
    const auto apart = [&](int row, int column, int otherRow, int otherColumn) {
        return length(shell.at(row, column, depth_) - shell.at(otherRow, otherColumn, depth_));
    };
    for (int row = 0; row < Shell::rows; ++row)
        for (int column = 0; column < Shell::columns; ++column) {
            const std::size_t here = segmentOf(row, column);
            // Contours run across the apex to the other side: half of the way is this column's.
            const int opposite = column + Shell::columns / 2;
            if (row > 0)
                add(0, here, segmentOf(row - 1, column), apart(row, column, row - 1, column));
            else if (closed_)
                add(0, here, here, apart(row, column, row, opposite) / 2);
            add(1, here, segmentOf(row, column + 1), apart(row, column, row, column + 1));
            add(2, here, here, shell.thickness(row, column));
        }
    return sums;
}

void ContourMeter::addStrains(const CarriedShell& diastole, const CarriedShell& carried,
                              FrameMeasures& frame) const {
    const std::vector<Directions> before = lengths(diastole), now = lengths(carried);
    for (int k = 0; k < 3; ++k) {
        for (std::size_t s = 0; s < segments_; ++s)
            frame.segments[s].strain[k] = lines_[s] > 0 ? now[s][k] / before[s][k] - 1 : unknown;
        frame.strain[k] = now.back()[k] / before.back()[k] - 1;
    }
    if (radial_ != RadialBy::Volume)
        return;
    const auto keepVolume = [](Directions& strain) {
        strain.radial = 1 / ((1 + strain.longitudinal) * (1 + strain.circumferential)) - 1;
    };
    keepVolume(frame.strain);
    for (SegmentFrame& segment : frame.segments)
        keepVolume(segment.strain);
}

void ContourMeter::addThickness(const CarriedShell& shell, FrameMeasures& frame) const {
    const std::vector<Directions> now = lengths(shell);
    for (std::size_t s = 0; s < segments_; ++s)
        frame.segments[s].thickness = lines_[s] > 0 ? now[s].radial / lines_[s] : unknown;
}

} // namespace systole::cardiac
