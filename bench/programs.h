// Everything that estimates motion in a benchmark, behind one interface: our methods, and other
// programs where they are installed.
#pragma once

#include "compute/core/motion_estimator.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// A pair of frames on one grid.
struct ImagePair {
    const Volume &fixed, &moving;
    IntensityScale scale; ///< scale for this program's methods; other programs use none
    const Volume* fixedMask = nullptr;  ///< voxels that count for this program's methods; null: all
    const Volume* movingMask = nullptr; ///< null if and only if fixedMask is
};

/// The row of the field of zeros in a table.
inline constexpr const char* noMotionName = "no motion";

struct ProgramRun {
    double seconds = 0;               ///< other programs: with reading and writing their files
    std::optional<VectorField> field; ///< voxels of the fixed grid; nothing: it failed
};

struct MotionProgram {
    std::string name; ///< the title of its row and its key in the record
    bool isPeer = false;
    bool installed = true;
    std::function<ProgramRun(const ImagePair&, const ExecContext&)> run;
};

/// A run of this program's code, timed as a whole. If it throws ComputeError, such as for too few
/// landmarks in a small phantom, the sentence is printed after `name` and there is no field.
ProgramRun ownRun(const std::string& name, const std::function<VectorField()>& estimate);

/// One of this program's methods from a zero field.
MotionProgram methodProgram(std::string name, const MotionMethod& method, ParamSet parameters);

/// `firstMethod`, then this program's other methods, each in its default preset from a zero field,
/// then, if `withPeers`, the peers (peers.h).
std::vector<MotionProgram> motionPrograms(const std::string& firstMethod, bool withPeers);

} // namespace systole
