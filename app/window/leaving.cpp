// Closing of the sequence, for another file or with the window: unsaved work is named, and saved if
// the user wants it.
#include "app/base/file_stem.h"
#include "app/base/units.h"
#include "app/live/motion_file.h"
#include "app/window/window.h"
#include "io/base/numbered_files.h"

#include <QMessageBox>
#include <QPushButton>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace systole {
namespace {

std::string stillUnsavedText(const std::vector<UnsavedWork>& work) {
    std::string text = "Not saved yet:";
    for (const UnsavedWork& one : work)
        text += (&one == &work.front() ? " " : "; ") + one.name;
    return text;
}

} // namespace

std::string leavingText(const std::vector<UnsavedWork>& work) {
    std::string text = "What isn't saved would be lost:\n";
    for (const UnsavedWork& one : work)
        text +=
            fmt::format("\n•  {}{}", one.name, one.save ? "" : ", which can't be saved in a file");
    return text;
}

std::vector<UnsavedWork> Window::unsaved() {
    std::vector<UnsavedWork> work = tools_.unsaved();
    if (auto motion = unsavedMotion(); !motion.name.empty())
        work.push_back(std::move(motion));
    const bool kept = options_.remember; // kept in the settings with the recent files
    if (!kept && (session_.marks.endDiastole || session_.marks.endSystole))
        work.push_back({"marks of end diastole and end systole"});
    return work;
}

/// The motion, where it took long; an empty name: it didn't, or it is saved.
UnsavedWork Window::unsavedMotion() {
    std::vector<std::shared_ptr<const FrameResult>> results = live_.motions();
    std::erase_if(results, [&](const auto& result) {
        return std::ranges::any_of(savedMotions_,
                                   [&](const auto& saved) { return saved.lock() == result; });
    });
    double seconds = 0;
    for (const auto& result : results)
        seconds += result->seconds;
    if (seconds < longWorkSeconds)
        return {};
    const std::string name =
        fmt::format("motion of {} frames, {} of computing", results.size(), secondsText(seconds));
    return {name, [this, results = std::move(results)](std::function<void()> then) {
                saveMotions(results, std::move(then));
            }};
}

void Window::saveMotions(const std::vector<std::shared_ptr<const FrameResult>>& results,
                         std::function<void()> then) {
    std::vector<int> frames;
    for (const auto& result : results)
        frames.push_back(result->sinceFirst ? result->movingFrame : result->fixedFrame);
    chooseSave(
        {.title = fmt::format("Save the motion of {} frames; each file gets its frame's number",
                              frames.size()),
         .types = "ITK, displacements in LPS mm (*.mha);;NIfTI, intent 1007 (*.nii.gz)",
         .name = fileStem(session_.opened->sequence.name) + "_motion.mha"},
        [=, this, inputs = session_.opened->paths,
         device = scene_.interopDevice().value_or(0)](const std::string& path) {
            const auto write = [=](std::size_t index, const std::string& file) {
                writeMotionFile(file, *results[index], device, inputs);
            };
            this->write(
                namedByFrame("Motion", frames), firstNumbered(path, frames),
                [=] { writeNumbered(path, frames, write); },
                [=, this] {
                    savedMotions_.insert(savedMotions_.end(), results.begin(), results.end());
                    then();
                });
        });
}

Leaving Window::askLeaving(const std::vector<UnsavedWork>& work) {
    if (work.empty())
        return Leaving::Discard;
    if (answerLeaving)
        return answerLeaving(work);
    if (!options_.remember)
        return Leaving::Discard;
    QMessageBox box(QMessageBox::Question, QStringLiteral("Unsaved work"),
                    QString::fromStdString(leavingText(work)),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box.button(QMessageBox::Save)->setEnabled(std::ranges::any_of(work, [](const auto& one) {
        return bool(one.save);
    }));
    box.setDefaultButton(QMessageBox::Cancel);
    const int answer = box.exec();
    sinceTick_.restart();
    return answer == QMessageBox::Save      ? Leaving::Save
           : answer == QMessageBox::Discard ? Leaving::Discard
                                            : Leaving::Cancel;
}

/// Work for which the user chose no file is passed over: what comes after it may matter more.
void Window::saveInTurn(std::vector<UnsavedWork> work, bool all,
                        const std::function<void(bool all)>& then) {
    noFileChosen_ = {};
    if (work.empty())
        return then(all);
    const auto save = std::move(work.front().save);
    work.erase(work.begin());
    const auto goOn = [this, work = std::move(work), then](bool allSoFar) {
        saveInTurn(work, allSoFar, then);
    };
    noFileChosen_ = [goOn] { goOn(false); };
    save([goOn, all] { goOn(all); });
}

bool Window::mayLeave(std::function<void()> afterSaving) {
    std::vector<UnsavedWork> work = unsaved();
    const Leaving leaving = askLeaving(work);
    if (leaving == Leaving::Save) {
        const auto cannotBeSaved = [](const UnsavedWork& one) { return !one.save; };
        std::erase_if(work, cannotBeSaved);
        saveInTurn(std::move(work), true, [=, this, go = std::move(afterSaving)](bool all) {
            // Queued: what was saved is told first. Meanwhile the user may have gone on.
            const auto lookAgain = [=, this] {
                std::vector<UnsavedWork> left = unsaved();
                std::erase_if(left, cannotBeSaved);
                if (!all && !left.empty())
                    return report({.severity = Severity::Warning, .text = stillUnsavedText(left)});
                if (left.empty() || mayLeave(go))
                    go();
            };
            QMetaObject::invokeMethod(this, lookAgain, Qt::QueuedConnection);
        });
    }
    return leaving == Leaving::Discard;
}

} // namespace systole
