#include "app/features/cardiac/strain_pdf.h"

#ifdef SYSTOLE_VIEWER
#include "app/report/report_pdf.h"
#endif

namespace systole {

MadeApart strainPdfApart([[maybe_unused]] const ReportContent& content) {
#ifdef SYSTOLE_VIEWER
    constexpr std::size_t needBytes = std::size_t{128} << 20;
    const auto draw = [&] { return madeApart([&] { return reportPdf(content); }, needBytes); };
    MadeApart pdf = draw();
    // Drawn twice and compared: Qt doesn't report a font or a part of a line that is missing for
    // lack of memory or files.
    if (pdf.failure.empty()) {
        const MadeApart again = draw();
        if (!again.failure.empty())
            return again;
        if (again.bytes != pdf.bytes)
            return {{}, "drawn twice it differs; memory or open files may be short"};
    }
    return pdf;
#else
    return {};
#endif
}

} // namespace systole
