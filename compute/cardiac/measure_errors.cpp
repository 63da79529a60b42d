#include "compute/cardiac/measure_errors.h"

#include <algorithm>
#include <cmath>
#include <functional>

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

} // namespace

std::vector<FrameErrors> measureErrors(const VentricleFits& fits, const VentricleMotion& motion,
                                       const Measures& measures, const DrawnErrors& drawn,
                                       const MeasureOptions& options, const ExecContext& ctx) {
    std::vector<FrameErrors> errors(motion.frame.size());
    for (FrameErrors& frame : errors)
        frame.segments.resize(measures.segmentVoxels.size());
    const double weight = strainCalibration * strainCalibration / static_cast<double>(drawn.size());
    for (const VentricleMotion& error : drawn) {
        ctx.throwIfCancelled();
        const Measures with = measuresOf(fits, sum(motion, error), options, ctx);
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
    for (FrameErrors& frame : errors) {
        takeRoots(frame.strain);
        std::ranges::for_each(frame.segments, takeRoots);
        frame.twist = std::sqrt(frame.twist);
    }
    return errors;
}

} // namespace systole::cardiac
