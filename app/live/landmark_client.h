// Connects the session to the landmarks: finds and follows them, frame after frame while the
// sequence plays, and compares them with reference points. The thread starts with the first use.
#pragma once

#include "app/landmarks/landmark_run.h"
#include "app/live/session.h"
#include "render/scene_mark.h"

#include <functional>
#include <memory>
#include <vector>

namespace systole {

class LandmarkClient {
public:
    explicit LandmarkClient(std::function<void()> notify) : notify_(std::move(notify)) {}

    /// A frame of the open sequence; null: not decoded yet.
    using FrameOf = std::function<std::shared_ptr<const Volume>(int)>;
    /// Whether a frame may still come.
    using Readable = std::function<bool(int)>;
    /// Does what the session wants, and updates its landmarks.
    void follow(Session& session, const FrameOf& frame, const Readable& readable);
    /// Ends everything, for another sequence; before the first one what is wanted of files stays.
    void forget(Session& session);

    /// Time until the next follow() is due.
    double secondsToNextTick(const LandmarkSession& landmarks) const;

private:
    // landmark_client.cpp
    void open(Session& session);
    void openExpert(Session& session);
    void openTracks(Session& session, LandmarkTracks tracks);
    void detect(Session& session, int frame);
    void track(Session& session);
    void search(Session& session, std::vector<int> order);
    void startNext(Session& session, const FrameOf& frame, const Readable& readable);
    void take(Session& session, LandmarkOutcome outcome);
    void end(LandmarkSession& landmarks, std::string failure);
    void clear(LandmarkSession& landmarks);
    void compare(LandmarkSession& landmarks);
    void begin(LandmarkSession& landmarks, LandmarkTracks tracks);
    bool outdated(const LandmarkSession& landmarks, LandmarkPart part) const;

    // landmark_tools.cpp: the pointer
    void usePointer(Session& session);
    void press(Session& session, const SlicePointer& pointer);
    void release(Session& session);
    void remove(Session& session);

    std::function<void()> notify_;
    std::unique_ptr<LandmarkRun> run_;

    std::vector<int> order_; ///< frames to search, in this order; of a detection the one
    std::size_t next_ = 0;   ///< that comes after those taken
    bool detecting_ = false;
    bool asked_ = false; ///< the next one is under way
    bool awaitsFrame_ = false;
    bool awaitsWall_ = false;                                    ///< to find points in it
    std::shared_ptr<const Volume> firstImage_;                   ///< the frame of the points
    std::vector<Vec3> voxels_;                                   ///< the points, in it
    std::shared_ptr<const LandmarkSet> tracked_ = noLandmarks(); ///< that the tracks are of
    ParamSet used_{landmarkTable()};                             ///< of the last run
    bool dragging_ = false;                                      ///< the selected point is held
    Vec3 pressed_, grabbed_; ///< the pointer, and the point, when the drag began
};

/// What the views mark of the landmarks: the selected one.
std::vector<SceneMark> landmarkMarks(const Session& session);

} // namespace systole
