// The search with work shared on the device against that of the processors.
#include "compute/core/block_sizes.h"
#include "compute/landmarks/descriptor_search.h"
#include "compute/landmarks/region_match.h"
#include "tests/compute/landmarks/sest_support.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"

#include <cmath>
#include <limits>

namespace systole {
namespace {

test::TestVolume roughFrame(Size3 size, Voxel shift, std::uint64_t seed) {
    test::TestVolume frame = test::texturedFrame(size, shift);
    const test::TestVolume noise = test::noiseVolume(size, seed);
    for (std::size_t i = 0; i < frame.voxels.size(); ++i)
        frame.voxels[i] += 20 * noise.voxels[i];
    return frame;
}

/// Results of the search, distances as squares.
struct Found {
    std::vector<float> descriptors, squared;
};

class DescriptorSearchOnDevice : public test::OnDevice {
protected:
    Found onHost(test::TestVolume& reference, test::TestVolume& target, const sest::Window& window,
                 const std::vector<Voxel>& places, const std::vector<Voxel>& centers) {
        const ExecContext& ctx = workers.context();
        sest::PaddedFrame from(reference.size, workers.pool()), to(target.size, workers.pool());
        from.assign(reference.view(), ctx);
        to.assign(target.view(), ctx);
        Found found{std::vector<float>(sest::numbers * places.size()),
                    std::vector<float>(window.candidates() * places.size(), -1)};
        sest::describePlaces(from, window.patch, places, found.descriptors.data(), ctx);
        sest::findSquaredDistances(to, window, centers, found.descriptors.data(),
                                   found.squared.data(), ctx);
        return found;
    }
    Found onDevice(test::TestVolume& reference, test::TestVolume& target,
                   const sest::Window& window, const std::vector<Voxel>& places,
                   const std::vector<Voxel>& centers, int threads = 160) {
        const Size3 size = reference.size;
        const auto count = static_cast<int>(places.size());
        test::DeviceArray<float> from(*cuda, reference.voxels), to(*cuda, target.voxels);
        test::DeviceArray<float> fromPlanes(*cuda, sest::features * size.voxels()),
            toPlanes(*cuda, sest::features * size.voxels()),
            descriptors(*cuda, sest::numbers * places.size()),
            squared(*cuda, window.candidates() * places.size());
        test::DeviceArray<Voxel> at(*cuda, places), around(*cuda, centers);
        ExecContext ctx = context();
        const BlockSizes blocks({{"sest/column-sums", threads}});
        ctx.blockSizes = &blocks;
        sest::findFeaturesOnDevice({from.data(), size}, fromPlanes.data(), ctx);
        sest::findFeaturesOnDevice({to.data(), size}, toPlanes.data(), ctx);
        sest::describePlacesOnDevice({fromPlanes.data(), size}, window.patch, at.data(), count,
                                     descriptors.data(), ctx);
        sest::findSquaredDistancesOnDevice({toPlanes.data(), size}, window, around.data(), count,
                                           descriptors.data(), squared.data(), ctx);
        return {descriptors.download(), squared.download()};
    }

    ExecResources workers{0};
};

/// The length of a landmark's descriptor, which the rounding of its distances grows with.
double lengthOf(const Found& found, std::size_t landmark) {
    double squared = 0;
    for (std::size_t n = 0; n < sest::numbers; ++n)
        squared += std::pow(double{found.descriptors[landmark * sest::numbers + n]}, 2);
    return std::sqrt(squared);
}

void expectAlike(const Found& found, const Found& expected, std::size_t landmarks) {
    const std::size_t candidates = expected.squared.size() / landmarks;
    for (std::size_t l = 0; l < landmarks; ++l) {
        const double bound = std::ldexp(lengthOf(expected, l), -16);
        for (std::size_t n = l * sest::numbers; n < (l + 1) * sest::numbers; ++n)
            ASSERT_NEAR(found.descriptors[n], expected.descriptors[n], bound) << l << " " << n;
        for (std::size_t c = l * candidates; c < (l + 1) * candidates; ++c)
            if (std::isinf(expected.squared[c]))
                ASSERT_EQ(found.squared[c], expected.squared[c]) << l << " " << c;
            else
                ASSERT_NEAR(std::sqrt(found.squared[c]), std::sqrt(expected.squared[c]), bound)
                    << l << " " << c;
    }
}

TEST_F(DescriptorSearchOnDevice, DescriptorsEqualDoublePrecision) {
    test::TestVolume frame = roughFrame({50, 40, 20}, {0, 0, 0}, 1);
    const std::vector<Voxel> places{{25, 20, 10}, {0, 0, 0}, {49, 39, 19}, {3, 33, 1}};
    const Found found = onDevice(frame, frame, {sest::patchRadius, {1, 0, 0}}, places, places);
    for (std::size_t p = 0; p < places.size(); ++p) {
        const Eigen::VectorXd expected = test::descriptor(frame, places[p]);
        for (Eigen::Index n = 0; n < expected.size(); ++n)
            ASSERT_NEAR(found.descriptors[p * sest::numbers + static_cast<std::size_t>(n)],
                        expected(n), std::ldexp(expected.norm(), -17))
                << p << " " << n;
    }
}

TEST_F(DescriptorSearchOnDevice, DistancesEqualTheProcessorsForEveryWindow) {
    const Size3 size{64, 44, 30};
    test::TestVolume reference = roughFrame(size, {0, 0, 0}, 1),
                     target = roughFrame(size, {3, -2, 1}, 2);
    const std::vector<Voxel> places{{30, 20, 15}, {2, 41, 27}, {63, 0, 0}, {33, 20, 15}};
    std::vector<Voxel> centers = places;
    centers[3] = {-100, 75, 30}; // nothing of its region lies in the frame
    for (const sest::Window& window :
         {sest::Window{}, sest::Window{{5, 5, 4}, {2, 2, 2}}, sest::Window{{1, 1, 1}, {0, 0, 0}},
          sest::Window{{15, 15, 15}, {12, 2, 1}}, sest::Window{{3, 2, 1}, {40, 1, 3}}}) {
        SCOPED_TRACE(window.patch.x * 1000 + window.search.x);
        expectAlike(onDevice(reference, target, window, places, centers),
                    onHost(reference, target, window, places, centers), places.size());
    }
}

/// ≥ 99.5 % (the rest would be ties), equal bits in every run and for every block size.
TEST_F(DescriptorSearchOnDevice, PicksTheSameCandidatesInEveryRun) {
    const Size3 size{90, 70, 60};
    test::TestVolume reference = roughFrame(size, {0, 0, 0}, 1),
                     target = roughFrame(size, {3, -2, 1}, 2);
    const std::vector<Voxel> places = test::spreadVoxels(size, 600, {0, 0, 0}, 4);
    const sest::Window window;
    const Found found = onDevice(reference, target, window, places, places),
                expected = onHost(reference, target, window, places, places);
    std::size_t same = 0;
    for (std::size_t l = 0; l < places.size(); ++l) {
        const auto winner = [&](const Found& of) {
            const float* const first = of.squared.data() + l * window.candidates();
            return std::min_element(first, first + window.candidates()) - first;
        };
        same += winner(found) == winner(expected);
    }
    EXPECT_GE(static_cast<double>(same), 0.995 * static_cast<double>(places.size()));
    for (const int threads : {32, 160, 512})
        EXPECT_EQ(onDevice(reference, target, window, places, places, threads).squared,
                  found.squared)
            << threads;
}

TEST_F(DescriptorSearchOnDevice, EqualFramesAreAtDistanceZero) {
    test::TestVolume frame = roughFrame({50, 30, 1}, {0, 0, 0}, 3);
    const sest::Window window{sest::patchRadius, {2, 1, 1}};
    const std::vector<Voxel> places{{0, 0, 0}, {20, 14, 0}, {49, 29, 0}};
    const Found found = onDevice(frame, frame, window, places, places);
    for (std::size_t l = 0; l < places.size(); ++l)
        EXPECT_EQ(found.squared[l * window.candidates() + window.candidates() / 2], 0) << l;
}

} // namespace
} // namespace systole
