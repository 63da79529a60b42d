// Phantom pairs for measuring motion estimation, and the error measures.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/motion_start.h"
#include "compute/core/volume.h"
#include "io/phantom/phantom.h"

#include <string>
#include <vector>

namespace systole {

struct BenchOptions; // bench/benchmark.h

struct PhantomCase {
    const char* name; ///< name of the case and of the column of its errors
    const char* title;
    PhantomOptions options;
};

/// The cases of the table in phantom_case.cpp, first of all echo, on cubes of `size`.
std::vector<PhantomCase> phantomCases(Size3 size, std::uint64_t seed);

/// The cases that options.cases names, on cubes of options.size. If it names none, the `usual`
/// ones; an empty `usual`: all. Throws UsageError for an unknown name.
std::vector<PhantomCase> phantomCasesOf(const BenchOptions& options,
                                        const std::vector<std::string>& usual = {});

/// The first two frames of a phantom with the truth between them.
struct PhantomPair {
    PhantomPair(const PhantomCase& which, const ExecContext& ctx);

    MotionInput input() const { return motionInput(fixed, moving, scale); }

    Phantom phantom;
    Volume fixed, moving;
    VectorField truth;
    /// Mask on the fixed grid: 1 where errors count, in the wall and visible in both frames.
    std::vector<std::uint8_t> measured;
    IntensityScale scale;
};

/// Lengths are in smallest spacings: voxels where they are cubes, pixels of a slice.
struct WallError {
    double mean = 0, percentile95 = 0; ///< endpoint error in the wall
    double motion = 0;                 ///< mean true displacement there
    double amplitude = 0;    ///< slope of the estimated on the true motion there; NaN: none moves
    double volumeChange = 0; ///< mean |det(I + ∇w) − 1| there
};
WallError wallError(const PhantomPair& pair, FieldView<const float> field);

} // namespace systole
