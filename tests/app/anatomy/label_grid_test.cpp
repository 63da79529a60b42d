// Label maps stored in another order than their images, or as a part of them.
#include "app/anatomy/label_grid.h"
#include "io/base/error.h"
#include "tests/support/compute_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Oblique, of three sizes and three spacings.
const Matrix3 oblique{{{-0.8, 0.6, 0}, {-0.6, -0.8, 0}, {0, 0, 1}}};
const Geometry images({9, 7, 5}, {1.5, 2, 4}, {70.5, -34, 12}, oblique);

/// A label of each place, far from where rounding turns it into another one.
float labelAt(Vec3 p) {
    return static_cast<float>(
        1 + std::lround(8 * std::abs(37 * p.x + 101 * p.y + 13 * p.z) + 0.123) % 60000);
}

class LabelGrid : public ::testing::Test {
protected:
    Volume labelsOn(const Geometry& grid) {
        Volume map(grid, resources.pool(), "labels");
        const Size3 size = grid.size();
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    map.view()(x, y, z) =
                        labelAt(grid.indexToPhysical({1.0 * x, 1.0 * y, 1.0 * z}));
        return map;
    }
    Volume placed(const Geometry& grid) {
        notes.clear();
        return labelsOnGrid(labelsOn(grid), "l.nii", images, notes, resources.context());
    }
    void expectLabels(const Volume& map, int from, int to) {
        ASSERT_TRUE(map.geometry.matches(images));
        const Size3 size = images.size();
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x) {
                    const bool stored = x >= from && x < to;
                    EXPECT_EQ(map.view()(x, y, z),
                              stored ? labelAt(images.indexToPhysical({1.0 * x, 1.0 * y, 1.0 * z}))
                                     : 0)
                        << x << ' ' << y << ' ' << z;
                }
    }

    ExecResources resources{1};
    std::vector<std::string> notes;
};

/// The grid whose axis a is axis `order[a]` of `images`, backwards where `flipped` says so.
Geometry reordered(std::array<int, 3> order, std::array<bool, 3> flipped) {
    Size3 size;
    Vec3 spacing, first;
    Matrix3 direction{};
    int sizes[3];
    for (int axis = 0; axis < 3; ++axis) {
        const int from = order[static_cast<std::size_t>(axis)];
        const bool turned = flipped[static_cast<std::size_t>(axis)];
        sizes[axis] = images.size()[from];
        spacing[axis] = images.spacing()[from];
        if (turned)
            first[from] = images.size()[from] - 1;
        for (std::size_t row = 0; row < 3; ++row)
            direction[row][static_cast<std::size_t>(axis)] =
                (turned ? -1 : 1) * images.direction()[row][static_cast<std::size_t>(from)];
    }
    size = {sizes[0], sizes[1], sizes[2]};
    return {size, spacing, images.indexToPhysical(first), direction};
}

TEST_F(LabelGrid, OfTheSameVoxelsInAnyOrderIsTheSame) {
    for (const std::array<int, 3> order :
         {std::array{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}})
        for (int flips = 0; flips < 8; ++flips) {
            const Geometry grid =
                reordered(order, {(flips & 1) != 0, (flips & 2) != 0, (flips & 4) != 0});
            expectLabels(placed(grid), 0, images.size().x);
            EXPECT_EQ(notes.empty(), (order == std::array{0, 1, 2}) && flips == 0);
        }
}

TEST_F(LabelGrid, ThatAHeaderRoundedIsTheImages) {
    const Geometry rounded(images.size(), {1.500004, 2.000004, 4.000008}, {70.5003, -34.0002, 12},
                           oblique);
    const Volume map = placed(rounded);
    EXPECT_TRUE(notes.empty());
    EXPECT_TRUE(map.geometry.matches(images, 0));
}

TEST_F(LabelGrid, OfAPartOfTheVoxelsOrMoreThanThem) {
    const Geometry part({4, 7, 5}, images.spacing(), images.indexToPhysical({3, 0, 0}), oblique);
    expectLabels(placed(part), 3, 7);
    EXPECT_THAT(notes.at(0), HasSubstr("4×7×5"));
    const Geometry more({14, 9, 5}, images.spacing(), images.indexToPhysical({-2, -1, 0}), oblique);
    expectLabels(placed(more), 0, 9);
    EXPECT_THAT(notes.at(0),
                HasSubstr(std::to_string(14 * 9 * 5 - 9 * 7 * 5) + " labelled voxels"));
    const Geometry overlap({9, 7, 5}, images.spacing(), images.indexToPhysical({5, 0, 0}), oblique);
    expectLabels(placed(overlap), 5, 9);
}

TEST_F(LabelGrid, OfOtherVoxelsIsRefusedWithBothGrids) {
    const auto refused = [&](const Geometry& grid, const char* why) {
        EXPECT_FALSE(placementOf(grid, images));
        EXPECT_THAT([&] { placed(grid); }, ThrowsMessage<FileError>(HasSubstr(why)));
    };
    refused(Geometry({9, 7, 5}, {1.5, 2, 4.1}, images.origin(), oblique), "4.1 mm");
    refused(Geometry({9, 7, 5}, {1.5, 2, 4}, images.indexToPhysical({0.5, 0, 0}), oblique),
            "another grid");
    refused(Geometry({9, 7, 5}, {1.5, 2, 4}, images.origin(), identity3), "another grid");
    refused(Geometry({9, 7, 5}, {1.5, 2, 4}, images.indexToPhysical({20, 0, 0}), oblique),
            "another grid");
    refused(Geometry({9, 7, 5}, {0.75, 1, 2}, images.origin(), oblique), "0.75×1×2 mm");
    // They differ in direction alone: the sentence shows it.
    const double a = 0.12;
    const Matrix3 turned{
        {{-0.8 * std::cos(a) - 0.6 * std::sin(a), 0.6 * std::cos(a) - 0.8 * std::sin(a), 0},
         {-0.6 * std::cos(a) + 0.8 * std::sin(a), -0.8 * std::cos(a) - 0.6 * std::sin(a), 0},
         {0, 0, 1}}};
    refused(Geometry(images.size(), images.spacing(), images.origin(), turned), "axes");
}

TEST_F(LabelGrid, RoundsLabelsThatAreWholeButForRounding) {
    std::vector<float> values{0, 1.0000001f, 1.999f, -0.001f, 499.995f, 65535};
    roundToLabels(values, "l.nii");
    EXPECT_EQ(values, (std::vector<float>{0, 1, 2, 0, 500, 65535}));
    for (const float bad : {0.5f, 1.02f, -1.0f, 65536.0f, NAN, INFINITY}) {
        std::vector<float> one{bad};
        EXPECT_THAT([&] { roundToLabels(one, "l.nii", "; hint"); },
                    ThrowsMessage<FileError>(HasSubstr("; hint")));
    }
}

} // namespace
} // namespace systole
