// The determinant of I + grad w against fields whose derivatives are known.
#include "compute/ops/jacobian.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

test::TestField fieldOf(Size3 size, const test::Formula& u, const test::Formula& v,
                        const test::Formula& w) {
    test::TestField field(size);
    const FieldView<float> view = field.view();
    const test::Formula* formulas[] = {&u, &v, &w};
    for (int k = 0; k < 3; ++k)
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    view.componentView(k)(x, y, z) = static_cast<float>((*formulas[k])(x, y, z));
    return field;
}

double zero(double, double, double) { return 0; }

TEST(Jacobian, FiguresAreThoseOfTheVoxels) {
    ExecResources resources(2);
    for (const Size3 size :
         {Size3{9, 5, 4}, Size3{1, 6, 3}, Size3{2, 1, 3}, Size3{16, 3, 1}, Size3{39, 4, 3}}) {
        const auto wave = [](double x, double y, double z) {
            return 0.9 * std::sin(1.7 * x + 0.8 * y) * std::cos(0.9 * y - 1.3 * z);
        };
        test::TestField field = fieldOf(
            size, wave, [&](double x, double y, double z) { return wave(y, z, x); },
            [&](double x, double y, double z) { return wave(z, x, y); });
        const JacobianFigures found = jacobianFigures(field.view(), 0.7, resources.context());
        std::vector<double> values;
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    values.push_back(jacobianDeterminant(field.view(), x, y, z));
        EXPECT_EQ(found.smallest, *std::ranges::min_element(values));
        EXPECT_EQ(found.largest, *std::ranges::max_element(values));
        EXPECT_EQ(found.folded, static_cast<std::size_t>(std::ranges::count_if(
                                    values, [](double value) { return value <= 0.7; })));
    }
}

TEST(Jacobian, IsOneWithoutMotion) {
    ExecResources resources(2);
    for (const Size3 size : {Size3{5, 4, 3}, Size3{1, 1, 1}, Size3{7, 1, 2}}) {
        test::TestField field(size);
        const JacobianFigures found = jacobianFigures(field.view(), 0, resources.context());
        EXPECT_EQ(found.smallest, 1);
        EXPECT_EQ(found.folded, 0u);
    }
}

TEST(Jacobian, IsThatOfALinearMapEverywhereAtTheBorderToo) {
    ExecResources resources(2);
    const Size3 size{9, 8, 7};
    test::TestField field = fieldOf(
        size, [](double x, double y, double z) { return 0.25 * x - 0.5 * y + 0.125 * z; },
        [](double x, double y, double z) { return 0.5 * x + 0.25 * y - 0.25 * z; },
        [](double x, double y, double z) { return -0.125 * x + 0.5 * y - 0.5 * z; });
    // | 1.25 −0.5 0.125 | 0.5 1.25 −0.25 | −0.125 0.5 0.5 |
    const double expected = 1.25 * (1.25 * 0.5 + 0.25 * 0.5) + 0.5 * (0.5 * 0.5 - 0.25 * 0.125) +
                            0.125 * (0.5 * 0.5 + 1.25 * 0.125);
    const ExecContext ctx = resources.context();
    EXPECT_NEAR(jacobianFigures(field.view(), 0, ctx).smallest, expected, 1e-6);
    EXPECT_EQ(jacobianFigures(field.view(), expected - 1e-5, ctx).folded, 0u);
    EXPECT_EQ(jacobianFigures(field.view(), expected + 1e-5, ctx).folded, size.voxels());
}

/// A sheet of voxels moved past the next one folds the cells between them.
TEST(Jacobian, CountsTheCellsThatFold) {
    ExecResources resources(3);
    const ExecContext ctx = resources.context();
    for (const Size3 size : {Size3{7, 6, 5}, Size3{7, 6, 1}, Size3{7, 1, 1}}) {
        const auto sheet = [](double by) {
            return [by](double x, double, double) { return x == 3 ? by : 0; };
        };
        const auto across = static_cast<std::size_t>(std::max(size.y - 1, 1)) *
                            static_cast<std::size_t>(std::max(size.z - 1, 1));
        EXPECT_EQ(cellsThatMayFold(fieldOf(size, sheet(0.9), zero, zero).view(), ctx), 0u);
        EXPECT_EQ(cellsThatMayFold(fieldOf(size, sheet(1.1), zero, zero).view(), ctx), across);
        EXPECT_EQ(cellsThatMayFold(fieldOf(size, sheet(-1.1), zero, zero).view(), ctx), across);
    }
}

TEST(Jacobian, CountsTheVoxelsThatAWaveFolds) {
    ExecResources resources(3);
    const Size3 size{64, 5, 4};
    const double amplitude = 6, k = 0.25;
    test::TestField field = fieldOf(
        size, [&](double x, double, double) { return amplitude * std::sin(k * x); }, zero, zero);
    const JacobianFigures found = jacobianFigures(field.view(), 0, resources.context());
    // A central difference of sin(kx) is cos(kx) sin(k), exactly.
    std::size_t folded = 0;
    double smallest = 1e9;
    for (int x = 0; x < size.x; ++x) {
        const double slope = x == 0            ? std::sin(k)
                             : x == size.x - 1 ? std::sin(k * x) - std::sin(k * (x - 1))
                                               : std::cos(k * x) * std::sin(k);
        const double determinant = 1 + amplitude * slope;
        ASSERT_GT(std::abs(determinant), 1e-3);
        folded += determinant <= 0;
        smallest = std::min(smallest, determinant);
    }
    EXPECT_GT(folded, 0u);
    EXPECT_EQ(found.folded, folded * 20);
    EXPECT_NEAR(found.smallest, smallest, 1e-5);
}

TEST(Jacobian, GrowsByTheStretchOfEachHalfOnAverage) {
    // Voxels with x below 8 are stretched along x by 1.5, the others by 0.75.
    const Size3 size{16, 4, 3};
    test::TestField field = fieldOf(
        size, [](double x, double, double) { return x < 8 ? 0.5 * x : 4 - 0.25 * (x - 8); }, zero,
        zero);
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    const auto maskOf = [&](int first, int last) {
        return test::TestVolume(
            size, [=](double x, double, double) { return x >= first && x <= last ? 1 : 0; });
    };
    // The difference at 8 reaches into the other half.
    test::TestVolume left = maskOf(0, 7), both = maskOf(3, 12), none = maskOf(20, 21);
    const VolumeChange stretched = volumeChange(field.view(), left.view(), ctx);
    EXPECT_EQ(stretched.voxels, 8u * 12);
    EXPECT_NEAR(stretched.mean, 1.5, 1e-6);
    EXPECT_NEAR(stretched.meanLogarithm, std::log(1.5), 1e-6);
    EXPECT_NEAR(stretched.spreadLogarithm, 0, 1e-6);
    double mean = 0, squares = 0;
    for (int x = 3; x <= 12; ++x) {
        const double value = x < 8 ? 1.5 : x == 8 ? 1.125 : 0.75;
        mean += std::log(value) / 10;
        squares += std::log(value) * std::log(value) / 10;
    }
    const VolumeChange mixed = volumeChange(field.view(), both.view(), ctx);
    EXPECT_NEAR(mixed.meanLogarithm, mean, 1e-6);
    EXPECT_NEAR(mixed.spreadLogarithm, std::sqrt(squares - mean * mean), 1e-6);
    EXPECT_EQ(volumeChange(field.view(), {}, ctx).voxels, size.voxels());
    const VolumeChange empty = volumeChange(field.view(), none.view(), ctx);
    EXPECT_EQ(empty.voxels, 0u);
    EXPECT_TRUE(std::isnan(empty.meanLogarithm));
}

TEST(Jacobian, IsTheSameForAnyNumberOfThreads) {
    const test::TestVolume noise = test::noiseVolume({33, 17, 3 * 19}, 5);
    const Size3 size{33, 17, 19};
    const float* data = noise.voxels.data();
    const std::size_t n = size.voxels();
    const FieldView<const float> field(data, data + n, data + 2 * n, size);
    ExecResources one(1), four(4);
    const JacobianFigures a = jacobianFigures(field, 0, one.context());
    const JacobianFigures b = jacobianFigures(field, 0, four.context());
    EXPECT_EQ(a.smallest, b.smallest);
    EXPECT_EQ(a.folded, b.folded);
    EXPECT_GT(a.folded, 0u);
    const VolumeChange c = volumeChange(field, {}, one.context());
    const VolumeChange d = volumeChange(field, {}, four.context());
    EXPECT_EQ(c.voxels, size.voxels() - a.folded);
    EXPECT_EQ(c.meanLogarithm, d.meanLogarithm);
    EXPECT_EQ(c.spreadLogarithm, d.spreadLogarithm);
}

} // namespace
} // namespace systole
