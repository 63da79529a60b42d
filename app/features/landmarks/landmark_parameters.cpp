#include "app/features/landmarks/landmark_parameters.h"

#include <algorithm>

namespace systole {
namespace {

constexpr const char* wallOrigins[] = {"none", "segmentation", "file"}; ///< names by WallOrigin

bool has(const ParamTable& table, const std::string& id) {
    return std::ranges::any_of(table.rows(), [&](const ParamRow& row) { return row.id == id; });
}

} // namespace

const ParamTable& detectionTable() {
    static const ParamTable table = [] {
        const CornerSettings usual;
        return ParamTable({
            integerParam("number", usual.number, 1, 1000000, "",
                         "Maximum number of points; the strongest are kept.")
                .usually(1, 10000),
            realParam("spacing", usual.spacing, 0, 1000, "mm", "Least distance between two points.")
                .usually(0, 50),
            realParam("smoothing", usual.gradientSigma, 0, 100, "mm",
                      "Standard deviation of a Gaussian before the gradient; 0: none.")
                .usually(0, 10),
            realParam("neighborhood", usual.tensorSigma, 0, 100, "mm",
                      "Standard deviation of the Gaussian around a point in which the image must "
                      "change in every direction; 0: the smallest voxel spacing.")
                .usually(0, 10),
            realParam("least", usual.minResponse, 0, 1, "",
                      "Minimum response of a point, as a fraction of the strongest one's.")
                .titled("least response"),
        });
    }();
    return table;
}

const ParamTable& trackingTable() {
    static const ParamTable table = [] {
        const TrackerSettings usual;
        return ParamTable({
            choiceParam("from", "reference", {"reference", "previous"},
                        "Frame with which each frame is compared: that of the points, which "
                        "avoids drift, or the previous one, for gray values that change; lost "
                        "points then stay lost."),
            realParam("reach", 0, 0, 1000, "mm",
                      "Half the size of the region searched around the last position, along all "
                      "axes; 0: 12, 6 and 8 voxels.")
                .usually(0, 50),
            integerParam("levels", usual.levels, 1, 8, "",
                         "Number of resolutions: the region is searched on the coarsest, and the "
                         "result is refined on the others."),
            integerParam("refine", usual.refineRadius, 1, 8, "voxel",
                         "Half the region on the finer resolutions."),
            realParam("backward", usual.backwardTolerance, 0, 1000, "",
                      "Reject a point that, tracked back, ends farther from where it began, in "
                      "smallest voxel spacings; 0: not tested.")
                .usually(0, 10)
                .titled("backward error"),
            realParam("ratio", usual.greatestRatio, 0.01, 1, "",
                      "Reject a point whose best match is hardly better than another one "
                      "elsewhere: maximum ratio of their distances.")
                .titled("greatest ratio"),
            choiceParam("outliers", outlierTests[static_cast<int>(usual.outliers)],
                        {std::begin(outlierTests), std::end(outlierTests)},
                        "Which points to reject by comparison with the others: those whose "
                        "displacement contradicts their neighbors', those that move with too few "
                        "others (spectral matching: whole groups of wrong points too), both, or "
                        "none."),
        });
    }();
    return table;
}

const ParamTable& wallTable() {
    static const ParamTable table = [] {
        const elasticity::WallTrackOptions usual;
        return ParamTable({
            integerParam("elastic-label", 0, 0, 65535, "",
                         "The label of the wall; 0: the segmentation's wall, or what the file says "
                         "(of the phantom, of ACDC, or its only label).")
                .usually(0, 20)
                .titled("label of the wall"),
            realParam("elastic-length", usual.length, 0.001, 1000, "mm",
                      "How far the wall may smooth the motion of points: the length of the springs "
                      "between the two.")
                .usually(0.1, 100)
                .titled("smoothing length"),
            realParam("poisson", usual.material.poissonRatio, 0, 0.499, "",
                      "Poisson's ratio of the wall; near 0.5 its volume hardly changes.")
                .titled("Poisson's ratio"),
        });
    }();
    return table;
}

const ParamTable& landmarkTable() {
    static const ParamTable table = [] {
        std::vector<ParamRow> rows{
            choiceParam("within", "image", {"image", "wall"},
                        "Where points are found: anywhere in the image, or in the elastic wall.")
                .titled("find in")};
        const auto append = [&](const ParamTable& part) {
            rows.insert(rows.end(), part.rows().begin(), part.rows().end());
        };
        append(detectionTable());
        append(trackingTable());
        rows.push_back(
            choiceParam("elastic-wall", "none", {std::begin(wallOrigins), std::end(wallOrigins)},
                        "Points in a wall move with it: it is an elastic body that the tracked "
                        "points pull along. Lost points get the body's position. The wall is a "
                        "label of the frame in which the points begin: of the segmentation, or of "
                        "a file.")
                .titled("elastic wall"));
        append(wallTable());
        return ParamTable(std::move(rows));
    }();
    return table;
}

LandmarkPart partOf(const ParamRow& row) {
    if (row.id == "within" || has(detectionTable(), row.id))
        return LandmarkPart::Detection;
    return has(trackingTable(), row.id) ? LandmarkPart::Tracking : LandmarkPart::Wall;
}

CornerSettings cornerSettings(const ParamSet& parameters) {
    CornerSettings settings;
    settings.number = parameters.integer("number");
    settings.spacing = parameters.real("spacing");
    settings.gradientSigma = parameters.real("smoothing");
    settings.tensorSigma = parameters.real("neighborhood");
    settings.minResponse = parameters.real("least");
    return settings;
}

bool findsInWall(const ParamSet& parameters) { return parameters.choice("within") == "wall"; }

TrackerSettings trackerSettings(const ParamSet& parameters, Vec3 spacing) {
    TrackerSettings settings;
    settings.from =
        parameters.choice("from") == "previous" ? TrackFrom::Previous : TrackFrom::Reference;
    if (const double reach = parameters.real("reach"); reach > 0)
        settings.searchRadius = radiusInVoxels(reach, spacing);
    settings.levels = parameters.integer("levels");
    settings.refineRadius = parameters.integer("refine");
    settings.backwardTolerance = parameters.real("backward");
    settings.greatestRatio = parameters.real("ratio");
    settings.outliers = outlierTestNamed(parameters.choice("outliers"));
    return settings;
}

WallOrigin wallOrigin(const ParamSet& parameters) {
    const auto* const named = std::ranges::find(wallOrigins, parameters.choice("elastic-wall"));
    return static_cast<WallOrigin>(named - std::begin(wallOrigins));
}

elasticity::WallTrackOptions wallOptions(const ParamSet& parameters) {
    elasticity::WallTrackOptions options;
    options.length = parameters.real("elastic-length");
    options.material.poissonRatio = parameters.real("poisson");
    return options;
}

bool sameParameters(const ParamSet& a, const ParamSet& b, LandmarkPart part) {
    return std::ranges::all_of(landmarkTable().rows(), [&](const ParamRow& row) {
        return partOf(row) != part || a.value(row.id) == b.value(row.id);
    });
}

const Task& detectionTask() {
    static const Task task{"landmarks detect",
                           "Points of an image that can be found again",
                           &detectionTable(),
                           {Backend::Cpu, Backend::Cuda}};
    return task;
}

const Task& trackingTask() {
    static const Task task{"landmarks track",
                           "Points followed through a sequence",
                           &trackingTable(),
                           {Backend::Cpu, Backend::Cuda}};
    return task;
}

const Task& wallTask() {
    static const Task task{
        "wall", "Tracks that move with an elastic wall", &wallTable(), {Backend::Cpu}};
    return task;
}

} // namespace systole
