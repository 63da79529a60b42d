// Times of the pairs of frames that both sides of the layout side by side have estimated.
#pragma once

#include "app/session/timing_log.h"

#include <optional>
#include <vector>

namespace systole {

struct PairTime {
    const TimingSample *left, *right; ///< owned by the logs; of the same frames
};

/// Half of the times lie from `low` to `high`; seconds.
struct TimeSpread {
    double median = 0, low = 0, high = 0;
};

struct PairedTimes {
    std::vector<PairTime> pairs; ///< the newest estimation of each pair; in the right side's order
    TimeSpread left, right;      ///< zero without pairs

    /// Median over the pairs of the right side's time over the left side's; none without pairs.
    std::optional<double> ratio() const;
};

PairedTimes pairedTimes(const TimingLog& left, const TimingLog& right);

/// Quantiles by linear interpolation between order statistics, Hyndman and Fan's type 7; `values`
/// isn't empty.
TimeSpread spreadOf(std::vector<double> values);

} // namespace systole
