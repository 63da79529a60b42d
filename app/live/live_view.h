// Coordinates clock, stream, estimation and scene: each tick shows the frame that is due, requests
// its motion and passes the newest finished field to the scene. Independent of windowing toolkits;
// never waits.
#pragma once

#include "app/base/rate_meter.h"
#include "app/estimation/cycle_queue.h"
#include "app/estimation/field_comparer.h"
#include "app/estimation/side_estimation.h"
#include "app/feature/tools.h"
#include "app/live/live_device.h"
#include "app/session/comparison.h"
#include "app/session/session.h"
#include "render/scene/scene.h"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace systole {

/// No: a frame that comes again shows the newest motion until its own is there, as a new one does.
enum class KeepFields { Yes, No };

class LiveView : private ToolContext {
public:
    /// Session, tools and scene outlive this object. `notify` is called on other threads when a
    /// tick is due; it must not block.
    LiveView(Session& session, Tools& tools, Scene& scene, std::function<void()> notify,
             KeepFields keep = KeepFields::Yes);
    ~LiveView();

    /// Opens in the background; the current sequence stays until the new one is available.
    void open(Loader::Begun begun, double frameTimeMilliseconds);
    void open(std::vector<std::string> paths, const OpenOptions& options = {}) {
        open(Loader::begin(std::move(paths), options), options.frameTimeMilliseconds);
    }
    void cancelLoading();
    bool loading() const { return loader_.busy(); }
    Loader::Progress loadingProgress() const { return loader_.progress(); }

    /// Sets the user's time per frame; 0 milliseconds: the file's own times.
    void setFrameTime(double milliseconds);

    struct Changes {
        bool opened = false;  ///< another sequence is open
        bool failed = false;  ///< opening failed: session.message states why
        bool picture = false; ///< the scene needs a draw
    };
    /// `wallSeconds`: time since the last tick.
    Changes tick(double wallSeconds);
    /// Time until the next tick is due; infinite if only input or notify can cause a change.
    double secondsToNextTick() const;

    /// Call when a draw of the scene is on the screen.
    void painted(RateMeter::Clock::time_point now);
    /// False: no frame is known before it is due, as of frames that arrive; true unless set. While
    /// playing, the next frame is otherwise uploaded and its motion estimated before it is due, so
    /// that both are in its first picture.
    void setLookAhead(bool ahead) { looksAhead_ = ahead; }
    /// Call when the user turns or drags: then speed matters more than quality.
    void setTurning(bool turning) { turning_ = turning; }

    /// All motion of the left side that is finished and cached, by frame.
    std::vector<std::shared_ptr<const FrameResult>> motions() const override;

private:
    void adopt(std::shared_ptr<const OpenedSequence> opened);
    void setWindow(WindowLevel wanted);
    void applyDisplay();
    void showFresh(bool another);
    void followLock();
    void applyMotion();
    void load(Changes& changes);
    void followTools();
    void followMotion();
    void followFlicker(double wallSeconds);
    double secondsToFlicker() const;
    void showScene();
    void followStatus();
    // ToolContext
    std::shared_ptr<const Volume> frame(int index) override;
    bool readable(int index) const override { return unreadable_.count(index) == 0; }
    std::shared_ptr<const FrameResult> motionSinceFirst(int frame) override;
    std::optional<int> interopDevice() const override { return scene_.interopDevice(); }
    std::vector<VoxelBox> shownVoxels() const override;

    void showPicture();
    void showFrame();
    void requestMotion();
    void requestPair();
    void requestAhead();
    int upcomingFrame() const;
    FramePair pairOf(int fixedFrame, int movingFrame);
    void requestSteps(SideEstimation& side, bool again);
    void followCycle();
    /// The sides estimate one after the other, on the same cores.
    bool takesTurns() const {
        return right_ && sideBySide(session_) &&
               systole::takesTurns(session_.motion, session_.compared);
    }
    void requestInTurn(const FramePair& shown, bool jump);
    void requestCycle();
    void requestNext(SideEstimation& side, CycleQueue& queue);
    void endCycle();
    bool cycleRuns() const { return cycle_[0].running() || cycle_[1].running(); }
    void prefetchFrame(int index);
    void showResult();
    void showSides();
    void showCycle();
    std::vector<std::shared_ptr<const FrameResult>> motionsOf(const SideEstimation& side) const;
    void logNewest();
    MemoryReport memory() const;
    EstimationSettings settings(const MotionChoice& mine, const MotionChoice& other) const;
    EstimationSettings rightSettings() const;
    EstimationSettings sinceFirstSettings() const;
    bool sidesFollow() const;
    bool estimatesOnDevice() const;
    bool showsFromDevice() const;
    void followDevice();
    void followReference();
    SideEstimation& made(std::unique_ptr<SideEstimation>& estimation);
    /// A tool's motion is shown, and nothing beside it that is estimated.
    bool showsGiven() const { return shown_.givesMotion() && !sideBySide(session_); }
    /// A tool needs motion since the first frame, and that isn't what is shown.
    bool estimatesSinceFirst() const {
        return tools_.needs().sinceFirst && session_.motion.window == 0;
    }

    Session& session_;
    Tools& tools_;
    Scene& scene_;
    BufferPool framePool_;
    LiveDevice device_;
    std::unique_ptr<FrameStream> stream_;
    double frameTimeMilliseconds_ = 0;       ///< requested for the current load
    std::shared_ptr<const Sequence> asRead_; ///< times as stated in the file
    std::set<int> unreadable_;
    bool framesFit_ = false;          ///< the stream holds all frames of the sequence
    std::array<CycleQueue, 2> cycle_; ///< left and right
    bool cycleOnSides_ = false;       ///< the cycle under way is that of both sides
    bool cycleAwaitsFrame_ = false;   ///< its next pair isn't decoded yet
    bool stepAwaitsFrame_ = false;    ///< a side's next step isn't decoded yet
    /// Fixed frame of a pair that the left side was given and the right one is to have next.
    std::optional<int> rightsTurn_;
    RateMeter paints_{60};
    bool turning_ = false;
    bool drawIsDue_ = false; ///< Changes::picture of the last tick
    bool looksAhead_ = true;
    double flickerSeconds_ = 0; ///< time since flickering overlays showed their first image
    SceneContribution shown_;   ///< contribution of the tools
    bool locked_ = false;       ///< DisplayOptions::lockScale at the last tick
    std::function<void()> notify_;
    const KeepFields keepFields_;
    // Last, so that their threads end before what they notify.
    SideEstimation left_;
    std::unique_ptr<SideEstimation> right_; ///< made when the layout side by side is first shown
    std::unique_ptr<SideEstimation> sinceFirst_; ///< made when a tool first needs it
    FieldComparer comparer_;
    Loader loader_;
};

} // namespace systole
