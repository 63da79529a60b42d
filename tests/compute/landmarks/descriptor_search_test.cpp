// The search that shares work against the paper's form and against double precision.
#include "compute/landmarks/descriptor_search.h"
#include "tests/compute/landmarks/sest_support.h"

#include <gtest/gtest.h>

#include <limits>

namespace systole {
namespace {

class DescriptorSearch : public testing::Test {
protected:
    sest::PaddedFrame padded(test::TestVolume& frame, ExecResources& with) {
        sest::PaddedFrame result(frame.size, with.pool());
        result.assign(frame.view(), with.context());
        return result;
    }
    std::vector<float> described(test::TestVolume& frame, const std::vector<Voxel>& places,
                                 Size3 patch = sest::patchRadius) {
        std::vector<float> descriptors(sest::numbers * places.size());
        sest::describePlaces(padded(frame, resources), patch, places, descriptors.data(),
                             resources.context());
        return descriptors;
    }
    std::vector<float> searched(test::TestVolume& target, const sest::Window& window,
                                const std::vector<Voxel>& centers,
                                const std::vector<float>& descriptors, ExecResources& with) {
        std::vector<float> squared(window.candidates() * centers.size(), -1);
        sest::findSquaredDistances(padded(target, with), window, centers, descriptors.data(),
                                   squared.data(), with.context());
        return squared;
    }

    ExecResources resources{2};
};

test::TestVolume roughFrame(Size3 size, Voxel shift, std::uint64_t seed) {
    test::TestVolume frame = test::texturedFrame(size, shift);
    const test::TestVolume noise = test::noiseVolume(size, seed);
    for (std::size_t i = 0; i < frame.voxels.size(); ++i)
        frame.voxels[i] += 20 * noise.voxels[i];
    return frame;
}

TEST_F(DescriptorSearch, DescriptorsEqualDoublePrecision) {
    // Wider than one tile, patches that reach beyond every border, places side by side.
    test::TestVolume frame = roughFrame({150, 40, 20}, {0, 0, 0}, 1);
    const std::vector<Voxel> places{{75, 20, 10}, {0, 0, 0},    {149, 39, 19}, {76, 20, 10},
                                    {100, 3, 18}, {101, 3, 18}, {3, 33, 1},    {75, 20, 10}};
    const std::vector<float> found = described(frame, places);
    for (std::size_t p = 0; p < places.size(); ++p) {
        const Eigen::VectorXd expected = test::descriptor(frame, places[p]);
        for (Eigen::Index n = 0; n < expected.size(); ++n)
            ASSERT_NEAR(found[p * sest::numbers + static_cast<std::size_t>(n)], expected(n),
                        std::ldexp(expected.norm(), -17))
                << p << " " << n;
    }
}

/// Distances and winners of landmarks in noisy frames, the paper's kernel and the shared search.
TEST_F(DescriptorSearch, PicksTheWinnersOfThePapersKernel) {
    const Size3 size{60, 44, 40};
    test::TestVolume reference = roughFrame(size, {0, 0, 0}, 1),
                     target = roughFrame(size, {3, -2, 4}, 2);
    const std::vector<Voxel> landmarks = test::spreadVoxels(size, 16, {0, 0, 0}, 5);
    const ExecContext ctx = resources.context();
    std::vector<float> planes(sest::features * size.voxels()),
        descriptors(sest::numbers * landmarks.size()), plain(sest::candidates * landmarks.size());
    sest::findFeatures(reference.view(), planes.data(), ctx);
    sest::describe({planes.data(), size}, landmarks, descriptors.data(), ctx);
    sest::findFeatures(target.view(), planes.data(), ctx);
    sest::findDistances({planes.data(), size}, landmarks, descriptors.data(), plain.data(), ctx);
    const std::vector<float> own = described(reference, landmarks);
    const std::vector<float> squared = searched(target, {}, landmarks, own, resources);
    int same = 0;
    for (std::size_t l = 0; l < landmarks.size(); ++l) {
        const auto region = [&](const std::vector<float>& all) {
            return std::span<const float, sest::candidates>(all.data() + l * sest::candidates,
                                                            sest::candidates);
        };
        double norm = 0;
        for (std::size_t n = 0; n < sest::numbers; ++n)
            norm += std::pow(double{descriptors[l * sest::numbers + n]}, 2);
        const double bound = std::ldexp(std::sqrt(norm), -16);
        for (std::size_t c = 0; c < sest::candidates; ++c)
            if (std::isinf(region(plain)[c]))
                ASSERT_TRUE(std::isinf(region(squared)[c]));
            else
                ASSERT_NEAR(std::sqrt(region(squared)[c]), region(plain)[c], bound);
        const test::Match expected = test::nearestCandidate(region(plain)),
                          found = test::nearestCandidate(region(squared));
        same += expected.offset == found.offset;
    }
    EXPECT_EQ(same, static_cast<int>(landmarks.size()));
}

TEST_F(DescriptorSearch, OtherPatchesAndRegions) {
    // A patch of 2·r + 1 at its definition: distances of a frame from itself are 0 at the center,
    // and infinite outside.
    test::TestVolume frame = roughFrame({50, 30, 1}, {0, 0, 0}, 3);
    for (const Size3 patch : {Size3{1, 1, 1}, Size3{3, 2, 1}, Size3{15, 15, 15}}) {
        const sest::Window window{patch, {2, 1, 1}};
        const std::vector<Voxel> centers{{0, 0, 0}, {20, 14, 0}, {49, 29, 0}};
        const std::vector<float> squared =
            searched(frame, window, centers, described(frame, centers, patch), resources);
        for (std::size_t l = 0; l < centers.size(); ++l)
            for (std::size_t c = 0; c < window.candidates(); ++c) {
                const int i = static_cast<int>(c);
                const Voxel offset{i % 5 - 2, i / 5 % 3 - 1, i / 15 - 1};
                const float found = squared[l * window.candidates() + c];
                if (!liesIn(frame.size, centers[l] + offset))
                    EXPECT_EQ(found, std::numeric_limits<float>::infinity());
                else if (offset == Voxel{0, 0, 0})
                    EXPECT_EQ(found, 0);
                else
                    EXPECT_GT(found, 0);
            }
    }
}

TEST_F(DescriptorSearch, RegionsBeyondTheFrameAndSameBitsForAnyThreads) {
    const Size3 size{40, 70, 21};
    test::TestVolume reference = roughFrame(size, {0, 0, 0}, 1),
                     target = roughFrame(size, {1, 0, 0}, 2);
    const std::vector<Voxel> places = test::spreadVoxels(size, 30, {0, 0, 0}, 9);
    const std::vector<float> descriptors = described(reference, places);
    std::vector<Voxel> centers = places;
    centers[0] = {-100, 0, 0};
    centers[1] = {-10, 75, 30};
    const sest::Window window{sest::patchRadius, {12, 6, 9}};
    ExecResources one(1), three(3);
    const std::vector<float> first = searched(target, window, centers, descriptors, one);
    EXPECT_EQ(first, searched(target, window, centers, descriptors, three));
    for (std::size_t c = 0; c < window.candidates(); ++c)
        ASSERT_EQ(first[c], std::numeric_limits<float>::infinity());
    // A landmark's distances don't depend on the others.
    const std::vector<float> alone(first.end() - static_cast<std::ptrdiff_t>(window.candidates()),
                                   first.end());
    EXPECT_EQ(alone, searched(target, window, {centers.back()},
                              {descriptors.end() - sest::numbers, descriptors.end()}, one));
}

} // namespace
} // namespace systole
