// Saves the shown motion field.
#include "app/live/motion_file.h"
#include "app/window/window.h"

#include <QFileDialog>

#include <exception>

namespace systole {

void Window::saveMotionAs() {
    if (!whyNoMotionFile(session_).empty())
        return;
    // What is shown now, however long the dialog is open.
    const std::shared_ptr<const FrameResult> motion = session_.result;
    const QString path = QFileDialog::getSaveFileName(
        this,
        QStringLiteral("Save the motion of frame %1 to %2 as")
            .arg(motion->fixedFrame)
            .arg(motion->movingFrame),
        QString::fromStdString(motionFileName(session_)),
        QStringLiteral("ITK, displacements in LPS mm (*.mha);;NIfTI, intent 1007 (*.nii.gz)"));
    sinceTick_.restart();
    if (!path.isEmpty())
        saveMotion(path.toStdString(), motion);
}

void Window::saveMotion(const std::string& path, std::shared_ptr<const FrameResult> motion) {
    saves_.push_back(std::async(std::launch::async, [this, path, motion = std::move(motion),
                                                     inputs = session_.opened->paths,
                                                     device = scene_.interopDevice().value_or(0)] {
        std::string failure;
        try {
            writeMotionFile(path, *motion, device, inputs);
        } catch (const std::exception& error) {
            failure = error.what();
        }
        QMetaObject::invokeMethod(
            this,
            [this, path, failure] { failure.empty() ? saved("Motion", path) : fail(failure); },
            Qt::QueuedConnection);
    }));
}

} // namespace systole
