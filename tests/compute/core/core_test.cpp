// Geometry, buffers, parameters, threads and profile.
#include "compute/core/buffer.h"
#include "compute/core/enum_text.h"
#include "compute/core/error.h"
#include "compute/core/exec.h"
#include "compute/core/geometry.h"
#include "compute/core/params.h"
#include "compute/core/profile.h"
#include "compute/core/sequence.h"
#include "compute/core/volume.h"

#include <Eigen/Geometry>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <numeric>

namespace systole {
namespace {

using testing::HasSubstr;

Matrix3 rotation(double angle, const Eigen::Vector3d& axis) {
    const Eigen::Matrix3d r = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
    Matrix3 m;
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            m[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = r(row, column);
    return m;
}

TEST(Geometry, AgreesWithEigenOnAnObliqueGrid) {
    const Matrix3 direction = rotation(0.7, {1, -2, 0.5});
    const Geometry g({10, 20, 30}, {0.5, 1.5, 2.5}, {-3, 40, 7}, direction);
    const Eigen::Matrix3d d =
        Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
    const Eigen::Vector3d expected =
        Eigen::Vector3d(-3, 40, 7) + d * Eigen::Vector3d(0.5 * 2, 1.5 * 3.5, 2.5 * -1);
    const Vec3 p = g.indexToPhysical({2, 3.5, -1});
    EXPECT_NEAR(p.x, expected.x(), 1e-12);
    EXPECT_NEAR(p.y, expected.y(), 1e-12);
    EXPECT_NEAR(p.z, expected.z(), 1e-12);
    const Vec3 back = g.physicalToIndex(p);
    EXPECT_NEAR(back.x, 2, 1e-12);
    EXPECT_NEAR(back.y, 3.5, 1e-12);
    EXPECT_NEAR(back.z, -1, 1e-12);
    // A displacement has no origin, and a rotation keeps its length in mm.
    EXPECT_NEAR(length(g.voxelVectorToPhysical({2, 2, 2})), std::hypot(1.0, 3.0, 5.0), 1e-12);
    EXPECT_TRUE(g.isOrthonormal());
}

TEST(Geometry, FindsAnatomicalAxesOfAPermutedGrid) {
    // Index x runs to superior, y to right, z to anterior.
    const Geometry g({4, 5, 6}, {1, 1, 1}, {}, {{{0, -1, 0}, {0, 0, -1}, {1, 0, 0}}});
    EXPECT_EQ(g.axisAlong(0).indexAxis, 1);
    EXPECT_EQ(g.axisAlong(0).sign, -1);
    EXPECT_EQ(g.axisAlong(1).indexAxis, 2);
    EXPECT_EQ(g.axisAlong(2).indexAxis, 0);
    EXPECT_EQ(g.orientationLetters(), "SRA");
}

TEST(Geometry, RefusesWhatIsNoGrid) {
    EXPECT_THROW(Geometry({0, 1, 1}, {1, 1, 1}), ComputeError);
    EXPECT_THROW(Geometry({1, 1, 1}, {0, 1, 1}), ComputeError);
    EXPECT_THROW(Geometry({1, 1, 1}, {1, std::nan(""), 1}), ComputeError);
    EXPECT_THROW(Geometry({1, 1, 1}, {1, -1, 1}), ComputeError);
    EXPECT_THROW(Geometry({1, 1, 1}, {1, 1, 1}, {INFINITY, 0, 0}), ComputeError);
    EXPECT_THROW(Geometry({1, 1, 1}, {1, 1, 1}, {}, {{{1, 0, 0}, {1, 0, 0}, {0, 0, 1}}}),
                 ComputeError);
}

TEST(VectorField, MillimetersAndVoxelsAreInverse) {
    BufferPool pool;
    const Geometry g({3, 2, 2}, {0.5, 2, 3}, {1, 2, 3}, rotation(1.1, {0.2, 1, 3}));
    VectorField field(g, pool, "test");
    std::iota(field.components.data(), field.components.data() + field.components.size(), -7.0f);
    const MillimeterField mm = toMillimeters(field, pool);
    const FieldView<const float> view = field.view();
    const Vec3 expected = g.indexToPhysical({view.u[5], view.v[5], view.w[5]}) - g.origin();
    EXPECT_NEAR(mm.vectors.data()[15], expected.x, 1e-5);
    EXPECT_NEAR(mm.vectors.data()[16], expected.y, 1e-5);
    EXPECT_NEAR(mm.vectors.data()[17], expected.z, 1e-5);
    const VectorField back = toVoxels(mm, pool);
    for (std::size_t i = 0; i < field.components.size(); ++i)
        EXPECT_NEAR(back.components.data()[i], field.components.data()[i], 1e-5);
}

TEST(BufferPool, ReusesBlocksAndCountsThem) {
    BufferPool pool;
    const float* first = nullptr;
    {
        const Buffer<float> a = pool.acquire<float>(1000, "a");
        first = a.data();
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0u);
        EXPECT_EQ(pool.usage().usedBytes, 4032u); // whole cache lines
    }
    EXPECT_EQ(pool.usage().usedBytes, 0u);
    EXPECT_EQ(pool.usage().idleBytes, 4032u);
    const Buffer<float> b = pool.acquire<float>(1000, "b");
    EXPECT_EQ(b.data(), first);
    pool.trim();
    EXPECT_EQ(pool.usage().idleBytes, 0u);
    EXPECT_EQ(pool.usage().peakBytes, 4032u);
}

TEST(BufferPool, SaysWhoHoldsWhatWhenTheBudgetEnds) {
    BufferPool pool(1 << 20);
    const Buffer<char> a = pool.acquire<char>(600 << 10, "first field");
    try {
        pool.acquire<char>(500 << 10, "second field");
        FAIL() << "the budget was exceeded";
    } catch (const OutOfMemory& error) {
        EXPECT_THAT(error.what(), HasSubstr("500.0 KiB requested for 'second field'"));
        EXPECT_THAT(error.what(), HasSubstr("424.0 KiB free"));
        EXPECT_THAT(error.what(), HasSubstr("first field 600.0 KiB"));
    }
    EXPECT_THROW(pool.acquire<double>(~std::size_t{0} / 8, "overflow"), OutOfMemory);
}

TEST(BufferPool, NamesTheLargestHoldersAndSumsTheOthers) {
    BufferPool pool(1 << 20);
    std::vector<Buffer<char>> held;
    for (int n = 1; n <= 12; ++n)
        held.push_back(pool.acquire<char>(static_cast<std::size_t>(n) << 12, std::to_string(n)));
    try {
        pool.acquire<char>(std::size_t{1} << 20, "one more");
        FAIL();
    } catch (const OutOfMemory& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("held by: 12 48.0 KiB, 11 44.0 KiB, 10 40.0 KiB and 9 more "
                              "180.0 KiB"));
        EXPECT_LT(std::string(error.what()).size(), 250U);
    }
}

TEST(BufferPool, IdleBlocksGiveWayToNewSizes) {
    BufferPool pool(1 << 20);
    { const Buffer<char> a = pool.acquire<char>(700 << 10, "a"); }
    EXPECT_NO_THROW(pool.acquire<char>(800 << 10, "b"));
}

TEST(BufferPool, BuffersOutliveTheirPool) {
    Buffer<int> survivor;
    {
        BufferPool pool;
        survivor = pool.acquire<int>(16, "survivor");
    }
    survivor.data()[15] = 42;
    EXPECT_EQ(survivor.data()[15], 42);
}

ParamTable testTable() {
    ParamTable table({realParam("alpha", 1, 0, 10, "", "a"),
                      integerParam("count", 3, 1, 5, "n", "c"), switchParam("fast", true, "f"),
                      choiceParam("kind", "a", {"a", "b"}, "k")});
    table.addPreset("other", {{"alpha", 2}, {"kind", std::string("b")}});
    return table;
}

TEST(ParamTable, SlidersMayHaveLessThanTheRange) {
    ParamTable table({realParam("alpha", 0.3, 0, 1e6, "", "a").usually(0, 100),
                      realParam("beta", 1, 0, 5, "mm", "b")});
    EXPECT_EQ(table.row("alpha").sliderMaximum(), 100);
    EXPECT_EQ(table.row("beta").sliderMaximum(), 5);
    ParamSet set(table);
    set.set("alpha", 11420.0);
    EXPECT_EQ(set.real("alpha"), 11420) << "typed values go as far as the range";
}

TEST(ParamTable, NumbersForPeopleHaveNoExponent) {
    EXPECT_EQ(plainNumber(0.3), "0.3");
    EXPECT_EQ(plainNumber(1e6), "1000000");
    EXPECT_EQ(plainNumber(11420), "11420");
    EXPECT_EQ(plainNumber(0.00001), "0.0000100");
    EXPECT_EQ(plainNumber(0), "0");
}

TEST(ParamTable, ChecksTypeRangeAndChoice) {
    const ParamTable table = testTable();
    ParamSet set(table);
    set.setText("alpha", "2.5");
    EXPECT_DOUBLE_EQ(set.real("alpha"), 2.5);
    EXPECT_THROW(set.setText("alpha", "11"), ComputeError);
    EXPECT_THROW(set.setText("alpha", "nan"), ComputeError);
    EXPECT_THROW(set.setText("alpha", "2x"), ComputeError);
    EXPECT_THROW(set.setText("count", "2.5"), ComputeError);
    EXPECT_THROW(set.setText("kind", "c"), ComputeError);
    EXPECT_THROW(set.setText("fast", "maybe"), ComputeError);
    EXPECT_THROW(set.set("fast", 1.0), ComputeError);
    EXPECT_THROW(set.real("beta"), ComputeError);
    EXPECT_EQ(ParamSet(table, "other").choice("kind"), "b");
    EXPECT_DOUBLE_EQ(ParamSet(table, "other").real("alpha"), 2);
    EXPECT_THROW(ParamSet(table, "none"), ComputeError);
    EXPECT_THROW(testTable().addPreset("bad", {{"count", 9}}), ComputeError);
}

TEST(ThreadTeam, SumsCarryTheSameBitsForAnyNumberOfThreads) {
    std::vector<double> sums;
    for (const int threads : {1, 2, 3, 7}) {
        ExecResources resources(threads);
        sums.push_back(parallelSum(resources.context(), 100001, 64, [](int begin, int end) {
            double sum = 0;
            for (int i = begin; i < end; ++i)
                sum += std::sin(i) * 1e-3 + 1.0 / (1 + i);
            return sum;
        }));
    }
    for (const double sum : sums)
        EXPECT_EQ(sum, sums[0]);
}

TEST(ThreadTeam, RethrowsWhatAChunkThrows) {
    ExecResources resources(2);
    EXPECT_THROW(parallelFor(resources.context(), 100, 1,
                             [](int begin, int) {
                                 if (begin == 57)
                                     throw Cancelled();
                             }),
                 Cancelled);
}

// A table of texts that forgets a value of its enumeration doesn't compile.
static_assert(isNamed<Backend::Cuda>() && !isNamed<static_cast<Backend>(3)>());

TEST(EnumText, IsThatOfTheValue) {
    constexpr const char* const texts[] = {"reference", "host", "device"};
    EXPECT_STREQ(enumText(Backend::Cuda, texts), "device");
    EXPECT_STREQ(enumText(static_cast<Backend>(3), texts), "unknown");
}

TEST(KernelProfile, StagesAddUpAndExport) {
    KernelProfile profile;
    std::vector<FrameProfile> frames;
    for (int frame = 0; frame < 2; ++frame) {
        profile.beginFrame(frame);
        profile.add({.stage = "solve", .kernel = "jacobi", .seconds = 0.25, .bytes = 100});
        profile.add({.stage = "solve", .kernel = "jacobi", .seconds = 0.5, .bytes = 100});
        profile.add({.stage = "", .kernel = "inner", .seconds = 9});
        frames.push_back(profile.endFrame());
    }
    EXPECT_EQ(frames[1].frame, 1);
    EXPECT_DOUBLE_EQ(frames[1].seconds("solve"), 0.75);
    EXPECT_DOUBLE_EQ(frames[1].bytes("solve"), 200);
    EXPECT_DOUBLE_EQ(frames[1].totalSeconds(), 0.75);
    EXPECT_TRUE(profile.endFrame().spans.empty());

    const auto trace = nlohmann::json::parse(chromeTrace(frames));
    ASSERT_EQ(trace["traceEvents"].size(), 6u);
    EXPECT_EQ(trace["traceEvents"][0]["cat"], "solve");
    EXPECT_EQ(trace["traceEvents"][0]["dur"], 0.25e6);
    EXPECT_EQ(trace["traceEvents"][2]["cat"], "kernel");
    EXPECT_EQ(trace["traceEvents"][3]["args"]["frame"], 1);
}

TEST(Sequence, TimesMayBeIrregularOrUnknown) {
    Sequence sequence;
    sequence.frames = 3;
    EXPECT_FALSE(sequence.timeKnown());
    EXPECT_DOUBLE_EQ(sequence.secondsToNext(1), 0.04);
    EXPECT_TRUE(std::isnan(sequence.timeOf(1)));
    sequence.timesSeconds = {0, 0.03, 0.1};
    EXPECT_DOUBLE_EQ(sequence.secondsToNext(0), 0.03);
    EXPECT_DOUBLE_EQ(sequence.secondsToNext(1), 0.07);
    EXPECT_DOUBLE_EQ(sequence.secondsToNext(2), 0.05); // the mean, for want of better
    sequence.closingSeconds = 0.02;
    EXPECT_DOUBLE_EQ(sequence.cycleSeconds(), 0.12);
}

} // namespace
} // namespace systole
