// `systole bench landmark-tasks`: tracking, transform and interpolation, the three tasks of the
// performance model's paper, on this machine.
#pragma once

#include "app/bench/benchmark.h"

namespace systole {

/// Cubes of options.sides, each with the data of the laboratory's tasks "sest", "tps" and
/// "trilinear". On the CPU the reference on one thread and the fast implementation on all; where
/// the whole would take long, a part, scaled. On a device every variant: its time at its standard
/// block and at the best of some, with the copies of a call whose data are on the host, and beside
/// what the device's memory and arithmetic allow.
void benchLandmarkTasks(const BenchOptions& options, const ExecContext& ctx,
                        nlohmann::ordered_json& record);

} // namespace systole
