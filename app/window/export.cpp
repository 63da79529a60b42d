// Exports the laboratory's answer, surfaces, label maps and tracks to files chosen by the user.
#include "app/picture_file.h"
#include "app/segmentation/label_file.h"
#include "app/window/window.h"
#include "io/error.h"
#include "io/landmarks/landmark_file.h"
#include "io/meshes/mesh_file.h"
#include "io/writer.h"

#include <QFileDialog>
#include <QMessageBox>

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

void Window::exportSurface(SurfaceExport kind) {
    const SurfaceSession& surface = session_.surface;
    const std::shared_ptr<const LiveSurface> shown = surface.shown;
    if (!session_.opened || !shown || !shown->scene || !shown->scene->mesh)
        return;
    const bool mesh = kind == SurfaceExport::Mesh;
    const QString path =
        mesh ? QFileDialog::getSaveFileName(
                   this, QStringLiteral("Save the surface of frame %1 to").arg(shown->frame),
                   QStringLiteral("surface_%1.vtp").arg(shown->frame, 4, 10, QLatin1Char('0')),
                   QStringLiteral("Meshes (*.vtp *.stl *.ply *.obj)"))
             : QFileDialog::getSaveFileName(this, QStringLiteral("Save volumes and areas to"),
                                            QStringLiteral("volumes.csv"),
                                            QStringLiteral("csv (*.csv)"));
    sinceTick_.restart();
    if (path.isEmpty())
        return;
    try {
        if (mesh)
            writeMesh(path.toStdString(), *shown->scene->mesh);
        else
            writeTextAtomically(path.toStdString(),
                                volumesCsv(surface.frames, session_.opened->sequence.timesSeconds));
        saved(mesh ? "Surface" : "Volumes and areas", path.toStdString());
    } catch (const std::exception& error) {
        fail(error.what());
    }
}

void Window::chooseLabelFile() {
    if (!session_.opened)
        return;
    const QString image = QString::fromStdString(session_.opened->sequence.name);
    // The dialog asks before a file is replaced.
    const QString path = QFileDialog::getSaveFileName(
        this, QStringLiteral("Save the label map to"),
        image.section(QLatin1Char('.'), 0, 0) + QStringLiteral("_labels.nii.gz"),
        QStringLiteral("Label maps (*.nii.gz *.nii *.mha *.nrrd)"));
    sinceTick_.restart();
    if (!path.isEmpty())
        saveSegmentation(path.toStdString());
}

void Window::saveSegmentation(const std::string& path) {
    if (!session_.opened)
        return;
    const std::uint64_t revision = session_.segment.labels.revision();
    saves_.push_back(
        std::async(std::launch::async,
                   [this, path, revision, inputs = session_.opened->paths,
                    file = labelFileOf(session_.segment.labels, session_.opened->sequence)] {
                       std::string failure;
                       try {
                           writeLabelFile(path, file, inputs);
                       } catch (const std::exception& error) {
                           failure = error.what();
                       }
                       QMetaObject::invokeMethod(
                           this,
                           [this, path, revision, failure] {
                               if (!failure.empty())
                                   return fail(failure);
                               session_.segment.savedRevision = revision;
                               saved("Label map", path);
                           },
                           Qt::QueuedConnection);
                   }));
}

void Window::chooseTracksFile() {
    if (!session_.opened || session_.landmarks.tracks.tracks.empty())
        return;
    const QString image = QString::fromStdString(session_.opened->sequence.name);
    const QString path = QFileDialog::getSaveFileName(
        this, QStringLiteral("Save the tracks to"),
        image.section(QLatin1Char('.'), 0, 0) + QStringLiteral("_tracks.csv"),
        QStringLiteral("Tracks, LPS mm (*.csv *.mrk.json)"));
    sinceTick_.restart();
    if (path.isEmpty())
        return;
    try {
        writeTracks(path.toStdString(), session_.landmarks.tracks);
    } catch (const FileError& error) {
        return fail(error.what());
    }
    saved("Tracks", path.toStdString());
}

/// Asks where labels that nobody saved would be lost.
bool Window::labelsMayGo() {
    if (!session_.segment.unsaved())
        return true;
    if (mayLoseLabels)
        return mayLoseLabels();
    if (!options_.remember)
        return true;
    const auto answer = QMessageBox::question(
        this, QStringLiteral("Segmentation"),
        QStringLiteral("The labels of the segmentation aren't saved. Go on without them?"),
        QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Cancel);
    sinceTick_.restart();
    return answer == QMessageBox::Discard;
}

} // namespace systole
