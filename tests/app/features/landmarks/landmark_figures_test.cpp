// Tracks in figures: counts, certainties, and errors against reference tracks.
#include "app/features/landmarks/landmark_figures.h"
#include "compute/core/error.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

/// Two frames; the second one's positions and certainties are given.
LandmarkTracks::Track track(const std::string& name, Vec3 first,
                            std::optional<TrackedPosition> second) {
    return {name, {TrackedPosition{first, 1}, second}};
}

LandmarkTracks found() {
    return {0,
            {track("a", {0, 0, 0}, TrackedPosition{{3, 4, 0}, 0.25}),
             track("b", {10, 0, 0}, TrackedPosition{{10, 0, 1}, 1.0}),
             track("c", {20, 0, 0}, std::nullopt),
             track("d", {30, 0, 0}, TrackedPosition{{33, 0, 0}, 0.55})}};
}

TEST(LandmarkFigures, CountsCertaintiesAndDisplacementsAreOfTrackedPoints) {
    const LandmarkFrame figures = figuresOf(found(), {}, 1);
    EXPECT_EQ(figures.tracked, 3);
    EXPECT_EQ(figures.lost, 1);
    EXPECT_NEAR(figures.meanCertainty, 0.6, 1e-12);
    EXPECT_EQ(figures.certainty[2], 1);
    EXPECT_EQ(figures.certainty[5], 1);
    EXPECT_EQ(figures.certainty[9], 1) << "1 belongs to the last part";
    EXPECT_DOUBLE_EQ(figures.medianMillimeters, 3);
    EXPECT_DOUBLE_EQ(figures.largestMillimeters, 5);
    EXPECT_FALSE(figures.error);
}

TEST(LandmarkFigures, PointsThatAWallCarriedAlongAreToldApart) {
    LandmarkTracks tracks = found();
    EXPECT_EQ(figuresOf(tracks, {}, 1).carried, 0);
    tracks.tracks[2].frames[1] = TrackedPosition{{21, 0, 0}, 0};
    const LandmarkFrame figures = figuresOf(tracks, {}, 1);
    EXPECT_EQ(figures.carried, 1);
    EXPECT_EQ(figures.tracked, 3);
    EXPECT_EQ(figures.lost, 0);
    EXPECT_NEAR(figures.meanCertainty, 0.6, 1e-12) << "of those that were tracked";
    const auto scene = sceneTracks(tracks, {}, {});
    EXPECT_TRUE(scene->tracks[2][1]->carried);
    EXPECT_FALSE(scene->tracks[0][1]->carried);
    EXPECT_FALSE(scene->tracks[2][0]->carried);
}

TEST(LandmarkFigures, ErrorsAreDistancesFromTheTracksOfTheSameName) {
    const LandmarkTracks expert{0,
                                {track("d", {30, 0, 0}, TrackedPosition{{33, 2, 0}, 1}),
                                 track("c", {20, 0, 0}, TrackedPosition{{20, 0, 0}, 1}),
                                 track("a", {0, 0, 0}, TrackedPosition{{3, 0, 0}, 1})}};
    const LandmarkTracks tracks = found();
    const auto matched = matchTracks(tracks, expert);
    const PointErrors errors = errorsFrom(tracks, matched, 1);
    EXPECT_DOUBLE_EQ(*errors[0], 4);
    EXPECT_FALSE(errors[1]) << "the reference doesn't have it";
    EXPECT_FALSE(errors[2]) << "lost";
    EXPECT_DOUBLE_EQ(*errors[3], 2);
    const LandmarkFrame figures = figuresOf(tracks, matched, 1);
    ASSERT_TRUE(figures.error);
    EXPECT_EQ(figures.error->count, 2U);
    EXPECT_DOUBLE_EQ(figures.error->mean, 3);
    EXPECT_NEAR(figures.error->deviation, std::sqrt(2.0), 1e-12);
    const auto scene = sceneTracks(tracks, matched, {});
    EXPECT_DOUBLE_EQ(*scene->tracks[0][1]->error, 4);
    EXPECT_FALSE(scene->tracks[1][1]->error);
    EXPECT_FALSE(scene->tracks[2][1]);
}

TEST(LandmarkFigures, OtherNamesMatchByPlaceAndOnlyInEqualNumber) {
    LandmarkTracks expert = found();
    for (LandmarkTracks::Track& one : expert.tracks)
        one.name = "other " + one.name;
    const LandmarkTracks tracks = found();
    EXPECT_EQ(matchTracks(tracks, expert)[3], &expert.tracks[3]);
    expert.tracks.pop_back();
    EXPECT_THROW(matchTracks(tracks, expert), ComputeError);
}

TEST(LandmarkFigures, FramesThatAReferenceDoesNotReachHaveNoErrors) {
    const LandmarkTracks tracks = found();
    LandmarkTracks expert = found();
    for (LandmarkTracks::Track& one : expert.tracks)
        one.frames.resize(1);
    EXPECT_FALSE(figuresOf(tracks, matchTracks(tracks, expert), 1).error);
}

TEST(LandmarkParameters, DefaultsAreThoseOfTheCommands) {
    const ParamSet parameters(landmarkTable());
    const TrackerSettings tracker = trackerSettings(parameters, {1, 1, 1}), expected;
    EXPECT_EQ(tracker.from, expected.from);
    EXPECT_EQ(tracker.searchRadius.x, expected.searchRadius.x);
    EXPECT_EQ(tracker.levels, expected.levels);
    EXPECT_EQ(tracker.refineRadius, expected.refineRadius);
    EXPECT_EQ(tracker.backwardTolerance, expected.backwardTolerance);
    EXPECT_EQ(tracker.greatestRatio, expected.greatestRatio);
    EXPECT_EQ(tracker.outliers, expected.outliers);
    const CornerSettings corners = cornerSettings(parameters), usual;
    EXPECT_EQ(corners.number, usual.number);
    EXPECT_EQ(corners.spacing, usual.spacing);
    EXPECT_EQ(corners.minResponse, usual.minResponse);
}

TEST(LandmarkParameters, EveryPartIsComparedAlone) {
    const ParamSet usual(landmarkTable());
    const std::pair<const char*, LandmarkPart> changed[] = {
        {"number", LandmarkPart::Detection},
        {"levels", LandmarkPart::Tracking},
        {"elastic-length", LandmarkPart::Wall},
    };
    for (const auto& [id, part] : changed) {
        ParamSet other = usual;
        other.setText(id, "7");
        for (const LandmarkPart any :
             {LandmarkPart::Detection, LandmarkPart::Tracking, LandmarkPart::Wall})
            EXPECT_EQ(sameParameters(usual, other, any), any != part) << id;
    }
}

TEST(LandmarkParameters, TheWallIsThatOfTheCommandOnceItIsChosen) {
    ParamSet parameters(landmarkTable());
    EXPECT_EQ(wallOrigin(parameters), WallOrigin::None);
    const elasticity::WallTrackOptions options = wallOptions(parameters), usual;
    EXPECT_EQ(options.length, usual.length);
    EXPECT_EQ(options.material.poissonRatio, usual.material.poissonRatio);
    parameters.setText("elastic-wall", "file");
    EXPECT_EQ(wallOrigin(parameters), WallOrigin::File);
    parameters.setText("elastic-wall", "segmentation");
    EXPECT_EQ(wallOrigin(parameters), WallOrigin::Segmentation);
}

TEST(LandmarkParameters, ReachIsInMillimetersAlongEveryAxis) {
    ParamSet parameters(landmarkTable());
    parameters.set("reach", 12.0);
    const Size3 radius = trackerSettings(parameters, {1, 2, 4}).searchRadius;
    EXPECT_EQ(radius.x, 12);
    EXPECT_EQ(radius.y, 6);
    EXPECT_EQ(radius.z, 3);
}

} // namespace
} // namespace systole
