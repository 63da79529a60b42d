// Points of voxel indices, or of points that may be indices: DIR-Lab's text files and elastix'.
#include "io/dirlab/cases.h"
#include "io/landmarks/landmark_formats.h"
#include "io/text.h"

#include <fmt/format.h>

#include <cmath>

namespace systole::landmarks {
namespace {

Vec3 threeNumbers(const std::string& path, const Line& line) {
    refuseDecimalCommas(path, line);
    const std::vector<std::string> parts = words(line.text);
    if (parts.size() != 3)
        throw lineError(
            path, line.number,
            fmt::format("has {} columns; three numbers x y z are expected", parts.size()));
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis)
        p[axis] = coordinate(path, line.number, parts[static_cast<std::size_t>(axis)]);
    return p;
}

/// The point at an index counted from `first`. Throws FileError outside the grid.
Vec3 pointAt(const std::string& path, int line, const Geometry& grid, Vec3 index, int first) {
    const Vec3 fromZero{index.x - first, index.y - first, index.z - first};
    const Size3 size = grid.size();
    for (int axis = 0; axis < 3; ++axis)
        if (!(fromZero[axis] >= -0.5 && fromZero[axis] <= size[axis] - 0.5))
            throw lineError(path, line,
                            fmt::format("the voxel ({:g}, {:g}, {:g}), counted from {}, lies "
                                        "outside the {} × {} × {} voxels of its grid",
                                        index.x, index.y, index.z, first, size.x, size.y, size.z));
    return grid.indexToPhysical(fromZero);
}

} // namespace

StoredLandmarks readDirLab(const std::string& path, const std::string& text,
                           const LandmarkReadOptions& options) {
    StoredLandmarks stored;
    stored.format = LandmarkFormat::DirLab;
    stored.grid = options.grid;
    const std::optional<DirLabName> named = dirLabNameOf(path);
    if (!stored.grid && named)
        stored.grid = named->of.geometry();
    if (!stored.grid)
        throw fileError(path,
                        "holds three columns without a header, voxel indices as DIR-Lab writes "
                        "them, but its name begins with none of DIR-Lab's cases (case1 to case10, "
                        "copd1 to copd10): name the image that they are of");
    if (named && named->phase)
        stored.set.frame = *named->phase / 10;
    for (const Line& line : linesOf(text))
        stored.set.points.push_back(
            {{}, pointAt(path, line.number, *stored.grid, threeNumbers(path, line), 1)});
    return stored;
}

StoredLandmarks readElastix(const std::string& path, const std::string& text,
                            const LandmarkReadOptions& options) {
    const std::vector<Line> lines = linesOf(text);
    std::size_t next = 0;
    // Without a first word elastix takes the numbers as indices.
    bool indices = true;
    const std::string kind = lowerCase(words(lines.front().text).front());
    std::string count = kind;
    int countLine = lines.front().number;
    if (kind == "point" || kind == "index") {
        indices = kind == "index";
        const std::vector<std::string> first = words(lines.front().text);
        if (first.size() > 2 || (first.size() == 1 && lines.size() < 2))
            throw lineError(path, countLine,
                            fmt::format("after '{}' the number of points is expected", kind));
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
                        fmt::format("the number of points is {}; a whole number of at least 1 is "
                                    "expected",
                                    inQuotes(count)));
    if (static_cast<long long>(lines.size() - next) != *promised)
        throw lineError(path, countLine,
                        fmt::format("announces {} points, but {} lines follow", *promised,
                                    lines.size() - next));
    StoredLandmarks stored;
    stored.format = LandmarkFormat::Elastix;
    if (indices) {
        stored.grid = options.grid;
        if (const auto named = dirLabNameOf(path); !stored.grid && named)
            stored.grid = named->of.geometry();
        if (!stored.grid)
            throw fileError(path, "holds voxel indices (elastix' \"index\"), and nothing says of "
                                  "which grid: name the image that they are of");
    }
    for (; next < lines.size(); ++next) {
        const Vec3 p = threeNumbers(path, lines[next]);
        stored.set.points.push_back(
            {{}, indices ? pointAt(path, lines[next].number, *stored.grid, p, 0) : p});
    }
    return stored;
}

std::string dirLabText(const std::string& path, const LandmarkSet& set, const Geometry& grid) {
    std::string text;
    std::size_t row = 0;
    for (const Landmark& landmark : set.points) {
        const Vec3 index = grid.physicalToIndex(landmark.position);
        ++row;
        for (int axis = 0; axis < 3; ++axis)
            if (!(index[axis] >= -0.5 && index[axis] < grid.size()[axis] - 0.5))
                throw fileError(path, fmt::format("point {} lies outside the grid; DIR-Lab's "
                                                  "files hold voxels of it",
                                                  row));
        text += fmt::format("{:.0f}\t{:.0f}\t{:.0f}\n", std::round(index.x) + 1,
                            std::round(index.y) + 1, std::round(index.z) + 1);
    }
    return text;
}

std::string elastixText(const LandmarkSet& set) {
    std::string text = fmt::format("point\n{}\n", set.points.size());
    for (const Landmark& landmark : set.points)
        text += fmt::format("{} {} {}\n", landmark.position.x, landmark.position.y,
                            landmark.position.z);
    return text;
}

} // namespace systole::landmarks
