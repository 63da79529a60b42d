// Tracks of points whose motion is known, and of points that cannot be tracked.
#include "compute/core/error.h"
#include "compute/landmarks/corners.h"
#include "compute/landmarks/tracker.h"
#include "tests/compute/landmarks/tracker_support.h"

#include <gtest/gtest.h>

#include <numeric>

namespace systole {
namespace {

using test::TestVolume;

constexpr IntensityScale gray{0, 255};

std::vector<Vec3> cornersOf(TestVolume& frame, Vec3 spacing, int number, double apart,
                            ExecResources& resources) {
    CornerSettings settings;
    settings.number = number;
    settings.spacing = apart;
    settings.margin = 5;
    std::vector<Vec3> points;
    for (const Corner& c : findCorners(frame.view(), spacing, {}, settings, resources.context()))
        points.push_back({double(c.voxel.x), double(c.voxel.y), double(c.voxel.z)});
    return points;
}

struct Errors {
    double mean = 0, largest = 0; ///< mm, of tracked points
    int tracked = 0;
};

Errors errorsOf(const TrackStep& step, const std::vector<Vec3>& points, Vec3 spacing,
                const test::Offset& offset) {
    Errors errors;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (step.points[i].fate != TrackFate::Tracked)
            continue;
        const Vec3 miss = step.points[i].position - test::movedPoint(points[i], offset);
        const double error = length({miss.x * spacing.x, miss.y * spacing.y, miss.z * spacing.z});
        errors.mean += error;
        errors.largest = std::max(errors.largest, error);
        ++errors.tracked;
    }
    errors.mean /= errors.tracked;
    return errors;
}

class Tracker : public testing::Test {
protected:
    LandmarkTracker tracker(Size3 size, Vec3 spacing, const TrackerSettings& settings) {
        return {size, spacing, gray, settings, resources.context()};
    }
    ExecResources resources{2};
};

TEST_F(Tracker, FollowsTranslationsBelowAVoxel) {
    const Size3 size{48, 44, 40};
    TestVolume fixed = test::movedFrame(size, [](Vec3) { return Vec3{}; });
    std::vector<Vec3> points = cornersOf(fixed, {1, 1, 1}, 100, 5, resources);
    points[0] = points[0] + Vec3{0.3, -0.4, 0.2}; // points need not be voxels
    points[1] = points[2];                        // nor differ
    TrackerSettings settings;
    settings.searchRadius = {5, 4, 4};
    LandmarkTracker tracker = this->tracker(size, {1, 1, 1}, settings);
    tracker.start(fixed.view(), points, resources.context());
    for (const Vec3 by : {Vec3{0, 0, 0}, Vec3{2, -1, 3}, Vec3{0.5, 0.3, -0.25}}) {
        const test::Offset offset = [by](Vec3) { return by; };
        TestVolume moved = test::movedFrame(size, offset);
        const TrackStep step = tracker.advance(moved.view(), resources.context());
        const Errors errors = errorsOf(step, points, {1, 1, 1}, offset);
        EXPECT_GT(errors.tracked, 0.8 * static_cast<double>(points.size())) << by.x;
        EXPECT_LT(errors.mean, by == Vec3{} ? 1e-6 : 0.12) << by.x;
        EXPECT_LT(errors.largest, 0.8);
        EXPECT_EQ(step.points[1].position, step.points[2].position);
    }
}

/// 25 mm along a wall, in voxels of 2×2×2.5 mm: with the region of the paper at full resolution,
/// and with a search from coarse to fine.
TEST_F(Tracker, FollowsBreathingAlongASlidingWall) {
    const Size3 size{64, 56, 56};
    const Vec3 spacing{2, 2, 2.5};
    const test::Offset offset = test::breathing(size, 40, 10);
    TestVolume fixed = test::movedFrame(size, [](Vec3) { return Vec3{}; }),
               moved = test::movedFrame(size, offset);
    const std::vector<Vec3> points = cornersOf(fixed, spacing, 300, 8, resources);
    for (const int levels : {1, 2}) {
        TrackerSettings settings;
        settings.levels = levels;
        settings.searchRadius = levels == 1 ? Size3{4, 4, 12} : radiusInVoxels(28, spacing);
        LandmarkTracker tracker = this->tracker(size, spacing, settings);
        tracker.start(fixed.view(), points, resources.context());
        const TrackStep step = tracker.advance(moved.view(), resources.context());
        const Errors errors = errorsOf(step, points, spacing, offset);
        EXPECT_LT(errors.mean, 1) << levels; // half a voxel
        EXPECT_GT(errors.tracked, 0.6 * static_cast<double>(points.size())) << levels;
    }
}

TEST_F(Tracker, FromFrameToFrameAndFromTheReference) {
    const Size3 size{56, 48, 48};
    const Vec3 spacing{2, 2, 2};
    TestVolume fixed = test::movedFrame(size, [](Vec3) { return Vec3{}; });
    const std::vector<Vec3> points = cornersOf(fixed, spacing, 150, 8, resources);
    const auto offsetOf = [&](int frame) { return test::breathing(size, 36, 2.5 * frame); };
    std::vector<TestVolume> moved;
    for (int frame = 1; frame <= 4; ++frame)
        moved.push_back(test::movedFrame(size, offsetOf(frame)));
    for (const TrackFrom from : {TrackFrom::Reference, TrackFrom::Previous}) {
        TrackerSettings settings;
        settings.from = from;
        settings.searchRadius = {3, 3, 4};
        LandmarkTracker tracker = this->tracker(size, spacing, settings);
        tracker.start(fixed.view(), points, resources.context());
        int before = static_cast<int>(points.size());
        for (int frame = 1; frame <= 4; ++frame) {
            const TrackStep step = tracker.advance(
                moved[static_cast<std::size_t>(frame - 1)].view(), resources.context());
            const Errors errors = errorsOf(step, points, spacing, offsetOf(frame));
            // Half a voxel; from frame to frame errors add up.
            EXPECT_LT(errors.mean, from == TrackFrom::Reference ? 1 : 0.4 * frame) << frame;
            EXPECT_GT(errors.tracked, 0.6 * static_cast<double>(points.size())) << frame;
            if (from == TrackFrom::Previous) {
                EXPECT_LE(step.tracked(), before) << "what is lost stays lost";
                before = step.tracked();
            }
            EXPECT_EQ(std::accumulate(step.counts.begin(), step.counts.end(), 0),
                      static_cast<int>(points.size()));
        }
    }
}

/// Two blocks of the moved frame show tissue of another place: the few points there must not count
/// as tracked with the displacement of that place.
TEST_F(Tracker, RejectsPlantedOutliers) {
    const Size3 size{64, 56, 48};
    TestVolume fixed = test::movedFrame(size, [](Vec3) { return Vec3{}; });
    TestVolume moved = test::movedFrame(size, [&](Vec3 q) -> Vec3 {
        const auto within = [&](double x, double y, double z) {
            return std::abs(q.x - x) < 11 && std::abs(q.y - y) < 11 && std::abs(q.z - z) < 10;
        };
        if (within(17, 18, 17))
            return {-3, 3, 3};
        if (within(47, 38, 31))
            return {5, 2, -3};
        return {1, 0, 1};
    });
    std::vector<Vec3> points;
    for (const Voxel& p : test::spreadVoxels(size, 130, {6, 6, 6}, 21))
        points.push_back({double(p.x), double(p.y), double(p.z)});
    const auto wrong = [&](OutlierTest outliers) {
        TrackerSettings settings;
        settings.searchRadius = {6, 6, 6};
        settings.outliers = outliers;
        LandmarkTracker tracker = this->tracker(size, {1, 1, 1}, settings);
        tracker.start(fixed.view(), points, resources.context());
        const TrackStep step = tracker.advance(moved.view(), resources.context());
        int count = 0, good = 0;
        for (std::size_t i = 0; i < points.size(); ++i)
            if (step.points[i].fate == TrackFate::Tracked) {
                const double miss = length(step.points[i].position - points[i] - Vec3{1, 0, 1});
                count += miss > 3;
                good += miss < 1;
            }
        EXPECT_GT(good, 60) << outlierTests[static_cast<int>(outliers)];
        return count;
    };
    EXPECT_GT(wrong(OutlierTest::None), 4);
    for (const OutlierTest test : {OutlierTest::Neighbors, OutlierTest::Both})
        EXPECT_EQ(wrong(test), 0);
}

TEST_F(Tracker, SaysWhyAPointIsLost) {
    const Size3 size{48, 40, 36};
    // Texture in the left half, nothing in the right one.
    const auto frame = [&](Vec3 by) {
        return TestVolume(size, [=](double x, double y, double z) {
            return x < 30 ? test::randomWaves(x - by.x, y - by.y, z - by.z) : 100;
        });
    };
    TestVolume fixed = frame({0, 0, 0}), moved = frame({0, 7, 0});
    const std::vector<Vec3> points{{10, 20, 18}, {40, 20, 18}, {15, 36, 18}};
    TrackerSettings settings;
    settings.searchRadius = {3, 3, 3};
    LandmarkTracker near = tracker(size, {1, 1, 1}, settings);
    near.start(fixed.view(), points, resources.context());
    TrackStep step = near.advance(moved.view(), resources.context());
    EXPECT_NE(step.points[0].fate, TrackFate::Tracked); // moved farther than the region reaches
    EXPECT_EQ(step.points[1].fate, TrackFate::Ambiguous);
    EXPECT_NE(step.points[2].fate, TrackFate::Tracked); // left the frame
    EXPECT_EQ(step.points[1].position, points[1]);
    EXPECT_EQ(step.points[1].certainty, 0);
    settings.searchRadius = {3, 9, 3};
    LandmarkTracker far = tracker(size, {1, 1, 1}, settings);
    far.start(fixed.view(), points, resources.context());
    step = far.advance(moved.view(), resources.context());
    EXPECT_EQ(step.points[0].fate, TrackFate::Tracked);
    EXPECT_NEAR(step.points[0].position.y, 27, 0.1);
    EXPECT_GT(step.points[0].certainty, 0.5);
    // Found again when it comes back.
    step = near.advance(fixed.view(), resources.context());
    EXPECT_EQ(step.points[0].fate, TrackFate::Tracked);
}

TEST_F(Tracker, SameBitsForAnyThreadsAndRunAfterRun) {
    const Size3 size{44, 40, 36};
    TestVolume fixed = test::movedFrame(size, [](Vec3) { return Vec3{}; }),
               moved = test::movedFrame(size, [](Vec3) {
                   return Vec3{1.3, 0.4, -0.8};
               });
    const std::vector<Vec3> points = cornersOf(fixed, {1, 1, 1}, 200, 4, resources);
    const auto run = [&](int threads) {
        ExecResources with(threads);
        TrackerSettings settings;
        settings.levels = 2;
        settings.searchRadius = {6, 6, 6};
        LandmarkTracker tracker(size, {1, 1, 1}, gray, settings, with.context());
        tracker.start(fixed.view(), points, with.context());
        const TrackStep step = tracker.advance(moved.view(), with.context());
        return std::vector<TrackedPoint>(step.points.begin(), step.points.end());
    };
    const std::vector<TrackedPoint> one = run(1);
    for (const int threads : {1, 2, 5}) {
        const std::vector<TrackedPoint> other = run(threads);
        for (std::size_t i = 0; i < points.size(); ++i) {
            EXPECT_EQ(one[i].position, other[i].position);
            EXPECT_EQ(one[i].fate, other[i].fate);
            EXPECT_EQ(one[i].certainty, other[i].certainty);
            EXPECT_EQ(one[i].backwardError, other[i].backwardError);
        }
    }
}

TEST_F(Tracker, FewPointsInAPlaneAndDamagedFrames) {
    const Size3 size{40, 36, 12};
    TestVolume fixed = test::movedFrame(size, [](Vec3) { return Vec3{}; });
    TrackerSettings settings;
    settings.searchRadius = {3, 3, 2};
    LandmarkTracker tracker = this->tracker(size, {1, 1, 3}, settings);
    const std::vector<std::vector<Vec3>> sets{
        {},
        {{20, 18, 6}},
        {{20, 18, 6}, {20, 18, 6}, {20, 18, 6}},
        {{10, 10, 6}, {12, 20, 6}, {20, 12, 6}, {25, 20, 6}, {15, 15, 6}, {28, 12, 6}}};
    for (const std::vector<Vec3>& points : sets) {
        tracker.start(fixed.view(), points, resources.context());
        EXPECT_EQ(tracker.advance(fixed.view(), resources.context()).tracked(),
                  static_cast<int>(points.size()));
    }
    TestVolume damaged(size, [](double, double, double) { return NAN; });
    const TrackStep step = tracker.advance(damaged.view(), resources.context());
    EXPECT_EQ(step.tracked(), 0);
    EXPECT_EQ(step.counts[static_cast<int>(TrackFate::Outside)], 6);
}

TEST_F(Tracker, RefusesWhatHasNoMeaning) {
    const Size3 size{20, 20, 20};
    TestVolume frame = test::movedFrame(size, [](Vec3) { return Vec3{}; }),
               other = test::movedFrame({20, 20, 19}, [](Vec3) { return Vec3{}; });
    const ExecContext ctx = resources.context();
    LandmarkTracker tracker = this->tracker(size, {1, 1, 1}, {});
    EXPECT_THROW(tracker.advance(frame.view(), ctx), ComputeError);
    EXPECT_THROW(tracker.start(other.view(), {}, ctx), ComputeError);
    for (const Vec3 outside : {Vec3{20, 3, 3}, Vec3{3, -1, 3}, Vec3{3, 3, NAN}})
        EXPECT_THROW(tracker.start(frame.view(), std::vector<Vec3>{outside}, ctx), ComputeError);
    EXPECT_THROW(tracker.start(frame.view(), std::vector<Vec3>(maxTrackedPoints + 1), ctx),
                 ComputeError);
    tracker.start(frame.view(), {}, ctx);
    EXPECT_THROW(tracker.advance(other.view(), ctx), ComputeError);
    for (const auto& change : std::vector<std::function<void(TrackerSettings&)>>{
             [](TrackerSettings& s) { s.levels = 0; },
             [](TrackerSettings& s) { s.patchRadius.x = 0; },
             [](TrackerSettings& s) { s.searchRadius.z = 1000; },
             [](TrackerSettings& s) { s.backwardTolerance = NAN; },
             [](TrackerSettings& s) { s.greatestRatio = 0; }}) {
        TrackerSettings settings;
        change(settings);
        EXPECT_THROW(this->tracker(size, {1, 1, 1}, settings), ComputeError);
    }
    EXPECT_THROW(LandmarkTracker(size, {1, 1, 1}, {3, 3}, {}, ctx), ComputeError);
    ExecContext cancelled = ctx;
    cancelled.cancel.cancel();
    const std::vector<Vec3> point{{10, 10, 10}};
    EXPECT_THROW(tracker.start(frame.view(), point, cancelled), Cancelled);
}

} // namespace
} // namespace systole
