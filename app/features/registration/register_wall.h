// The elastic wall of `systole register`: a label of the fixed image whose inside follows its
// surface.
#pragma once

#include "compute/core/exec.h"
#include "compute/elasticity/elastic_wall.h"
#include "compute/motion/registration.h"

#include <optional>
#include <string>

namespace systole {

struct ElasticWallJob {
    std::string labels;         ///< label map on the grid of the fixed image; empty: no wall
    std::optional<int> label{}; ///< empty: the map says which it is
    elasticity::ElasticWallOptions options{};
};

struct ElasticWallOutcome {
    int label = 0;
    elasticity::ElasticWallReport report;
};

/// Replaces the displacement inside the wall. What an affine map does is taken out before and put
/// back after: linear elasticity holds for small rotations. Throws FileError and ComputeError.
ElasticWallOutcome carryIntoWall(const ElasticWallJob& job, RegistrationResult& result,
                                 ExecContext ctx);

} // namespace systole
