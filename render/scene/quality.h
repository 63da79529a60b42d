// How coarsely the volume is sampled, to keep paints short where OpenGL is slow.
#pragma once

#include <optional>

namespace systole {

/// Determines the number of pixels per ray from the time of each interactive paint.
class QualityControl {
public:
    static constexpr double targetSeconds =
        0.075; ///< leaves time for the window itself below 100 ms
    static constexpr double coarsest = 12;

    /// adaptive: false always keeps full quality (a GPU draws).
    void setAdaptive(bool adaptive) { adaptive_ = adaptive; }
    void setInteractive(bool interactive) { interactive_ = interactive; }
    bool interactive() const { return interactive_; }

    /// While interactive, always this value, whatever the times of paints.
    void fix(double pixelsPerRay) { fixed_ = pixelsPerRay; }
    /// Pixels along a side that share a ray: 1 is full quality.
    double pixelsPerRay() const {
        return !interactive_ ? 1 : fixed_ ? *fixed_ : adaptive_ ? learned_ : 1;
    }
    /// Reports the time of the last paint with pixelsPerRay().
    void painted(double seconds);
    /// Starts again, for a volume or window of another size.
    void forget() { learned_ = 4; }

private:
    bool adaptive_ = false, interactive_ = false;
    std::optional<double> fixed_;
    double learned_ = 4; ///< a conservative start; the first paints correct it
};

} // namespace systole
