// How coarsely the volume is sampled, so that a paint stays short where OpenGL is slow.
#pragma once

namespace systole {

/// Learns from the time of each interactive paint how many pixels a ray must serve.
class QualityControl {
public:
    static constexpr double targetSeconds =
        0.075; ///< leaves room below 100 ms for the window itself
    static constexpr double coarsest = 12;

    /// adaptive: false keeps full quality always (a GPU draws).
    void setAdaptive(bool adaptive) { adaptive_ = adaptive; }
    void setInteractive(bool interactive) { interactive_ = interactive; }
    bool interactive() const { return interactive_; }

    /// Pixels along a side that share a ray: 1 is full quality.
    double pixelsPerRay() const { return adaptive_ && interactive_ ? learned_ : 1; }
    /// What the last paint with pixelsPerRay() took.
    void painted(double seconds);
    /// As for a volume or window of another size.
    void forget() { learned_ = 4; }

private:
    bool adaptive_ = false, interactive_ = false;
    double learned_ = 4; ///< a careful start; the first paints correct it
};

} // namespace systole
