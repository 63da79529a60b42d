#include "app/window/work_keeper.h"

#include "app/segmentation/label_file.h"
#include "app/tools/cardiac/cardiac_tool.h"
#include "app/tools/landmarks/landmark_tool.h"
#include "app/tools/segmentation/segmentation_tool.h"
#include "app/window/window.h"
#include "io/landmarks/landmark_file.h"
#include "io/output_file.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr int milliseconds = 2000;

KeptWork labelsOf(const SegmentationTool& tool, const Sequence& sequence) {
    return {{},
            fmt::format("{}", tool.labels.revision()),
            [file = labelFileOf(tool.labels, sequence)](const std::string& folder) {
                writeLabelFile(folder + "/labels.nii.gz", file, {});
            }};
}

KeptWork landmarksOf(const LandmarkTool& tool) {
    return {{},
            fmt::format("{}", static_cast<const void*>(tool.points.get())),
            [of = tool.points](const std::string& folder) {
                writeLandmarks(folder + "/landmarks.csv", *of);
            }};
}

KeptWork heartPointsOf(const CardiacTool& tool) {
    return {{}, tool.textOfPoints(), [text = tool.textOfPoints()](const std::string& folder) {
                writeTextAtomically(folder + "/heart_points.txt", text + "\n");
            }};
}

} // namespace

WorkKeeper::WorkKeeper(Window& window, const std::filesystem::path& folder)
    : window_(window), recovery_(folder) {
    for (const Recovery::Left& left : recovery_.left())
        left_ += fmt::format("{}A session of Systole has ended without being closed; what wasn't "
                             "saved in it is in {}: {}.",
                             left_.empty() ? "" : " ", left.folder, left.what);
    QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] { keep(); });
    timer_.start(milliseconds);
}

/// Motion isn't kept: it can be computed again.
void WorkKeeper::keep() {
    if (!window_.session().opened)
        return;
    if (!left_.empty()) { // not before: opening a file takes back what was said
        window_.session().message = std::exchange(left_, {});
        window_.refresh();
    }
    auto& segmentation = window_.tools().get<SegmentationTool>();
    auto& landmarks = window_.tools().get<LandmarkTool>();
    auto& heart = window_.tools().get<CardiacTool>();
    std::vector<KeptWork> work;
    const auto add = [&](const std::vector<UnsavedWork>& unsaved, KeptWork made) {
        made.name = unsaved.front().name;
        work.push_back(std::move(made));
    };
    if (const auto unsaved = segmentation.unsaved(); !unsaved.empty())
        add(unsaved, labelsOf(segmentation, window_.session().opened->sequence));
    if (const auto unsaved = landmarks.unsaved(); !unsaved.empty())
        add(unsaved, landmarksOf(landmarks));
    if (const auto unsaved = heart.unsaved(); !unsaved.empty())
        add(unsaved, heartPointsOf(heart));
    recovery_.keep(window_.session().opened->paths, work);
}

} // namespace systole
