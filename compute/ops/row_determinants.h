// Determinants of I + ∇w over a row of voxels, and their figures, in SIMD with the instruction set
// chosen at run time: the same bits with each.
#pragma once

#include <cstddef>
#include <limits>

namespace systole::rows {

/// A row of the three components of a displacement in voxels, and the rows beside it along y and
/// z. Differences of these count with the factors.
struct DisplacementRow {
    struct Component {
        const float *here, *lowY, *highY, *lowZ, *highZ;
    } of[3];
    double factorY, factorZ;
};

struct DeterminantFigures {
    std::size_t folded = 0; ///< determinants of at most the threshold
    double smallest = std::numeric_limits<double>::infinity(),
           largest = -std::numeric_limits<double>::infinity();

    void add(double determinant, double threshold) {
        folded += determinant <= threshold ? 1 : 0;
        smallest = determinant < smallest ? determinant : smallest;
        largest = determinant > largest ? determinant : largest;
    }
};

/// Adds whole vectors of voxels from `begin` on, which have a neighbor on both sides along x, as
/// far as they lie before `end`. Returns the first voxel that isn't added.
int addDeterminants(const DisplacementRow& row, int begin, int end, double threshold,
                    DeterminantFigures& figures);

} // namespace systole::rows
