#include "app/base/seed_points.h"

#include "app/base/error.h"
#include "io/base/byte_source.h"
#include "io/base/text.h"
#include "io/landmarks/landmark_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace systole {

Vec3 parsePoint(std::string_view text, const char* option) {
    const std::vector<std::string_view> parts = partsOf(text, ',');
    Vec3 point;
    bool read = parts.size() == 3;
    for (int axis = 0; read && axis < 3; ++axis) {
        point[axis] = parseReal(parts[static_cast<std::size_t>(axis)]).value_or(NAN);
        read = std::isfinite(point[axis]);
    }
    if (!read)
        throw UsageError(fmt::format("{}: expected three numbers x,y,z, found '{}'", option, text));
    return point;
}

std::array<Vec3, 3> parseVentriclePoints(const std::string& text, const char* option) {
    const std::vector<std::string_view> parts = partsOf(text, ';');
    if (parts.size() != 3)
        throw UsageError(
            fmt::format("{}: expected APEX;MITRAL;RV, each x,y,z, found '{}'", option, text));
    return {parsePoint(parts[0], option), parsePoint(parts[1], option),
            parsePoint(parts[2], option)};
}

bool namesPointsFile(const std::string& text) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(text, ignored);
}

namespace {

std::array<Vec3, 3> pointsOfRecord(const std::string& path, const Json& record) {
    requirePointsInLpsMillimeters(path, record);
    std::array<Vec3, 3> points;
    const Json& stored = record.at("points_mm");
    constexpr std::array names{"apex", "mitral", "right_ventricle"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!stored.is_object() || !stored.contains(names[i]))
            throw fileError(path, fmt::format("its \"points_mm\" have no {}: the segmentation "
                                              "began without the three points of a ventricle",
                                              names[i]));
        const auto numbers = stored.at(names[i]).get<std::array<double, 3>>();
        points[i] = {numbers[0], numbers[1], numbers[2]};
    }
    return points;
}

/// Index of the point that a landmark's name means: 0 apex, 1 mitral ring, 2 right ventricle.
std::optional<std::size_t> placeNamed(const std::string& name) {
    constexpr std::array<std::string_view, 9> names{"apex", "mitral",      "rv",
                                                    "",     "mitral ring", "insertion",
                                                    "",     "mitral_ring", "right_ventricle"};
    for (std::size_t i = 0; i < names.size(); ++i)
        if (!names[i].empty() && lowerCase(name) == names[i])
            return i % 3;
    return {};
}

std::array<Vec3, 3> pointsOfLandmarks(const std::string& path) {
    const std::vector<Landmark> found = readLandmarks(path).set.points;
    std::array<std::optional<Vec3>, 3> named;
    for (const Landmark& landmark : found)
        if (const std::optional<std::size_t> place = placeNamed(landmark.name)) {
            if (named[*place])
                throw fileError(path, fmt::format("names one of the three points of a ventricle "
                                                  "twice, the second time as {}",
                                                  inQuotes(landmark.name)));
            named[*place] = landmark.position;
        }
    const auto count = std::ranges::count_if(named, [](const auto& p) { return p.has_value(); });
    if (count == 3)
        return {*named[0], *named[1], *named[2]};
    if (found.size() != 3 || count > 0)
        throw fileError(
            path, fmt::format("holds {} points, of which {} are named as those of a ventricle; "
                              "expected are three, in the order apex, mitral ring, insertion of "
                              "the right ventricle, or named apex, mitral and rv",
                              found.size(), count));
    return {found[0].position, found[1].position, found[2].position};
}

} // namespace

void requirePointsInLpsMillimeters(const std::string& path, const Json& record) {
    for (const auto& [key, meaning] : {std::pair("frame_of_reference", "LPS"), {"units", "mm"}})
        if (const std::optional<std::string> said = otherMeaning(record, key, meaning))
            throw fileError(path, fmt::format("gives {} as the {} of its points; '{}' is what "
                                              "'systole segment' writes and what is read",
                                              *said, key, meaning));
}

std::array<Vec3, 3> ventriclePoints(const std::string& textOrFile, const char* option) {
    if (!namesPointsFile(textOrFile))
        return parseVentriclePoints(textOrFile, option);
    if (const std::optional<Json> record = readJson(textOrFile);
        record && record->contains("points_mm"))
        try {
            return pointsOfRecord(textOrFile, *record);
        } catch (const Json::exception&) {
            throw fileError(textOrFile, "its \"points_mm\" are no three numbers each");
        }
    constexpr std::uintmax_t maxBytes = 4096;
    const std::string text(trimmed(readBeginning(textOrFile, maxBytes)));
    if (partsOf(text, ';').size() == 3 && text.find('\n') == text.npos)
        return parseVentriclePoints(text, option);
    return pointsOfLandmarks(textOrFile);
}

} // namespace systole
