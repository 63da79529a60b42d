#include "app/pictures/headless_view.h"

#include "app/base/error.h"
#include "app/feature/tools.h"
#include "app/kit/imgui_layer.h"
#include "app/live/live_view.h"
#include "app/session/motion_note.h"
#include "app/session/wake_signal.h"
#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "io/base/error.h"
#include "render/gl/headless_egl.h"
#include "render/gl/offscreen.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;

class HeadlessView {
public:
    explicit HeadlessView(const HeadlessOptions& options)
        : options_(options)
        , tools_(session_)
        , panels_(makePanels(tools_))
        , layer_(panels_)
        , scene_(options.scene)
        , live_(session_, tools_, scene_, [this] { wake_.tell(); }) {
        scene_.setWaits(true);
        for (const auto& panel : panels_)
            panel->shown = false;
        if (!options_.panels.empty())
            openPanels(panels_, options_.panels);
        session_.kernelTimesWanted = kernelTimesWanted(panels_);
        const int column = layer_.occupiedWidth();
        if (options_.width <= column)
            throw UsageError(fmt::format(
                "--size: the panels take {} pixels of the width, {} leave none for the picture",
                column, options_.width));
        lower_ = layer_.occupiedHeight(options_.height);
        scene_.resize(options_.width - column, options_.height - lower_, options_.pixelRatio);
    }
    ~HeadlessView() {
        layer_.release();
        scene_.release();
    }

    HeadlessPicture draw() {
        scene_.initialize(egl_.hooks());
        layer_.initialize();
        open();
        OffscreenFramebuffer framebuffer(pixels(options_.width), pixels(options_.height));
        if (options_.liveSeconds > 0)
            play(framebuffer);
        session_.playback.pause();
        if (options_.motionFrom >= 0)
            for (int frame = options_.motionFrom; frame < options_.frame; ++frame) {
                session_.playback.seek(frame);
                waitFor("estimating", [&] { return motionComplete(frame); });
            }
        session_.playback.seek(options_.frame);
        waitFor("estimating", [this] { return complete(); });
        // The column needs its first frames to settle its layout.
        for (int i = 0; i < 3; ++i)
            paint(framebuffer);
        HeadlessPicture picture{framebuffer.read(), recordOf(session_, tools_, scene_), note()};
        if (!options_.panels.empty())
            picture.record.content = PictureContent::Panels;
        return picture;
    }

private:
    int pixels(int logical) const {
        return std::max(1, static_cast<int>(std::lround(logical * options_.pixelRatio)));
    }

    LiveView::Changes tick() {
        const double seconds = secondsSince(ticked_);
        ticked_ = Clock::now();
        return live_.tick(seconds);
    }

    template <typename Condition>
    void waitFor(const char* phase, const Condition& condition) {
        for (;;) {
            tick();
            if (condition())
                return;
            if (options_.progress)
                options_.progress(phase, 0.5);
            wake_.wait(live_.secondsToNextTick());
        }
    }

    void open() {
        live_.open(options_.files, {.frameTimeMilliseconds = options_.frameTimeMilliseconds});
        for (;;) {
            const LiveView::Changes changes = tick();
            if (changes.failed)
                throw FileError(session_.message);
            if (changes.opened)
                break;
            wake_.wait(0.05);
        }
        const int frames = session_.playback.frames();
        if (options_.frame < 0 || options_.frame >= frames)
            throw UsageError(fmt::format("--frame: {} has frames 0 to {}, but {} was requested",
                                         session_.opened->sequence.name, frames - 1,
                                         options_.frame));
        session_.playback.seek(options_.frame);
        if (options_.prepare)
            options_.prepare(session_, tools_, scene_);
        if (sideBySide(session_) && session_.playback.successor(options_.frame) < 0)
            throw UsageError(
                fmt::format("{}: motion needs two frames", session_.opened->sequence.name));
    }

    void play(OffscreenFramebuffer& framebuffer) {
        session_.playback.play();
        ticked_ = Clock::now();
        const Clock::time_point start = ticked_;
        while (secondsSince(start) < options_.liveSeconds) {
            if (tick().picture)
                paint(framebuffer);
            failWhereEstimationFailed();
            if (options_.progress)
                options_.progress("playing", secondsSince(start) / options_.liveSeconds);
            wake_.wait(live_.secondsToNextTick());
        }
    }

    void failWhereEstimationFailed() const {
        if (!session_.message.empty())
            throw FileError(session_.message);
        for (const std::string* message :
             {&session_.estimation.message, &session_.right.estimation.message})
            if (!message->empty())
                throw ComputeError(*message);
        if (std::string failure = tools_.failure(); !failure.empty()) {
            if (failure.ends_with('.')) // errors of commands have no period
                failure.pop_back();
            throw ComputeError(failure);
        }
    }

    /// It is of a frame, and smoothed if a window was chosen.
    static bool isComplete(const MotionChoice& choice,
                           const std::shared_ptr<const FrameResult>& result, int frame) {
        return result && result->pictureFrame() == frame &&
               (choice.window == 0 || result->window > 0);
    }

    bool toolsComplete() const {
        return std::ranges::all_of(tools_, [&](const auto& tool) {
            return tool->completeFor(options_.frame, !options_.panels.empty());
        });
    }

    bool complete() const {
        failWhereEstimationFailed();
        return session_.shownFrame == options_.frame && !tools_.unfinished() && toolsComplete() &&
               motionComplete(options_.frame);
    }

    /// The motion of a frame is there, of both sides where there are two, or it has none.
    bool motionComplete(int frame) const {
        failWhereEstimationFailed();
        if (session_.shownFrame != frame)
            return false;
        // A picture in place of the sequence has no motion of its own.
        if (!session_.inPlace.empty() || session_.playback.successor(frame) < 0 ||
            !session_.motion.enabled || isReference(session_.motion, frame))
            return true;
        if (!isComplete(session_.motion, session_.result, frame) || motionIsOutdated(session_))
            return false;
        if (!sideBySide(session_))
            return true;
        const bool right = isComplete(session_.compared, session_.right.result, frame);
        return sidesCompare(session_) ? right && session_.right.comparison
                                      : isReference(session_.compared, frame) || right;
    }

    std::string note() const {
        for (const auto& tool : tools_)
            if (std::string note = tool->notShown(options_.frame); !note.empty())
                return note;
        return {};
    }

    void paint(OffscreenFramebuffer& framebuffer) {
        scene_.draw(framebuffer.id(), lower_);
        live_.painted(RateMeter::Clock::now());
        layer_.draw(session_, options_.width, options_.height, options_.pixelRatio,
                    secondsSince(painted_));
        painted_ = Clock::now();
    }

    const HeadlessOptions& options_;
    HeadlessEgl egl_;
    Session session_;
    Tools tools_;
    Panels panels_;
    ImGuiLayer layer_;
    Scene scene_;
    WakeSignal wake_;
    LiveView live_;
    int lower_ = 0; ///< height of the wide area below the scene
    Clock::time_point ticked_ = Clock::now(), painted_ = ticked_;
};

} // namespace

HeadlessPicture drawHeadless(const HeadlessOptions& options) {
    return HeadlessView(options).draw();
}

} // namespace systole
