// Neighbours on the memory map differ in colour.
#include "app/panels/tile_colors.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace systole {
namespace {

TEST(TileColors, WhatLiesSideBySideOrFollowsInTheListDiffers) {
    // Falling sizes, as of the buffers of an estimation.
    for (int count = 2; count <= 24; ++count) {
        std::vector<double> sizes;
        for (int i = 0; i < count; ++i)
            sizes.push_back(100.0 / (1 + i % 3 + i));
        std::sort(sizes.rbegin(), sizes.rend());
        const std::vector<Tile> tiles = treemap(sizes, 288, 132);
        const std::vector<std::size_t> colors = tileColors(tiles, 7);
        ASSERT_EQ(colors.size(), tiles.size());
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            EXPECT_LT(colors[i], 7u);
            for (std::size_t j = 0; j < i; ++j) {
                const bool across = tiles[i].x < tiles[j].x + tiles[j].width + 0.5 &&
                                    tiles[j].x < tiles[i].x + tiles[i].width + 0.5;
                const bool down = tiles[i].y < tiles[j].y + tiles[j].height + 0.5 &&
                                  tiles[j].y < tiles[i].y + tiles[i].height + 0.5;
                if ((across && down) || j + 1 == i) {
                    EXPECT_NE(colors[i], colors[j]) << count << " tiles, " << j << " and " << i;
                }
            }
        }
    }
}

TEST(TileColors, FewTilesTakeTheColoursInTurn) {
    EXPECT_EQ(tileColors(treemap({3, 2, 1}, 6, 4), 7), (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_TRUE(tileColors({}, 7).empty());
}

} // namespace
} // namespace systole
