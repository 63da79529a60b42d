// A pair in which one part moves by `shift` and the rest the other way, farther; masks leave out
// the rest.
#pragma once

#include "compute/core/motion_estimator.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <cmath>

namespace systole::test {

struct MaskedPair {
    static constexpr Size3 size{44, 32, 28};
    static constexpr double shift[3] = {1.2, -0.7, 0.5};

    MotionInput input() {
        MotionInput in;
        in.fixed = fixed.view();
        in.moving = moving.view();
        return in;
    }
    MotionInput maskedInput() {
        MotionInput in = input();
        in.fixedMask = fixedMask.view();
        in.movingMask = movingMask.view();
        return in;
    }
    /// Mean distance from the shift beside the rest, in voxels.
    static double error(FieldView<const float> field) {
        double sum = 0;
        int count = 0;
        for (int z = 6; z < size.z - 6; ++z)
            for (int y = 6; y < size.y - 6; ++y)
                for (int x = 14; x < 21; ++x, ++count) {
                    const auto at = [&](int axis) {
                        return static_cast<double>(field.componentView(axis)(x, y, z)) -
                               shift[axis];
                    };
                    sum += std::sqrt(at(0) * at(0) + at(1) * at(1) + at(2) * at(2));
                }
        return sum / count;
    }

    TestVolume fixed{size, waves};
    TestVolume moving{size, [](double x, double y, double z) {
                          return x < 26 ? waves(x - shift[0], y - shift[1], z - shift[2])
                                        : waves(x + 4, y - 3, z);
                      }};
    TestVolume fixedMask{size, [](double x, double, double) { return x < 24 ? 1 : 0; }};
    TestVolume movingMask{size, [](double x, double, double) { return x < 25 ? 1 : 0; }};
};

} // namespace systole::test
