// The work of systole register, independent of its command line: two images in, a transform and
// what it does to them on disk out.
#pragma once

#include "app/cli/image_arguments.h"
#include "app/cli/run_folder.h"
#include "app/features/registration/register_wall.h"
#include "app/task/backend.h"
#include "compute/core/block_sizes.h"
#include "compute/measures/label_overlap.h"
#include "compute/measures/similarity.h"
#include "compute/motion/registration.h"
#include "compute/ops/inverse_consistency.h"
#include "compute/ops/invert_field.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/resample_grids.h"
#include "io/transforms/affine_file.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct RegisterJob {
    FrameOfFile fixed, moving;
    std::string fixedMask{}, movingMask{}, fixedLabels{}, movingLabels{}; ///< empty: none
    bool lungs = false;   ///< the masks that aren't named are the lungs, found in the images
    bool sliding = false; ///< tissue outside of the masks is registered by itself
    std::vector<std::string> furtherImages{}, furtherLabels{}; ///< FILE or FILE@FRAME
    std::string initial{};                                     ///< empty: none
    std::string fixedPoints{}, movingPoints{}; ///< landmarks to start from; empty: none
    ElasticWallJob wall{};
    std::string transform{}; ///< transform to apply instead of a registration; empty: register
    MatrixFormat matrixFormat = MatrixFormat::Lps;
    std::string method{}, preset{};
    RegistrationPlan plan{};
    std::optional<ParamSet> affineParameters{}; ///< parameters of the affine part of `plan`
    BackendChoice affineBackend{}, methodBackend{};
    std::shared_ptr<DevicePolicy> device{}; ///< device that both parts run on
    std::string deviceName{};               ///< empty: neither uses one
    BlockSizes blockSizes{};
    Interpolation interpolation = Interpolation::Linear;
    Interpolation labelInterpolation = Interpolation::Majority;
    std::optional<double> outside{}; ///< gray value there; empty: each image's smallest
    bool inverse = false;
    bool consistency = false; ///< also register with the images exchanged
    bool asNiftyReg = false;
};

/// The measures of the images under one of the transforms on the way.
struct RegisterStage {
    std::string name; ///< "before", "initial", "affine", "before the wall", "after"
    SimilarityFigures similarity;
};

struct RegisterOutcome {
    RegisterImage fixed, moving;
    RegistrationResult result;
    /// Backends in use: the CPU if the device's memory was too short and the choice may change.
    Backend affineBackend = Backend::Cpu, methodBackend = Backend::Cpu;
    std::string start; ///< description of --initial or --transform; empty: none
    std::optional<double> fixedMaskLiters, movingMaskLiters; ///< none: there is no mask
    GrayRanges ranges;
    std::vector<RegisterStage> stages;
    JacobianFigures jacobian;
    VolumeChange volumeChange; ///< change inside the fixed mask, if there is one
    /// Overlaps after the registration; empty unless both label maps are given.
    std::vector<LabelOverlap> labels;
    std::vector<LabelOverlap> labelsBefore; ///< overlaps before any registration
    std::optional<ElasticWallOutcome> wall;
    std::optional<InverseReport> inverse;
    /// Figures inside the fixed mask, if there is one.
    std::optional<ConsistencyReport> consistency;
    double seconds = 0; ///< reading, registering, measuring, writing
    double readSeconds = 0, writeSeconds = 0;
    std::vector<std::string> notes;
    std::vector<std::string> doubts; ///< doubtsAbout() the registration; empty of a given transform
};

/// The record registration.json and the names of the results.
const RunFolderKind& registerFolderKind();
/// Name of the result of a further image or label map.
std::string warpedFileOf(const std::string& named);
/// Names of the files that the job may write. Throws UsageError if two of them are the same.
std::vector<std::string> registerFiles(const RegisterJob& job);

/// Registers, or applies job.transform, and writes the results into the folder. Throws what the
/// layers throw.
RegisterOutcome runRegister(const RegisterJob& job, const ExecContext& ctx, RunFolder& folder);

/// The content of registration.json.
nlohmann::ordered_json registerRecord(const RegisterJob& job, const RegisterOutcome& outcome,
                                      int threads);

} // namespace systole
