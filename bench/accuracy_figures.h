// Figures of `systole bench accuracy`: of a program on a member of the family of phantoms, and over
// the seeds.
#pragma once

#include "bench/benchmark.h"
#include "bench/phantom_case.h"
#include "bench/programs.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Figures of a program on one member of the family; NaN: the program failed.
struct MemberFigures {
    std::uint64_t seed = 0;
    double error = std::numeric_limits<double>::quiet_NaN(); ///< WallError::mean, smallest spacings
    double amplitude = error;                                ///< WallError::amplitude
    double noise = error;  ///< mean motion in the wall that noise alone makes, mm
    double folded = error; ///< cells that may fold for each voxel, %
    double seconds = error;
};

/// Figures of a field on the member, without noise and seconds.
MemberFigures memberFigures(std::uint64_t seed, const PhantomPair& pair,
                            FieldView<const float> field, const ExecContext& ctx);

/// The program on the first frame twice, each with Gaussian noise of its own (NoisyCopies): the
/// mean motion in the wall, mm. NaN: it failed.
double motionOfNoise(const MotionProgram& program, const PhantomPair& pair, const ExecContext& ctx);

/// Figures over the seeds. A program that failed on one has no errors.
struct SeedFigures {
    double median, worst, mean; ///< errors; worst: mean of the worst tenth, at least one
    double amplitude, noise, folded, seconds; ///< means
};
SeedFigures over(const std::vector<MemberFigures>& members);

Json recordOf(const std::vector<MemberFigures>& members);
/// Reads a record by recordOf(), perhaps without the seconds. Throws UsageError for anything else.
std::vector<MemberFigures> membersFrom(const Json& record);

} // namespace systole
