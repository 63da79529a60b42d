// `systole bench live`: from file to pixels without a window, estimating while it plays.
#pragma once

#include "app/bench/benchmark.h"

namespace systole {

/// Each file of options.files, or the bundled sequence: as fast as pictures can be drawn, then at
/// 25 frames per second; with CUDA writing into OpenGL and with upload by the host, each for
/// options.playSeconds. An unavailable path is reported with its reason.
void benchLive(const BenchOptions& options, const ExecContext& ctx, nlohmann::ordered_json& record);

} // namespace systole
