// Recording of a GPU: the places, their order, and those left out when time is short.
#include "app/base/lessons.h"
#include "app/features/laboratory/recorder.h"
#include "tests/support/lab_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace systole {
namespace {

using namespace lab;
using test::MadeUpSource;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Every measurement takes some of the clock's time, those of one kernel more.
class SlowSource : public MadeUpSource {
public:
    std::optional<LabPoint> point(const LabKernel& kernel, int side, int threads, int padding,
                                  std::string& why) override {
        now += kernel.name() == "smooth/direct" ? slow : 0.001;
        asked.insert({kernel.name(), side, threads, padding});
        ++times;
        auto point = MadeUpSource::point(kernel, side, threads, padding, why);
        if (point)
            point->seconds = 0.25;
        return point;
    }
    double withTransfers(const LabKernel&, int, int) override { return 0.5; }

    double now = 0, slow = 0.001;
    int times = 0;
    std::set<std::tuple<std::string, int, int, int>> asked;
};

Recording recordWith(SlowSource& source, const RecordingPlan& plan) {
    return recordKernels(source, plan, [&] { return source.now; });
}

int pointsOf(const Recording& recording, const std::string& kernel, int side) {
    int count = 0;
    for (const LabPoint& point : recording.points)
        count += point.kernel == kernel && point.side == side && point.paddingBytes == 0;
    return count;
}

TEST(LabRecorder, MeasuresEveryPlaceOnce) {
    SlowSource source;
    RecordingPlan plan;
    plan.fullSides = {128};
    plan.coarseSides = {64, 128};
    plan.lessons = false;
    const Recording recording = recordWith(source, plan);
    EXPECT_TRUE(recording.notes.empty());
    std::size_t expected = 0;
    for (const LabKernel& kernel : labKernels()) {
        expected += kernel.blockSizes.size() + coarseBlockSizes(kernel).size();
        EXPECT_EQ(pointsOf(recording, kernel.name(), 128),
                  static_cast<int>(kernel.blockSizes.size()));
    }
    EXPECT_EQ(recording.points.size(), expected);
    EXPECT_EQ(source.times, static_cast<int>(expected));
    // Points of one kernel and side lie together, as the file wants it.
    for (std::size_t i = 1; i < recording.points.size(); ++i) {
        const LabPoint &last = recording.points[i - 1], &point = recording.points[i];
        EXPECT_TRUE(point.kernel != last.kernel || point.side >= last.side);
    }
}

TEST(LabRecorder, TakesFewerBlocksOfWhatTakesLong) {
    SlowSource source;
    source.slow = 1;
    RecordingPlan plan;
    plan.fullSides = {128};
    plan.coarseSides = {};
    plan.lessons = false;
    plan.seconds = 30;
    const Recording recording = recordWith(source, plan);
    const int slow = pointsOf(recording, "smooth/direct", 128);
    EXPECT_LT(slow, 9);
    EXPECT_GE(slow, 4);
    EXPECT_TRUE(source.asked.count({"smooth/direct", 128, 256, 0})); // its standard block
    EXPECT_TRUE(source.asked.count({"smooth/direct", 128, 1024, 0}));
    EXPECT_EQ(pointsOf(recording, "smooth/shared", 128), 32);
    ASSERT_EQ(recording.notes.size(), 1u);
    EXPECT_THAT(recording.notes[0], HasSubstr("smooth/direct, side 128"));
    EXPECT_LT(source.now, 2 * plan.seconds);
}

TEST(LabRecorder, MeasuresOnlyTheChosenKernelsAndPutsThemIntoARecord) {
    SlowSource source;
    RecordingPlan plan;
    plan.fullSides = {128};
    plan.coarseSides = {};
    GpuRecord record;
    record.points = recordWith(source, plan).points;
    const std::size_t all = record.points.size();
    source.asked.clear();
    plan.kernels = {"tps/shared", "nlm/tile"};
    Recording recording = recordWith(source, plan);
    for (const auto& [kernel, side, threads, padding] : source.asked)
        EXPECT_THAT(plan.kernels, ::testing::Contains(kernel));
    for (LabPoint& point : recording.points)
        point.seconds = 0.75;
    const std::vector<LabPoint> before = record.points;
    replacePoints(record, plan.kernels, recording.points);
    ASSERT_EQ(record.points.size(), all);
    for (std::size_t i = 0; i < all; ++i) {
        const LabPoint &was = before[i], &is = record.points[i];
        EXPECT_EQ(is.kernel, was.kernel);
        EXPECT_EQ(is.side, was.side);
        EXPECT_EQ(is.threads, was.threads);
        const bool chosen = is.kernel == "tps/shared" || is.kernel == "nlm/tile";
        EXPECT_EQ(is.seconds, chosen ? 0.75 : was.seconds) << is.kernel;
    }
}

TEST(LabRecorder, HasWhatTheLessonsAskFor) {
    SlowSource source;
    RecordingPlan plan;
    plan.fullSides = {64};
    plan.coarseSides = {};
    const Recording recording = recordWith(source, plan);
    GpuRecord record;
    record.machine = test::madeUpMachine();
    record.points = recording.points;
    const auto recorded = recordedSource(record);
    for (const Lesson& lesson : lessons()) {
        if (!lesson.experiment)
            continue;
        const LabAnswer answer = ask(*lesson.experiment, *recorded);
        EXPECT_EQ(answer.curves.size(), lesson.experiment->kernels.size()) << lesson.title;
        for (const LabCurve& curve : answer.curves)
            for (const LabRow& row : curve.rows)
                EXPECT_EQ(row.measured, lesson.experiment->withTransfers ? 0.5 : 0.25)
                    << lesson.title << ", " << curve.kernel << " at " << row.x;
    }
}

TEST(LabRecorder, SaysWhatCouldNotBeMeasured) {
    SlowSource source;
    source.refused = 96;
    RecordingPlan plan;
    plan.fullSides = {64};
    plan.coarseSides = {};
    plan.lessons = false;
    const Recording recording = recordWith(source, plan);
    EXPECT_EQ(pointsOf(recording, "jacobi/direct", 64), 31);
    EXPECT_THAT(recording.notes,
                ::testing::Contains("jacobi/direct at side/threads 64/96: this block is refused"));
    // A place that failed isn't tried again.
    EXPECT_EQ(std::set(source.asked).size(), static_cast<std::size_t>(source.times));
}

TEST(LabRecorder, TellsHowFarItIsAndMayBeCancelled) {
    SlowSource source;
    RecordingPlan plan;
    plan.fullSides = {64};
    plan.coarseSides = {};
    plan.lessons = false;
    double last = 0;
    recordKernels(
        source, plan, [&] { return source.now; },
        [&](const std::string&, double part) {
            EXPECT_GE(part, last);
            EXPECT_LE(part, 1);
            last = part;
        });
    EXPECT_GT(last, 0.9);
    EXPECT_THROW(recordKernels(
                     source, plan, [&] { return source.now; },
                     [](const std::string&, double) { throw Cancelled(); }),
                 Cancelled);
}

TEST(LabRecorder, CoarseBlocksHoldTheStandardOne) {
    EXPECT_THAT(coarseBlockSizes(labKernel("jacobi/direct")),
                ElementsAre(32, 64, 128, 192, 256, 512, 1024));
    LabKernel odd{"a", "b", "", {96, 128, 160}, 160};
    EXPECT_THAT(coarseBlockSizes(odd), ElementsAre(128, 160));
}

} // namespace
} // namespace systole
