#include "app/features/segmentation/segment_run.h"

#include "app/anatomy/plausible_heart.h"
#include "app/features/segmentation/chamber_motion.h"
#include "compute/core/elapsed.h"

#include <chrono>

namespace systole {

const ParamTable& segmentTable() {
    static const ParamTable table = [] {
        const SegmentOptions usual;
        return ParamTable({
            switchParam("wall", usual.wall, "Also label the wall around the chamber, as 2.")
                .titled("with wall"),
            switchParam("in-wall", usual.clickInWall,
                        "The click is in the wall: find the chamber that the wall encloses, and "
                        "label both.")
                .titled("click in wall"),
            realParam("reach", usual.reachMillimeters, 5, 200, "mm",
                      "How far the border may be from the click."),
            realParam("smoothness", usual.smoothness, 0, 10, "mm",
                      "Weight of the curvature: larger is smoother and leaks less through gaps."),
            realParam("largest", usual.largestMilliliters, 1, 10000, "ml",
                      "Maximum volume inside the contour; a larger contour has leaked, which is "
                      "an error."),
        });
    }();
    return table;
}

SegmentOptions segmentOptions(const ParamSet& parameters) {
    SegmentOptions options;
    options.wall = parameters.isOn("wall");
    options.clickInWall = parameters.isOn("in-wall");
    options.reachMillimeters = parameters.real("reach");
    options.smoothness = parameters.real("smoothness");
    options.largestMilliliters = parameters.real("largest");
    return options;
}

void SegmentWork::run(const SegmentTask& task, SegmentOutcome& made, const ExecContext& ctx) {
    const auto begin = std::chrono::steady_clock::now();
    if (!task.goesOn || task.from || !tracker_)
        tracker_.emplace(task.seeds, task.options, chamberMotion());
    if (task.from)
        tracker_->next(*task.from, ctx);
    made.found = std::make_shared<const Segmentation>(tracker_->next(*task.image, ctx));
    const Geometry& grid = task.image->geometry;
    const VolumeView<const std::uint8_t> labels(made.found->labels.data(), grid.size());
    made.chamber = volumeOfLabel(labels, chamberLabel, grid, ctx);
    if (made.found->wallMilliliters > 0)
        made.wallIsCut = volumeOfLabel(labels, wallLabel, grid, ctx).touchesEdge;
    if (task.seeds.click)
        made.doubt =
            doubtOf({made.chamber.milliliters, made.found->convexShare, made.found->isHeld});
    made.seconds = secondsSince(begin);
}

const Task& segmentTask() {
    static const Task task{
        "segment", "A chamber of the heart and its wall", &segmentTable(), {Backend::Cpu}};
    return task;
}

} // namespace systole
