// The task of segmenting frames, one after the other.
#pragma once

#include "app/task/task.h"
#include "app/task/task_run.h"
#include "compute/core/params.h"
#include "compute/core/volume.h"
#include "compute/surface/chamber_tracker.h"
#include "compute/surface/surface.h"

#include <memory>
#include <optional>
#include <string>

namespace systole {

/// Parameters: whether the wall is labelled, whether the seed is in it, reach, smoothness, largest
/// volume.
const ParamTable& segmentTable();
SegmentOptions segmentOptions(const ParamSet& parameters);

struct SegmentTask {
    int frame = 0;
    std::shared_ptr<const Volume> image;
    SegmentSeeds seeds;
    SegmentOptions options;
    /// Goes on from the frame of the last task, whose chamber is carried along.
    bool goesOn = false;
    /// Frame from which the task goes on instead of the last one, if goesOn: it is segmented from
    /// the seeds once more.
    std::shared_ptr<const Volume> from{};
};

struct SegmentOutcome {
    int frame = 0;
    std::shared_ptr<const Segmentation> found; ///< null: see `failure`
    EnclosedVolume chamber;                    ///< volume of the chamber by its labels
    bool wallIsCut = false;                    ///< the image's edge cuts the wall
    std::string doubt;   ///< one sentence on a chamber from a click that may be none; empty: none
    std::string failure; ///< one sentence
    double seconds = 0;
};

/// See TaskRun.
class SegmentWork {
public:
    using Task = SegmentTask;
    using Outcome = SegmentOutcome;

    /// Throws what segmentFrame() throws.
    void run(const SegmentTask& task, SegmentOutcome& made, const ExecContext& ctx);

private:
    std::optional<ChamberTracker> tracker_;
};

using SegmentRun = TaskRun<SegmentWork>;

/// The task as command and window run it.
const Task& segmentTask();

} // namespace systole
