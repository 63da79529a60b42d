#include "app/window/exports.h"

#include "app/base/file_stem.h"
#include "app/base/units.h"
#include "app/live/live_view.h"
#include "app/live/motion_file.h"
#include "io/base/numbered_files.h"
#include "io/formats/writer.h"
#include "render/scene/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace systole {

Exports::Exports(ToolHost& host, const Session& session, const Scene& scene, const Panels& panels,
                 const LiveView& live)
    : host_(host), session_(session), scene_(scene), panels_(panels), live_(live) {}

void Exports::exportNumbers() {
    std::string text;
    for (const auto& panel : panels_)
        text += std::string(panel->title()) + "\n" + panel->text(session_) + "\n";
    host_.save(
        "Numbers",
        {.title = "Export the panels' numbers to", .types = "Text (*.txt)", .name = "systole.txt"},
        [text](const std::string& path) { writeTextAtomically(path, text); });
}

void Exports::saveMotionAs() {
    if (!whyNoMotionFile(session_).empty())
        return;
    // The motion shown now, however long the dialog is open.
    const std::shared_ptr<const FrameResult> motion = session_.result;
    host_.chooseSave(
        {.title = fmt::format("Save the motion of frame {} to {} as", motion->fixedFrame,
                              motion->movingFrame),
         .types = "ITK, displacements in LPS mm (*.mha);;NIfTI, intent 1007 (*.nii.gz)",
         .name = motionFileName(session_)},
        [this, motion](const std::string& path) { saveMotion(path, motion); });
}

void Exports::saveMotion(const std::string& path, std::shared_ptr<const FrameResult> motion) {
    host_.write(
        "Motion", path,
        [path, motion, inputs = session_.opened->paths,
         device = scene_.interopDevice().value_or(0)] {
            writeMotionFile(path, *motion, device, inputs);
        },
        [this, saved = std::weak_ptr(motion)] { savedMotions_.push_back(saved); });
}

UnsavedWork Exports::unsavedMotion() {
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

void Exports::saveMotions(const std::vector<std::shared_ptr<const FrameResult>>& results,
                          std::function<void()> then) {
    std::vector<int> frames;
    for (const auto& result : results)
        frames.push_back(result->sinceFirst ? result->movingFrame : result->fixedFrame);
    host_.chooseSave(
        {.title = fmt::format("Save the motion of {} frames; each file gets its frame's number",
                              frames.size()),
         .types = "ITK, displacements in LPS mm (*.mha);;NIfTI, intent 1007 (*.nii.gz)",
         .name = fileStem(session_.opened->sequence.name) + "_motion.mha"},
        [=, this, inputs = session_.opened->paths,
         device = scene_.interopDevice().value_or(0)](const std::string& path) {
            const auto write = [=](std::size_t index, const std::string& file) {
                writeMotionFile(file, *results[index], device, inputs);
            };
            host_.write(
                namedByFrame("Motion", frames), firstNumbered(path, frames),
                [=] { writeNumbered(path, frames, write); },
                [=, this] {
                    savedMotions_.insert(savedMotions_.end(), results.begin(), results.end());
                    then();
                });
        });
}

} // namespace systole
