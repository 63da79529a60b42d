// The benchmarks' measures, on images and fields whose answers are known by construction.
#include "bench/chosen_cases.h"
#include "bench/phantom_case.h"
#include "bench/real_cases.h"
#include "bench/real_measures.h"
#include "compute/measures/similarity.h"
#include "tests/support/volume_of.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace systole {
namespace {

class BenchMeasures : public testing::Test {
protected:
    ExecContext ctx() { return resources_.context(); }

    template <typename Value>
    Volume volume(const Geometry& geometry, const Value& value) {
        return test::volumeOf(geometry, resources_.pool(), value);
    }
    VectorField shift(const Geometry& geometry, float x, float y, float z) {
        VectorField field(geometry, resources_.pool(), "test field");
        const std::size_t n = geometry.voxels();
        std::fill_n(field.view().u, n, x);
        std::fill_n(field.view().v, n, y);
        std::fill_n(field.view().w, n, z);
        return field;
    }
    Volume box(const Geometry& geometry, Size3 from, Size3 to) {
        return volume(geometry, [&](int x, int y, int z) {
            return x >= from.x && y >= from.y && z >= from.z && x < to.x && y < to.y && z < to.z;
        });
    }
    /// Overlap of label 1, the moving one pulled back by a shift along x.
    PairMeasures overlapOf(const Geometry& grid, Size3 from, Size3 to, Size3 movingFrom,
                           Size3 movingTo, float x = 0) {
        std::vector<Volume> frames;
        for (int t = 0; t < 2; ++t)
            frames.push_back(volume(grid, [](int i, int j, int) { return i + j; }));
        const PairLabels labels{{{"box", 1}}, box(grid, from, to), box(grid, movingFrom, movingTo)};
        return measurePair(frames, labels, shift(grid, x, 0, 0).view(), ctx());
    }
    ExecResources resources_{2};
};

TEST_F(BenchMeasures, CorrelationKnowsLinesAndConstants) {
    const Geometry grid({6, 5, 4}, {1, 1, 1});
    const Volume a = volume(grid, [](int x, int y, int z) { return x * x + 3 * y - z; });
    const Volume up = volume(grid, [](int x, int y, int z) { return 7 + 2 * (x * x + 3 * y - z); });
    const Volume down = volume(grid, [](int x, int y, int z) { return -(x * x + 3 * y - z); });
    const Volume flat = volume(grid, [](int, int, int) { return 5; });
    EXPECT_NEAR(normalizedCorrelation(a.view(), up.view()), 1, 1e-9);
    EXPECT_NEAR(normalizedCorrelation(a.view(), down.view()), -1, 1e-9);
    EXPECT_EQ(normalizedCorrelation(a.view(), flat.view()), 0);
    // (1, 2, 3) and (1, 3, 2): covariance 1/3, variances 2/3.
    const Geometry three({3, 1, 1}, {1, 1, 1});
    const Volume b = volume(three, [](int x, int, int) { return 1 + x; });
    const Volume c = volume(three, [](int x, int, int) { return x == 0 ? 1 : 4 - x; });
    EXPECT_NEAR(normalizedCorrelation(b.view(), c.view()), 0.5, 1e-9);
}

TEST_F(BenchMeasures, MutualInformationIsTwoForAMapOfGrayAndOneForIndependence) {
    const Geometry grid({8, 8, 2}, {1, 1, 1});
    const Volume alongX = volume(grid, [](int x, int, int) { return 30 * x; });
    const Volume mapped = volume(grid, [](int x, int, int) { return (x * 5 % 8) * 30; });
    const Volume alongY = volume(grid, [](int, int y, int) { return 30 * y; });
    EXPECT_NEAR(normalizedMutualInformation(alongX.view(), mapped.view()), 2, 1e-9);
    EXPECT_NEAR(normalizedMutualInformation(alongX.view(), alongY.view()), 1, 1e-9);
    // Half of what y says is lost: H = log 8, log 4, log 8.
    const Volume coarse = volume(grid, [](int x, int, int) { return x / 2 * 60; });
    EXPECT_NEAR(normalizedMutualInformation(alongX.view(), coarse.view()), 5.0 / 3, 1e-9);
}

TEST_F(BenchMeasures, OverlapAndSurfaceDistanceOfShiftedBoxes) {
    const Geometry grid({20, 20, 12}, {1.5, 1.5, 10});
    const Size3 from{4, 4, 3}, to{12, 12, 9}, none{0, 0, 0};
    const PairMeasures same = overlapOf(grid, from, to, from, to);
    EXPECT_EQ(same.dice.at(0), 1);
    EXPECT_EQ(same.surface.at(0), 0);
    EXPECT_NEAR(overlapOf(grid, from, to, {6, 4, 3}, {14, 12, 9}).dice.at(0), 6.0 / 8, 1e-12);
    const PairMeasures lost = overlapOf(grid, from, to, none, none);
    EXPECT_EQ(lost.dice.at(0), 0);
    EXPECT_TRUE(std::isnan(lost.surface.at(0)));
    EXPECT_TRUE(std::isnan(overlapOf(grid, none, none, none, none).dice.at(0)));
    // Two plates: every point of one has the other three planes of 10 mm away.
    const Size3 low{0, 0, 2}, lowEnd{20, 20, 3};
    EXPECT_NEAR(overlapOf(grid, low, lowEnd, {0, 0, 5}, {20, 20, 6}).surface.at(0), 30, 1e-9);
    // A plate and one of its voxels: 0 one way, the mean distance to that voxel the other way.
    double mean = 0;
    for (int y = 0; y < 20; ++y)
        for (int x = 0; x < 20; ++x)
            mean += 1.5 * std::hypot(x, y) / 400;
    EXPECT_NEAR(overlapOf(grid, low, lowEnd, low, {1, 1, 3}).surface.at(0), mean / 2, 1e-9);
}

TEST_F(BenchMeasures, StructuresArePulledBackAndCutAtOneHalf) {
    const Geometry grid({16, 8, 8}, {1, 1, 2});
    const Size3 from{5, 2, 2}, to{9, 6, 6};
    // An overlap of 1: the same voxels.
    EXPECT_EQ(overlapOf(grid, {3, 2, 2}, {7, 6, 6}, from, to, 2).dice.at(0), 1);
    EXPECT_EQ(overlapOf(grid, from, to, from, to, 0.4f).dice.at(0), 1);
    EXPECT_EQ(overlapOf(grid, {4, 2, 2}, {8, 6, 6}, from, to, 0.6f).dice.at(0), 1);
}

TEST_F(BenchMeasures, PairOfAShiftedImageIsMendedByTheShift) {
    const Geometry grid({24, 12, 12}, {1, 1, 1});
    const auto gray = [](int x, int y, int z) { return 128 + 60 * std::sin(0.5 * x) + 4 * y - z; };
    std::vector<Volume> frames;
    frames.push_back(volume(grid, gray));
    frames.push_back(volume(grid, [&](int x, int y, int z) { return gray(x - 3, y, z); }));
    const PairMeasures before = measurePair(frames, {}, shift(grid, 0, 0, 0).view(), ctx());
    const PairMeasures after = measurePair(frames, {}, shift(grid, 3, 0, 0).view(), ctx());
    EXPECT_LT(before.correlation, 0.6);
    EXPECT_GT(after.correlation, 0.9); // the last three planes look beyond the border
    EXPECT_GT(after.mutualInformation, before.mutualInformation + 0.2);
    EXPECT_EQ(after.foldedPercent, 0);
    EXPECT_NEAR(after.volumeChange, 0, 1e-6);
    // w = −2 x turns space inside out: det = −1 everywhere. w = 0.1 x: det = 1.1.
    VectorField field = shift(grid, 0, 0, 0);
    for (const auto& [slope, folded, change] : {std::tuple{-2.0, 100.0, 2.0}, {0.1, 0.0, 0.1}}) {
        for (std::size_t i = 0; i < grid.voxels(); ++i)
            field.view().u[i] = static_cast<float>(slope * static_cast<double>(i % 24));
        const PairMeasures bent = measurePair(frames, {}, field.view(), ctx());
        EXPECT_EQ(bent.foldedPercent, folded);
        EXPECT_NEAR(bent.volumeChange, change, 1e-5);
    }
}

/// A program that answers with given shifts along x, in voxels, one after the other.
MotionProgram answering(std::vector<float> shifts, BufferPool& pool) {
    auto next = std::make_shared<std::size_t>(0);
    return {"test", false, true, [shifts, next, &pool](const ImagePair& pair, const ExecContext&) {
                if (*next >= shifts.size())
                    return ProgramRun{1, std::nullopt};
                VectorField field(pair.fixed.geometry, pool, "answer");
                std::fill_n(field.components.data(), field.components.size(), 0.0f);
                std::fill_n(field.view().u, pair.fixed.geometry.voxels(), shifts[(*next)++]);
                return ProgramRun{1, std::move(field)};
            }};
}

TEST_F(BenchMeasures, DriftIsWhatIsLeftAfterTheCycleInMillimeters) {
    const Geometry grid({8, 6, 4}, {1.5, 2, 3});
    std::vector<Volume> frames;
    for (int t = 0; t < 3; ++t)
        frames.push_back(volume(grid, [&](int x, int, int) { return x < 4 ? 100 + 40 * t : 20; }));
    const std::vector<std::uint8_t> varying = varyingVoxels(frames);
    for (std::size_t i = 0; i < varying.size(); ++i)
        EXPECT_EQ(varying[i], i % 8 < 4);
    const CycleMeasures open =
        measureCycle(frames, answering({1, 1, -0.5f}, resources_.pool()), ctx());
    EXPECT_NEAR(open.drift, 1.5 * 1.5, 1e-5);
    EXPECT_NEAR(open.largest, 2 * 1.5, 1e-5);
    EXPECT_EQ(open.seconds, 1);
    EXPECT_NEAR(measureCycle(frames, answering({2, -3, 1}, resources_.pool()), ctx()).drift, 0,
                1e-5);
    EXPECT_TRUE(measureCycle(frames, answering({1, 1}, resources_.pool()), ctx()).failed);
}

TEST_F(BenchMeasures, WallErrorIsZeroForTheTruthAndTheMotionForNone) {
    PhantomCase which = phantomCases({32, 32, 32}, 1).front();
    which.options.planesPerSlice = 4;
    which.options.size.z = 8;
    const PhantomPair pair(which, ctx());
    EXPECT_NEAR(wallError(pair, pair.truth.view()).mean, 0, 1e-9);
    const WallError none = wallError(pair, shift(pair.phantom.geometry(), 0, 0, 0).view());
    EXPECT_NEAR(none.mean, none.motion, 1e-9);
    // One slice up is four pixels.
    VectorField off = shift(pair.phantom.geometry(), 0, 0, 1);
    for (std::size_t i = 0; i < off.components.size(); ++i)
        off.components.data()[i] += pair.truth.components.data()[i];
    EXPECT_NEAR(wallError(pair, off.view()).mean, 4, 1e-5);
}

TEST_F(BenchMeasures, ErrorsCountInsideTheSectorOnly) {
    PhantomCase which = phantomCases({32, 32, 32}, 1).front();
    which.options.sectorDegrees = 60;
    const PhantomPair pair(which, ctx());
    VectorField field = shift(pair.phantom.geometry(), 0, 0, 0);
    std::copy_n(pair.truth.components.data(), field.components.size(), field.components.data());
    const std::vector<std::uint8_t> seen = pair.phantom.visible(0, 1, ctx());
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (!seen[i])
            field.view().u[i] += 100;
    EXPECT_NEAR(wallError(pair, field.view()).mean, 0, 1e-9);
}

TEST(BenchCases, NamesAreUniqueAndEachCaseCanBeMade) {
    std::set<std::string> names;
    for (const PhantomCase& which : phantomCases({64, 64, 64}, 3)) {
        EXPECT_TRUE(names.insert(which.name).second) << which.name;
        EXPECT_EQ(which.options.seed, 3u);
        EXPECT_NO_THROW(Phantom{which.options}) << which.name;
        EXPECT_EQ(which.options.size.z, 64 / which.options.planesPerSlice) << which.name;
    }
    EXPECT_TRUE(names.contains("sliding") && names.contains("slices10"));
    std::set<std::string> real;
    for (const RealCase& which : realCases()) {
        EXPECT_TRUE(real.insert(which.name).second) << which.name;
        EXPECT_EQ(which.structures.empty(), which.fixedLabels == nullptr);
        EXPECT_EQ(which.fixedLabels == nullptr, which.movingLabels == nullptr);
    }
}

TEST(BenchCases, ChosenOnesComeInTheListsOrder) {
    const std::vector<PhantomCase> all = phantomCases({32, 32, 32}, 1);
    EXPECT_EQ(chosenCases(all, {}).size(), all.size());
    const std::vector<PhantomCase> two = chosenCases(all, {"sector", "echo"});
    ASSERT_EQ(two.size(), 2u);
    EXPECT_STREQ(two[0].name, "echo");
    EXPECT_STREQ(two[1].name, "sector");
    EXPECT_THROW(chosenCases(all, {"echo", "ech"}), UsageError);
}

} // namespace
} // namespace systole
