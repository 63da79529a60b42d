// What the records of several commands have in common.
#pragma once

#include "compute/core/motion_estimator.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace systole {

nlohmann::ordered_json numberOrNull(double value); ///< null unless finite
/// The values of all parameters by their ids.
nlohmann::ordered_json parametersOf(const ParamSet& set);
/// Size, iterations, energy and figures of each level.
nlohmann::ordered_json levelsOf(const MotionReport& report);
nlohmann::ordered_json programOf(); ///< name and version
std::string timeNow();              ///< UTC, ISO 8601
nlohmann::ordered_json machineOf(int threads);
nlohmann::ordered_json librariesOf(); ///< versions

} // namespace systole
