// Connects the session to the segmentation: runs it from the points that are placed, frame after
// frame, and lets the pointer edit the labels. The thread starts with the first one.
#pragma once

#include "app/live/session.h"
#include "app/segmentation/segment_run.h"
#include "render/scene_mark.h"

#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace systole {

class SegmentClient {
public:
    explicit SegmentClient(std::function<void()> notify) : notify_(std::move(notify)) {}

    /// A frame of the open sequence; null: not decoded yet.
    using FrameOf = std::function<std::shared_ptr<const Volume>(int)>;
    /// Whether a frame may still come.
    using Readable = std::function<bool(int)>;
    /// Does what the session wants, and updates its segmentation.
    void follow(Session& session, const FrameOf& frame, const Readable& readable);
    /// Ends everything, for another sequence; what the user chose stays, without its points.
    void forget(SegmentSession& segment);

    /// Time until the next follow() is due.
    double secondsToNextTick(const SegmentSession& segment) const;

private:
    using Clock = std::chrono::steady_clock;

    // segment_client.cpp: the run
    void start(Session& session);
    void startNext(Session& session, const FrameOf& frame, const Readable& readable);
    void take(Session& session, SegmentOutcome outcome);
    void keep(Session& session, const SegmentOutcome& outcome);
    void end(SegmentSession& segment, std::string failure);
    void clear(SegmentSession& segment);
    // segment_tools.cpp: the pointer
    void usePointer(Session& session);
    void press(Session& session, const SlicePointer& pointer);
    void drag(Session& session, const SlicePointer& pointer);
    void placeSeed(Session& session, Vec3 position);
    void paint(Session& session, const SlicePointer& pointer, Vec3 from);
    void beginPull(Session& session, Vec3 from);

    std::function<void()> notify_;
    std::unique_ptr<SegmentRun> run_;

    // The run: frames in the order in which they are segmented.
    std::vector<int> order_;
    std::size_t next_ = 0; ///< that comes after those taken
    bool asked_ = false;   ///< the next one is under way
    bool awaitsFrame_ = false;
    SegmentSeeds seeds_;
    std::shared_ptr<const Volume> firstImage_; ///< for the frames before it
    double lastMilliliters_ = 0;
    int step_ = -1; ///< LabelHistory::position() of its results; -1: none yet
    Clock::time_point started_{};

    bool dragging_ = false; ///< a stroke or a pull is under way
    Vec3 lastDab_;
    std::unique_ptr<ExecResources> editing_; ///< made with the first pull
};

/// What the views mark of a segmentation: its points, and what the tool would change.
std::vector<SceneMark> marksOf(const Session& session);

/// Makes the labels the source of the surface, that of each frame its own.
void showSegmentation(Session& session);

} // namespace systole
