// Exports the laboratory's answer to a file chosen by the user.
#include "app/picture_file.h"
#include "app/window/window.h"
#include "io/writer.h"

#include <QFileDialog>

#include <exception>

namespace systole {

void Window::exportLaboratory(LabExport kind) {
    const std::shared_ptr<const lab::LabAnswer> answer = session_.lab.status.answer;
    if (!answer)
        return;
    const QString suffix = kind == LabExport::Csv    ? QStringLiteral("csv")
                           : kind == LabExport::Json ? QStringLiteral("json")
                                                     : QStringLiteral("png");
    const QString path = QFileDialog::getSaveFileName(
        this, QStringLiteral("Export the laboratory's answer to"),
        QStringLiteral("laboratory.%1").arg(suffix), QStringLiteral("%1 (*.%1)").arg(suffix));
    sinceTick_.restart();
    if (path.isEmpty())
        return;
    try {
        if (kind == LabExport::Png)
            writePng(path.toStdString(), viewport_->captureLaboratory(*answer));
        else
            writeTextAtomically(path.toStdString(), kind == LabExport::Csv ? lab::toCsv(*answer)
                                                                           : lab::toJson(*answer));
        saved("Laboratory's answer", path.toStdString());
    } catch (const std::exception& error) {
        fail(error.what());
    }
}

} // namespace systole
