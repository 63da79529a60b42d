// Figures of a cycle as a table, the same in panel and picture.
#pragma once

#include "app/base/plot_axis.h"
#include "app/features/cardiac/strain_run.h"

#include <array>
#include <string>
#include <vector>

namespace systole {

/// Places of frames on the axis of time: ms since end diastole, or their numbers if the time of any
/// is unknown (those of the next beat count on from the last).
struct TimeAxis {
    explicit TimeAxis(const StrainOutcome& outcome);
    bool known = true;
    std::vector<double> values; ///< ascending
    PlotAxis::Steps steps() const {
        return known ? PlotAxis::Steps::Decimal : PlotAxis::Steps::Whole;
    }
};

/// A measure at end diastole, end systole and in one frame; NaN: unknown, or has no such value.
struct FrameFigure {
    std::string name, unit;
    int decimals = 1;
    double diastole = 0, systole = 0, now = 0;
};
/// `t`: the place of the frame in the list of frames.
std::vector<FrameFigure> frameFigures(const StrainOutcome& outcome, std::size_t t);

/// A measure of the whole wall's strain over the cycle, by direction.
struct CycleFigure {
    std::string name, unit;
    int decimals = 1;
    std::array<double, 3> value{};
};
std::vector<CycleFigure> cycleFigures(const StrainOutcome& outcome);

/// Both tables as tab-separated text, and what every segment has at end systole.
std::string figuresText(const StrainOutcome& outcome, std::size_t t, cardiac::AhaModel model);

} // namespace systole
