// When a solver may stop: judged by the changes still to come, not by the last step alone.
#pragma once

namespace systole {

/// Interval in sweeps at which the largest change is measured, and also that of the sweep before.
inline constexpr int changeCheckInterval = 5;

/// Whether the change in a sweep, with `before` that of the previous one, shows convergence: it,
/// and the sum of all changes to come if they keep falling by the ratio of the two, are below the
/// tolerance.
constexpr bool converged(double change, double before, double tolerance) {
    return change == 0 || (change < before && change < tolerance &&
                           change * change / (before - change) < tolerance);
}

class ConvergenceTest {
public:
    explicit ConvergenceTest(double tolerance) : tolerance_(tolerance) {}

    /// Whether the change of this sweep (counted from 1) must be measured.
    bool wants(int sweep) const {
        return tolerance_ > 0 && (sweep % changeCheckInterval == 0 ||
                                  sweep % changeCheckInterval == changeCheckInterval - 1);
    }

    /// Takes the largest change in a requested sweep; true when the solver may stop.
    bool reached(int sweep, double change) {
        const double before = before_;
        before_ = change;
        return sweep % changeCheckInterval == 0 && converged(change, before, tolerance_);
    }

private:
    double tolerance_;
    double before_ = 0;
};

} // namespace systole
