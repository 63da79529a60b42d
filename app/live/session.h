// The open sequence, time, method and results: the only mutable state of the user interface. Plain
// data; code that changes `motion` increments its revision, so that the estimation notices it.
#pragma once

#include "app/bias/bias_run.h"
#include "app/estimation/field_comparer.h"
#include "app/estimation/motion_choice.h"
#include "app/estimation/pipeline.h"
#include "app/lab/worker.h"
#include "app/landmarks/landmark_session.h"
#include "app/live/cardiac_phase.h"
#include "app/live/loader.h"
#include "app/live/memory_report.h"
#include "app/live/recent_profiles.h"
#include "app/live/timing_log.h"
#include "app/registration/methods.h"
#include "app/registration/picture.h"
#include "app/segmentation/label_history.h"
#include "app/surface/live_surface.h"
#include "app/surface/surface_choice.h"
#include "compute/core/motion_estimator.h"
#include "compute/core/params.h"
#include "compute/surface/segment.h"
#include "io/stream.h"
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
    std::string uploadPath;       ///< how voxels reach OpenGL
    std::string uploadReason;     ///< why the host uploads them; empty: it doesn't
    double colorMaximum = 0;      ///< mm
    double differenceMaximum = 0; ///< mm
    double arrowScale = 0;        ///< automatic one: drawn mm per mm of motion
    std::string modality;         ///< in effect, an id of volumePresets(); empty: unknown
    std::string activePreset;     ///< preset that "auto" currently selects
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
    bool wanted = false;         ///< set to start it, cleared to cancel it; cleared when it ends
    int finished = 0, total = 0; ///< pairs of all sides together; total 0: it isn't running
    int discarded = 0;           ///< finished pairs whose field found no place in the cache
    std::string outcome;         ///< how the last one ended, one sentence
};

struct Session;

enum class LabExport { Csv, Json, Png };

/// The laboratory: the question, and its answer.
struct LabSession {
    bool opened = false; ///< panel in use: the worker starts
    LabRequest wanted;
    int lesson = 0;            ///< lesson of the experiment, counted from 1; 0: none
    std::uint64_t asked = 0;   ///< number of the question; 0: none yet
    bool wantedCancel = false; ///< cancel the current work
    LabStatus status;
    std::optional<LabExport> wantedExport; ///< export of the answer; the window asks for the file

    void ask(lab::LabQuestion question, int lessonNumber = 0);
    /// Frames pause during measurements: drawing and estimating would disturb them.
    bool holdsDevice() const { return status.busy && status.measuring; }
};

/// The registration of two images while the views show it in place of the sequence.
struct RegistrationSession {
    // Chosen by the user.
    int fixedFrame = 0, movingFrame = 1;
    std::string movingFile;  ///< its first frame is the moving image; empty: `movingFrame`
    MotionChoice choice;     ///< method, parameters, backend
    bool affineFirst = true; ///< an affine registration before the method
    RegistrationView view = RegistrationView::Warped;
    int wantedNumber = 0; ///< iteration to show; 0: the newest, and the best one after the end

    bool wantedStart = false, wantedStop = false; ///< taken by the live view
    bool wantedFile = false; ///< the window asks for `movingFile`, and takes this
    bool shown = false;      ///< the views show it; they show the sequence as soon as it plays
    int shownFixedFrame = 0; ///< of the last start

    RegistrationStatus status;
    std::shared_ptr<const RegistrationPicture> picture; ///< the newest; null: none yet
    /// The newest figures, of this run and view, maybe of an iteration before the picture's.
    std::shared_ptr<const RegistrationPicture> figures;
    double picturesPerSecond = 0; ///< shown

    RegistrationSession();
    void choose(const MotionMethod& method); ///< with its default for `affineFirst`
};

/// Why no registration can be started now; empty when it can.
std::string whyNoRegistration(const Session& session);

/// The frame shown, registered with itself under fresh noise.
struct BiasSession {
    // Chosen by the user, for the next start.
    double noisePercent = 100 * usualNoiseShare; ///< of the gray range
    int repetitions = 8;
    bool withDemons = false;
    Backend backend = Backend::Cpu;

    bool wantedStart = false, wantedStop = false; ///< taken by the live view
    bool wantedPanel = false; ///< the window opens the panel and starts, and takes this
    BiasStatus status;

    BiasSession(); ///< with the best backend here
    bool unfinished() const { return wantedStart || status.running; }
};

/// Why the registrations of noise alone can't be started now; empty when they can.
std::string whyNoBias(const Session& session);

enum class SurfaceExport { Mesh, Volumes };

/// The surface over the frames.
struct SurfaceSession {
    SurfaceChoice choice; ///< by the user

    bool wantedFile = false; ///< the window asks for the file of the choice, and takes this
    std::optional<SurfaceExport> wantedExport; ///< the window asks for the file to write

    LiveSurfaces frames; ///< one each; null: not made
    /// That of the frame shown, or while playing one before it; null: none.
    std::shared_ptr<const LiveSurface> shown;
    std::shared_ptr<const LiveSurface> newest; ///< the last one made; null: none
    bool busy = false;
    std::string waiting; ///< what is lacking for the next one; empty: nothing

    /// Why a frame has none, one sentence; empty: none has failed.
    std::string problem() const;
};

/// What the left button does on the slices while a segmentation is made or landmarks are edited
/// (`Landmarks`); None: what it always does.
enum class SegmentTool { None, Click, Points, Paint, Erase, Pull, Landmarks };
inline bool places(SegmentTool tool) {
    return tool == SegmentTool::Click || tool == SegmentTool::Points;
}
inline bool paints(SegmentTool tool) {
    return tool == SegmentTool::Paint || tool == SegmentTool::Erase;
}

/// The pointer over a slice, in its order; taken by the live view.
struct SlicePointer {
    enum class Event { Move, Press, Drag, Release };
    Event event = Event::Move;
    Vec3 position; ///< LPS mm, in the shown plane
    int axis = 2;  ///< LPS axis across the slice
};

/// The segmentation of chamber and wall by hand: points, a level set that runs from them, edits.
struct SegmentSession {
    // Chosen by the user.
    SegmentTool tool = SegmentTool::None;
    bool allFrames = false; ///< the frames next to the first one, too, each from its neighbor
    SegmentOptions options;
    std::uint8_t label = chamberLabel; ///< that the tools edit
    double brushMillimeters = 6;       ///< radius
    bool disk = true;                  ///< the brush paints the slice only; false: a ball
    double pullMillimeters = 8;        ///< width of a pull

    /// Placed so far: one click, or apex, mitral ring, insertion of the right ventricle; LPS mm.
    std::vector<Vec3> seeds;
    bool byPoints = false;      ///< the seeds are (the first) of three points
    bool seedsInVoxels = false; ///< of the open sequence, counted from 0, until the start
    int seedFrame = 0;

    bool wantedStart = false, wantedStop = false; ///< taken by the live view
    bool wantedClear = false;                     ///< removes points and all labels; also taken
    bool wantedSave = false; ///< the window asks for the file of the label map, and takes this
    std::vector<SlicePointer> pointer; ///< taken by the live view
    std::optional<SlicePointer> over;  ///< where the pointer is; none: not over a slice

    // What is there.
    LabelHistory labels;
    bool running = false;
    int finished = 0, total = 0; ///< frames of the run
    std::string phase;           ///< of the frame under way
    double fraction = 0;         ///< of the run
    double seconds = 0;          ///< that the last run took
    std::string failure;         ///< one sentence; empty: none
    std::string note;            ///< what the user should look at; empty: nothing
    std::uint64_t savedRevision = 0;

    bool unfinished() const { return wantedStart || running; }
    bool unsaved() const {
        return labels.frames() > 0 && labels.labelled() > 0 && labels.revision() != savedRevision;
    }
    std::size_t seedsWanted() const { return byPoints ? 3 : 1; }
};

/// What a seed is called: "click", or one of "apex", "mitral ring", "right ventricle".
const char* seedName(const SegmentSession& segment, std::size_t seed);

/// Why no segmentation can be made now; empty when it can.
std::string whyNoSegmentation(const Session& session);

/// True while the left button on the slices belongs to a tool of the segmentation.
bool toolHasPointer(const Session& session);

struct Session {
    std::shared_ptr<const OpenedSequence> opened; ///< null: nothing
    bool timeGivenByUser = false;
    Playback playback;
    CardiacMarks marks;

    MotionChoice motion;
    MotionChoice compared = MotionChoice::toCompareWith(motion); ///< choice of the right side
    DisplayOptions display; ///< window 0 is replaced by the sequence's range

    int shownFrame = -1;                       ///< frame whose voxels the scene has; −1: none
    std::shared_ptr<const FrameResult> result; ///< result whose motion the scene has; null: none
    MotionChoice resultChoice;                 ///< choice that `result` was estimated with
    PipelineStatus estimation;
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
    LabSession lab;
    RegistrationSession registration;
    BiasSession bias;
    SurfaceSession surface;
    SegmentSession segment;
    LandmarkSession landmarks;

    std::optional<Vec3> wantedCrosshair; ///< LPS mm, taken by the scene

    std::string message;   ///< the last failure, one sentence; empty: none
    std::string clipboard; ///< text that a panel copies; the window takes it
};

/// True if both sides estimate between the same frames, so that their fields compare.
inline bool sidesCompare(const Session& session) {
    return (session.motion.window > 0) == (session.compared.window > 0);
}

/// True if the frame has no motion by definition: motion since the first frame begins there.
inline bool isReference(const MotionChoice& choice, int frame) {
    return choice.window > 0 && frame == 0;
}

/// Why the whole cycle can't be estimated now; empty when it can.
std::string whyNoCycle(const Session& session);

inline bool sideBySide(const Session& session) {
    return session.display.layout == Layout::SideBySide;
}

} // namespace systole
