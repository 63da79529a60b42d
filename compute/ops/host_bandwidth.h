// Bandwidth of this machine's memory, measured in the run whose figures are compared with it.
#pragma once

#include "compute/core/exec.h"

namespace systole {

/// Bytes per second of a[i] = b[i] + s·c[i] over arrays far larger than the caches, counting three
/// arrays of four bytes per value; the best of several passes, with the context's threads.
/// Takes some tenths of a second and 192 MiB of the pool; throws as its buffers do, and when
/// cancelled.
double triadBandwidth(const ExecContext& ctx);

} // namespace systole
