// Displacement fields as six programs write them, made here from their documented conventions and
// not by the program's own writers.
#pragma once

#include "compute/core/geometry.h"

#include <functional>
#include <string>
#include <vector>

namespace systole::test {

/// Position in LPS mm to displacement in LPS mm.
using Motion = std::function<Vec3(Vec3)>;

struct FieldWriter {
    const char* program;
    const char* convention; ///< convention of the file
    const char* file;       ///< name
    double rounding;        ///< rounding of a displacement in the file, mm
    /// The file's bytes, without what says the convention if `stated` is false.
    std::function<void(const std::string& path, const Geometry& grid, const Motion& motion,
                       bool stated)>
        write;
};
const std::vector<FieldWriter>& sixWriters();

/// Three numbers per voxel in a NIfTI file, which stand as they are given.
struct NiftiField {
    bool frames = false; ///< four dimensions, a volume a component, as FSL has them; else five
    int intentCode = 0;
    std::string intentName{};
    float intentParameter = 0;
};
void writeNiftiField(const std::string& path, const Geometry& grid, const NiftiField& kind,
                     const std::function<Vec3(Vec3 index)>& numbers);

} // namespace systole::test
