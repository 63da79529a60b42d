// What is open, which time, which method, which results: the only mutable state of the user
// interface. Plain data; whoever changes `motion` counts its revision up, so that the estimation
// hears of it.
#pragma once

#include "app/estimation/field_comparer.h"
#include "app/estimation/motion_choice.h"
#include "app/estimation/pipeline.h"
#include "app/lab/worker.h"
#include "app/live/loader.h"
#include "app/live/memory_report.h"
#include "app/live/playback.h"
#include "app/live/recent_profiles.h"
#include "app/live/timing_log.h"
#include "compute/core/motion_estimator.h"
#include "compute/core/params.h"
#include "io/stream.h"
#include "render/display_options.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// What the display did, measured.
struct DisplayFigures {
    double framesPerSecond = 0;
    std::uint64_t painted = 0;
    bool software = false;    ///< OpenGL is a software rasteriser
    std::string renderer;     ///< GL_RENDERER
    std::string uploadPath;   ///< how voxels come to OpenGL
    std::string uploadReason; ///< why they are uploaded by the host; empty: they aren't
    double colorMaximum = 0;  ///< mm
    std::string activePreset; ///< what the volume preset "auto" stands for
};

/// Frames that the user marked; nothing is guessed.
struct CardiacMarks {
    std::optional<int> endDiastole, endSystole;
};

/// What the right side of the layout side by side has come to.
struct ComparedMotion {
    std::shared_ptr<const FrameResult> result; ///< of the pair of Session::result; null: not there
    std::shared_ptr<const FieldComparison> comparison; ///< of the two; null: not there
    PipelineStatus estimation;
    int threads = 1;
    TimingLog timing;
};

enum class LabExport { Csv, Json, Png };

/// The laboratory: what is asked, and what came of it.
struct LabSession {
    bool opened = false; ///< somebody looks: the worker starts
    LabRequest wanted;
    int lesson = 0;            ///< whose experiment it is, counted from 1; 0: none's
    std::uint64_t asked = 0;   ///< number of the question; 0: none was asked yet
    bool wantedCancel = false; ///< give up what is under way
    LabStatus status;
    std::optional<LabExport> wantedExport; ///< of the answer; the window asks where to

    void ask(lab::LabQuestion question, int lessonNumber = 0);
    /// Frames rest meanwhile: drawing and estimating would disturb what is being measured.
    bool holdsDevice() const { return status.busy && status.measuring; }
};

struct Session {
    std::shared_ptr<const OpenedSequence> opened; ///< null: nothing
    bool timeGivenByUser = false;
    Playback playback;
    CardiacMarks marks;

    MotionChoice motion;
    MotionChoice compared = MotionChoice::toCompareWith(motion); ///< the right side's
    DisplayOptions display; ///< a window of 0 is set to the sequence's range

    int shownFrame = -1;                       ///< whose voxels the scene has; −1: none
    std::shared_ptr<const FrameResult> result; ///< whose motion the scene has; null: none
    PipelineStatus estimation;
    int threads = 0; ///< that all estimation may use; 0: all but one
    int estimationThreads = 1;
    /// Block sizes of CUDA kernels as they were found for this device, and idle moments to find
    /// them; off: the kernels' own, so that results carry the same bits on every run.
    bool autotune = false;
    std::string cudaDevice; ///< name of the one that is used; empty: there is none
    StreamCounters stream;
    DisplayFigures figures;
    TimingLog timing;
    ComparedMotion right;    ///< empty in the other layouts
    RecentProfiles profiles; ///< of the left side's estimations
    MemoryReport memory;
    bool kernelTimesWanted = false; ///< by an open panel: CUDA kernels are timed one by one
    LabSession lab;

    std::optional<Vec3> wantedCrosshair; ///< LPS mm, taken by the scene

    std::string message;   ///< the last thing that went wrong, one sentence; empty: nothing
    std::string clipboard; ///< text that a panel wants copied; the window takes it
};

inline bool sideBySide(const Session& session) {
    return session.display.layout == Layout::SideBySide;
}

} // namespace systole
