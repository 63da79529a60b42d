#include "app/commands/record_parts.h"

#include "app/version.h"
#include "compute/core/machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

/// Turns "last change" in voxels into "last_change_voxel".
std::string keyOf(const Figure& figure) {
    std::string key = figure.name + (figure.unit.empty() ? "" : "_" + figure.unit);
    std::replace(key.begin(), key.end(), ' ', '_');
    return key;
}

} // namespace

Json numberOrNull(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json parametersOf(const ParamSet& set) {
    Json json = Json::object();
    for (const ParamRow& row : set.table().rows())
        std::visit([&](const auto& value) { json[row.id] = value; }, set.value(row.id));
    return json;
}

Json levelsOf(const MotionReport& report) {
    Json levels = Json::array();
    for (const MotionReport::Level& level : report.levels) {
        Json json{{"size", {level.size.x, level.size.y, level.size.z}},
                  {"iterations", level.iterations},
                  {"energy", numberOrNull(level.energy)}};
        for (const Figure& figure : level.figures)
            json[keyOf(figure)] = numberOrNull(figure.value);
        levels.push_back(std::move(json));
    }
    return levels;
}

Json programOf() { return {{"name", "systole"}, {"version", programVersion()}}; }

std::string timeNow() {
    const auto now =
        std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

Json machineOf(int threads) {
    const Machine machine = describeMachine();
    return {{"processor", machine.processor},
            {"cores", machine.cores},
            {"threads", threads},
            {"simd", machine.simdTarget},
            {"memory_bytes", machine.memoryBytes}};
}

Json librariesOf() {
    Json json = Json::object();
    for (const auto& [library, version] : libraryVersions())
        json[library] = version;
    return json;
}

} // namespace systole
