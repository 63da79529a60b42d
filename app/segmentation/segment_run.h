// Segments frames on its own thread, one task at a time.
#pragma once

#include "compute/core/volume.h"
#include "compute/surface/segment.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace systole {

struct SegmentTask {
    int frame = 0;
    std::shared_ptr<const Volume> image;
    SegmentSeeds seeds;
    SegmentOptions options;
    /// Goes on from the frame of the last task, whose chamber is carried along.
    bool goesOn = false;
    /// With goesOn: from this frame instead, which is segmented from the seeds once more.
    std::shared_ptr<const Volume> from;
};

struct SegmentOutcome {
    int frame = 0;
    std::shared_ptr<const Segmentation> found; ///< null: see `failure`
    std::string failure;                       ///< one sentence
    double seconds = 0;
};

class SegmentRun {
public:
    struct Options {
        int threads = 1;
        /// Called on the thread when there is progress or an outcome; must not block.
        std::function<void()> notify;
    };
    explicit SegmentRun(Options options);
    ~SegmentRun(); ///< cancels and joins

    /// Cancels an earlier task, whose outcome is dropped.
    void start(SegmentTask task);
    void cancel();

    struct Progress {
        std::string phase;
        double fraction = 0;
    };
    Progress progress() const;
    /// That of the task started last, once.
    std::optional<SegmentOutcome> take();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
