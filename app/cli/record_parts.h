// Parts that the JSON records of several commands have in common.
#pragma once

#include "app/cli/overwrite.h"
#include "compute/core/geometry.h"
#include "compute/core/motion_estimator.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace systole {

using Json = nlohmann::ordered_json;

Json numberOrNull(double value); ///< null unless finite
Json nullIfEmpty(const std::string& text);
/// Lists of three numbers.
void to_json(Json& json, const Vec3& vector);
void to_json(Json& json, const Size3& size);
/// `content` preceded by program, time and units, and followed by machine and libraries.
Json recordOf(Json content, int threads);
/// Writes the record of this content as text. Nothing if the path is empty.
void writeRecord(const OverwriteOption& overwrite, const std::string& path, Json content,
                 int threads);
/// The values of all parameters by their titles and units: "spacing_mm".
Json parametersWithUnits(const ParamSet& set);
/// The values of all parameters by their ids.
Json parametersOf(const ParamSet& set);
/// Size, iterations, energy and figures of each level.
Json levelsOf(const MotionReport& report);
Json programOf();      ///< name and version
std::string timeNow(); ///< UTC, ISO 8601
Json machineOf(int threads);
Json librariesOf(); ///< versions

} // namespace systole
