#include "app/commands/strain_pdf.h"

#ifdef SYSTOLE_VIEWER
#include "app/window/report_pdf.h"
#endif

namespace systole {

MadeApart strainPdfApart([[maybe_unused]] const StrainReportContent& content) {
#ifdef SYSTOLE_VIEWER
    constexpr std::size_t needBytes = std::size_t{128} << 20;
    return madeApart([&] { return strainReportPdf(content); }, needBytes);
#else
    return {};
#endif
}

} // namespace systole
