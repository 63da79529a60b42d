// The report of a measured left ventricle as one page of PDF, by Qt.
#pragma once

#include "app/cardiac/strain_report.h"

#include <string>

namespace systole {

/// The bytes of a PDF of one page, A4 upright, in vectors: as small as the content needs. The same
/// bytes for the same content. Starts Qt without a display where no application runs yet; no other
/// thread uses Qt meanwhile.
std::string strainReportPdf(const StrainReportContent& content);

} // namespace systole
