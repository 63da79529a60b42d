// The two formats of points of 3D Slicer: markups as JSON (.mrk.json) and its older .fcsv.
#include "compute/core/json_depth.h"
#include "io/base/bounds.h"
#include "io/base/messages.h"
#include "io/landmarks/landmark_formats.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace systole::landmarks {
namespace {

using Json = nlohmann::ordered_json;

/// Slicer's files nest lists, control points, measurements and their values.
constexpr int maxDepth = 16;
constexpr const char* schema = "https://raw.githubusercontent.com/slicer/slicer/master/Modules/"
                               "Loadable/Markups/Resources/Schema/markups-schema-v1.0.3.json#";

/// Refuses an object that has a key twice: which of both values counts can't be known.
class UniqueKeys {
public:
    explicit UniqueKeys(const std::string& path) : path_(path) {}
    bool operator()(int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start)
            keys_.emplace_back();
        else if (event == Json::parse_event_t::object_end)
            keys_.pop_back();
        else if (event == Json::parse_event_t::key)
            if (const auto key = parsed.get<std::string>(); !keys_.back().insert(key).second)
                throw fileError(path_, "its JSON has the key {} twice in one object",
                                inQuotes(key));
        return true;
    }

private:
    const std::string& path_;
    std::vector<std::set<std::string>> keys_; ///< keys of each object that is open
};

Json parsed(const std::string& path, const std::string& text) {
    if (nestsDeeperThan(maxDepth, text))
        throw fileError(path, "its JSON nests too deeply for a file of points");
    // A value takes some 30 bytes of memory; in a file of points its text takes seven or more.
    constexpr std::size_t fewValues = 10'000, textOfValue = 6;
    if (static_cast<std::size_t>(std::ranges::count(text, ',')) >
        fewValues + text.size() / textOfValue)
        throw fileError(path, "its JSON holds too many values for a file of points");
    try {
        return Json::parse(text, UniqueKeys(path));
    } catch (const Json::parse_error& error) {
        const auto end = text.begin() + static_cast<std::ptrdiff_t>(
                                            std::min<std::size_t>(error.byte, text.size()));
        throw lineError(path, 1 + static_cast<int>(std::count(text.begin(), end, '\n')),
                        "the JSON is damaged here");
    } catch (const Json::exception&) { // a number beyond double precision
        throw fileError(path, "its JSON holds a number that is too large");
    }
}

/// The text of a key; empty: there is no such key. Throws FileError for another type; `where` it
/// stands.
std::string textOf(const std::string& path, const Json& object, const char* key,
                   const std::string& where) {
    const auto found = object.find(key);
    if (found == object.end())
        return {};
    if (!found->is_string())
        throw fileError(path, "{} of {} is {}; text is expected", inQuotes(key), where,
                        inQuotes(found->dump(-1, ' ', true)));
    return found->get<std::string>();
}

/// Checks the unit of a list: "mm", or since version 1.0.3 of the schema a code, its scheme and its
/// meaning.
void requireMillimetersIn(const std::string& path, const Json& list) {
    constexpr const char* key = "coordinateUnits";
    const auto units = list.find(key);
    if (units == list.end())
        return;
    if (units->is_string())
        return requireMillimeters(path, units->get<std::string>());
    if (!units->is_array() || units->empty() || units->size() > 3 ||
        !std::ranges::all_of(*units, [](const Json& value) { return value.is_string(); }))
        throw fileError(path,
                        "{} is {}; a unit, or a list of its code, scheme and meaning, is expected",
                        inQuotes(key), inQuotes(units->dump(-1, ' ', true)));
    const auto text = [&](std::size_t at) {
        return at < units->size() ? (*units)[at].get<std::string>() : std::string();
    };
    if (const std::string scheme = text(1); units->size() > 1 && lowerCase(scheme) != "ucum")
        throw fileError(path, "the code of its unit is one of {}; UCUM is expected",
                        inQuotes(scheme));
    requireMillimeters(path, text(0), text(2));
}

/// Whether a control point is placed; files that don't say so have placed ones only.
bool isPlaced(const std::string& path, const std::string& status, const std::string& where) {
    if (status.empty() || status == "defined")
        return true;
    // A preview is where the mouse was when the file was saved.
    if (status == "undefined" || status == "missing" || status == "preview")
        return false;
    throw fileError(path,
                    "\"positionStatus\" of {} is {}; defined, undefined, preview or missing is "
                    "expected",
                    where, inQuotes(status));
}

MarkupsPoint pointOf(const std::string& path, const Json& json, std::size_t number, bool ras) {
    if (!json.is_object())
        throw fileError(path, "control point {} is no object", number);
    const std::string where = fmt::format("control point {}", number);
    MarkupsPoint point{
        textOf(path, json, "label", where), textOf(path, json, "description", where), {}};
    if (!isPlaced(path, textOf(path, json, "positionStatus", where), where))
        return point;
    const auto position = json.find("position");
    if (position == json.end() || !position->is_array() || position->size() != 3 ||
        !std::ranges::all_of(*position, [](const Json& value) { return value.is_number(); }))
        throw fileError(path, "control point {} ({}) has no position of three numbers", number,
                        inQuotes(point.label));
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis)
        p[axis] = requireWithin(
            coordinateBounds, path, (*position)[static_cast<std::size_t>(axis)].get<double>(),
            "a coordinate of control point {} ({})", number, inQuotes(point.label));
    point.position = ras ? mirrored(p) : p;
    return point;
}

MarkupsList listOf(const std::string& path, const Json& json) {
    if (!json.is_object())
        throw fileError(path, "an entry of \"markups\" is no object");
    MarkupsList list;
    const std::string where = "a list of \"markups\"";
    list.name = textOf(path, json, "name", where);
    const std::string system = textOf(path, json, "coordinateSystem", where);
    list.frameStated = json.contains("coordinateSystem");
    const bool ras = list.frameStated && isRas(path, system);
    requireMillimetersIn(path, json);
    const auto points = json.find("controlPoints");
    if (points == json.end() || !points->is_array())
        throw fileError(path, "a list of \"markups\" has no \"controlPoints\"");
    for (const Json& point : *points)
        list.points.push_back(pointOf(path, point, list.points.size() + 1, ras));
    return list;
}

Json jsonOf(const MarkupsList& list) {
    Json points = Json::array();
    for (const MarkupsPoint& point : list.points) {
        const std::size_t id = points.size() + 1;
        Json json{{"id", fmt::to_string(id)}, {"label", point.label}};
        if (!point.description.empty())
            json["description"] = point.description;
        if (point.position)
            json["position"] = {point.position->x, point.position->y, point.position->z};
        json["positionStatus"] = point.position ? "defined" : "missing";
        points.push_back(std::move(json));
    }
    Json json{{"type", "Fiducial"}, {"coordinateSystem", "LPS"}, {"coordinateUnits", "mm"}};
    if (!list.name.empty())
        json["name"] = list.name;
    json["controlPoints"] = std::move(points);
    return json;
}

} // namespace

std::vector<MarkupsList> parseMarkups(const std::string& path, const std::string& text) {
    const Json json = parsed(path, text);
    const auto markups = json.is_object() ? json.find("markups") : json.end();
    if (markups == json.end() || !markups->is_array() || markups->empty())
        throw fileError(path, "is JSON without a list of \"markups\", as Slicer's .mrk.json has");
    std::vector<MarkupsList> lists;
    for (const Json& list : *markups)
        lists.push_back(listOf(path, list));
    return lists;
}

std::string markupsJson(const std::vector<MarkupsList>& lists) {
    Json json{{"@schema", schema}, {"markups", Json::array()}};
    for (const MarkupsList& list : lists)
        json["markups"].push_back(jsonOf(list));
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

int frameOfName(const std::string& path, const std::string& name) {
    const std::vector<std::string> parts = words(name);
    return parts.size() >= 2 && parts[0] == "frame" && parseInteger(parts[1])
               ? smallNumber(path, "frame", parts[1])
               : -1;
}

StoredLandmarks readMarkups(const std::string& path, const std::string& text,
                            const LandmarkReadOptions&) {
    const std::vector<MarkupsList> lists = parseMarkups(path, text);
    if (lists.size() != 1)
        throw fileError(path, "holds {} lists of points; one is expected here", lists.size());
    StoredLandmarks stored;
    stored.set.frame = frameOfName(path, lists[0].name);
    std::size_t missing = 0;
    for (const MarkupsPoint& point : lists[0].points)
        if (point.position)
            stored.set.points.push_back({point.label, *point.position});
        else
            ++missing;
    if (missing > 0)
        addNote(stored.notes, "{} of its points have no position and are left out", missing);
    if (!lists[0].frameStated)
        stored.notes.push_back("no coordinate system is named; LPS is assumed, as Slicer does");
    return stored;
}

std::string markupsText(const std::string&, const LandmarkSet& set, const LandmarkWriteOptions&) {
    MarkupsList list;
    if (set.frame >= 0)
        list.name = fmt::format("frame {}", set.frame);
    for (const Landmark& landmark : set.points)
        list.points.push_back({landmark.name, {}, landmark.position});
    return markupsJson({std::move(list)});
}

namespace {

/// The columns of Slicer's .fcsv, as their comment or Slicer's habit has them.
class FcsvColumns {
public:
    FcsvColumns(const std::string& path, const Comments& comments) : path_(path) {
        std::string titles = "id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID";
        if (const auto found = comments.find("columns"); found != comments.end())
            titles = found->second;
        titles_ = words(titles, ", \t");
        for (const char* title : {"x", "y", "z", "label"})
            if (std::ranges::count(titles_, title) > 1)
                throw fileError(path, "its line of columns ({}) has {} more than once",
                                inQuotes(titles), title);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::optional<std::size_t> at = of(std::string_view(&"xyz"[axis], 1));
            if (!at)
                throw fileError(path, "its line of columns ({}) has no {}", inQuotes(titles),
                                "xyz"[axis]);
            axes_[axis] = *at;
        }
        label_ = of("label");
        // Files that weren't written by Slicer leave out the last columns, whatever their line
        // says.
        least_ = *std::ranges::max_element(axes_) + 1;
    }

    Landmark pointOf(const Line& line, const std::vector<std::string>& fields) const {
        check(line, fields);
        return {label_ && *label_ < fields.size() ? fields[*label_] : std::string(),
                positionIn(path_, line.number, fields, axes_)};
    }

private:
    std::optional<std::size_t> of(std::string_view title) const {
        const auto at = std::ranges::find(titles_, title);
        return at == titles_.end() ? std::nullopt : std::optional(at - titles_.begin());
    }

    /// A row with commas as decimal points has more fields, and others in the columns of switches.
    void check(const Line& line, const std::vector<std::string>& fields) const {
        // Slicer 5 writes two numbers more than its line of columns names.
        const bool isSlicer5 = fields.size() == titles_.size() + 2 &&
                               parseInteger(fields.end()[-2]) && parseInteger(fields.back());
        if (fields.size() < least_ || (fields.size() > titles_.size() && !isSlicer5))
            throw lineError(
                path_, line.number, "has {} columns; {} are expected{}", fields.size(),
                titles_.size(),
                fields.size() > titles_.size() ? " (are there commas as decimal points?)" : "");
        for (const char* name : {"vis", "sel", "lock"})
            if (const auto at = of(name);
                at && *at < fields.size() && fields[*at] != "0" && fields[*at] != "1")
                throw lineError(path_, line.number, "{} is {}; 0 or 1 is expected", name,
                                inQuotes(fields[*at]));
    }

    const std::string& path_;
    std::vector<std::string> titles_;
    std::array<std::size_t, 3> axes_{};
    std::optional<std::size_t> label_;
    std::size_t least_ = 0; ///< fields of a row
};

/// Slicer 3 wrote the titles of its columns without a word before them: "# label,x,y,z,sel,vis".
std::optional<std::string> titlesOf(const std::vector<Line>& lines) {
    for (const Line& line : lines) {
        const std::vector<std::string> titles = words(line.text, "#, \t");
        if (line.text.starts_with('#') && !titles.empty() &&
            (titles.front() == "label" || titles.front() == "id") &&
            std::ranges::count(titles, "x") > 0)
            return std::string(trimmed(line.text.substr(1)));
    }
    return {};
}

} // namespace

StoredLandmarks readFcsv(const std::string& path, const std::string& text,
                         const LandmarkReadOptions&) {
    StoredLandmarks stored;
    Comments comments;
    const std::vector<Line> lines = linesOf(path, text);
    for (const Line& line : lines)
        if (line.text.starts_with('#'))
            addComment(path, comments, line);
    if (const std::optional<std::string> titles = titlesOf(lines))
        comments.emplace("columns", *titles);
    const FcsvColumns columns(path, comments);
    for (const Line& line : lines)
        if (!line.text.starts_with('#'))
            stored.set.points.push_back(columns.pointOf(line, csvFields(path, line, ',')));
    const auto system = comments.find("coordinatesystem");
    if (system == comments.end())
        stored.notes.push_back(
            "no coordinate system is named; RAS is assumed, as in Slicer's old files");
    if (system == comments.end() || isRas(path, system->second))
        for (Landmark& landmark : stored.set.points)
            landmark.position = mirrored(landmark.position);
    return stored;
}

std::string fcsvText(const std::string&, const LandmarkSet& set, const LandmarkWriteOptions&) {
    std::string text =
        "# Markups fiducial file version = 4.11\n# CoordinateSystem = LPS\n"
        "# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n";
    std::size_t id = 0;
    for (const Landmark& landmark : set.points)
        text += fmt::format("{},{},{},{},0,0,0,1,1,1,0,{},,\n", ++id, landmark.position.x,
                            landmark.position.y, landmark.position.z, csvField(landmark.name));
    return text;
}

} // namespace systole::landmarks
