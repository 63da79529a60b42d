// When a solver may stop: judged by what is still to come, not by the last step alone.
#pragma once

namespace systole {

/// Every so many sweeps the largest change is measured, and that of the sweep before.
inline constexpr int changeCheckInterval = 5;

class ConvergenceTest {
public:
    explicit ConvergenceTest(double tolerance) : tolerance_(tolerance) {}

    /// Whether the change of this sweep (counted from 1) is to be measured.
    bool wants(int sweep) const {
        return tolerance_ > 0 && (sweep % changeCheckInterval == 0 ||
                                  sweep % changeCheckInterval == changeCheckInterval - 1);
    }

    /// Takes the largest change of a sweep that was wanted. True when it, and the sum of all
    /// changes to come if they go on falling by the ratio of the last two, are below the tolerance.
    bool reached(int sweep, double change) {
        const double before = before_;
        before_ = change;
        if (sweep % changeCheckInterval != 0)
            return false;
        if (change == 0)
            return true;
        return change < before && change < tolerance_ &&
               change * change / (before - change) < tolerance_;
    }

private:
    double tolerance_;
    double before_ = 0;
};

} // namespace systole
