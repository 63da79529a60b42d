// Tracking with descriptors and searches on the device: the minima of regions bit by bit, and the
// same fates and places as the processors'.
#include "compute/landmarks/region_match.h"
#include "compute/landmarks/tracker.h"
#include "tests/compute/landmarks/tracker_support.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"

#include <limits>

namespace systole {
namespace {

class TrackerOnDevice : public test::OnDevice {
protected:
    std::vector<TrackedPoint> track(const std::vector<test::TestVolume>& frames, Vec3 spacing,
                                    const TrackerSettings& settings,
                                    const std::vector<Vec3>& points, const ExecContext& ctx) {
        LandmarkTracker tracker(frames[0].size, spacing, {0, 255}, settings, ctx);
        std::vector<TrackedPoint> all;
        for (std::size_t t = 0; t < frames.size(); ++t) {
            const VolumeView<const float> frame(frames[t].voxels.data(), frames[t].size);
            if (t == 0)
                tracker.start(frame, points, ctx);
            else
                for (const TrackedPoint& point : tracker.advance(frame, ctx).points)
                    all.push_back(point);
        }
        return all;
    }
    ExecResources workers{0};
};

/// Regions of one place, without any, of one value, with values that aren't numbers.
TEST_F(TrackerOnDevice, RegionMinimaHaveTheBitsOfTheProcessors) {
    constexpr float none = std::numeric_limits<float>::infinity(),
                    nan = std::numeric_limits<float>::quiet_NaN();
    for (const Size3 size : {Size3{25, 13, 17}, Size3{5, 5, 5}, Size3{1, 1, 1}, Size3{2, 1, 3}}) {
        constexpr std::size_t regions = 40;
        const std::size_t places = size.voxels();
        std::vector<float> squared(regions * places);
        for (std::size_t i = 0; i < squared.size(); ++i) {
            const std::uint64_t bits = randomBits(6, 1, i);
            squared[i] = bits % 11 == 0 ? none
                         : bits % 13 == 0
                             ? nan
                             : static_cast<float>(bits / 1024 % 4096); // many are equal
        }
        std::fill_n(squared.data(), places, none);
        std::fill_n(squared.data() + places, places, 3.0f);
        std::fill_n(squared.data() + 2 * places, places, nan);
        test::DeviceArray<float> values(*cuda, squared);
        test::DeviceArray<sest::RegionMinimum> minima(*cuda, regions);
        sest::findMinimaOnDevice(values.data(), size, regions, minima.data(), context());
        const std::vector<sest::RegionMinimum> found = minima.download();
        for (std::size_t r = 0; r < regions; ++r) {
            const sest::RegionMinimum expected =
                sest::minimumOf({squared.data() + r * places, size});
            EXPECT_EQ(found[r].least, expected.least) << r;
            EXPECT_EQ(found[r].second, expected.second) << r;
            EXPECT_EQ(found[r].winner, expected.winner) << r;
            for (int axis = 0; axis < 3; ++axis) {
                const auto same = [](float a, float b) { return a == b || (a != a && b != b); };
                EXPECT_TRUE(same(found[r].before[axis], expected.before[axis])) << r;
                EXPECT_TRUE(same(found[r].after[axis], expected.after[axis])) << r;
            }
        }
    }
}

TEST_F(TrackerOnDevice, FatesAndPlacesAreTheProcessors) {
    const Size3 size{72, 64, 56};
    const Vec3 spacing{1, 1, 1.5};
    std::vector<test::TestVolume> frames;
    for (const double depth : {0.0, 2.0, 4.5}) {
        frames.push_back(test::movedFrame(size, test::breathing(size, 40, depth)));
        const test::TestVolume noise = test::noiseVolume(size, frames.size());
        for (std::size_t i = 0; i < noise.voxels.size(); ++i)
            frames.back().voxels[i] += 2 * noise.voxels[i];
    }
    std::vector<Vec3> points;
    for (const Voxel& p : test::spreadVoxels(size, 500, {0, 0, 0}, 8))
        points.push_back({double(p.x), double(p.y), double(p.z)});
    for (const TrackFrom from : {TrackFrom::Reference, TrackFrom::Previous})
        for (const int levels : {1, 2}) {
            SCOPED_TRACE(levels);
            TrackerSettings settings;
            settings.from = from;
            settings.levels = levels;
            settings.searchRadius = {6, 4, 5};
            const std::vector<TrackedPoint> expected = track(frames, spacing, settings, points,
                                                             workers.context()),
                                            found =
                                                track(frames, spacing, settings, points, context());
            ASSERT_EQ(found.size(), expected.size());
            std::size_t fates = 0, near = 0, tracked = 0;
            for (std::size_t i = 0; i < found.size(); ++i) {
                fates += found[i].fate == expected[i].fate;
                if (found[i].fate != TrackFate::Tracked || expected[i].fate != TrackFate::Tracked)
                    continue;
                ++tracked;
                near += length(found[i].position - expected[i].position) < 0.01;
            }
            EXPECT_GT(tracked, found.size() / 2);
            EXPECT_GE(static_cast<double>(fates), 0.995 * static_cast<double>(found.size()));
            EXPECT_GE(static_cast<double>(near), 0.995 * static_cast<double>(tracked));
            const std::vector<TrackedPoint> again =
                track(frames, spacing, settings, points, context());
            for (std::size_t i = 0; i < found.size(); ++i) {
                ASSERT_EQ(again[i].position.x, found[i].position.x) << i;
                ASSERT_EQ(again[i].position.y, found[i].position.y) << i;
                ASSERT_EQ(again[i].position.z, found[i].position.z) << i;
                ASSERT_EQ(again[i].ratio, found[i].ratio) << i;
            }
        }
}

} // namespace
} // namespace systole
