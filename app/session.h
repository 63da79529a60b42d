// What is open, which time, which method, which results: the only mutable state of the user
// interface. Plain data; whoever changes `motion` counts its revision up, so that the estimation
// hears of it.
#pragma once

#include "app/loader.h"
#include "app/pipeline.h"
#include "app/playback.h"
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
    void choose(const MotionMethod& other);
    void choosePreset(const std::string& name);
    /// Checked by the parameter table; throws ComputeError.
    void set(const std::string& id, ParamValue value);
    void setBackend(Backend other);

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
    double colorMaximum = 0;  ///< mm
    std::string activePreset; ///< what the volume preset "auto" stands for
};

/// Frames that the user marked; nothing is guessed.
struct CardiacMarks {
    std::optional<int> endDiastole, endSystole;
};

struct Session {
    std::shared_ptr<const OpenedSequence> opened; ///< null: nothing
    bool timeGivenByUser = false;
    Playback playback;
    CardiacMarks marks;

    MotionChoice motion;
    DisplayOptions display;

    int shownFrame = -1;                       ///< whose voxels the scene has; −1: none
    std::shared_ptr<const FrameResult> result; ///< whose motion the scene has; null: none
    PipelineStatus estimation;
    int estimationThreads = 1;
    StreamCounters stream;
    DisplayFigures figures;
    TimingLog timing;

    std::string message;   ///< the last thing that went wrong, one sentence; empty: nothing
    std::string clipboard; ///< text that a panel wants copied; the window takes it
};

} // namespace systole
