// All ejection fractions that are known of a heart, side by side: which is which, and why they
// differ. Made here alone, for panel and report.
#pragma once

#include "app/anatomy/plausible_heart.h"
#include "app/features/cardiac/strain_run.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace systole {

/// One way to the ejection fraction.
struct EjectionWay {
    std::string way;                  ///< "carried by clg, mid-wall"
    double percent = 0;               ///< NaN: unknown
    int diastole = 0, systole = 0;    ///< frames
    double largest = 0, smallest = 0; ///< ml
    std::string meaning;              ///< a sentence: how the volume comes about
};

/// The three of the carried wall, the headline's first, and that of the labels that each frame has
/// of its own: `found`, ml, of at least two frames; fewer: it isn't known. `method` carries them.
std::vector<EjectionWay> ejectionWays(const StrainOutcome& outcome, const std::string& method,
                                      std::span<const VolumeInFrame> found);

/// Doubt where the frames' own labels and the headline differ by more than 5 points: the
/// difference, possible causes, and the frame to look at. Empty: they don't differ, or one isn't
/// known.
std::string ejectionDoubt(const StrainOutcome& outcome, std::span<const VolumeInFrame> found);

/// The frame of the smallest volume among `found`; none: there are fewer than two.
std::optional<int> systoleOf(std::span<const VolumeInFrame> found);

} // namespace systole
