// Self-similarity: channels and products against their definition in double, independence of
// contrast, and what it adds to gray values.
#include "compute/methods/clg/clg.h"
#include "compute/methods/clg/self_similarity.h"
#include "tests/support/compute_support.h"
#include "tests/support/speckle_pair.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

constexpr std::array<float, 3> cubes{1, 1, 1}, thickSlices{1, 1, 0.2f};

/// Everything by its definition, voxel by voxel in double.
class Definition {
public:
    Definition(VolumeView<const float> volume, clg::ComparedAxes axes)
        : volume_(volume), axes_(axes) {}

    /// D(x, +r) along an axis.
    double difference(int axis, int x, int y, int z) const {
        double sum = 0;
        for (int k = -1; k <= 1; ++k)
            for (int j = -1; j <= 1; ++j)
                for (int i = -1; i <= 1; ++i) {
                    const int at[3] = {x + i, y + j, z + k};
                    const double weight = of(0, i) * of(1, j) * of(2, k);
                    int here[3], there[3];
                    for (int a = 0; a < 3; ++a) {
                        here[a] = std::clamp(at[a], 0, volume_.size[a] - 1);
                        there[a] = std::min(here[a] + (a == axis ? 2 : 0), volume_.size[a] - 1);
                    }
                    const double d = value(here) - value(there);
                    sum += weight * d * d;
                }
        return sum;
    }
    std::vector<double> channels(int x, int y, int z) const {
        std::vector<double> values;
        double mean = 0;
        for (int axis = 0; axis < 3; ++axis)
            if (axes_.is[axis])
                for (const int back : {0, 2}) {
                    // The pair of patches ahead or behind, at the ends the nearest one inside.
                    const auto first = [&](int voxel, int a) {
                        const int last = std::max(volume_.size[a] - 3, 0);
                        return a == axis ? std::clamp(voxel - back, 0, last) : voxel;
                    };
                    const int at[3] = {first(x, 0), first(y, 1), first(z, 2)};
                    values.push_back(difference(axis, at[0], at[1], at[2]));
                    mean += values.back();
                }
        mean = mean / static_cast<double>(values.size()) + 1;
        for (double& v : values)
            v = 255 * mean / (mean + v);
        return values;
    }

private:
    double of(int axis, int distance) const {
        return !axes_.is[axis] ? (distance == 0 ? 1 : 0) : distance == 0 ? 0.5 : 0.25;
    }
    double value(const int (&at)[3]) const {
        return static_cast<double>(volume_(at[0], at[1], at[2]));
    }
    VolumeView<const float> volume_;
    clg::ComparedAxes axes_;
};

/// Noise of 30 gray values.
TestVolume grayNoise(Size3 size, std::uint64_t seed) {
    TestVolume volume = test::noiseVolume(size, seed);
    for (float& value : volume.voxels)
        value = 100 + 30 * value;
    return volume;
}

class ClgSelfSimilarity : public testing::Test {
protected:
    ExecResources resources{2};

    std::vector<float> motion(TestVolume& fixed, TestVolume& moving, const char* features,
                              Backend backend = Backend::Cpu, int threads = 2) {
        ExecResources own(threads);
        ParamSet values(clgParameterTable(), "default");
        values.setText("features", features);
        MotionInput input;
        input.fixed = fixed.view();
        input.moving = moving.view();
        input.scale = {0, 255};
        TestField field(fixed.view().size);
        ExecContext ctx = own.context();
        ctx.backend = backend;
        report = makeClg(values, backend)->estimate(input, field.view(), ctx);
        return field.values;
    }
    MotionReport report;
};

TEST_F(ClgSelfSimilarity, ComparesFineAxesOnly) {
    EXPECT_EQ(clg::comparedAxes({8, 8, 8}, cubes).channels(), 6);
    const clg::ComparedAxes slices = clg::comparedAxes({8, 8, 8}, thickSlices);
    EXPECT_EQ(slices.channels(), 4);
    EXPECT_FALSE(slices.is[2]);
    EXPECT_EQ(clg::comparedAxes({8, 1, 1}, cubes).channels(), 2);
    EXPECT_EQ(clg::comparedAxes({1, 1, 1}, cubes).channels(), 0);
    const clg::ComparedAxes thin = clg::comparedAxes({20, 12, 11}, cubes, clg::minCompared);
    EXPECT_EQ(thin.channels(), 4);
    EXPECT_FALSE(thin.is[2]);
}

TEST_F(ClgSelfSimilarity, DifferencesAreTheDefinitions) {
    for (const Size3 size : {Size3{13, 9, 11}, Size3{2, 7, 19}, Size3{5, 1, 3}})
        for (const auto& scale : {cubes, thickSlices}) {
            TestVolume volume = grayNoise(size, 5);
            const clg::ComparedAxes axes = clg::comparedAxes(size, scale);
            TestField found(size);
            describe(volume.view(), axes, found.view(), resources.context());
            const Definition exact(volume.view(), axes);
            for (int axis = 0; axis < 3; ++axis)
                for (int z = 0; axes.is[axis] && z < size.z; ++z)
                    for (int y = 0; y < size.y; ++y)
                        for (int x = 0; x < size.x; ++x) {
                            const double want = exact.difference(axis, x, y, z);
                            ASSERT_NEAR(
                                static_cast<double>(found.view().componentView(axis)(x, y, z)),
                                want, 1e-5 * want + 1e-4)
                                << axis << " at " << x << " " << y << " " << z;
                        }
        }
}

TEST_F(ClgSelfSimilarity, ProductsAreTheDefinitions) {
    for (const auto& scale : {cubes, thickSlices}) {
        const Size3 size{11, 8, 19};
        TestVolume fixed = grayNoise(size, 6), warped = grayNoise(size, 7),
                   inside(size, [](double x, double, double) { return x < 2 ? 0.0 : 0.75; });
        const clg::ComparedAxes axes = clg::comparedAxes(size, scale);
        TestField ofFixed(size), ofWarped(size);
        describe(fixed.view(), axes, ofFixed.view(), resources.context());
        describe(warped.view(), axes, ofWarped.view(), resources.context());
        std::vector<TestVolume> before, found;
        std::array<VolumeView<float>, 9> products;
        for (int k = 0; k < 9; ++k)
            before.push_back(test::noiseVolume(size, 20 + static_cast<std::uint64_t>(k)));
        found = before;
        for (std::size_t k = 0; k < 9; ++k)
            products[k] = found[k].view();
        const double noise = addSelfSimilarity(
            {ofFixed.view(), ofWarped.view(), inside.view(), axes, scale, {0.25f, 0.5f}}, products,
            resources.context());

        const Definition f(fixed.view(), axes), w(warped.view(), axes);
        const auto count = static_cast<std::size_t>(axes.channels());
        const auto at = [&](int x, int y, int z) {
            std::vector<double> sum = f.channels(x, y, z);
            const std::vector<double> other = w.channels(x, y, z);
            for (std::size_t c = 0; c < count; ++c)
                sum[c] += other[c];
            return sum;
        };
        const auto difference = [&](int x, int y, int z) {
            std::vector<double> t = w.channels(x, y, z);
            const std::vector<double> other = f.channels(x, y, z);
            for (std::size_t c = 0; c < count; ++c)
                t[c] -= other[c];
            return t;
        };
        const auto squared = [](const std::vector<double>& values) {
            double sum = 0;
            for (const double v : values)
                sum += v * v;
            return sum;
        };
        double residual = 0, voxels = 0;
        const auto each = [&](const auto& body) {
            for (int z = 0; z < size.z; ++z)
                for (int y = 0; y < size.y; ++y)
                    for (int x = 0; x < size.x; ++x)
                        body(x, y, z, static_cast<double>(inside.view()(x, y, z)));
        };
        each([&](int x, int y, int z, double weight) {
            residual += weight * squared(difference(x, y, z));
            voxels += weight;
        });
        const double epsilon = static_cast<double>(count) + residual / voxels;
        double left = 0;
        each([&](int x, int y, int z, double weight) {
            const std::vector<double> t = difference(x, y, z);
            std::vector<double> gradient[3];
            double norm = epsilon;
            for (int axis = 0; axis < 3; ++axis) {
                const int p[3] = {x, y, z};
                const bool border = p[axis] == 0 || p[axis] + 1 == size[axis];
                const auto neighbor = [&](int step) {
                    return at(x + (axis == 0 ? step : 0), y + (axis == 1 ? step : 0),
                              z + (axis == 2 ? step : 0));
                };
                gradient[axis].assign(count, 0.0);
                if (!border) {
                    const std::vector<double> ahead = neighbor(1), behind = neighbor(-1);
                    for (std::size_t c = 0; c < count; ++c)
                        gradient[axis][c] =
                            static_cast<double>(scale[static_cast<std::size_t>(axis)]) *
                            (ahead[c] - behind[c]) / 4;
                }
                norm += squared(gradient[axis]);
            }
            const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
                double sum = 0;
                for (std::size_t c = 0; c < count; ++c)
                    sum += a[c] * b[c];
                return weight * sum / norm;
            };
            left += product(t, t);
            const double want[9] = {product(gradient[0], gradient[0]),
                                    product(gradient[0], gradient[1]),
                                    product(gradient[0], gradient[2]),
                                    product(gradient[1], gradient[1]),
                                    product(gradient[1], gradient[2]),
                                    product(gradient[2], gradient[2]),
                                    product(gradient[0], t),
                                    product(gradient[1], t),
                                    product(gradient[2], t)};
            for (std::size_t k = 0; k < 9; ++k) {
                const double start = static_cast<double>(before[k].view()(x, y, z));
                ASSERT_NEAR(static_cast<double>(found[k].view()(x, y, z)),
                            0.25 * start + 0.5 * want[k], 1e-4)
                    << k << " at " << x << " " << y << " " << z;
            }
        });
        EXPECT_NEAR(noise, std::sqrt(left / voxels), 1e-4);
    }
}

/// A smooth pair moved by about a voxel.
struct WavesPair {
    Size3 size{44, 40, 36};
    TestVolume fixed{size, test::waves};
    TestVolume moving{size, [](double x, double y, double z) {
                          return test::waves(x - 1.1 + 0.4 * std::sin(0.2 * y), y + 0.6, z - 0.3);
                      }};

    /// Mean distance from the true motion in the middle. x − 1.1 + 0.4 sin(0.2 y) is where the
    /// fixed frame is sampled for the moving one: the motion is its inverse.
    double error(const std::vector<float>& field) {
        const std::size_t n = size.voxels();
        double sum = 0, count = 0;
        for (int z = 8; z < size.z - 8; ++z)
            for (int y = 8; y < size.y - 8; ++y)
                for (int x = 8; x < size.x - 8; ++x) {
                    const std::size_t i = fixed.view().offset(x, y, z);
                    const double u = static_cast<double>(field[i]),
                                 v = static_cast<double>(field[n + i]),
                                 w = static_cast<double>(field[2 * n + i]);
                    const double yMoved = y - 0.6;
                    sum += std::hypot(u - (1.1 - 0.4 * std::sin(0.2 * yMoved)), v + 0.6, w - 0.3);
                    ++count;
                }
        return sum / count;
    }
};

TEST_F(ClgSelfSimilarity, FindsTheSameMotionWhateverTheContrast) {
    WavesPair pair;
    TestVolume inverted = pair.moving, bent = pair.moving;
    for (float& v : inverted.voxels)
        v = 255 - v;
    for (float& v : bent.voxels) // brightest in the middle of the range
        v = 200 - std::abs(v - 140);
    const std::vector<float> plain = motion(pair.fixed, pair.moving, "self-similarity");
    EXPECT_FALSE(report.comparesGrayValues);
    EXPECT_LT(pair.error(plain), 0.1);
    const std::vector<float> opposite = motion(pair.fixed, inverted, "self-similarity");
    double largest = 0;
    for (std::size_t i = 0; i < plain.size(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(plain[i] - opposite[i])));
    EXPECT_LT(largest, 1e-3);
    EXPECT_LT(pair.error(motion(pair.fixed, bent, "self-similarity")), 0.5);
    EXPECT_GT(pair.error(motion(pair.fixed, inverted, "intensity")), 1);
    EXPECT_TRUE(report.comparesGrayValues);
}

TEST_F(ClgSelfSimilarity, AddsToGrayValuesWhereFramesAreClean) {
    WavesPair pair;
    const double both = pair.error(motion(pair.fixed, pair.moving, "auto"));
    const Figure* weight = findFigure(report.levels.back().figures, "self-similarity");
    ASSERT_NE(weight, nullptr);
    EXPECT_EQ(weight->value, 100);
    EXPECT_LT(both, pair.error(motion(pair.fixed, pair.moving, "intensity")));
    EXPECT_EQ(findFigure(report.levels.back().figures, "self-similarity")->value, 0);
}

TEST_F(ClgSelfSimilarity, LeavesNoiseToGrayValues) {
    EXPECT_EQ(clg::dataWeights(true, 0.6, 0).selfSimilarity, 0);
    EXPECT_EQ(clg::dataWeights(true, 0.6, 1).selfSimilarity, 0);
    EXPECT_EQ(clg::dataWeights(true, 0.6, 1).intensity, 1);
    EXPECT_EQ(clg::dataWeights(false, 0.8, 0).selfSimilarity, 0);
    EXPECT_EQ(clg::dataWeights(false, 0.4, 0).selfSimilarity, 0.5f);
    EXPECT_EQ(clg::dataWeights(false, 0.8, 1).selfSimilarity, 1);
    EXPECT_NEAR(static_cast<double>(clg::dataWeights(false, 0.8, 1).intensity), 0.3, 1e-6);
    EXPECT_EQ(clg::dataWeights(true, 0.1, 0).selfSimilarity, 1);
}

TEST_F(ClgSelfSimilarity, GivesTheSameBitsForAnyNumberOfThreads) {
    WavesPair pair;
    for (const char* features : {"auto", "self-similarity"})
        EXPECT_EQ(motion(pair.fixed, pair.moving, features, Backend::Cpu, 1),
                  motion(pair.fixed, pair.moving, features, Backend::Cpu, 5));
}

} // namespace
} // namespace systole
