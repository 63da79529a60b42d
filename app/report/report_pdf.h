// A report as PDF, by Qt.
#pragma once

#include "app/report/report_content.h"

#include <string>

namespace systole {

/// The bytes of a PDF, A4 upright, in vectors, with text of 8 to 9 points: as many pages as the
/// content needs, each with the title and its number at the foot. A page ends between lines, rows
/// and pictures. The same bytes for the same content. Starts Qt without a display where no
/// application runs yet; no other thread uses Qt meanwhile.
std::string reportPdf(const ReportContent& content);

} // namespace systole
