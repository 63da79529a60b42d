#include "compute/cardiac/measure_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole::cardiac {
namespace {

void add(const Displacements& error, Displacements& to) {
    for (std::size_t i = 0; i < to.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
            to[i][k] += error[i][k];
}

VentricleMotion sum(const VentricleMotion& motion, const VentricleMotion& error) {
    VentricleMotion all = motion;
    for (std::size_t t = 0; t < all.frame.size(); ++t) {
        add(error.wall[t], all.wall[t]);
        add(error.cavity[t], all.cavity[t]);
    }
    return all;
}

void addSquares(const Directions& drawn, const Directions& measured, double weight,
                Directions& squares) {
    for (int k = 0; k < 3; ++k)
        squares[k] += weight * (drawn[k] - measured[k]) * (drawn[k] - measured[k]);
}

void takeRoots(Directions& squares) {
    for (int k = 0; k < 3; ++k)
        squares[k] = std::sqrt(squares[k]);
}

double wallError(const DrawnErrors& drawn, std::size_t t) {
    std::vector<double> squares(drawn.front().wall[t].size());
    if (squares.empty())
        return std::numeric_limits<double>::quiet_NaN();
    for (const VentricleMotion& error : drawn)
        for (std::size_t i = 0; i < squares.size(); ++i)
            for (const auto component : error.wall[t][i])
                squares[i] += double{component} * double{component};
    const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
    std::ranges::nth_element(squares, middle);
    return std::sqrt(*middle / static_cast<double>(drawn.size()));
}

} // namespace

std::vector<FrameErrors> measureErrors(const VentricleFits& fits, const VentricleMotion& motion,
                                       const Measures& measures, const DrawnErrors& drawn,
                                       const MeasureOptions& options, const ExecContext& ctx) {
    std::vector<FrameErrors> errors(motion.frame.size());
    for (FrameErrors& frame : errors)
        frame.segments.resize(measures.segmentVoxels.size());
    const double weight = strainCalibration * strainCalibration / static_cast<double>(drawn.size());
    ExecContext quiet = ctx; // each draw would begin its progress anew
    quiet.progress = {};
    for (std::size_t n = 0; n < drawn.size(); ++n) {
        ctx.throwIfCancelled();
        ctx.report("standard errors",
                   0.5 + 0.5 * static_cast<double>(n) / static_cast<double>(drawn.size()));
        const Measures with = measuresOf(fits, sum(motion, drawn[n]), options, quiet);
        for (std::size_t t = 0; t < errors.size(); ++t) {
            const FrameMeasures &is = measures.frames[t], &may = with.frames[t];
            addSquares(may.strain, is.strain, weight, errors[t].strain);
            for (std::size_t s = 0; s < errors[t].segments.size(); ++s)
                addSquares(may.segments[s].strain, is.segments[s].strain, weight,
                           errors[t].segments[s]);
            errors[t].twist += weight * (may.rotation.twist - is.rotation.twist) *
                               (may.rotation.twist - is.rotation.twist);
        }
    }
    for (std::size_t t = 0; t < errors.size(); ++t) {
        FrameErrors& frame = errors[t];
        takeRoots(frame.strain);
        std::ranges::for_each(frame.segments, takeRoots);
        frame.twist = std::sqrt(frame.twist);
        frame.wall = wallError(drawn, t);
    }
    return errors;
}

} // namespace systole::cardiac
