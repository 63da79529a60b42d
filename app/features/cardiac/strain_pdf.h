// The report of a measured left ventricle as PDF, for commands.
#pragma once

#include "app/base/made_apart.h"
#include "app/features/cardiac/strain_report.h"

namespace systole {

/// Drawn in a process of its own: Qt draws it and checks no allocation, and nothing else is to
/// suffer; and in another one to compare, so that none has words or lines missing. Neither bytes
/// nor a failure: this program, built without the viewer, makes none.
MadeApart strainPdfApart(const ReportContent& content);

} // namespace systole
