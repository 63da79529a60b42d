// The forms of red-black relaxation on the device against each other, bit for bit.
#include "tests/compute/methods/clg_device_problem.h"
#include "tests/compute/methods/clg_system_support.h"
#include "tests/support/gpu_support.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

using test::RandomSystem;
using test::TestField;

TestField noiseField(Size3 size, std::uint64_t seed) {
    TestField t(size);
    for (std::size_t i = 0; i < t.values.size(); ++i)
        t.values[i] = 0.3f * normalPair(randomBits(seed, 2, i)).first;
    return t;
}

/// Smoothness along an axis of one voxel is 0, as in every level's system.
RandomSystem systemOf(Size3 size) {
    RandomSystem r(size, 0, DivergenceStencil::Energy, false);
    for (int axis = 0; axis < 3; ++axis)
        if (size[axis] == 1)
            r.system.smoothness[static_cast<std::size_t>(axis)] = 0;
    return r;
}

using ClgRedBlackFormsGpuTest = test::OnDevice;

/// Two sweeps of a launch are the same arithmetic in tiles: sizes of one tile, several along each
/// axis, and sizes whose last tile has only a few voxels; all sweeps of a solve in pairs or not.
TEST_F(ClgRedBlackFormsGpuTest, TilesHaveTheBitsOfSweepsOneByOne) {
    if (!test::hasTiles(*cuda))
        GTEST_SKIP() << "a block of this device has too little shared memory";
    for (const Size3 size : {Size3{40, 32, 20}, Size3{41, 33, 7}, Size3{67, 95, 33},
                             Size3{130, 81, 5}, Size3{9, 10, 40}, Size3{1, 1, 9}}) {
        const RandomSystem r = systemOf(size);
        const TestField start = noiseField(size, 7);
        for (const auto& [sweeps, tolerance] :
             {std::pair{1, 0.0}, {2, 0.0}, {7, 0.0}, {7, 1e-9}, {400, 1e-3}}) {
            SolveOptions options;
            options.sweeps = sweeps;
            options.tolerance = tolerance;
            options.omega = 1.2;
            TestField from = start, same = start;
            const test::DeviceSolution plain = test::relaxOnDevice(
                *cuda, r.system, from.view(), options, test::RelaxationForm::Colors, false);
            const test::DeviceSolution tiled = test::relaxOnDevice(
                *cuda, r.system, same.view(), options, test::RelaxationForm::Tiles, false);
            EXPECT_TRUE(tiled.field == plain.field) << size.x << " " << sweeps;
            EXPECT_EQ(tiled.change, plain.change) << size.x << " " << sweeps;
            EXPECT_EQ(tiled.sweeps, plain.sweeps) << size.x;
            EXPECT_GT(test::largestDifference(start.values, tiled.field), 1e-3) << size.x;
        }
    }
}

/// A solve that leaves a trend out is one of the rest, to which the trend is added: the same bits.
TEST_F(ClgRedBlackFormsGpuTest, LeavesATrendOut) {
    for (const Size3 size : {Size3{37, 19, 11}, Size3{70, 50, 21}}) {
        const RandomSystem r = systemOf(size);
        const TestField start = noiseField(size, 5), trend = noiseField(size, 6);
        TestField rest = start;
        for (std::size_t i = 0; i < rest.values.size(); ++i)
            rest.values[i] -= trend.values[i];
        SolveOptions options;
        options.sweeps = 7;
        for (const auto form : {test::RelaxationForm::Colors, test::RelaxationForm::Spread,
                                test::RelaxationForm::Tiles}) {
            if (form == test::RelaxationForm::Tiles && !test::hasTiles(*cuda))
                continue;
            TestField from = start, same = rest, left = trend;
            std::vector<float> b, expectedB;
            const test::DeviceSolution device =
                test::relaxFormingB(*cuda, r.system, from.view(), options, form, &b, left.view());
            test::DeviceSolution expected =
                test::relaxFormingB(*cuda, r.system, same.view(), options, form, &expectedB);
            EXPECT_GT(test::largestDifference(expected.field, device.field), 0.1);
            for (std::size_t i = 0; i < expected.field.size(); ++i)
                expected.field[i] += trend.values[i];
            EXPECT_TRUE(device.field == expected.field);
            EXPECT_TRUE(b == expectedB);
        }
    }
}

} // namespace
} // namespace systole
