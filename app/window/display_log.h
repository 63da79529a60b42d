// Times of the displayed pictures and the resulting display figures, for `view --report`.
#pragma once

#include "app/base/rate_meter.h"
#include "app/session/session.h"

#include <string>
#include <vector>

namespace systole {

class DisplayLog {
public:
    /// Excluded from the figures: shaders are compiled and frames read in the first second.
    static constexpr double warmUpSeconds = 1;

    void painted(RateMeter::Clock::time_point now, const Session& session);

    struct Figures {
        double seconds = 0; ///< measured, from the first picture counted to the last
        int pictures = 0;
        double perSecond = 0;
        double medianMilliseconds = 0, slowestMilliseconds = 0; ///< interval between pictures
        double estimationsPerSecond = 0;
        std::uint64_t estimated = 0;
    };
    Figures figures() const;

    /// JSON with the figures and the conditions of the measurement.
    std::string report(const Session& session, int width, int height, double pixelRatio) const;

private:
    struct Paint {
        RateMeter::Clock::time_point time;
        std::uint64_t estimated = 0;
    };
    double secondsSinceFirst(RateMeter::Clock::time_point now) const;

    std::vector<Paint> paints_;
};

} // namespace systole
