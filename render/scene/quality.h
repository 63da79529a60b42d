// How coarsely the volume is sampled, to keep paints short where OpenGL is slow.
#pragma once

#include <optional>

namespace systole {

/// Determines the number of pixels per ray from the time of each interactive paint.
class QualityControl {
public:
    struct Pace {
        double targetSeconds, coarsest, first; ///< pixels per ray at most, and to begin with
    };
    /// Leaves time for the window itself below 100 ms; a conservative start.
    static constexpr Pace onProcessor{0.075, 12, 4};
    /// A picture takes turns with estimations on the device and should be there in 20 ms.
    static constexpr Pace onDevice{0.008, 4, 1};

    void setPace(const Pace& pace) {
        pace_ = pace;
        forget();
    }
    void setInteractive(bool interactive) { interactive_ = interactive; }
    bool interactive() const { return interactive_; }

    /// While interactive, always this value, whatever the times of paints.
    void fix(double pixelsPerRay) { fixed_ = pixelsPerRay; }
    /// Pixels along a side that share a ray: 1 is full quality.
    double pixelsPerRay() const { return !interactive_ ? 1 : fixed_.value_or(learned_); }
    /// Reports the time of the last paint with pixelsPerRay().
    void painted(double seconds);
    /// Starts again, for a volume or window of another size.
    void forget() { learned_ = pace_.first; }

private:
    Pace pace_ = onProcessor;
    bool interactive_ = false;
    std::optional<double> fixed_;
    double learned_ = pace_.first;
};

} // namespace systole
