// Two grids that differ never have the same words.
#include "app/base/grid_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace systole {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Matrix3 turned(double degrees) {
    const double a = degrees * 3.14159265358979 / 180;
    return {{{std::cos(a), -std::sin(a), 0}, {std::sin(a), std::cos(a), 0}, {0, 0, 1}}};
}

TEST(GridText, TellsEveryDifference) {
    const Size3 size{20, 18, 10};
    const Geometry grid(size, {1.5, 1.5, 8}, {-100, 20, 3});
    const std::vector<Geometry> others{
        {{20, 18, 11}, {1.5, 1.5, 8}, {-100, 20, 3}},
        {size, {1.5, 1.5, 8.05}, {-100, 20, 3}},
        {size, {1.5, 1.5, 8}, {-100.02, 20, 3}},
        {size, {1.5, 1.5, 8}, {-100, 20, 3}, {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
        {size, {1.5, 1.5, 8}, {-100, 20, 3}, turned(5)},
        {size, {1.5, 1.5, 8}, {-100, 20, 3}, turned(0.01)},
    };
    for (const Geometry& other : others) {
        const auto [one, two] = textsOfGrids(grid, other);
        EXPECT_NE(one, two);
    }
}

TEST(GridText, NamesAxesOnlyWhereTheyDiffer) {
    const Geometry grid({4, 4, 4}, {1, 1, 1}), shifted({4, 4, 4}, {1, 1, 1}, {1, 0, 0}),
        oblique({4, 4, 4}, {1, 1, 1}, {}, turned(20));
    EXPECT_THAT(textsOfGrids(grid, shifted).first, Not(HasSubstr("axes")));
    EXPECT_THAT(textsOfGrids(grid, oblique).first,
                HasSubstr("axes along (1, 0, 0), (0, 1, 0), (0, 0, 1)"));
    EXPECT_THAT(textsOfGrids(grid, oblique).second, HasSubstr("(0.9397, 0.342, 0)"));
}

} // namespace
} // namespace systole
