// An axis of a plot: its range, the position of a value, and the ticks.
#pragma once

#include <string>
#include <vector>

namespace systole {

struct PlotTick {
    double value = 0;
    std::string label; ///< empty: a grid line without label
};

class PlotAxis {
public:
    enum class Steps {
        Decimal, ///< linear, ticks at 1, 2 or 5 times a power of ten
        Whole,   ///< linear, ticks only at whole numbers: frames
        Binary,  ///< linear, ticks at powers of two: threads, bytes
        Decades  ///< logarithmic
    };

    /// Spans low to high; equal or non-finite ends are widened to a drawable range. Decades needs
    /// positive ends: a low end that isn't is set three decades below `high`.
    PlotAxis(double low, double high, Steps steps);

    double low() const { return low_; }
    double high() const { return high_; }
    /// 0 at the low end, 1 at the high one; beyond them below 0 and above 1.
    double position(double value) const;
    /// Ascending, within the axis; at most `max` are labeled. If a `max` of 2 to 4 would leave only
    /// one label, there are up to five. Whole may have a single tick, or none.
    std::vector<PlotTick> ticks(int max) const;

    /// Ends moved outwards to the next tick.
    PlotAxis rounded(int max) const;

private:
    double step(int max) const;
    std::vector<PlotTick> decades(int max) const;

    double low_, high_;
    Steps steps_;
};

} // namespace systole
