// An affine map and two grids, oblique and anisotropic, that tests of transforms on disk share.
#pragma once

#include "tests/io/io_support.h"

namespace systole::test {

inline const AffineMap affine{{{{1.05, 0.03, -0.2}, {-0.02, 0.97, 0.04}, {0.01, 0.3, 1.02}}},
                              {2.5, -17.25, 0.123456789012345}};
inline const Geometry fixedGrid({20, 17, 12}, {1.5, 1.25, 2.5}, {-10, 5, 30},
                                obliquePermutedDirection());
inline const Geometry movingGrid({31, 30, 16}, {1, 1.1, 2}, {24, -9, 63},
                                 {{{0, -1, 0}, {1, 0, 0}, {0, 0, -1}}});
inline const FrameGrids grids{fixedGrid, movingGrid};

inline void expectSame(const AffineMap& a, const AffineMap& b, double tolerance) {
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column)
            EXPECT_NEAR(a.matrix[row][column], b.matrix[row][column], tolerance);
        EXPECT_NEAR(a.offset[static_cast<int>(row)], b.offset[static_cast<int>(row)],
                    100 * tolerance);
    }
}

} // namespace systole::test
