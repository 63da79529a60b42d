// The state that more than one tool reads: the open sequence, time, method, display and results.
// Plain data; code that changes `motion` increments its revision, so that the estimation notices
// it. State that only one tool needs is its member (app/feature/tool.h).
#pragma once

#include "app/estimation/field_comparer.h"
#include "app/estimation/motion_choice.h"
#include "app/estimation/pipeline.h"
#include "app/session/cardiac_phase.h"
#include "app/session/loader.h"
#include "app/session/memory_report.h"
#include "app/session/recent_profiles.h"
#include "app/session/timing_log.h"
#include "compute/core/motion_estimator.h"
#include "io/base/stream.h"
#include "render/display_options.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Measured figures of the display.
struct DisplayFigures {
    double framesPerSecond = 0;
    std::uint64_t painted = 0;
    bool software = false;        ///< OpenGL is a software rasterizer
    std::string renderer;         ///< GL_RENDERER
    std::string uploadPath;       ///< path by which voxels reach OpenGL
    std::string uploadReason;     ///< reason why the host uploads them; empty: it doesn't
    double colorMaximum = 0;      ///< mm
    double differenceMaximum = 0; ///< mm
    double arrowScale = 0;        ///< automatic one: drawn mm per mm of motion
    std::string modality;         ///< modality in effect, an id of volumePresets(); empty: unknown
    std::string activePreset;     ///< preset that "auto" currently selects
    Vec3 crosshair;               ///< crosshair of the views, LPS mm
};

/// The state of the right side in the layout side by side.
struct ComparedMotion {
    std::shared_ptr<const FrameResult> result; ///< same frame as Session::result; null: none
    MotionChoice resultChoice;                 ///< choice that `result` was estimated with
    std::shared_ptr<const FieldComparison> comparison; ///< null: not available
    PipelineStatus estimation;
    int threads = 1;
    TimingLog timing;
};

/// The estimation of all pairs of the sequence into the cache, in the background.
struct WholeCycle {
    bool on = false;             ///< set to start it, cleared to cancel it; cleared when it ends
    int finished = 0, total = 0; ///< pairs of all sides together; total 0: it isn't running
    int discarded = 0;           ///< finished pairs whose field found no place in the cache
    std::string outcome;         ///< outcome of the last one, one sentence
};

struct Session {
    std::shared_ptr<const OpenedSequence> opened; ///< null: nothing
    bool timeGivenByUser = false;
    Playback playback;
    CardiacMarks marks;

    MotionChoice motion;
    MotionChoice compared = MotionChoice::toCompareWith(motion); ///< choice of the right side
    DisplayOptions display; ///< window 0 is replaced by the sequence's range

    int shownFrame = -1;                       ///< frame whose voxels the scene has; −1: none
    int paintedFrame = -1;                     ///< frame of the last picture on the screen
    std::shared_ptr<const FrameResult> result; ///< result whose motion the scene has; null: none
    MotionChoice resultChoice;                 ///< choice that `result` was estimated with
    PipelineStatus estimation;
    /// Estimation of motion since the first frame, which a tool needs in addition to the motion
    /// shown.
    PipelineStatus sinceFirst;
    int threads = 0; ///< threads for all estimation; 0: all but one
    int estimationThreads = 1;
    /// Block sizes of CUDA kernels tuned for this device, searched for in idle moments; off: the
    /// kernels' own, so that results are bitwise equal on every run.
    bool autotune = false;
    std::string cudaDevice; ///< name of the device in use; empty: none
    StreamCounters stream;
    DisplayFigures figures;
    TimingLog timing;
    WholeCycle cycle;
    ComparedMotion right;    ///< empty in the other layouts
    RecentProfiles profiles; ///< the left side's estimations
    MemoryReport memory;
    bool kernelTimesWanted = false; ///< an open panel needs times per CUDA kernel
    /// The content that a tool shows in place of the sequence, "registration of ..."; empty: none.
    std::string inPlace;

    std::optional<Vec3> lookAt; ///< position to which the crosshair moves in the next tick, LPS mm

    std::string message; ///< the last failure, one sentence; empty: none
};

/// True if both sides estimate between the same frames, so that their fields compare.
inline bool sidesCompare(const Session& session) {
    return (session.motion.window > 0) == (session.compared.window > 0);
}

/// True if the frame has no motion by definition: motion since the first frame begins there.
inline bool isReference(const MotionChoice& choice, int frame) {
    return choice.window > 0 && frame == 0;
}

/// The reason why the whole cycle can't be estimated now; empty: it can.
std::string whyNoCycle(const Session& session);

inline bool sideBySide(const Session& session) {
    return session.display.layout == Layout::SideBySide;
}

} // namespace systole
