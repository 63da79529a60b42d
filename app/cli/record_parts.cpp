#include "app/cli/record_parts.h"

#include "app/base/version.h"
#include "compute/core/machine.h"
#include "io/base/text.h"
#include "io/formats/writer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace systole {
namespace {

/// Turns "last change" in voxels into "last_change_voxel".
std::string keyOf(const std::string& name, const std::string& unit) {
    std::string key = name + (unit.empty() ? "" : "_" + unit);
    std::ranges::replace(key, ' ', '_');
    return key;
}

Json jsonOf(const ParamValue& value) {
    return std::visit([](const auto& v) { return Json(v); }, value);
}

} // namespace

Json numberOrNull(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json nullIfEmpty(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

void to_json(Json& json, const Vec3& v) { json = {v.x, v.y, v.z}; }
void to_json(Json& json, const Size3& size) { json = {size.x, size.y, size.z}; }

Json recordOf(Json content, int threads) {
    Json record{{"program", programOf()},
                {"finished", timeNow()},
                {"frame_of_reference", "LPS"},
                {"units", "mm"}};
    record.update(content);
    record.update({{"machine", machineOf(threads)}, {"libraries", librariesOf()}});
    return record;
}

void writeRecord(const OverwriteOption& overwrite, const std::string& path, Json content,
                 int threads) {
    overwrite.writeText(
        path,
        recordOf(std::move(content), threads).dump(2, ' ', false, Json::error_handler_t::replace) +
            "\n");
}

Json parametersWithUnits(const ParamSet& set) {
    Json json = Json::object();
    for (const ParamRow& row : set.table().rows())
        json[lowerCase(keyOf(row.label(), row.unit))] = jsonOf(set.value(row.id));
    return json;
}

Json parametersOf(const ParamSet& set) {
    Json json = Json::object();
    for (const ParamRow& row : set.table().rows())
        json[row.id] = jsonOf(set.value(row.id));
    return json;
}

Json levelsOf(const MotionReport& report) {
    Json levels = Json::array();
    for (const MotionReport::Level& level : report.levels) {
        Json json{{"size", level.size},
                  {"iterations", level.iterations},
                  {"energy", numberOrNull(level.energy)}};
        for (const Figure& figure : level.figures)
            json[keyOf(figure.name, figure.unit)] = numberOrNull(figure.value);
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
