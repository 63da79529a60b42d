// Doubts about a measured left ventricle, made here only, for command, report and panel.
#pragma once

#include "app/features/cardiac/ejection_ways.h"
#include "app/features/cardiac/strain_run.h"

#include <span>
#include <string>
#include <vector>

namespace systole {

/// All of them, one sentence each with its full stop: of the motion up to end systole, of the
/// labels that frames have of their own beside it (`found`, as for ejectionWays()), and what is
/// doubtful about the labels themselves (`ofLabels`).
std::vector<std::string> strainDoubts(const StrainOutcome& outcome,
                                      std::span<const VolumeInFrame> found = {},
                                      std::span<const std::string> ofLabels = {});

/// Doubt if Placement::insertionKnown is false.
inline constexpr const char* turnedSegments =
    "Segments may be turned: no insertion of the right ventricle is known.";

/// Says that the frame of end diastole, or one that isn't measured yet, has no map of strain, and
/// why. Empty for other frames.
std::string whyNoStrainMap(const StrainOutcome& outcome, int frame);

} // namespace systole
