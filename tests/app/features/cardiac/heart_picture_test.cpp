// Slices of a heart as a picture: planes, labels and contours of a phantom whose shape is known.
#include "app/features/cardiac/ejection_ways.h"
#include "app/features/cardiac/heart_picture.h"
#include "app/features/cardiac/strain_report.h"
#include "compute/core/points.h"
#include "io/phantom/heart.h"
#include "io/phantom/phantom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace systole {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A phantom at rest, and moved by 8 mm to the left in frame 1.
class HeartPictureTest : public ::testing::Test {
protected:
    static constexpr double shift = 8;
    static const StrainOutcome& outcome() {
        static const StrainOutcome made = [] {
            ExecResources resources{2};
            ExecContext ctx = resources.context();
            PhantomOptions options;
            options.size = {40, 40, 40};
            const Phantom phantom(options);
            cardiac::TissueMap map{phantom.geometry(), {}};
            for (const std::uint8_t label : phantom.labels(0, ctx))
                map.at.push_back(label == static_cast<std::uint8_t>(PhantomTissue::Wall)
                                     ? cardiac::Tissue::Wall
                                 : label == static_cast<std::uint8_t>(PhantomTissue::Blood)
                                     ? cardiac::Tissue::Cavity
                                     : cardiac::Tissue::Other);
            StrainTask task;
            task.tissue = std::make_shared<const cardiac::TissueMap>(std::move(map));
            task.fields.push_back(
                {1, 0.1, [&] {
                     const Geometry& grid = phantom.geometry();
                     MillimeterField field{grid, ctx.pool->acquire<float>(3 * grid.voxels(), "f")};
                     for (std::size_t i = 0; i < 3 * grid.voxels(); ++i)
                         field.vectors.data()[i] = i % 3 == 0 ? shift : 0.0f;
                     return field;
                 }});
            task.options = measureOptions(ParamSet(strainTable()));
            StrainOutcome outcome;
            StrainWork().run(task, outcome, ctx);
            return outcome;
        }();
        return made;
    }
    static const cardiac::Ventricle& heart() { return *outcome().ventricle; }
    static bool isContour(const std::uint8_t* p) { return p[0] > 200 && p[1] > 170 && p[2] < 110; }

    /// Distances in mm, along a row through the middle of a tile, of contour pixels from it.
    static std::vector<double> crossings(const RgbaImage& picture, int tile) {
        const double millimeters = 2 * heartPictureReach(heart()) / heartTile;
        std::vector<double> found;
        for (int x = 0; x < heartTile; ++x)
            if (isContour(picture.at(tile * (heartTile + heartTileGap) + x, heartTile / 2)))
                found.push_back((x + 0.5 - heartTile / 2.0) * millimeters);
        return found;
    }
};

TEST_F(HeartPictureTest, ShortAxesAreSeenFromTheApexWithTheInsertionAtTheUpperLeft) {
    const auto planes = heartPlanes(heart());
    const cardiac::LongAxis& axis = heart().axis();
    for (std::size_t i = 0; i < 3; ++i) {
        const HeartPlane& plane = planes[i];
        EXPECT_NEAR(dot(plane.right, axis.towardsBase()), 0, 1e-9);
        EXPECT_NEAR(length(plane.right), 1, 1e-9);
        // The direction towards the viewer is away from the base.
        EXPECT_NEAR(dot(cross(plane.right, plane.up), axis.towardsBase()), -1, 1e-9);
        // 120 degrees of the bull's-eye, where anterior wall and septum meet.
        EXPECT_NEAR(dot(axis.outwards(0), plane.right), -0.5, 1e-9);
        EXPECT_NEAR(dot(axis.outwards(0), plane.up), std::sqrt(3) / 2, 1e-9);
        EXPECT_NEAR(axis.share(plane.center), 0.75 - 0.25 * static_cast<double>(i), 1e-9);
    }
    EXPECT_NEAR(dot(planes[3].up, axis.towardsBase()), 1, 1e-9);
}

TEST_F(HeartPictureTest, TheContourLiesWhereTheWallIsAndMovesWithIt) {
    const HeartShape shape;
    const HeartPose pose(shape);
    const auto planes = heartPlanes(heart());
    // The wall's radii in the plane of the middle, from the shape's own equations.
    const Vec3 own = pose.toOwn(planes[1].center);
    const auto radiusOf = [&](double halfLength, double radius) {
        return radius * std::sqrt(1 - own.z * own.z / (halfLength * halfLength));
    };
    const double inner = radiusOf(shape.endocardialHalfLength, shape.endocardialRadius),
                 outer = radiusOf(shape.epicardialHalfLength(), shape.epicardialRadius());
    const RgbaImage rest = heartPicture(outcome(), 0, nullptr, heart().wall.grid, false);
    ASSERT_EQ(rest.height, heartTile);
    ASSERT_EQ(rest.width, 4 * heartTile + 3 * heartTileGap);
    const auto near = [](const std::vector<double>& found, double place) {
        return std::ranges::any_of(found, [&](double one) { return std::abs(one - place) < 3.5; });
    };
    const std::vector<double> found = crossings(rest, 1);
    for (const double radius : {-outer, -inner, inner, outer})
        EXPECT_TRUE(near(found, radius)) << radius;
    for (const double place : found)
        EXPECT_TRUE(std::abs(std::abs(place) - inner) < 3.5 ||
                    std::abs(std::abs(place) - outer) < 3.5)
            << place;
    // Carried to frame 1: along the picture's horizontal by that part of the shift.
    const double along = dot({shift, 0, 0}, planes[1].right);
    const std::vector<double> carried =
        crossings(heartPicture(outcome(), 1, nullptr, heart().wall.grid, false), 1);
    ASSERT_FALSE(carried.empty());
    if (std::abs(dot({shift, 0, 0}, planes[1].up)) < 1) {
        EXPECT_TRUE(near(carried, outer + along));
    }
}

TEST_F(HeartPictureTest, LabelsShineThroughInTheirFrameAndGrayValuesAreTheImages) {
    const Geometry& grid = heart().wall.grid;
    ExecResources resources{1};
    Volume image(grid, resources.pool(), "gray");
    std::ranges::fill(image.view().span(), 10.0f);
    const auto view = std::as_const(image).view();
    const VolumeView<const float> gray(view.data, view.size);
    const RgbaImage with = heartPicture(outcome(), 0, &gray, grid, true),
                    without = heartPicture(outcome(), 0, &gray, grid, false);
    const int middle = heartTile + heartTileGap + heartTile / 2;
    const std::uint8_t *in = with.at(middle, heartTile / 2),
                       *out = without.at(middle, heartTile / 2);
    EXPECT_GT(in[0], in[2] + 10) << "the cavity is orange";
    EXPECT_EQ(out[0], out[2]) << "gray without labels";
    for (std::size_t i = 3; i < with.pixels.size(); i += 4)
        ASSERT_EQ(with.pixels[i], 255);
    const RgbaImage none = heartPicture(outcome(), 0, nullptr, grid, false);
    EXPECT_GT(none.at(middle, heartTile / 2)[0], 50) << "black would look like an image";
    const RgbaImage again = heartPicture(outcome(), 0, &gray, grid, true);
    EXPECT_TRUE(again.pixels == with.pixels);
}

TEST_F(HeartPictureTest, TheReportHasPicturesStudyDateAndSettingsInWords) {
    StrainReport report;
    report.study = "<heart> 1";
    report.date = "2026-01-02";
    report.roles = {3, 2, 0};
    report.parameters.set("cavity-label", 3);
    report.pictures = heartPictures(outcome(), heart().wall.grid, [](int) { return nullptr; });
    ASSERT_GE(report.pictures.size(), 1u);
    EXPECT_TRUE(report.pictures.front().png.starts_with("\x89PNG"));
    EXPECT_THAT(report.pictures.front().caption, HasSubstr("Frame 0, end diastole"));
    EXPECT_THAT(report.pictures.front().caption, HasSubstr("no image of it"));
    const std::string page = strainReportPage(strainReportContent(outcome(), report));
    EXPECT_THAT(page, HasSubstr("<h1>&lt;heart&gt; 1: left ventricle"));
    EXPECT_THAT(page, HasSubstr("<title>&lt;heart&gt; 1: left ventricle"));
    EXPECT_THAT(page, HasSubstr("Measured on 2026-01-02."));
    EXPECT_THAT(page, HasSubstr("src=\"data:image/png;base64,"));
    EXPECT_THAT(page, HasSubstr("frame 0, that of the labels"));
    EXPECT_THAT(page, HasSubstr("3, as given"));
    EXPECT_THAT(page, HasSubstr("2, found"));
    EXPECT_THAT(page, Not(HasSubstr(">-1<")));
    EXPECT_THAT(page, HasSubstr("SD of J is the standard deviation"));
}

/// An outcome whose volumes are set.
StrainOutcome withVolumes(std::vector<double> midWall) {
    StrainOutcome outcome;
    for (std::size_t t = 0; t < midWall.size(); ++t) {
        outcome.motion.frame.push_back(static_cast<int>(t));
        cardiac::FrameMeasures frame;
        frame.cavity = {midWall[t] - 10, midWall[t] - 5, midWall[t]};
        outcome.measures.frames.push_back(frame);
    }
    const auto least = std::ranges::min_element(midWall);
    outcome.summary.endSystole = static_cast<int>(least - midWall.begin());
    outcome.summary.endDiastolic = outcome.measures.frames.front().cavity;
    outcome.summary.endSystolic =
        outcome.measures.frames[static_cast<std::size_t>(outcome.summary.endSystole)].cavity;
    outcome.summary.ejectionPercent = {0, 0, 100 * (1 - *least / midWall.front())};
    return outcome;
}

TEST(EjectionWays, EachIsNamedWithItsVolumesAndFrames) {
    const StrainOutcome outcome = withVolumes({100, 70, 60, 90});
    const std::vector<VolumeInFrame> found{{0, 110}, {1, 60}, {3, 95}};
    const auto ways = ejectionWays(outcome, "clg", found);
    ASSERT_EQ(ways.size(), 4u);
    EXPECT_EQ(ways[0].way, "carried by clg, mid-wall");
    EXPECT_DOUBLE_EQ(ways[0].percent, 40);
    EXPECT_DOUBLE_EQ(ways[0].largest, 100);
    EXPECT_DOUBLE_EQ(ways[0].smallest, 60);
    EXPECT_EQ(ways[0].systole, 2);
    EXPECT_EQ(ways[3].way, "labels of each frame (3)");
    EXPECT_DOUBLE_EQ(ways[3].percent, 100 * (1 - 60.0 / 110));
    EXPECT_EQ(ways[3].systole, 1);
    EXPECT_EQ(ejectionWays(outcome, "clg", {}).size(), 3u);
    EXPECT_EQ(systoleOf(found), 1);
    EXPECT_EQ(systoleOf({}), std::nullopt);
}

TEST(EjectionWays, TheyAreDoubtedWhereTheyDisagreeAndTheFrameIsNamed) {
    const StrainOutcome outcome = withVolumes({100, 70, 60, 90});
    const std::vector<VolumeInFrame> same{{0, 100}, {2, 63}}, other{{0, 100}, {1, 62}, {2, 30}};
    EXPECT_EQ(ejectionDoubt(outcome, same), "");
    EXPECT_EQ(ejectionDoubt(outcome, {}), "");
    const std::string doubt = ejectionDoubt(outcome, other);
    EXPECT_THAT(doubt, HasSubstr("70.0 %, the carried wall 40.0 %: 30.0 points apart"));
    EXPECT_THAT(doubt, HasSubstr("in frame 2, where they are 30.0 ml apart"));
}

} // namespace
} // namespace systole
