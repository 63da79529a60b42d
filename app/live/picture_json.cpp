#include "app/live/picture_json.h"

#include "compute/core/error.h"
#include "compute/core/json_depth.h"
#include "compute/motion/trajectory_filter.h"
#include "io/text.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

constexpr int formatVersion = 1;
constexpr int largestSide = 16384;         ///< pixels
constexpr double farthest = 1e7;           ///< mm
constexpr std::size_t longestLabel = 4096; ///< bytes
constexpr std::size_t mostFiles = 100000;
constexpr int mostFrames = 1000000;

Json vectorOf(Vec3 v) { return {v.x, v.y, v.z}; }

Json valueOf(const ParamValue& value) {
    return std::visit([](const auto& v) { return Json(v); }, value);
}

Json displayOf(const DisplayOptions& display) {
    Json json = Json::object();
    for (const DisplayRow& row : displayRows())
        json[row.param.id] = valueOf(row.value(display));
    return json;
}

Json cameraOf(const SceneCamera& camera) {
    Json json{{"eye_mm", vectorOf(camera.eye)},
              {"focus_mm", vectorOf(camera.focus)},
              {"up", vectorOf(camera.up)},
              {"slices", Json::array()}};
    for (const SceneCamera::Slice& slice : camera.slices)
        json["slices"].push_back({{"zoom", slice.zoom}, {"pan_mm", vectorOf(slice.pan)}});
    return json;
}

Json motionOf(const std::optional<PictureMotion>& motion) {
    if (!motion)
        return nullptr;
    Json json{{"fixed", motion->fixedFrame},        {"moving", motion->movingFrame},
              {"start", motion->startFrame},        {"window", motion->window},
              {"smoothed", motion->smoothed},       {"method", motion->method},
              {"preset", motion->preset},           {"parameters", Json::object()},
              {"backend", motion->backend},         {"field", motion->fieldFile},
              {"field_sha256", motion->fieldSha256}};
    for (const auto& [id, value] : motion->parameters)
        json["parameters"][id] = valueOf(value);
    return json;
}

Json marksOf(const std::vector<SceneMark>& marks) {
    Json json = Json::array();
    for (const SceneMark& mark : marks)
        json.push_back({{"mm", vectorOf(mark.position)},
                        {"to_mm", mark.to ? vectorOf(*mark.to) : Json(nullptr)},
                        {"radius_mm", mark.radius},
                        {"axis", mark.axis},
                        {"text", mark.text},
                        {"color", {mark.color.red, mark.color.green, mark.color.blue}}});
    return json;
}

/// A part of the JSON, with errors that name file and entry.
class Part {
public:
    Part(const Json& json, const std::string& path, std::string where = {})
        : json_(json), path_(path), where_(std::move(where)) {
        if (!json_.is_object())
            throw wrong("isn't an object");
    }

    Part part(const char* key) const { return {at(key), path_, nameOf(key)}; }
    bool isNull(const char* key) const { return at(key).is_null(); }
    bool has(const char* key) const { return json_.contains(key); }
    const Json& json() const { return json_; }

    std::string text(const char* key, std::size_t longest = longestLabel) const {
        return textOf(at(key), nameOf(key), longest);
    }
    bool isOn(const char* key) const {
        if (!at(key).is_boolean())
            throw wrong(key, "isn't true or false");
        return at(key).get<bool>();
    }
    double number(const char* key, double low, double high) const {
        return numberOf(at(key), nameOf(key), low, high);
    }
    int integer(const char* key, int low, int high) const {
        const double value = number(key, low, high);
        if (value != std::floor(value))
            throw wrong(key, "isn't a whole number");
        return static_cast<int>(value);
    }
    Vec3 vector(const char* key, double largest) const {
        const Json& list = at(key);
        if (!list.is_array() || list.size() != 3)
            throw wrong(key, "isn't a list of three numbers");
        const auto value = [&](std::size_t i) {
            return numberOf(list[i], nameOf(key), -largest, largest);
        };
        return {value(0), value(1), value(2)};
    }
    std::vector<std::string> texts(const char* key) const {
        const Json& list = at(key);
        if (!list.is_array() || list.empty() || list.size() > mostFiles)
            throw wrong(key, "isn't a list of names");
        std::vector<std::string> texts;
        for (const Json& entry : list)
            texts.push_back(textOf(entry, nameOf(key), longestLabel));
        return texts;
    }
    const Json& list(const char* key, std::size_t size) const {
        if (!at(key).is_array() || at(key).size() != size)
            throw wrong(key, fmt::format("isn't a list of {} entries", size));
        return at(key);
    }

    FileError wrong(const std::string& what) const {
        return fileError(path_, fmt::format("the description of the picture is damaged: {}{}{}",
                                            where_, where_.empty() ? "it " : " ", what));
    }
    FileError wrong(const char* key, const std::string& what) const {
        return fileError(path_, fmt::format("the description of the picture is damaged: {} {}",
                                            nameOf(key), what));
    }
    const std::string& path() const { return path_; }

private:
    const Json& at(const char* key) const {
        const auto found = json_.find(key);
        if (found == json_.end())
            throw wrong(key, "is missing");
        return *found;
    }
    std::string nameOf(const char* key) const { return where_.empty() ? key : where_ + "." + key; }
    std::string textOf(const Json& json, const std::string& entry, std::size_t longest) const {
        if (!json.is_string() || json.get_ref<const std::string&>().size() > longest)
            throw wrong(entry.c_str(), "isn't a short text");
        return json.get<std::string>();
    }
    double numberOf(const Json& json, const std::string& entry, double low, double high) const {
        const double value = json.is_number() ? json.get<double>() : std::nan("");
        if (!(value >= low && value <= high))
            throw fileError(path_, fmt::format("the description of the picture is damaged: {} "
                                               "isn't a number from {:g} to {:g}",
                                               entry, low, high));
        return value;
    }

    const Json& json_;
    const std::string& path_;
    std::string where_;
};

/// A value for a row of this type; the row checks its range.
ParamValue paramValue(const Json& json, ParamType type, const Part& part, const std::string& id) {
    if (type == ParamType::Switch && json.is_boolean())
        return json.get<bool>();
    if (type == ParamType::Choice && json.is_string())
        return json.get<std::string>();
    if (type == ParamType::Real && json.is_number())
        return json.get<double>();
    if (type == ParamType::Integer && json.is_number_integer() &&
        std::abs(json.get<double>()) <= std::numeric_limits<int>::max())
        return json.get<int>();
    throw part.wrong(id.c_str(), "has a value of another kind");
}

/// Options that the picture doesn't name keep their defaults: they are newer than it.
DisplayOptions readDisplay(const Part& part) {
    DisplayOptions display;
    for (const auto& [id, value] : part.json().items()) {
        try {
            const DisplayRow& row = displayRow(id);
            row.set(display, paramValue(value, row.param.type, part, id));
        } catch (const ComputeError& error) {
            throw part.wrong(error.what());
        }
    }
    return display;
}

SceneCamera readCamera(const Part& part) {
    SceneCamera camera{part.vector("eye_mm", farthest),
                       part.vector("focus_mm", farthest),
                       part.vector("up", 1e3),
                       {}};
    const Json& slices = part.list("slices", camera.slices.size());
    for (std::size_t i = 0; i < camera.slices.size(); ++i) {
        const Part slice(slices[i], part.path(), "camera.slices");
        camera.slices[i] = {slice.number("zoom", 0.01, 1000), slice.vector("pan_mm", farthest)};
    }
    const Vec3 view = camera.eye - camera.focus, up = camera.up;
    const Vec3 across{view.y * up.z - view.z * up.y, view.z * up.x - view.x * up.z,
                      view.x * up.y - view.y * up.x};
    if (!(length(across) > 1e-6 * length(view) * length(up)) || length(view) < 1e-6)
        throw part.wrong("has no direction of view");
    return camera;
}

std::optional<PictureMotion> readMotion(const Part& all, const char* key, int frames) {
    if (all.isNull(key))
        return std::nullopt;
    const Part part = all.part(key);
    PictureMotion motion;
    motion.fixedFrame = part.integer("fixed", 0, frames - 1);
    motion.movingFrame = part.integer("moving", -1, frames - 1);
    motion.fieldFile = part.text("field");
    motion.fieldSha256 = part.text("field_sha256");
    motion.startFrame = part.integer("start", -1, motion.fixedFrame);
    if (part.has("window")) { // pictures from before windows have none
        motion.window = part.integer("window", 0, mostTrajectoryWindow);
        motion.smoothed = part.isOn("smoothed");
    }
    motion.method = part.text("method");
    motion.preset = part.text("preset");
    motion.backend = part.text("backend");
    if (motion.fieldFile.empty() && (motion.movingFrame < 0 || motion.startFrame < 0))
        throw part.wrong("has no pair of frames");
    const Part parameters = part.part("parameters");
    for (const auto& [id, value] : parameters.json().items()) {
        if (value.is_boolean())
            motion.parameters[id] = value.get<bool>();
        else if (value.is_string())
            motion.parameters[id] = value.get<std::string>();
        else if (value.is_number_integer())
            motion.parameters[id] = paramValue(value, ParamType::Integer, parameters, id);
        else
            motion.parameters[id] = paramValue(value, ParamType::Real, parameters, id);
    }
    return motion;
}

void readTools(const Part& all, PictureRecord& record) {
    // Pictures from before there was a list of tools have these two apart, or none.
    for (const char* const id : {"registration", "surface"})
        if (all.has(id) && !all.text(id).empty())
            record.tools[id] = all.text(id);
    if (all.has("tools"))
        for (const Part tools = all.part("tools"); const auto& [id, caption] : tools.json().items())
            record.tools[id] = tools.text(id.c_str());
    if (!all.has("marks"))
        return;
    for (const Json& json : all.list("marks", all.json()["marks"].size())) {
        const Part mark(json, all.path(), "marks");
        const Vec3 color = mark.vector("color", 1);
        record.marks.push_back({.position = mark.vector("mm", farthest),
                                .radius = mark.number("radius_mm", 0, farthest),
                                .axis = mark.integer("axis", -1, 2),
                                .to = mark.isNull("to_mm")
                                          ? std::nullopt
                                          : std::optional(mark.vector("to_mm", farthest)),
                                .text = mark.text("text"),
                                .color = {static_cast<float>(color.x), static_cast<float>(color.y),
                                          static_cast<float>(color.z)}});
    }
}

SceneSize readSize(const Part& all) {
    const Part part = all.part("size");
    SceneSize size{part.integer("width", 1, largestSide), part.integer("height", 1, largestSide),
                   part.number("pixel_ratio", 0.25, 8)};
    if (std::max(size.width, size.height) * size.pixelRatio > largestSide)
        throw part.wrong(fmt::format("is larger than {} pixels", largestSide));
    return size;
}

PictureContent readContent(const Part& part) {
    const std::string text = part.text("shows");
    for (const PictureContent content : pictureContents)
        if (text == name(content))
            return content;
    throw part.wrong("shows", "is unknown");
}

} // namespace

std::string toJson(const PictureRecord& record) {
    const Json json{{"format", formatVersion},
                    {"program", "systole"},
                    {"version", record.version},
                    {"shows", name(record.content)},
                    {"input",
                     {{"files", record.files},
                      {"sha256", record.sha256},
                      {"name", record.name},
                      {"frame_time_ms", record.frameTimeMilliseconds},
                      {"frames", record.frames}}},
                    {"frame", record.frame},
                    {"time_ms", record.milliseconds ? Json(*record.milliseconds) : Json(nullptr)},
                    {"size",
                     {{"width", record.size.width},
                      {"height", record.size.height},
                      {"pixel_ratio", record.size.pixelRatio}}},
                    {"display", displayOf(record.display)},
                    {"volume_preset", record.preset},
                    {"crosshair_mm", vectorOf(record.crosshair)},
                    {"camera", cameraOf(record.camera)},
                    {"scale",
                     {{"motion_mm", record.scale.motion},
                      {"rest_mm", record.scale.rest},
                      {"arrows", record.scale.arrows},
                      {"difference_mm", record.scale.difference},
                      {"rounding_mm", record.scale.rounding}}},
                    {"motion", motionOf(record.left)},
                    {"compared", motionOf(record.right)},
                    {"tools", record.tools},
                    {"marks", marksOf(record.marks)},
                    {"difference", record.difference},
                    {"notes",
                     {{"left", record.notes.left},
                      {"right", record.notes.right},
                      {"difference", record.notes.difference}}},
                    {"labels",
                     {{"left", record.leftLabel},
                      {"right", record.rightLabel},
                      {"difference", record.differenceLabel}}},
                    {"renderer", record.renderer},
                    {"upload", record.upload}};
    return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

PictureRecord pictureFromJson(const std::string& text, const std::string& path) {
    const bool deep = nestsDeeperThan(mostJsonDepth, text);
    const Json json = deep ? Json() : Json::parse(text, nullptr, false);
    if (deep || json.is_discarded())
        throw fileError(path, "the description of the picture is damaged: it isn't valid JSON");
    const Part all(json, path);
    if (all.integer("format", 1, std::numeric_limits<int>::max()) > formatVersion)
        throw fileError(path, "the picture was made by a newer version of Systole");
    PictureRecord record;
    const Part input = all.part("input");
    record.files = input.texts("files");
    record.sha256 = input.text("sha256");
    record.name = input.text("name");
    record.frameTimeMilliseconds = input.number("frame_time_ms", 0, 1e7);
    record.frames = input.integer("frames", 1, mostFrames);
    record.version = all.text("version");
    record.renderer = all.text("renderer");
    record.upload = all.text("upload");
    record.content = readContent(all);
    record.frame = all.integer("frame", 0, record.frames - 1);
    if (!all.isNull("time_ms"))
        record.milliseconds = all.number("time_ms", 0, 1e12);
    record.size = readSize(all);
    record.display = readDisplay(all.part("display"));
    record.preset = all.text("volume_preset");
    record.crosshair = all.vector("crosshair_mm", farthest);
    record.camera = readCamera(all.part("camera"));
    const Part scale = all.part("scale");
    record.scale = {.motion = scale.number("motion_mm", 0, 1e6),
                    .rest = scale.number("rest_mm", 0, 1e6),
                    .arrows = scale.number("arrows", 0, 1e6),
                    .difference = scale.number("difference_mm", 0, 1e6),
                    .rounding = scale.number("rounding_mm", 0, 1e6)};
    record.left = readMotion(all, "motion", record.frames);
    record.right = readMotion(all, "compared", record.frames);
    readTools(all, record);
    record.difference = all.isOn("difference");
    const Part notes = all.part("notes"), labels = all.part("labels");
    record.notes = {notes.text("left"), notes.text("right"), notes.text("difference")};
    record.leftLabel = labels.text("left");
    record.rightLabel = labels.text("right");
    record.differenceLabel = labels.text("difference");
    return record;
}

} // namespace systole
