// What happens between clock, stream, estimation and scene: each tick shows the frame that is due,
// asks for its motion and hands the newest finished field to the scene. Knows no windowing toolkit
// and never waits.
#pragma once

#include "app/estimation/field_comparer.h"
#include "app/estimation/rate_meter.h"
#include "app/estimation/side_estimation.h"
#include "app/live/lab_client.h"
#include "app/live/live_device.h"
#include "app/live/session.h"
#include "render/scene.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace systole {

class LiveView {
public:
    /// Both outlive this. `notify` is called on other threads when a tick is worth while; it must
    /// not wait.
    LiveView(Session& session, Scene& scene, std::function<void()> notify);
    ~LiveView();

    /// Opens in the background; what is open stays until the new sequence is there.
    void open(std::vector<std::string> paths, OpenOptions options = {});
    void cancelLoading();
    bool loading() const { return loader_.busy(); }
    Loader::Progress loadingProgress() const { return loader_.progress(); }

    /// The user says how long a frame takes; 0 milliseconds: as the file says.
    void setFrameTime(double milliseconds);

    struct Changes {
        bool opened = false;  ///< another sequence is there
        bool failed = false;  ///< opening failed: session.message says why
        bool picture = false; ///< the scene wants a draw
    };
    /// `wallSeconds` since the last tick.
    Changes tick(double wallSeconds);
    /// Until the next tick is worth while; infinite when only input or notify can bring news.
    double secondsToNextTick() const;

    /// A draw of the scene is on the screen.
    void painted(RateMeter::Clock::time_point now);
    /// The user turns or drags: fast drawing matters more than fine drawing.
    void setTurning(bool turning) { turning_ = turning; }

private:
    void adopt(std::shared_ptr<const OpenedSequence> opened);
    void setWindow(WindowLevel wanted);
    void applyDisplay();
    void applyMotion();
    std::shared_ptr<const Volume> frame(int index);
    void showFrame();
    void requestMotion();
    void prefetchFrame(int index);
    void showResult();
    void showSides();
    void logNewest();
    MemoryReport memory() const;
    EstimationSettings settings(const MotionChoice& mine, const MotionChoice& other) const;
    EstimationSettings rightSettings() const;
    bool sidesFollow() const;
    bool estimatesOnDevice() const;
    bool showsFromDevice() const;
    void followDevice();
    SideEstimation& rightEstimation();

    Session& session_;
    Scene& scene_;
    BufferPool framePool_;
    LiveDevice device_;
    std::unique_ptr<FrameStream> stream_;
    double frameTimeMilliseconds_ = 0;       ///< that the load under way asked for
    std::shared_ptr<const Sequence> asRead_; ///< times as the file says
    std::set<int> unreadable_;
    RateMeter paints_{60};
    bool turning_ = false;
    std::function<void()> notify_;
    // Last, so that their threads end before what they notify.
    SideEstimation left_;
    std::unique_ptr<SideEstimation> right_; ///< made when the layout side by side is first shown
    FieldComparer comparer_;
    Loader loader_;
    LabClient lab_;
};

} // namespace systole
