#include "io/landmarks/landmark_file.h"

#include "io/landmarks/landmark_formats.h"
#include "io/text.h"
#include "io/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace systole {
namespace {

using landmarks::Line;

/// By what the first lines look like, and by the extension where they could be two things.
LandmarkFormat formatOf(const std::string& path, const std::string& text) {
    const std::string_view content = trimmed(text);
    if (content.starts_with('{'))
        return LandmarkFormat::Markups;
    const std::string lower = lowerCase(path);
    if (lower.ends_with(".fcsv") ||
        lowerCase(content.substr(0, 40)).starts_with("# markups fiducial"))
        return LandmarkFormat::Fcsv;
    const std::vector<std::string> first =
        words(content.substr(0, std::min(content.find('\n'), content.size())));
    const std::string kind = lowerCase(first.front());
    const auto isNumber = [](const std::string& word) { return parseReal(word).has_value(); };
    if (kind == "point" || kind == "index" || (first.size() == 1 && parseInteger(first.front())))
        return LandmarkFormat::Elastix;
    if (first.size() == 3 && std::ranges::all_of(first, isNumber))
        return LandmarkFormat::DirLab;
    return LandmarkFormat::Csv;
}

/// What must hold in every format.
void check(const std::string& path, StoredLandmarks& stored) {
    const std::vector<Landmark>& points = stored.set.points;
    if (points.empty())
        throw fileError(path, "holds no points");
    if (points.size() > landmarks::mostPoints)
        throw fileError(path, fmt::format("holds {} points; at most {} are read", points.size(),
                                          landmarks::mostPoints));
    std::map<std::string, std::size_t, std::less<>> names;
    std::map<std::tuple<double, double, double>, std::size_t> positions;
    std::size_t repeated = 0, repeatedAt = 0, firstAt = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Landmark& p = points[i];
        if (!p.name.empty())
            if (const auto [at, fresh] = names.emplace(p.name, i); !fresh)
                throw fileError(path, fmt::format("points {} and {} have the same name {}",
                                                  at->second + 1, i + 1, inQuotes(p.name)));
        const auto [at, fresh] =
            positions.emplace(std::tuple(p.position.x, p.position.y, p.position.z), i);
        if (!fresh && repeated++ == 0) {
            firstAt = at->second + 1;
            repeatedAt = i + 1;
        }
    }
    if (repeated > 0)
        stored.notes.push_back(fmt::format("{} of its points lie where another does, such as {} "
                                           "and {}",
                                           repeated, firstAt, repeatedAt));
}

LandmarkFormat formatByName(const std::string& path) {
    const std::string lower = lowerCase(path);
    constexpr std::pair<const char*, LandmarkFormat> extensions[] = {
        {".mrk.json", LandmarkFormat::Markups},
        {".fcsv", LandmarkFormat::Fcsv},
        {".csv", LandmarkFormat::Csv},
        {".txt", LandmarkFormat::Elastix}};
    for (const auto& [extension, format] : extensions)
        if (lower.ends_with(extension))
            return format;
    throw fileError(path, "has none of the extensions of points that are written: .mrk.json, "
                          ".fcsv, .csv, .txt (elastix)");
}

} // namespace

const char* name(LandmarkFormat format) {
    switch (format) {
    case LandmarkFormat::DirLab:
        return "DIR-Lab voxel indices";
    case LandmarkFormat::Markups:
        return "Slicer markups";
    case LandmarkFormat::Fcsv:
        return "Slicer fiducials";
    case LandmarkFormat::Elastix:
        return "elastix points";
    case LandmarkFormat::Csv:
        break;
    }
    return "CSV";
}

StoredLandmarks readLandmarks(const std::string& path, const LandmarkReadOptions& options) {
    const std::string text = landmarks::readText(path);
    StoredLandmarks stored;
    switch (formatOf(path, text)) {
    case LandmarkFormat::DirLab:
        stored = landmarks::readDirLab(path, text, options);
        break;
    case LandmarkFormat::Elastix:
        stored = landmarks::readElastix(path, text, options);
        break;
    case LandmarkFormat::Markups:
        stored = landmarks::readMarkups(path, text);
        break;
    case LandmarkFormat::Fcsv:
        stored = landmarks::readFcsv(path, text);
        break;
    case LandmarkFormat::Csv:
        stored = landmarks::readCsv(path, text);
        break;
    }
    check(path, stored);
    return stored;
}

void writeLandmarks(const std::string& path, const LandmarkSet& set,
                    const LandmarkWriteOptions& options) {
    const LandmarkFormat format = options.format ? *options.format : formatByName(path);
    const auto content = [&]() -> std::string {
        switch (format) {
        case LandmarkFormat::DirLab:
            if (!options.grid)
                throw fileError(path, "DIR-Lab's files hold voxels; no grid was given");
            return landmarks::dirLabText(path, set, *options.grid);
        case LandmarkFormat::Markups:
            return landmarks::markupsText(set);
        case LandmarkFormat::Fcsv:
            return landmarks::fcsvText(set);
        case LandmarkFormat::Elastix:
            return landmarks::elastixText(set);
        case LandmarkFormat::Csv:
            break;
        }
        return landmarks::csvText(set);
    };
    writeTextAtomically(path, content());
}

} // namespace systole
