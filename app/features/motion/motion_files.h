// Names of the files that systole motion writes.
#pragma once

#include "app/cli/run_folder.h"
#include "app/features/motion/motion_job.h"

#include <string>
#include <vector>

namespace systole {

inline constexpr const char* displacementKind = "displacement";
inline constexpr const char* lagrangianKind = "lagrangian";
/// Kind of a field that holds the standard error of each displacement.
inline constexpr const char* standardErrorKind = "standard_error";
std::string fieldFile(const char* kind, int movingFrame, FieldFormat format);

/// The record run.json and the names of fields.
const RunFolderKind& motionFolderKind();
/// Names of the fields that the job writes.
std::vector<std::string> fieldFiles(const MotionJob& job);

} // namespace systole
