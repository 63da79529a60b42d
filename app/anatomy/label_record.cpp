#include "app/anatomy/label_record.h"

#include "app/base/seed_points.h"
#include "app/base/version.h"
#include "compute/core/points.h"
#include "io/base/output_file.h"
#include "io/base/text.h"

#include <filesystem>
#include <string_view>

namespace systole {
namespace {

constexpr int maxFrames = 100'000;

std::string nameOf(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

Json jsonOf(Vec3 p) { return {p.x, p.y, p.z}; }

std::optional<Vec3> pointIn(const Json& json, const char* key) {
    if (!json.contains(key) || !json[key].is_array() || json[key].size() != 3)
        return std::nullopt;
    Vec3 point;
    for (int axis = 0; axis < 3; ++axis) {
        const Json& number = json[key][static_cast<std::size_t>(axis)];
        if (!number.is_number())
            return std::nullopt;
        point[axis] = number.get<double>();
    }
    return isFinite(point) ? std::optional(point) : std::nullopt;
}

int numberIn(const Json& json, const char* key) {
    return json.contains(key) && json[key].is_number_integer() && json[key] > 0 &&
                   json[key] <= 65535
               ? json[key].get<int>()
               : 0;
}

/// The record's part on the labels; null: it isn't the record of this map.
const Json* labelsPart(const std::optional<Json>& record, const std::string& labelMap) {
    if (!record || !record->contains("labels"))
        return nullptr;
    const Json& labels = record->at("labels");
    return labels.is_object() && labels.value("file", Json()) == nameOf(labelMap) &&
                   labels.contains("values") && labels["values"].is_object()
               ? &labels
               : nullptr;
}

} // namespace

std::string labelRecordPath(const std::string& labelMap) {
    std::string path = labelMap;
    for (const std::string_view ending : {".gz", ".nii", ".mha", ".nrrd"})
        if (lowerCase(path).ends_with(ending))
            path.resize(path.size() - ending.size());
    return path + ".json";
}

std::optional<LabelRecord> readLabelRecord(const std::string& labelMap) {
    const std::optional<Json> json = readJson(labelRecordPath(labelMap));
    const Json* const labels = labelsPart(json, labelMap);
    if (!labels)
        return std::nullopt;
    LabelRecord record;
    record.chamber = numberIn((*labels)["values"], "chamber");
    record.wall = numberIn((*labels)["values"], "wall");
    if (json->contains("points_mm") && json->at("points_mm").is_object()) {
        const Json& points = json->at("points_mm");
        const auto apex = pointIn(points, "apex"), mitral = pointIn(points, "mitral"),
                   rightVentricle = pointIn(points, "right_ventricle");
        if (apex && mitral && rightVentricle) {
            requirePointsInLpsMillimeters(labelRecordPath(labelMap), *json);
            record.points = VentriclePoints{*apex, *mitral, *rightVentricle};
        }
    }
    const auto frameIn = [](const Json& part, const char* key) {
        return part.is_object() && part.contains(key) && part[key].is_number_unsigned() &&
                       part[key] < maxFrames
                   ? std::optional(part[key].get<int>())
                   : std::nullopt;
    };
    record.pointsFrame = frameIn(*json, "points_frame");
    if (json->contains("frames") && json->at("frames").is_array())
        for (const Json& frame : json->at("frames"))
            if (const auto number = frameIn(frame, "frame"))
                record.frames.push_back(*number);
    return record;
}

Json labelsInRecord(const std::string& labelMap, int chamber, int wall) {
    return {{"file", nameOf(labelMap)}, {"values", {{"chamber", chamber}, {"wall", wall}}}};
}

Json pointsInRecord(const VentriclePoints& points) {
    return {{"apex", jsonOf(points.apex)},
            {"mitral", jsonOf(points.mitral)},
            {"right_ventricle", jsonOf(points.rightVentricle)}};
}

bool writeLabelRecord(const std::string& labelMap, const LabelRecord& record,
                      const std::vector<RecordedFrame>& frames, const std::string& image) {
    const std::string path = labelRecordPath(labelMap);
    std::error_code failure;
    if (std::filesystem::exists(std::filesystem::symlink_status(path, failure)) &&
        !labelsPart(readJson(path), labelMap))
        return false;
    Json made = Json::array();
    for (const RecordedFrame& frame : frames)
        made.push_back({{"frame", frame.frame},
                        {"chamber_ml", frame.chamberMilliliters},
                        {"wall_ml", frame.wallMilliliters}});
    Json json{{"program", {{"name", "systole"}, {"version", programVersion()}}},
              {"frame_of_reference", "LPS"},
              {"units", "mm"},
              {"image", image},
              {"points_mm", record.points ? pointsInRecord(*record.points) : Json::object()}};
    if (record.points && record.pointsFrame)
        json["points_frame"] = *record.pointsFrame;
    json["labels"] = labelsInRecord(labelMap, record.chamber, record.wall);
    json["frames"] = made;
    writeTextAtomically(path, jsonText(json));
    return true;
}

} // namespace systole
