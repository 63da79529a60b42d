// The work of systole motion, free of its command line: frames in, fields on disk and a record out.
#pragma once

#include "app/estimation/backend.h"
#include "compute/core/block_sizes.h"
#include "compute/core/sequence.h"
#include "compute/motion/sequence_driver.h"
#include "io/writer.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole {

struct MotionJob {
    std::vector<std::string> inputs; ///< as the user named them
    Sequence sequence;
    int firstFrame = 0, lastFrame = 0; ///< both included
    const MotionMethod* method = nullptr;
    std::string preset;
    ParamSet parameters;
    BackendChoice backend;
    std::shared_ptr<CudaContext> device{}; ///< in use where the backend is CUDA, else null
    BlockSizes blockSizes{};               ///< of CUDA kernels, where they aren't their own
    ReferenceMode reference = ReferenceMode::Previous;
    bool lagrangian = false;
    bool closeCycle = false;
    std::shared_ptr<const Volume> incompressibility{}; ///< null: everywhere alike
    std::string incompressibilityFile{};
    std::vector<std::string> stages{}; ///< as in chosenStages()
    std::string folder{};
    FieldFormat format = FieldFormat::MetaImage;
    std::string trace{}; ///< file for the Chrome trace of all estimations; empty: none
};

/// One field on disk. Fields of kind "lagrangian" are composed of displacements and took no
/// estimation.
struct FieldRecord {
    std::string file, kind;
    int fixed = 0, moving = 0;
    double seconds = 0; ///< of the estimation
    double readSeconds = 0, writeSeconds = 0;
    Backend backend = Backend::Cpu;
    std::size_t bytesToDevice = 0, bytesToHost = 0;
    MotionReport report;
    std::vector<std::pair<std::string, double>> stageSeconds;
    std::vector<Figure> figures; ///< of the stages that followed
};

/// Length of a field over all its voxels, mm.
struct LengthStatistics {
    double mean = 0, percentile95 = 0, maximum = 0;
};

struct MotionRecord {
    IntensityScale scale;
    std::vector<FieldRecord> fields;
    /// How far from its start a point is after frame by frame motion through a whole closed cycle.
    std::optional<LengthStatistics> cycleResidual;
    std::string fallback; ///< why the device was not used as it was meant to be; empty: it was
    double seconds = 0;   ///< reading, estimating, writing
    /// Profile of each estimation, in order; only with MotionJob::trace.
    std::vector<FrameProfile> profiles;
};

/// Writes the fields as they are finished. Throws what the layers throw; Cancelled leaves the
/// fields that are complete.
MotionRecord runMotion(const MotionJob& job, const ExecContext& ctx);

/// run.json: written last, so that its presence means that every field it lists is complete.
void writeMotionRecord(const MotionJob& job, const MotionRecord& record, int threads);

inline constexpr const char* motionRecordName = "run.json";

} // namespace systole
