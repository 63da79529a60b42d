// The lungs in a CT image of the chest, as a mask.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

namespace systole {

/// 1 in the lungs with the vessels in them, else 0, on the image's grid; gray values in any unit
/// and offset that grow with density. Dark by Otsu's threshold (padding, which is the lowest value,
/// aside), not joined through the dark to the sides of the slices, as the air around a patient is,
/// at least a tenth of the largest such part; closed by a ball of 6 mm, and holes filled. The
/// windpipe stays with the lungs. On the host, bitwise equal for any number of threads. Throws
/// ComputeError if less than a hundredth of the image is found.
Volume findLungs(const Volume& image, const ExecContext& ctx);

} // namespace systole
