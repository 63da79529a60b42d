// An axis of a plot: which values it spans, where a value lies on it, which ticks are written.
#pragma once

#include <string>
#include <vector>

namespace systole {

struct PlotTick {
    double value = 0;
    std::string label; ///< empty: a line of the grid alone
};

class PlotAxis {
public:
    enum class Steps {
        Decimal, ///< linear, ticks at 1, 2 or 5 times a power of ten
        Binary,  ///< linear, ticks at powers of two: threads, bytes
        Decades  ///< logarithmic
    };

    /// Spans all of low to high, and what is equal or not finite is widened to something that can
    /// be drawn; Decades wants positive ends, and what isn't is put three decades below `high`.
    PlotAxis(double low, double high, Steps steps);

    double low() const { return low_; }
    double high() const { return high_; }
    /// 0 at the low end, 1 at the high one; beyond them below 0 and above 1.
    double position(double value) const;
    double valueAt(double position) const;
    /// Ascending, within the axis; no more than `most` are labelled, but always two where `most`
    /// allows it.
    std::vector<PlotTick> ticks(int most) const;

    /// Ends moved outwards to the next tick.
    PlotAxis rounded(int most) const;

private:
    double step(int most) const;
    std::vector<PlotTick> decades(int most) const;

    double low_, high_;
    Steps steps_;
};

} // namespace systole
