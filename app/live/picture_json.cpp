#include "app/live/picture_json.h"

#include "app/base/json_file.h"
#include "compute/core/error.h"
#include "compute/motion/trajectory_filter.h"
#include "io/base/text.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace systole {
namespace {

constexpr int formatVersion = 1;
constexpr int largestSide = 16384;        ///< pixels
constexpr double farthest = 1e7;          ///< mm
constexpr std::size_t longestText = 4096; ///< bytes
constexpr std::size_t maxFiles = 100000;
constexpr int maxFrames = 1000000;

// Entries of a picture's description, one list for both directions: `entries` is a Writer, or a
// Reader, which checks each value, numbers against the limits that follow them.

constexpr auto cameraEntries = [](auto& entries, auto& camera) {
    entries("eye_mm", camera.eye, farthest);
    entries("focus_mm", camera.focus, farthest);
    entries("up", camera.up, 1e3);
    entries.list("slices", camera.slices, [](auto& entry, auto& slice) {
        entry("zoom", slice.zoom, 0.01, 1000);
        entry("pan_mm", slice.pan, farthest);
    });
};

constexpr auto scaleEntries = [](auto& entries, auto& scale) {
    entries("motion_mm", scale.motion, 0, 1e6);
    entries("rest_mm", scale.rest, 0, 1e6);
    entries("arrows", scale.arrows, 0, 1e6);
    entries("difference_mm", scale.difference, 0, 1e6);
    entries("rounding_mm", scale.rounding, 0, 1e6);
};

constexpr auto markEntries = [](auto& entries, auto& mark) {
    entries("mm", mark.position, farthest);
    entries("to_mm", mark.to, farthest);
    entries("radius_mm", mark.radius, 0, farthest);
    entries("axis", mark.axis, -1, 2);
    entries("text", mark.text);
    entries("color", mark.color);
};

void motionEntries(auto& entries, auto& motion, int frames) {
    entries("fixed", motion.fixedFrame, 0, frames - 1);
    entries("moving", motion.movingFrame, -1, frames - 1);
    entries("start", motion.startFrame, -1, motion.fixedFrame);
    if (entries.has("window")) { // pictures from before windows have none
        entries("window", motion.window, 0, maxTrajectoryWindow);
        entries("smoothed", motion.smoothed);
    }
    entries("method", motion.method);
    entries("preset", motion.preset);
    entries("parameters", motion.parameters);
    entries("backend", motion.backend);
    entries("field", motion.fieldFile);
    entries("field_sha256", motion.fieldSha256);
}

void recordEntries(auto& entries, auto& record) {
    entries("version", record.version);
    entries("shows", record.content);
    entries.part("input", record, [](auto& input, auto& of) {
        input("files", of.files);
        input("sha256", of.sha256);
        input("name", of.name);
        input("frame_time_ms", of.frameTimeMilliseconds, 0, 1e7);
        input("frames", of.frames, 1, maxFrames);
    });
    entries("frame", record.frame, 0, record.frames - 1);
    entries("time_ms", record.milliseconds, 0, 1e12);
    entries.part("size", record.size, [](auto& sides, auto& size) {
        sides("width", size.width, 1, largestSide);
        sides("height", size.height, 1, largestSide);
        sides("pixel_ratio", size.pixelRatio, 0.25, 8);
    });
    entries("display", record.display);
    entries("volume_preset", record.preset);
    entries("crosshair_mm", record.crosshair, farthest);
    entries.part("camera", record.camera, cameraEntries);
    entries.part("scale", record.scale, scaleEntries);
    if (entries.has("own_colors")) // captions of pictures from before didn't give their range
        entries("own_colors", record.ownColors);
    const auto ofSide = [&](auto& side, auto& motion) {
        motionEntries(side, motion, record.frames);
    };
    entries.part("motion", record.left, ofSide);
    entries.part("compared", record.right, ofSide);
    if (entries.has("tools")) // pictures from before there was a list of tools have neither
        entries("tools", record.tools);
    if (entries.has("marks"))
        entries.list("marks", record.marks, markEntries);
    if (entries.has("second_image")) // nothing flickered in pictures from before
        entries("second_image", record.secondImage);
    entries("difference", record.difference);
    entries.part("notes", record.notes, [](auto& sides, auto& notes) {
        sides("left", notes.left);
        sides("right", notes.right);
        sides("difference", notes.difference);
    });
    entries.part("labels", record, [](auto& sides, auto& of) {
        sides("left", of.leftLabel);
        sides("right", of.rightLabel);
        sides("difference", of.differenceLabel);
    });
    entries("renderer", record.renderer);
    entries("upload", record.upload);
}

/// Puts entries into an object, in their order.
class Writer {
public:
    static bool has(const char*) { return true; }
    void operator()(const char* key, const auto& value, auto...) { json_[key] = jsonOf(value); }
    void part(const char* key, const auto& value, const auto& entriesOf) {
        json_[key] = written(value, entriesOf);
    }
    void part(const char* key, const std::optional<PictureMotion>& motion, const auto& entriesOf) {
        json_[key] = motion ? written(*motion, entriesOf) : nullptr;
    }
    void list(const char* key, const auto& values, const auto& entriesOf) {
        json_[key] = Json::array();
        for (const auto& value : values)
            json_[key].push_back(written(value, entriesOf));
    }
    const Json& json() const { return json_; }

private:
    static Json written(const auto& value, const auto& entriesOf) {
        Writer part;
        entriesOf(part, value);
        return part.json_;
    }

    static Json jsonOf(const auto& value) { return value; }
    template <typename Value>
    static Json jsonOf(const std::optional<Value>& value) {
        return value ? jsonOf(*value) : Json(nullptr);
    }
    static Json jsonOf(PictureContent content) { return name(content); }
    static Json jsonOf(Vec3 v) { return {v.x, v.y, v.z}; }
    static Json jsonOf(const Color& color) { return {color.red, color.green, color.blue}; }
    static Json jsonOf(const ParamValue& value) {
        return std::visit([](const auto& v) { return Json(v); }, value);
    }
    static Json jsonOf(const std::map<std::string, ParamValue>& parameters) {
        Json json = Json::object();
        for (const auto& [id, value] : parameters)
            json[id] = jsonOf(value);
        return json;
    }
    static Json jsonOf(const DisplayOptions& display) {
        Json json = Json::object();
        for (const DisplayRow& row : displayRows())
            json[row.param.id] = jsonOf(row.value(display));
        return json;
    }

    Json json_ = Json::object();
};

/// Takes entries from an object, with errors that name file and entry.
class Reader {
public:
    Reader(const Json& json, const std::string& path, std::string where = {})
        : json_(json), path_(path), where_(std::move(where)) {
        if (!json_.is_object())
            throw wrong("isn't an object");
    }

    bool has(const char* key) const { return json_.contains(key); }

    void operator()(const char* key, std::string& text) const { text = textOf(at(key), key); }
    void operator()(const char* key, bool& on) const {
        if (!at(key).is_boolean())
            throw wrong(key, "isn't true or false");
        on = at(key).get<bool>();
    }
    void operator()(const char* key, double& number, double low, double high) const {
        number = numberOf(at(key), key, low, high);
    }
    void operator()(const char* key, int& number, int low, int high) const {
        const double value = numberOf(at(key), key, low, high);
        if (value != std::floor(value))
            throw wrong(key, "isn't a whole number");
        number = static_cast<int>(value);
    }
    void operator()(const char* key, Vec3& vector, double largest) const {
        const Json& list = at(key);
        if (!list.is_array() || list.size() != 3)
            throw wrong(key, "isn't a list of three numbers");
        for (int axis = 0; axis < 3; ++axis)
            vector[axis] = numberOf(list[static_cast<std::size_t>(axis)], key, -largest, largest);
    }
    void operator()(const char* key, Color& color) const {
        Vec3 parts;
        (*this)(key, parts, 1);
        color = {static_cast<float>(parts.x), static_cast<float>(parts.y),
                 static_cast<float>(parts.z)};
    }
    template <typename Value>
    void operator()(const char* key, std::optional<Value>& value, auto... limits) const {
        if (!at(key).is_null())
            (*this)(key, value.emplace(), limits...);
    }
    void operator()(const char* key, std::vector<std::string>& texts) const {
        const Json& list = at(key);
        if (!list.is_array() || list.empty() || list.size() > maxFiles)
            throw wrong(key, "isn't a list of names");
        for (const Json& entry : list)
            texts.push_back(textOf(entry, key));
    }
    void operator()(const char* key, std::map<std::string, std::string>& texts) const {
        for (const Reader part = reader(key); const auto& [id, value] : part.json_.items())
            part(id.c_str(), texts[id]);
    }
    void operator()(const char* key, PictureContent& content) const {
        const std::string text = textOf(at(key), key);
        for (const PictureContent known : pictureContents)
            if (text == name(known)) {
                content = known;
                return;
            }
        throw wrong(key, "is unknown");
    }
    /// Options that the picture doesn't name keep their defaults: they are newer than it.
    void operator()(const char* key, DisplayOptions& display) const {
        for (const Reader part = reader(key); const auto& [id, value] : part.json_.items()) {
            try {
                const DisplayRow& row = displayRow(id);
                row.set(display, part.paramValue(value, row.param.type, id));
            } catch (const ComputeError& error) {
                throw part.wrong(error.what());
            }
        }
    }
    void operator()(const char* key, std::map<std::string, ParamValue>& parameters) const {
        for (const Reader part = reader(key); const auto& [id, value] : part.json_.items())
            parameters[id] = part.paramValue(value,
                                             value.is_boolean()          ? ParamType::Switch
                                             : value.is_string()         ? ParamType::Choice
                                             : value.is_number_integer() ? ParamType::Integer
                                                                         : ParamType::Real,
                                             id);
    }

    void part(const char* key, auto& value, const auto& entriesOf) const {
        const Reader part = reader(key);
        entriesOf(part, value);
        part.check(value);
    }
    void part(const char* key, std::optional<PictureMotion>& motion, const auto& entriesOf) const {
        if (!at(key).is_null())
            part(key, motion.emplace(), entriesOf);
    }
    /// Reads as many values as the JSON list has, unless the number of values is fixed.
    void list(const char* key, auto& values, const auto& entriesOf) const {
        const Json& list = at(key);
        if constexpr (requires { values.resize(0); })
            values.resize(list.is_array() ? list.size() : 0);
        if (!list.is_array() || list.size() != values.size())
            throw wrong(key, fmt::format("isn't a list of {} entries", values.size()));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Reader entry(list[i], path_, nameOf(key));
            entriesOf(entry, values[i]);
        }
    }

private:
    // Checks that need several entries together.
    static void check(const auto&) {}
    void check(const SceneSize& size) const {
        if (std::max(size.width, size.height) * size.pixelRatio > largestSide)
            throw wrong(fmt::format("is larger than {} pixels", largestSide));
    }
    void check(const SceneCamera& camera) const {
        const Vec3 view = camera.eye - camera.focus, up = camera.up;
        const Vec3 across{view.y * up.z - view.z * up.y, view.z * up.x - view.x * up.z,
                          view.x * up.y - view.y * up.x};
        if (!(length(across) > 1e-6 * length(view) * length(up)) || length(view) < 1e-6)
            throw wrong("has no direction of view");
    }
    void check(const PictureMotion& motion) const {
        if (motion.fieldFile.empty() && (motion.movingFrame < 0 || motion.startFrame < 0))
            throw wrong("has no pair of frames");
    }

    const Json& at(const char* key) const {
        const auto found = json_.find(key);
        if (found == json_.end())
            throw wrong(key, "is missing");
        return *found;
    }
    Reader reader(const char* key) const { return {at(key), path_, nameOf(key)}; }
    std::string nameOf(const char* key) const { return where_.empty() ? key : where_ + "." + key; }
    std::string textOf(const Json& json, const char* key) const {
        if (!json.is_string() || json.get_ref<const std::string&>().size() > longestText)
            throw wrong(key, "isn't a short text");
        return json.get<std::string>();
    }
    double numberOf(const Json& json, const char* key, double low, double high) const {
        const double value = json.is_number() ? json.get<double>() : std::nan("");
        if (!(value >= low && value <= high))
            throw wrong(key, fmt::format("isn't a number from {:g} to {:g}", low, high));
        return value;
    }
    /// A value for a row of this type; the row checks its range.
    ParamValue paramValue(const Json& json, ParamType type, const std::string& id) const {
        if (type == ParamType::Switch && json.is_boolean())
            return json.get<bool>();
        if (type == ParamType::Choice && json.is_string())
            return json.get<std::string>();
        if (type == ParamType::Real && json.is_number())
            return json.get<double>();
        if (type == ParamType::Integer && json.is_number_integer() &&
            std::abs(json.get<double>()) <= std::numeric_limits<int>::max())
            return json.get<int>();
        throw wrong(id.c_str(), "has a value of another kind");
    }

    FileError wrong(const std::string& what) const {
        return fileError(path_, fmt::format("the description of the picture is damaged: {}{}{}",
                                            where_, where_.empty() ? "it " : " ", what));
    }
    FileError wrong(const char* key, const std::string& what) const {
        return fileError(path_, fmt::format("the description of the picture is damaged: {} {}",
                                            nameOf(key), what));
    }

    const Json& json_;
    const std::string& path_;
    std::string where_;
};

} // namespace

std::string toJson(const PictureRecord& record) {
    Writer writer;
    writer("format", formatVersion);
    writer("program", "systole");
    recordEntries(writer, record);
    return writer.json().dump(-1, ' ', true, Json::error_handler_t::replace);
}

PictureRecord pictureFromJson(const std::string& text, const std::string& path) {
    const std::optional<Json> json = parseJson(text);
    if (!json)
        throw fileError(path, "the description of the picture is damaged: it isn't valid JSON");
    const Reader reader(*json, path);
    int format = 0;
    reader("format", format, 1, std::numeric_limits<int>::max());
    if (format > formatVersion)
        throw fileError(path, "the picture was made by a newer version of Systole");
    PictureRecord record;
    // Pictures from before there was a list of tools have these two apart, or none.
    for (const char* const id : {"registration", "surface"}) {
        std::string caption;
        if (reader.has(id))
            reader(id, caption);
        if (!caption.empty())
            record.tools[id] = caption;
    }
    recordEntries(reader, record);
    return record;
}

} // namespace systole
