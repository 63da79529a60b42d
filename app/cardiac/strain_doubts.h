// What is doubtful about a measured left ventricle: made here alone, for command, report and panel.
#pragma once

#include "app/cardiac/strain_run.h"

#include <string>
#include <vector>

namespace systole {

/// One sentence each with its full stop, of the motion up to end systole.
std::vector<std::string> strainDoubts(const StrainOutcome& outcome);

/// Why the views have no map of strain in this frame, one sentence; empty where they have one.
std::string whyNoStrainMap(const StrainOutcome& outcome, int frame);

} // namespace systole
