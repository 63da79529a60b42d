#include "app/window/work_keeper.h"

#include "app/anatomy/label_record.h"
#include "app/base/seed_points.h"
#include "app/features/cardiac/cardiac_tool.h"
#include "app/features/landmarks/landmark_tool.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "app/window/window.h"
#include "io/base/byte_source.h"
#include "io/base/output_file.h"
#include "io/base/text.h"
#include "io/landmarks/landmark_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr int milliseconds = 2000;
constexpr const char *labelsName = "labels.nii.gz", *landmarksName = "landmarks.csv",
                     *heartPointsName = "heart_points.txt";

KeptWork labelsOf(const SegmentationTool& tool) {
    return {{},
            fmt::format("{}", tool.labels.revision()),
            {labelsName, labelRecordPath(labelsName)},
            tool.writer()};
}

KeptWork landmarksOf(const LandmarkTool& tool) {
    return {{},
            fmt::format("{}", static_cast<const void*>(tool.points.get())),
            {landmarksName},
            [of = tool.points](const std::string& path) { writeLandmarks(path, *of); }};
}

KeptWork heartPointsOf(const CardiacTool& tool) {
    return {{},
            tool.textOfPoints(),
            {heartPointsName},
            [text = tool.textOfPoints()](const std::string& path) {
                writeTextAtomically(path, text + "\n");
            }};
}

/// In the frame that motion begins in, where they were kept.
std::vector<HeartPoint> heartPointsIn(const std::string& path) {
    std::vector<HeartPoint> points;
    for (const std::string& point : words(wholeText(path), "; \n"))
        points.push_back({parsePoint(point, heartPointsName), 0});
    if (points.size() > CardiacTool::pointsNeeded)
        points.resize(CardiacTool::pointsNeeded);
    return points;
}

} // namespace

void restoreWork(const RecoveredWork& work, Tools& tools) {
    const auto found = [&](const char* name) {
        const std::filesystem::path path = std::filesystem::path(work.folder) / name;
        std::error_code unknown;
        return std::filesystem::exists(path, unknown) ? path.string() : "";
    };
    if (const std::string path = found(labelsName); !path.empty())
        tools.get<SegmentationTool>().openLabels(path);
    if (const std::string path = found(landmarksName); !path.empty())
        tools.get<LandmarkTool>().openFile(path);
    if (const std::string path = found(heartPointsName); !path.empty())
        tools.get<CardiacTool>().points = heartPointsIn(path);
}

WorkKeeper::WorkKeeper(Window& window, const std::filesystem::path& folder)
    : window_(window), recovery_(folder) {
    for (const RecoveredWork& left : recovery_.left())
        left_ += fmt::format("{}A session of Systole has ended without being closed; what wasn't "
                             "saved in it is in {}: {}; of {}. File, Recovered work opens it.",
                             left_.empty() ? "" : " ", left.folder, left.what,
                             fmt::join(left.files, ", "));
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
        add(unsaved, labelsOf(segmentation));
    if (const auto unsaved = landmarks.unsaved(); !unsaved.empty())
        add(unsaved, landmarksOf(landmarks));
    if (const auto unsaved = heart.unsaved(); !unsaved.empty())
        add(unsaved, heartPointsOf(heart));
    recovery_.keep(window_.session().opened->paths, work);
}

} // namespace systole
