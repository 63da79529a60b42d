#include "render/view_plane.h"
#include "tests/render/render_support.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace systole {
namespace {

Vec3 applied(const std::array<float, 16>& columns, Vec3 p) {
    Vec3 result;
    for (int row = 0; row < 3; ++row) {
        double sum = columns[static_cast<std::size_t>(12 + row)];
        for (int column = 0; column < 3; ++column)
            sum += static_cast<double>(columns[static_cast<std::size_t>(4 * column + row)]) *
                   p[column];
        result[row] = sum;
    }
    return result;
}

TEST(ViewPlane, KeepsTheRadiologicalConvention) {
    const auto letters = [](ViewKind kind) {
        const auto four = borderLetters(viewPlane(kind));
        return std::string(four.begin(), four.end());
    };
    EXPECT_EQ(letters(ViewKind::Axial), "RLAP"); // left, right, top, bottom of the picture
    EXPECT_EQ(letters(ViewKind::Coronal), "RLSI");
    EXPECT_EQ(letters(ViewKind::Sagittal), "APSI");
    EXPECT_EQ(viewPlane(ViewKind::Axial).towardsObserver, (Vec3{0, 0, -1}));   // the feet
    EXPECT_EQ(viewPlane(ViewKind::Coronal).towardsObserver, (Vec3{0, -1, 0})); // the front
    EXPECT_EQ(viewPlane(ViewKind::Sagittal).towardsObserver, (Vec3{1, 0, 0})); // the left
}

TEST(ViewPlane, BoxHoldsEveryVoxelToItsFaces) {
    const Geometry geometry = obliqueGeometry();
    const PhysicalBox box = boxAround(geometry);
    Vec3 low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
    for (int corner = 0; corner < 8; ++corner) {
        const Size3 size = geometry.size();
        const Vec3 p = geometry.indexToPhysical({corner & 1 ? size.x - 0.5 : -0.5,
                                                 corner & 2 ? size.y - 0.5 : -0.5,
                                                 corner & 4 ? size.z - 0.5 : -0.5});
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], p[axis]);
            high[axis] = std::max(high[axis], p[axis]);
        }
    }
    EXPECT_NEAR(length(box.low - low), 0, 1e-9);
    EXPECT_NEAR(length(box.high - high), 0, 1e-9);
    EXPECT_NEAR(length(box.center() - geometry.center()), 0, 1e-9);
}

TEST(ViewPlane, TextureCoordinatesMeetVoxelCenters) {
    const Geometry geometry = obliqueGeometry();
    const auto matrix = physicalToTexture(geometry);
    const Size3 size = geometry.size();
    for (const Vec3 index : {Vec3{0, 0, 0}, Vec3{19, 23, 27}, Vec3{3, 17, 8}}) {
        const Vec3 at = applied(matrix, geometry.indexToPhysical(index));
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(at[axis], (index[axis] + 0.5) / size[axis], 1e-5);
    }
}

TEST(ViewPlane, SlicesAreOneVoxelOfTheMatchingIndexAxisApart) {
    const Geometry geometry = obliqueGeometry(); // index axes run R, S, P
    EXPECT_DOUBLE_EQ(sliceSpacing(geometry, 0), 2.0);
    EXPECT_DOUBLE_EQ(sliceSpacing(geometry, 1), 2.5);
    EXPECT_DOUBLE_EQ(sliceSpacing(geometry, 2), 1.5);
}

TEST(ViewPlane, InterpolationIsExactForLinearImages) {
    const Geometry geometry = obliqueGeometry();
    ExecResources resources(1);
    Volume image(geometry, resources.pool(), "linear");
    VectorField field(geometry, resources.pool(), "linear");
    const auto gray = [](Vec3 p) { return 3 + 0.5 * p.x - 0.25 * p.y + 0.125 * p.z; };
    const auto motion = [](Vec3 p) { return Vec3{0.01 * p.y, 0.02 * p.z, 1 - 0.03 * p.x}; };
    const auto view = image.view();
    const auto vectors = field.view();
    for (int z = 0; z < view.size.z; ++z)
        for (int y = 0; y < view.size.y; ++y)
            for (int x = 0; x < view.size.x; ++x) {
                const Vec3 p = geometry.indexToPhysical(
                    {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                view(x, y, z) = static_cast<float>(gray(p));
                const Vec3 v = geometry.physicalVectorToVoxel(motion(p));
                for (int axis = 0; axis < 3; ++axis)
                    vectors.componentView(axis)(x, y, z) = static_cast<float>(v[axis]);
            }
    std::mt19937 random(7);
    for (int trial = 0; trial < 200; ++trial) {
        Vec3 index;
        for (int axis = 0; axis < 3; ++axis)
            index[axis] =
                std::uniform_real_distribution<double>(0, geometry.size()[axis] - 1)(random);
        const Vec3 p = geometry.indexToPhysical(index);
        ASSERT_TRUE(valueAt(image, p) && displacementAt(field, p));
        EXPECT_NEAR(static_cast<double>(*valueAt(image, p)), gray(p), 1e-4);
        EXPECT_NEAR(length(*displacementAt(field, p) - motion(p)), 0, 1e-4);
    }
    const Vec3 outside = geometry.indexToPhysical({-0.6, 3, 3});
    EXPECT_FALSE(valueAt(image, outside));
    EXPECT_FALSE(displacementAt(field, outside));
}

TEST(ViewLayout, ViewsCoverTheWindowWithoutOverlap) {
    for (const Layout layout : layouts)
        for (const auto& [width, height] :
             {std::pair{1280, 800}, {801, 603}, {1000, 800}, {400, 900}, {64, 48}}) {
            const int gap = 2;
            const auto areas = arrangeViews(layout, width, height, gap);
            EXPECT_EQ(areas.size(), layout == Layout::Single3D ? 1u
                                    : layout == Layout::FourUp ? 4u
                                                               : 3u);
            std::vector<int> owner(static_cast<std::size_t>(width) *
                                   static_cast<std::size_t>(height));
            for (const ViewArea& area : areas)
                for (int y = area.y; y < area.y + area.height; ++y)
                    for (int x = area.x; x < area.x + area.width; ++x)
                        ++owner.at(static_cast<std::size_t>(y * width + x));
            const auto empty = std::count(owner.begin(), owner.end(), 0);
            EXPECT_EQ(*std::max_element(owner.begin(), owner.end()), 1);
            EXPECT_LE(empty, 2 * gap * std::max(width, height));
        }
}

TEST(ViewLayout, AWindowOfOnePixelHasAtMostOneView) {
    for (const Layout layout : layouts)
        EXPECT_LE(arrangeViews(layout, 1, 1, 2).size(), 1u);
}

TEST(ViewLayout, SideBySideIsLeftRightAndDifferenceOfOneKindAndOneScale) {
    struct Case {
        int width, height;
        int rows; ///< rows that the three views form
    };
    for (const Case& c : {Case{1280, 700, 1}, Case{1000, 800, 2}, Case{500, 1200, 3}}) {
        const auto areas =
            arrangeViews(Layout::SideBySide, c.width, c.height, 2, ViewKind::Coronal);
        ASSERT_EQ(areas.size(), 3u);
        std::set<ViewSide> sides;
        std::set<int> tops;
        for (const ViewArea& area : areas) {
            EXPECT_EQ(area.kind, ViewKind::Coronal);
            sides.insert(area.side);
            tops.insert(area.y);
            EXPECT_LE(area.fitWidth, area.width);
            EXPECT_LE(area.fitHeight, area.height);
            EXPECT_EQ(area.fitWidth, areas[0].fitWidth);
            EXPECT_EQ(area.fitHeight, areas[0].fitHeight);
        }
        EXPECT_EQ(sides.size(), 3u);
        EXPECT_EQ(tops.size(), static_cast<std::size_t>(c.rows)) << c.width << "x" << c.height;
    }
}

TEST(SteppedPosition, GoesFromSliceToSliceAndStopsAtTheLast) {
    // Seven slices of 10 mm, counted upwards: their centers are at -35 to 25.
    const Geometry up({100, 95, 7}, {1.5, 1.5, 10}, {0, 0, -35});
    const auto stepped = [&](double from, int steps) {
        return steppedPosition(up, {3, 4, from}, 2, steps);
    };
    EXPECT_NEAR(stepped(-5, -1), -15, 1e-9);
    EXPECT_NEAR(stepped(-35, -1), -35, 1e-9) << "not to the face of the volume";
    EXPECT_NEAR(stepped(25, 3), 25, 1e-9);
    EXPECT_NEAR(stepped(-40, 1), -35, 1e-9) << "from between slices, or the face, to a slice";
    EXPECT_NEAR(stepped(-31, 1), -25, 1e-9);
    EXPECT_NEAR(stepped(-31, -1), -35, 1e-9);
    EXPECT_NEAR(stepped(-31, 2), -15, 1e-9);
    EXPECT_NEAR(stepped(-29, 0), -25, 1e-9);
    const Geometry down({100, 95, 7}, {1.5, 1.5, 10}, {0, 0, 25},
                        {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}});
    for (const double from : {-40.0, -31.0, -5.0, 25.0})
        for (const int steps : {-2, -1, 1, 2})
            EXPECT_NEAR(steppedPosition(down, {3, 4, from}, 2, steps), stepped(from, steps), 1e-9)
                << from << " " << steps;
    const Geometry tilted({100, 95, 7}, {1.5, 1.5, 10}, {0, 0, -35},
                          {{{1, 0, 0}, {0, 0.8, -0.6}, {0, 0.6, 0.8}}});
    EXPECT_NEAR(steppedPosition(tilted, {3, 4, 5}, 2, -1), -5, 1e-9);
}

} // namespace
} // namespace systole
