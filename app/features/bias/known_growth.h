// A growth that is known: what a method finds of it tells what its small bias is worth.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// A ball in the middle of an image that swells smoothly, by up to a third in volume.
struct KnownGrowth {
    KnownGrowth(const Volume& image, const ExecContext& ctx);

    Volume smaller;       ///< the image before the growth; the moving image of the registration
    Volume region;        ///< 1 where it grows most, elsewhere 0
    double logarithm = 0; ///< mean of log |J| there, of the true motion
};

} // namespace systole
