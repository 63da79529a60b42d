#include "app/landmarks/landmark_parameters.h"

#include <algorithm>

namespace systole {
namespace {

constexpr int mostDetected = 5000; ///< what two cores follow while a sequence plays
constexpr const char* detectionRows[] = {"within",    "number",       "spacing",
                                         "smoothing", "neighborhood", "least"};
constexpr const char* wallRows[] = {"elastic-wall", "elastic-label", "elastic-length", "poisson"};
constexpr const char* wallOrigins[] = {"none", "segmentation", "file"}; ///< by WallOrigin

} // namespace

const ParamTable& landmarkTable() {
    static const ParamTable table = [] {
        const CornerSettings corners;
        const TrackerSettings tracker;
        const elasticity::WallTrackOptions wall;
        return ParamTable({
            choiceParam("within", "image", {"image", "wall"},
                        "Where points are found: anywhere in the image, or in the elastic wall.")
                .titled("find in"),
            integerParam("number", corners.number, 1, mostDetected, "",
                         "At most so many points, the strongest."),
            realParam("spacing", corners.spacing, 0, 100, "mm",
                      "Least distance between two points."),
            realParam("smoothing", corners.gradientSigma, 0, 10, "mm",
                      "Standard deviation of a Gaussian before the gradient; 0: none."),
            realParam("neighborhood", corners.tensorSigma, 0, 10, "mm",
                      "Standard deviation of the Gaussian around a point in which the image must "
                      "change in every direction; 0: the smallest voxel spacing."),
            realParam("least", corners.leastResponse, 0, 1, "",
                      "Fraction of the strongest point's response below which there are none.")
                .titled("least response"),
            choiceParam("from", "reference", {"reference", "previous"},
                        "What a frame is compared with: the frame of the points, without drift, or "
                        "the frame before, for gray values that change; then what is lost stays "
                        "lost."),
            realParam("reach", 0, 0, 100, "mm",
                      "Half the searched region around the last place, along all axes; 0: 12, 6 "
                      "and 8 voxels."),
            integerParam("levels", tracker.levels, 1, 8, "",
                         "Resolutions: the region is searched on the coarsest, what was found "
                         "there refined on the others."),
            integerParam("refine", tracker.refineRadius, 1, 8, "voxel",
                         "Half the region on the finer resolutions."),
            realParam("backward", tracker.backwardTolerance, 0, 10, "",
                      "Reject a point that, tracked back, ends farther from where it began, in "
                      "smallest voxel spacings; 0: not tested.")
                .titled("backward error"),
            realParam("ratio", tracker.greatestRatio, 0.01, 1, "",
                      "Reject a point whose best place is hardly better than one elsewhere: "
                      "greatest ratio of their distances.")
                .titled("greatest ratio"),
            choiceParam("outliers", outlierTests[static_cast<int>(tracker.outliers)],
                        {std::begin(outlierTests), std::end(outlierTests)},
                        "Which points to reject for the others' sake: those whose displacement "
                        "contradicts their neighbors', those that move with too few others "
                        "(spectral matching: whole groups of wrong points too), both, or none."),
            choiceParam("elastic-wall", "none", {std::begin(wallOrigins), std::end(wallOrigins)},
                        "Points in a wall move with it, an elastic body that those which were "
                        "tracked pull along; lost points get its position. The wall is a label of "
                        "the frame in which the points begin: of the segmentation, or of a file.")
                .titled("elastic wall"),
            integerParam("elastic-label", 0, 0, 65535, "",
                         "The label of the wall; 0: the segmentation's wall, or what the file says "
                         "(of the phantom, of ACDC, or its only label).")
                .titled("label of the wall"),
            realParam("elastic-length", wall.length, 0.001, 1000, "mm",
                      "How far the wall may smooth the motion of points: the length of the springs "
                      "between the two.")
                .titled("smoothing length"),
            realParam("poisson", wall.material.poissonRatio, 0, 0.499, "",
                      "Poisson's ratio of the wall; near 0.5 its volume hardly changes.")
                .titled("Poisson's ratio"),
        });
    }();
    return table;
}

LandmarkPart partOf(const ParamRow& row) {
    if (std::ranges::find(detectionRows, row.id) != std::end(detectionRows))
        return LandmarkPart::Detection;
    return std::ranges::find(wallRows, row.id) != std::end(wallRows) ? LandmarkPart::Wall
                                                                     : LandmarkPart::Tracking;
}

CornerSettings cornerSettings(const ParamSet& parameters) {
    CornerSettings settings;
    settings.number = parameters.integer("number");
    settings.spacing = parameters.real("spacing");
    settings.gradientSigma = parameters.real("smoothing");
    settings.tensorSigma = parameters.real("neighborhood");
    settings.leastResponse = parameters.real("least");
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

} // namespace systole
