// The record of a run of systole motion: what is known of each field and of the whole run.
#pragma once

#include "app/features/motion/length_statistics.h"
#include "app/features/motion/motion_job.h"
#include "compute/ops/jacobian.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole {

struct EstimationFacts;

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
    JacobianFigures jacobian; ///< folded voxels have a determinant of at most 0
    /// Median of a field of kind standard_error along each axis of the grid, mm, over all voxels
    /// or, if a label is given, over those of the tissue. None for other kinds.
    std::optional<Vec3> standardError;
    std::size_t voxels = 0; ///< number of voxels of the field; 0: it wasn't estimated
};

double foldedPercent(const FieldRecord& field); ///< share of voxels that fold

struct MotionRecord {
    IntensityScale scale;
    std::vector<FieldRecord> fields;
    /// Distance of points from their start after their motion into the last frame and from it
    /// back to the first.
    std::optional<LengthStatistics> cycleResidual;
    /// Statistics of the same distance over the label's voxels; none without a label.
    std::optional<LengthStatistics> cycleResidualOfTissue;
    std::string fallback; ///< why the device was not used as intended; empty: it was
    /// residualWarning() of the first pair that has one; empty: none has.
    std::string residualWarning;
    /// doubtsAbout() the first pair that has any, each with its frames.
    std::vector<std::string> doubts;
    double seconds = 0;       ///< time of reading, estimating and writing
    double waitedSeconds = 0; ///< part of `seconds` spent in waiting for a turn on the device
    /// Profile of each estimation, in order; only with MotionJob::trace.
    std::vector<FrameProfile> profiles;
};

/// A new entry for a field of the job's format.
FieldRecord& addField(MotionRecord& record, const MotionJob& job, const char* kind, int fixedFrame,
                      int movingFrame);
/// Notes times, traffic, report and figures of the estimation by which the field was made.
void noteEstimation(FieldRecord& field, const FrameResult& result, const EstimationFacts& facts);

/// The content of run.json. Written last, its presence means that every field it lists is complete.
nlohmann::ordered_json motionRecord(const MotionJob& job, const MotionRecord& record, int threads);

} // namespace systole
