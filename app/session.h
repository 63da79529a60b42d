// What is open, which time, which method, which results: the only mutable state of the user
// interface. Plain data; whoever changes `motion` counts its revision up, so that the estimation
// hears of it.
#pragma once

#include "app/field_comparer.h"
#include "app/lab_worker.h"
#include "app/loader.h"
#include "app/memory_report.h"
#include "app/pipeline.h"
#include "app/playback.h"
#include "app/recent_profiles.h"
#include "app/timing_log.h"
#include "compute/core/params.h"
#include "compute/motion/estimator.h"
#include "io/stream.h"
#include "render/scene.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// The method of estimation and its parameters, as the user left them.
struct MotionChoice {
    const MotionMethod* method; ///< of motionMethods(); never null
    std::string preset;         ///< that the parameters started from; empty for the defaults
    ParamSet parameters;
    Backend backend = Backend::Cpu;
    std::string backendReason; ///< why this one, for people
    bool enabled = true;
    bool keepEstimating = false; ///< while playing, ignore finished fields
    std::uint64_t revision = 0;  ///< of method, parameters, backend: fields become outdated

    /// The first method in its default preset.
    MotionChoice();
    /// To be compared with: the same on the CPU when the other is CUDA, else the reference form.
    static MotionChoice toCompareWith(const MotionChoice& other);
    void choose(const MotionMethod& other);
    void choosePreset(const std::string& name);
    /// Checked by the parameter table; throws ComputeError.
    void set(const std::string& id, ParamValue value);
    /// "auto" or the name of a backend. Throws ComputeError for what can't be had here.
    void chooseBackend(const std::string& asked);
    void setBackend(Backend other);
    /// Method, preset, parameters and backend of the other.
    void copyFrom(const MotionChoice& other);

private:
    void chooseBestBackend();
};

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
    DisplayOptions display;

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
