// Measures of an estimated motion whose truth isn't known.
#pragma once

#include "bench/programs.h"
#include "bench/real_cases.h"
#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <vector>

namespace systole {

/// Measures of a pair moved by a motion; a field of zeros gives the similarity before.
struct PairMeasures {
    double correlation = 0, mutualInformation = 0; ///< fixed and moved image (similarity.h)
    double foldedPercent = 0;                      ///< cells that may fold for each voxel
    double volumeChange = 0;                       ///< mean |det(I + ∇w) − 1| of inner voxels
    std::vector<double> dice, surface;             ///< Dice and surface distance, mm, by structure
};

PairMeasures measurePair(const std::vector<Volume>& frames, const PairLabels& labels,
                         FieldView<const float> field, const ExecContext& ctx);

/// Drift over a cycle: motion left after composing the fields from frame to frame and from the last
/// back to the first.
struct CycleMeasures {
    double drift = 0;   ///< mean magnitude of the composed motion after the cycle, mm
    double largest = 0; ///< the largest mean magnitude on the way, mm
    double seconds = 0; ///< time per pair
    bool failed = false;
};

/// Measures over the voxels whose gray values have a standard deviation of at least 10 (of 255)
/// over time.
CycleMeasures measureCycle(const std::vector<Volume>& frames, const MotionProgram& program,
                           const ExecContext& ctx);

/// Mean magnitude of the field, mm, over the voxels that aren't 0 in `where`; 0 if there are none.
double meanMillimeters(const VectorField& field, const std::vector<std::uint8_t>& where);

/// Mask of the voxels over which measureCycle() measures: 1, others 0.
std::vector<std::uint8_t> varyingVoxels(const std::vector<Volume>& frames);

} // namespace systole
