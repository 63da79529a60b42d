// What the records of several commands have in common.
#pragma once

#include "compute/core/motion_estimator.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace systole {

nlohmann::ordered_json numberOrNull(double value); ///< null unless finite
nlohmann::ordered_json nullIfEmpty(const std::string& text);
/// Between what every record begins and ends with: program, time, units; machine and libraries.
nlohmann::ordered_json recordOf(nlohmann::ordered_json content, int threads);
/// Writes the record of this content as text. Nothing if the path is empty.
void writeRecord(const std::string& path, nlohmann::ordered_json content, int threads);
/// The values of all parameters by their titles and units: "spacing_mm".
nlohmann::ordered_json parametersWithUnits(const ParamSet& set);
/// The values of all parameters by their ids.
nlohmann::ordered_json parametersOf(const ParamSet& set);
/// Size, iterations, energy and figures of each level.
nlohmann::ordered_json levelsOf(const MotionReport& report);
nlohmann::ordered_json programOf(); ///< name and version
std::string timeNow();              ///< UTC, ISO 8601
nlohmann::ordered_json machineOf(int threads);
nlohmann::ordered_json librariesOf(); ///< versions

} // namespace systole
