// What is doubtful about a measured left ventricle: made here alone, for command, report and panel.
#pragma once

#include "app/cardiac/strain_run.h"

#include <string>
#include <vector>

namespace systole {

/// One sentence each with its full stop, of the motion up to end systole.
std::vector<std::string> strainDoubts(const StrainOutcome& outcome);

/// Of the frame of end diastole, and of one that isn't measured yet: that it has no map of strain,
/// and why. Empty for other frames.
std::string whyNoStrainMap(const StrainOutcome& outcome, int frame);

} // namespace systole
