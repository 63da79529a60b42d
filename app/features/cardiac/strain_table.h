// The curves of a left ventricle as text: comma-separated, one row a frame, or a segment and frame.
#pragma once

#include "app/features/cardiac/strain_run.h"

#include <string>

namespace systole {

/// Row by row, the columns of docs/manual/strain-files.md. Numbers that aren't known are empty. The
/// first line is a comment that begins with '#', the second names the columns.
std::string segmentsCsv(const StrainOutcome& outcome, cardiac::AhaModel model);
std::string curvesCsv(const StrainOutcome& outcome);

} // namespace systole
