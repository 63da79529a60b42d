// Results from the curves of a whole cycle: end systole, ejection fraction, peaks and their times.
#pragma once

#include "compute/cardiac/measures.h"

#include <optional>
#include <vector>

namespace systole::cardiac {

/// Peak of one curve of strain. It is the lowest value of longitudinal and circumferential strain
/// and the highest of radial strain (Voigt et al., European Heart Journal - Cardiovascular Imaging
/// 16 (2015)).
struct StrainPeak {
    double peak = 0;         ///< fraction
    double atEndSystole = 0; ///< fraction
    int frame = 0;           ///< frame of the peak, as a place in the list of frames
    double seconds = 0;      ///< time from the reference to the peak; NaN: unknown
    /// 100 (peak − end systole) / peak for a peak after end systole, else 0; percent. NaN: unknown.
    double postSystolicIndex = 0;
};

struct CycleSummary {
    int endSystole = 0; ///< a place in the list of frames
    CavityVolumes endDiastolic, endSystolic;
    /// 100 (EDV − ESV) / EDV, by each way to the volume; NaN where one is below 0, which the
    /// mid-wall's can be if wall and motion don't fit together.
    CavityVolumes ejectionPercent;
    /// Peaks of the whole wall's curves, by direction.
    std::array<StrainPeak, 3> global;
    /// Peaks of each segment's curves, by number − 1.
    std::vector<std::array<StrainPeak, 3>> segments;
    /// Standard deviation of the segments' times to peak, s (Haugaa et al., JACC Cardiovascular
    /// Imaging 3 (2010)); NaN if unknown.
    std::array<double, 3> dispersionSeconds{};
};

/// `endSystole`: given, a place in the list of frames; else the frame of the smallest volume inside
/// mid-wall. Throws ComputeError for a place that isn't there.
CycleSummary summaryOf(const Measures& measures, const VentricleMotion& motion,
                       std::optional<int> endSystole);

} // namespace systole::cardiac
