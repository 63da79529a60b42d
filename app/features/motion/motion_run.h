// The work of systole motion, independent of its command line: frames in, fields and a record on
// disk out.
#pragma once

#include "app/cli/run_folder.h"
#include "app/features/motion/length_statistics.h"
#include "app/task/backend.h"
#include "app/task/task.h"
#include "compute/core/block_sizes.h"
#include "compute/core/elapsed.h"
#include "compute/core/sequence.h"
#include "compute/motion/sequence_driver.h"
#include "compute/ops/jacobian.h"
#include "io/formats/writer.h"

#include <chrono>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

namespace systole {

/// Held while it lives; of null: nothing. Adds to `waited` how long that took, s.
class Turn {
public:
    Turn(std::counting_semaphore<>* of, double& waited) : of_(of) {
        if (!of_)
            return;
        const auto asked = std::chrono::steady_clock::now();
        of_->acquire();
        waited += secondsSince(asked);
    }
    ~Turn() {
        if (of_)
            of_->release();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    std::counting_semaphore<>* of_;
};

struct MotionJob {
    std::vector<std::string> inputs; ///< paths as the user gave them
    Sequence sequence;
    int firstFrame = 0, lastFrame = 0; ///< both included
    const MotionMethod* method = nullptr;
    std::string preset;
    ParamSet parameters;
    BackendChoice backend;
    std::shared_ptr<CudaContext> device{}; ///< the device in use if the backend is CUDA, else null
    /// Held during each estimation, where others estimate on `device`, too; null: nobody does.
    std::counting_semaphore<>* turn = nullptr;
    BlockSizes blockSizes{}; ///< block sizes of CUDA kernels that differ from the kernels' own
    ReferenceMode reference = ReferenceMode::Previous;
    /// Pairs that start one from the other (SpreadPairs); 0: all of them. With the reference
    /// Previous alone.
    int chain = 0;
    /// Devices of the chains, in place of `device`.
    std::vector<std::shared_ptr<CudaContext>> workers{};
    /// Frames of the TrajectoryFilter's window, with the first frame as reference; 0: no filter.
    int window = 0;
    bool lagrangian = false;
    bool closeCycle = false;
    bool certainty = false; ///< also the standard error of each displacement
    std::shared_ptr<const Volume> incompressibility{}; ///< null: the same everywhere
    std::shared_ptr<const Volume> tissue{};            ///< 1 in it; null: no labels are given
    std::string incompressibilityFile{};
    int tissueLabel = 0; ///< the file is a label map, and this its label of tissue; 0: weights
    std::vector<std::string> stages{}; ///< stages in the format of chosenStages()
    FieldFormat format = FieldFormat::MetaImage;
    std::string trace{}; ///< file for the Chrome trace of all estimations; empty: none

    /// The motion since the first frame is estimated beside that of the pairs.
    bool estimatesSinceFirst() const { return lagrangian && reference == ReferenceMode::Previous; }
};

inline constexpr const char* displacementKind = "displacement";
inline constexpr const char* lagrangianKind = "lagrangian";
/// Standard error of a displacement.
inline constexpr const char* standardErrorKind = "standard_error";
std::string fieldFile(const char* kind, int movingFrame, FieldFormat format);

/// One field on disk. Fields of kind "lagrangian" needed an estimation of their own only with
/// MotionJob::estimatesSinceFirst(), and the first and the one around the cycle never.
struct FieldRecord {
    std::string file, kind;
    int fixed = 0, moving = 0;
    double seconds = 0; ///< time of the estimation
    double readSeconds = 0, writeSeconds = 0;
    Backend backend = Backend::Cpu;
    std::size_t bytesToDevice = 0, bytesToHost = 0;
    MotionReport report;
    std::vector<std::pair<std::string, double>> stageSeconds;
    std::vector<Figure> figures; ///< figures of the stages that followed
    ResidualChange residual;
    JacobianFigures jacobian; ///< voxels with a determinant of at most 0
    /// Median of the standard error along each axis of the grid, mm, over the tissue's voxels if a
    /// label is given; only of the kind standard_error.
    std::optional<Vec3> standardError;
    std::size_t voxels = 0; ///< number of voxels in the field; 0: it wasn't estimated
};

double foldedPercent(const FieldRecord& field); ///< share of voxels that fold
/// Stages that took any time, with their seconds.
std::vector<std::pair<std::string, double>> stagesOf(const FrameProfile& profile);

struct MotionRecord {
    IntensityScale scale;
    std::vector<FieldRecord> fields;
    /// Distance of points from their start after their motion into the last frame and from it
    /// back to the first.
    std::optional<LengthStatistics> cycleResidual;
    /// Distances like `cycleResidual` over the label's voxels only; none: no label is given.
    std::optional<LengthStatistics> cycleResidualOfTissue;
    std::string fallback; ///< why the device was not used as intended; empty: it was
    /// residualWarning() of the first pair that has one; empty: none has.
    std::string residualWarning;
    /// doubtsAbout() the first pair that has any, each with its frames.
    std::vector<std::string> doubts;
    double seconds = 0;       ///< reading, estimating, writing
    double waitedSeconds = 0; ///< part of `seconds` spent waiting for turns
    /// Profile of each estimation, in order; only with MotionJob::trace.
    std::vector<FrameProfile> profiles;
};

/// The record run.json and the names of fields.
const RunFolderKind& motionFolderKind();
/// Names of the fields that the job writes.
std::vector<std::string> fieldFiles(const MotionJob& job);

/// Writes the fields into the folder as they are finished. Throws what the layers throw; on
/// Cancelled, the complete fields remain.
MotionRecord runMotion(const MotionJob& job, const ExecContext& ctx, RunFolder& folder);

/// The content of run.json. Written last, its presence means that every field it lists is complete.
nlohmann::ordered_json motionRecord(const MotionJob& job, const MotionRecord& record, int threads);

/// The task as command and window run it.
const Task& motionTask();

} // namespace systole
