#include "io/formats/nrrd_space.h"

#include "io/base/data_file.h"
#include "io/base/messages.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

constexpr double sameWithin = 0.01; ///< tolerance, relative to the step
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Axis and sign in LPS of one coordinate, by its name.
struct Way {
    std::string_view name;
    char letter;
    int axis, sign;
};
constexpr Way ways[] = {{"left", 'l', 0, 1},      {"right", 'r', 0, -1},
                        {"posterior", 'p', 1, 1}, {"anterior", 'a', 1, -1},
                        {"superior", 's', 2, 1},  {"inferior", 'i', 2, -1}};

std::vector<const Way*> waysOf(const std::string& space) {
    std::vector<const Way*> found;
    const std::vector<std::string> parts = words(space, "-");
    const bool letters = parts.size() == 1 && space.size() <= 4;
    const std::size_t count = letters ? space.size() : parts.size();
    for (std::size_t i = 0; i < count; ++i) {
        const bool time = letters ? space[i] == 't' : parts[i] == "time";
        if (time && i == 3 && count == 4)
            break;
        const auto* const way = std::ranges::find_if(ways, [&](const Way& row) {
            return letters ? row.letter == space[i] : row.name == parts[i];
        });
        if (way == std::end(ways))
            return {};
        found.push_back(way);
    }
    return found;
}

NrrdAxis::Center centerOf(const std::string& path, const std::string& word) {
    const std::string center = lowerCase(word);
    if (center == "cell")
        return NrrdAxis::Center::Cell;
    if (center == "node")
        return NrrdAxis::Center::Node;
    if (center == "???" || center == "none")
        return NrrdAxis::Center::Unknown;
    throw fileError(path, "the header gives {} in 'centers'; cell, node and ??? are known",
                    inQuotes(word));
}

bool isAbout(double a, double b) { return std::abs(a - b) <= sameWithin * std::abs(b); }

void placeByAxes(const std::string& path, const NrrdHeader& header,
                 const std::vector<NrrdAxis>& axes, const std::array<std::size_t, 3>& spatial,
                 NrrdPlace& place, std::vector<std::string>& notes) {
    const std::vector<std::string> units = parseNrrdStrings(header.field("units"));
    if (!units.empty() && units.size() != axes.size())
        throw fileError(path, "the header gives {} units for {} dimensions", units.size(),
                        axes.size());
    std::array<NrrdSamples, 3> samples;
    for (std::size_t a = 0; a < 3; ++a)
        samples[a] = samplesOf(path, axes[spatial[a]]);
    const bool noSpacing =
        std::ranges::all_of(samples, [](const NrrdSamples& axis) { return std::isnan(axis.step); });
    if (noSpacing)
        notes.push_back("the voxel spacing is not stated; 1 mm is assumed");
    bool assumed = false;
    for (std::size_t a = 0; a < 3; ++a) {
        const double unit = units.empty() ? 1 : nrrdMillimeters(path, units[spatial[a]]);
        const double step = noSpacing ? 1 : samples[a].step;
        if (std::isnan(step))
            throw fileError(path,
                            "the header states the voxel spacing of other axes, but not that "
                            "of axis {}",
                            spatial[a] + 1);
        place.spacing[static_cast<int>(a)] = unit * std::abs(step);
        if (step < 0)
            place.columns[a][a] = -1;
        if (!std::isnan(samples[a].first)) {
            place.origin[static_cast<int>(a)] = unit * samples[a].first;
            assumed |= samples[a].assumedCells;
        }
    }
    if (assumed)
        notes.push_back("the header does not say whether its axis mins are borders of voxels or "
                        "their centers (centers: cell or node); borders are taken, as NRRD does");
}

} // namespace

std::optional<Matrix3> lpsOfNrrdSpace(const std::string& space) {
    const std::vector<const Way*> found = waysOf(lowerCase(space));
    if (found.size() != 3)
        return std::nullopt;
    Matrix3 lps{};
    bool used[3] = {};
    for (std::size_t column = 0; column < 3; ++column) {
        const auto row = static_cast<std::size_t>(found[column]->axis);
        if (used[row])
            return std::nullopt;
        used[row] = true;
        lps[row][column] = found[column]->sign;
    }
    return lps;
}

std::vector<NrrdAxis> nrrdAxes(const std::string& path, const NrrdHeader& header,
                               const std::vector<std::int64_t>& sizes) {
    std::vector<NrrdAxis> axes(sizes.size());
    const auto numbers = [&](const char* name) {
        return nrrdNumbersOfAxes(path, header, name, sizes.size());
    };
    const std::vector<double> spacings = numbers("spacings"), min = numbers("axis mins"),
                              max = numbers("axis maxs");
    const std::vector<std::string> centers = words(header.field("centers"));
    if (!centers.empty() && centers.size() != sizes.size())
        throw fileError(path, "the header gives {} centers for {} dimensions", centers.size(),
                        sizes.size());
    const auto stated = [](const std::vector<double>& list, std::size_t i) {
        return i < list.size() ? list[i] : unknown;
    };
    for (std::size_t i = 0; i < sizes.size(); ++i)
        axes[i] = {sizes[i], stated(spacings, i), stated(min, i), stated(max, i),
                   centers.empty() ? NrrdAxis::Center::Unknown : centerOf(path, centers[i])};
    return axes;
}

NrrdSamples samplesOf(const std::string& path, const NrrdAxis& axis) {
    using Center = NrrdAxis::Center;
    NrrdSamples samples{axis.spacing, unknown, false};
    Center center = axis.center;
    const auto size = static_cast<double>(axis.size);
    const double extent = axis.max - axis.min; // NaN where one is missing
    if (!std::isnan(extent)) {
        const double byCells = extent / size;
        const double byNodes = size > 1 ? extent / (size - 1) : unknown;
        const bool fitsCells = isAbout(byCells, axis.spacing),
                   fitsNodes = isAbout(byNodes, axis.spacing);
        if (std::isnan(axis.spacing))
            samples.step = center == Center::Node ? byNodes : byCells;
        else if (center == Center::Unknown && fitsCells != fitsNodes)
            center = fitsCells ? Center::Cell : Center::Node;
        else if (!(center == Center::Node ? fitsNodes : fitsCells))
            throw fileError(path,
                            "the header contradicts itself: a spacing of {:g}, but {} samples from "
                            "axis min {:g} to axis max {:g}",
                            axis.spacing, axis.size, axis.min, axis.max);
    }
    const double within = center == Center::Node ? 0 : 0.5;
    if (!std::isnan(axis.min))
        samples.first = axis.min + within * samples.step;
    else if (!std::isnan(axis.max))
        samples.first = axis.max - (size - 1 + within) * samples.step;
    samples.assumedCells = center == Center::Unknown;
    return samples;
}

double nrrdMillimeters(const std::string& path, const std::string& unit) {
    if (trimmed(unit).empty() || unit == "???")
        return 1; // NRRD files of this field that say nothing are in millimeters
    const double millimeters = millimetersPerUnit(unit);
    if (millimeters == 0)
        throw fileError(path, "the unit of length is {}, which is not known here", inQuotes(unit));
    return millimeters;
}

NrrdPlace nrrdPlace(const std::string& path, const NrrdHeader& header,
                    const std::vector<NrrdAxis>& axes, const std::array<std::size_t, 3>& spatial,
                    const NrrdVectors& directions, std::vector<std::string>& notes) {
    const std::string space = header.field("space");
    const std::optional<Matrix3> stated = lpsOfNrrdSpace(space);
    NrrdPlace place;
    if (!stated) {
        place.assumedOrientation = fmt::format(
            "the anatomical orientation is not stated{}; the axes are shown as if space were left, "
            "posterior, superior",
            space.empty() ? "" : fmt::format(" (space: {})", inQuotes(space)));
        notes.push_back(place.assumedOrientation);
    }
    const Matrix3 lps = stated.value_or(identity3);
    const std::vector<std::string> units = parseNrrdStrings(header.field("space units"));
    const auto inMillimeters = [&](const std::vector<double>& coordinates) {
        Vec3 place;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t row = 0; row < 3; ++row)
                place[static_cast<int>(row)] +=
                    lps[row][i] * coordinates[i] *
                    (i < units.size() ? nrrdMillimeters(path, units[i]) : 1);
        return place;
    };
    if (directions.empty())
        placeByAxes(path, header, axes, spatial, place, notes);
    for (std::size_t a = 0; a < 3 && !directions.empty(); ++a) {
        const std::vector<double>& vector = *directions[spatial[a]];
        if (vector.size() != 3 && vector.size() != 4)
            throw fileError(path, "a space direction has {} components; 3 are expected",
                            vector.size());
        const Vec3 along = inMillimeters(vector);
        if (const double stated = axes[spatial[a]].spacing;
            !std::isnan(stated) && !isAbout(std::hypot(vector[0], vector[1], vector[2]), stated))
            throw fileError(path,
                            "the header contradicts itself: a spacing of {:g} along axis {}, "
                            "whose space direction is {:g} long",
                            stated, spatial[a] + 1, std::hypot(vector[0], vector[1], vector[2]));
        for (std::size_t row = 0; row < 3; ++row)
            place.columns[row][a] = along[static_cast<int>(row)];
        place.spacing[static_cast<int>(a)] = length(along);
    }
    const NrrdVectors origin = parseNrrdVectors(path, header.field("space origin"));
    if (origin.empty() || (origin.size() == 1 && !origin[0]))
        return place;
    if (origin.size() != 1 || origin[0]->size() < 3)
        throw fileError(path, "the space origin {} is not a position",
                        inQuotes(header.field("space origin")));
    place.origin = inMillimeters(*origin[0]) + Vec3{};
    return place;
}

} // namespace systole
