// Roles of labels in a map: chamber, wall, others.
#include "compute/cardiac/label_roles.h"
#include "compute/core/error.h"
#include "tests/compute/cardiac/cardiac_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace systole::cardiac {
namespace {

/// A half ball of `cavity` in one of `wall`, with a bag of `right` beside it; 0: without.
struct Labels {
    Geometry grid{{30, 24, 20}, {2, 2, 2}};
    std::vector<std::uint16_t> at;

    Labels(int cavity, int wall, int right) {
        const Vec3 middle{22, 23, 30};
        const Size3 size = grid.size();
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x) {
                    const Vec3 p = centerOfVoxel(grid, x, y, z);
                    const double r = length(p - middle);
                    const int label = p.z > 30             ? 0
                                      : r < 12             ? cavity
                                      : r < 18             ? wall
                                      : r < 30 && p.x > 35 ? right
                                                           : 0;
                    at.push_back(static_cast<std::uint16_t>(label));
                }
    }
    LabelRoles found(const LabelRoles& given = {}) const { return rolesOf(at, grid.size(), given); }
};

TEST(LabelRoles, AreFoundWhateverTheNumbersAre) {
    const LabelRoles acdc = Labels(3, 2, 1).found();
    EXPECT_EQ(acdc.cavity, 3);
    EXPECT_EQ(acdc.wall, 2);
    EXPECT_EQ(acdc.rightVentricle, 1);
    const LabelRoles ours = Labels(1, 2, 0).found();
    EXPECT_EQ(ours.cavity, 1);
    EXPECT_EQ(ours.wall, 2);
    EXPECT_EQ(ours.rightVentricle, 0);
    EXPECT_EQ(Labels(200, 7, 9).found({0, 7, 0}).cavity, 200);
    // Labels of the MM-WHS challenge, of FreeSurfer's kind, and the largest possible ones.
    EXPECT_EQ(Labels(500, 205, 600).found(), (LabelRoles{500, 205, 600}));
    EXPECT_EQ(Labels(1000, 3, 2000).found(), (LabelRoles{1000, 3, 2000}));
    EXPECT_EQ(Labels(256, 512, 65535).found({0, 0, 65535}), (LabelRoles{256, 512, 65535}));
}

TEST(LabelRoles, AreTheSameForLabelsOfOneByte) {
    const Labels labels(3, 2, 1);
    const std::vector<std::uint8_t> bytes(labels.at.begin(), labels.at.end());
    EXPECT_EQ(rolesOf(bytes, labels.grid.size(), {}), labels.found());
    EXPECT_EQ(tissueOf(bytes, labels.grid, labels.found()).at,
              tissueOf(labels.at, labels.grid, labels.found()).at);
}

TEST(LabelRoles, OfTooManyLabelsAreRefused) {
    Labels labels(3, 2, 1);
    for (std::size_t i = 0; i < 300; ++i)
        labels.at[i] = static_cast<std::uint16_t>(1000 + i);
    EXPECT_THROW(labels.found(), ComputeError);
}

TEST(LabelRoles, OfOneLabelOrAbsentOnesAreRefused) {
    for (const LabelRoles& given : {LabelRoles{}, LabelRoles{5, 0, 0}, LabelRoles{0, 0, 8}})
        try {
            Labels(4, 4, 0).found(given);
            ADD_FAILURE();
        } catch (const ComputeError& error) {
            EXPECT_THAT(error.what(), ::testing::HasSubstr("the labels 4"));
        }
}

TEST(LabelRoles, MakeTissues) {
    const Labels labels(3, 2, 1);
    const TissueMap map = tissueOf(labels.at, labels.grid, labels.found());
    for (std::size_t i = 0; i < map.at.size(); ++i)
        EXPECT_EQ(map.at[i], labels.at[i] == 3   ? Tissue::Cavity
                             : labels.at[i] == 2 ? Tissue::Wall
                             : labels.at[i] == 1 ? Tissue::RightVentricle
                                                 : Tissue::Other);
}

} // namespace
} // namespace systole::cardiac
