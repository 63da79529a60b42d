// Real images for `systole bench real`: pairs of frames, perhaps with labels, and whole cycles.
// They aren't shipped; the folder is the user's.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <string>
#include <vector>

namespace systole {

/// A frame of an image file below the data folder.
struct FrameName {
    const char* file;
    int frame = 0;
};

struct StructureName {
    const char* name;
    int value; ///< its value in the label files
};

struct RealCase {
    const char* name; ///< name of the case and of the column of its figures
    const char* title;
    FrameName fixed, moving; ///< moving.file null: the whole cycle of the fixed file
    const char* fixedLabels = nullptr;
    const char* movingLabels = nullptr; ///< both or none
    std::vector<StructureName> structures{};

    bool isCycle() const { return moving.file == nullptr; }
    std::vector<std::string> files() const;
};

const std::vector<RealCase>& realCases();

/// All frames of a case, with gray values mapped linearly so that the mean 1st and 99th percentile
/// become 0 and 255. On the index axes: their geometry has no origin and no direction, so that no
/// program's treatment of these matters. A pair: fixed, moving. Throws FileError, also for frames
/// that differ in size or spacing.
std::vector<Volume> readFrames(const std::string& folder, const RealCase& which,
                               const ExecContext& ctx);

/// The labels of a pair's frames as they are in the files, on the same kind of grid; no structures
/// if there are none.
struct PairLabels {
    std::vector<StructureName> structures;
    Volume fixed, moving;
};

PairLabels readPairLabels(const std::string& folder, const RealCase& which, const ExecContext& ctx);

/// The first of the case's files that isn't below the folder; empty: all are.
std::string missingFile(const std::string& folder, const RealCase& which);

} // namespace systole
