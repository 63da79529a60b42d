// Points of voxel indices, or of points that may be indices: DIR-Lab's text files and elastix'.
#include "io/base/messages.h"
#include "io/dirlab/cases.h"
#include "io/landmarks/landmark_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole::landmarks {
namespace {

Vec3 threeNumbers(const std::string& path, const Line& line) {
    refuseDecimalCommas(path, line);
    const std::vector<std::string> parts = words(line.text);
    if (parts.size() != 3)
        throw lineError(path, line.number, "has {} columns; three numbers x y z are expected",
                        parts.size());
    return positionIn(path, line.number, parts, {0, 1, 2});
}

} // namespace

Geometry gridOfIndices(const std::string& path, const LandmarkReadOptions& options,
                       const char* what) {
    if (options.grid)
        return *options.grid;
    if (const std::optional<DirLabName> named = dirLabNameOf(path))
        return named->of.geometry();
    throw fileError(path,
                    "holds {}, but its name begins with none of DIR-Lab's cases (case1 to case10, "
                    "copd1 to copd10): name the image that they are of",
                    what);
}

Vec3 pointAt(const std::string& path, int line, const Geometry& grid, Vec3 index, int first) {
    const Vec3 fromZero{index.x - first, index.y - first, index.z - first};
    const Size3 size = grid.size();
    for (int axis = 0; axis < 3; ++axis)
        if (!(fromZero[axis] >= -0.5 && fromZero[axis] <= size[axis] - 0.5))
            throw lineError(path, line,
                            "the voxel ({:g}, {:g}, {:g}), counted from {}, lies outside the {} × "
                            "{} × {} voxels of its grid",
                            index.x, index.y, index.z, first, size.x, size.y, size.z);
    return grid.indexToPhysical(fromZero);
}

StoredLandmarks readDirLab(const std::string& path, const std::string& text,
                           const LandmarkReadOptions& options) {
    const std::vector<Line> lines = linesOf(path, text);
    std::vector<Vec3> numbers;
    for (const Line& line : lines)
        numbers.push_back(threeNumbers(path, line));
    const std::optional<DirLabName> named = dirLabNameOf(path);
    const auto isWhole = [](Vec3 p) {
        return p.x == std::round(p.x) && p.y == std::round(p.y) && p.z == std::round(p.z);
    };
    StoredLandmarks stored;
    if (options.coordinates == LandmarkCoordinates::Auto && !named)
        if (const auto part = std::ranges::find_if_not(numbers, isWhole); part != numbers.end())
            throw lineError(
                path, lines[static_cast<std::size_t>(part - numbers.begin())].number,
                "three columns without a header are voxels as DIR-Lab counts them, but these are "
                "no whole numbers: say whether they are millimeters or indices");
    const bool millimeters = options.coordinates == LandmarkCoordinates::Millimeters;
    if (!millimeters)
        stored.grid = gridOfIndices(
            path, options, "three columns without a header, voxels as DIR-Lab counts them");
    if (named && named->phase)
        stored.set.frame = *named->phase / 10;
    const int first = options.coordinates == LandmarkCoordinates::IndexFromZero ? 0 : 1;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        stored.set.points.push_back(
            {{},
             millimeters ? numbers[i]
                         : pointAt(path, lines[i].number, *stored.grid, numbers[i], first)});
    return stored;
}

namespace {

/// Whether the line is one of transformix' outputpoints.txt: "Point 0 ; InputIndex = [ 1 2 3 ] ;
/// InputPoint = [ ... ] ; OutputIndexFixed = [ ... ] ; OutputPoint = [ ... ] ; Deformation = ...".
bool isTransformixLine(const Line& line) {
    return line.text.find(';') != std::string_view::npos &&
           lowerCase(line.text).find("outputpoint") != std::string::npos;
}

/// The point to which transformix moved the one of this line.
Vec3 outputPoint(const std::string& path, const Line& line) {
    std::optional<Vec3> point;
    for (const std::string_view part : partsOf(line.text, ';')) {
        const std::vector<std::string> found = words(part, " \t=[]");
        if (found.empty() || lowerCase(found.front()) != "outputpoint")
            continue;
        if (point)
            throw lineError(path, line.number, "gives OutputPoint twice");
        if (found.size() != 4)
            throw lineError(path, line.number, "OutputPoint has {} numbers; three are expected",
                            found.size() - 1);
        point = positionIn(path, line.number, found, {1, 2, 3});
    }
    if (!point)
        throw lineError(path, line.number, "has no OutputPoint, which transformix writes");
    return *point;
}

} // namespace

StoredLandmarks readElastix(const std::string& path, const std::string& text,
                            const LandmarkReadOptions& options) {
    const std::vector<Line> lines = linesOf(path, text);
    if (isTransformixLine(lines.front())) {
        StoredLandmarks moved;
        for (const Line& line : lines)
            moved.set.points.push_back({{}, outputPoint(path, line)});
        moved.notes.push_back("the points are where transformix moved its input points "
                              "(OutputPoint), in the space of the moving image");
        return moved;
    }
    std::size_t next = 0;
    // elastix takes the numbers as indices unless the first word states otherwise.
    bool indices = true;
    const std::string kind = lowerCase(words(lines.front().text).front());
    std::string count = kind;
    int countLine = lines.front().number;
    if (kind == "point" || kind == "index") {
        indices = kind == "index";
        const std::vector<std::string> first = words(lines.front().text);
        if (first.size() > 2 || (first.size() == 1 && lines.size() < 2))
            throw lineError(path, countLine, "after '{}' the number of points is expected", kind);
        if (first.size() == 1) {
            ++next;
            countLine = lines[next].number;
        }
        count = first.size() == 2 ? first[1] : std::string(lines[next].text);
    }
    ++next;
    const std::optional<long long> promised = parseInteger(count);
    if (!promised || *promised < 1)
        throw lineError(path, countLine,
                        "the number of points is {}; a whole number of at least 1 is expected",
                        inQuotes(count));
    if (static_cast<long long>(lines.size() - next) != *promised)
        throw lineError(path, countLine, "announces {} points, but {} lines follow", *promised,
                        lines.size() - next);
    StoredLandmarks stored;
    if (indices)
        stored.grid = gridOfIndices(path, options, "voxels counted from 0 (elastix' \"index\")");
    for (; next < lines.size(); ++next) {
        const Vec3 p = threeNumbers(path, lines[next]);
        stored.set.points.push_back(
            {{}, indices ? pointAt(path, lines[next].number, *stored.grid, p, 0) : p});
    }
    return stored;
}

std::string dirLabText(const std::string& path, const LandmarkSet& set,
                       const LandmarkWriteOptions& options) {
    if (!options.grid)
        throw fileError(path, "DIR-Lab's files hold voxels; no grid was given");
    const Geometry& grid = *options.grid;
    std::string text;
    std::size_t row = 0;
    for (const Landmark& landmark : set.points) {
        const Vec3 index = grid.physicalToIndex(landmark.position);
        ++row;
        for (int axis = 0; axis < 3; ++axis)
            if (!(index[axis] >= -0.5 && index[axis] < grid.size()[axis] - 0.5))
                throw fileError(
                    path, "point {} lies outside the grid; DIR-Lab's files hold voxels of it", row);
        text += fmt::format("{:.0f}\t{:.0f}\t{:.0f}\n", std::round(index.x) + 1,
                            std::round(index.y) + 1, std::round(index.z) + 1);
    }
    return text;
}

std::string elastixText(const std::string&, const LandmarkSet& set, const LandmarkWriteOptions&) {
    std::string text = fmt::format("point\n{}\n", set.points.size());
    for (const Landmark& landmark : set.points)
        text += fmt::format("{} {} {}\n", landmark.position.x, landmark.position.y,
                            landmark.position.z);
    return text;
}

} // namespace systole::landmarks
