// Statistics of a sequence's gray values.
#pragma once

#include "compute/core/buffer.h"
#include "compute/core/sequence.h"

namespace systole {

struct ValueStatistics {
    double minimum = 0, maximum = 0, mean = 0; ///< over every voxel of every frame
    double percentile1 = 0, median = 0, percentile99 = 0;
    std::size_t sampledVoxels = 0; ///< number of voxels behind the percentiles, evenly spread
};

/// Decodes every frame once, one at a time.
ValueStatistics valueStatistics(const Sequence& sequence, BufferPool& pool);

} // namespace systole
