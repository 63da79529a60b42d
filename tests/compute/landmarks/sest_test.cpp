// SEST against its definition in double precision with Eigen's Cholesky decomposition.
#include "compute/core/error.h"
#include "tests/compute/landmarks/sest_support.h"

#include <gtest/gtest.h>

#include <limits>

namespace systole {
namespace {

class Sest : public testing::Test {
protected:
    std::vector<float> features(test::TestVolume& frame) {
        std::vector<float> planes(sest::features * frame.size.voxels());
        sest::findFeatures(frame.view(), planes.data(), resources.context());
        return planes;
    }
    std::vector<float> described(test::TestVolume& frame, const std::vector<Voxel>& landmarks) {
        const std::vector<float> planes = features(frame);
        std::vector<float> descriptors(sest::numbers * landmarks.size());
        sest::describe({planes.data(), frame.size}, landmarks, descriptors.data(),
                       resources.context());
        return descriptors;
    }
    std::vector<float> distances(test::TestVolume& target, const std::vector<Voxel>& centers,
                                 const std::vector<float>& descriptors) {
        const std::vector<float> planes = features(target);
        std::vector<float> found(sest::candidates * centers.size(), -1);
        sest::findDistances({planes.data(), target.size}, centers, descriptors.data(), found.data(),
                            resources.context());
        return found;
    }
    static std::span<const float, sest::candidates> ofLandmark(const std::vector<float>& all,
                                                               std::size_t landmark) {
        return std::span<const float, sest::candidates>(all.data() + landmark * sest::candidates,
                                                        sest::candidates);
    }

    ExecResources resources{2};
};

/// I = x² + 2y² + 3z² + 4xy + 5xz + 6yz: second derivatives 2, 4, 6, 4, 5, 6 everywhere inside.
/// At x = 0 the voxel before is that at the border: I(1) − I(0) = 1 + 4y + 5z.
TEST_F(Sest, FeaturesOfAQuadratic) {
    test::TestVolume frame({6, 5, 4}, [](double x, double y, double z) {
        return x * x + 2 * y * y + 3 * z * z + 4 * x * y + 5 * x * z + 6 * y * z;
    });
    const std::vector<float> planes = features(frame);
    const auto feature = [&](std::size_t f, int x, int y, int z) {
        return planes[f * frame.size.voxels() + frame.view().offset(x, y, z)];
    };
    const float inside[] = {2, 4, 6, 4, 5, 6};
    EXPECT_EQ(feature(0, 3, 2, 1), frame.view()(3, 2, 1));
    for (std::size_t f = 0; f < 6; ++f)
        EXPECT_EQ(feature(f + 1, 3, 2, 1), inside[f]) << f;
    EXPECT_EQ(feature(1, 0, 2, 1), 1 + 8 + 5);
    // I(4) − I(5) = −9 − 4y − 5z at x = 5.
    EXPECT_EQ(feature(1, 5, 2, 1), -9 - 8 - 5);
}

/// A single bright voxel shows in the first number of the octant that its offset belongs to.
TEST_F(Sest, OctantsCutThePatchWithoutOverlap) {
    const Voxel p{12, 12, 12};
    const auto octantOf = [&](Voxel offset) {
        test::TestVolume frame({25, 25, 25}, [](double, double, double) { return 0; });
        frame.view()(p.x + offset.x, p.y + offset.y, p.z + offset.z) = 1000;
        const std::vector<float> numbers = described(frame, {p});
        int found = -1;
        for (int octant = 0; octant < sest::octants; ++octant)
            if (numbers[static_cast<std::size_t>(octant * sest::triangle)] > 900) {
                EXPECT_EQ(found, -1);
                found = octant;
            }
        return found;
    };
    EXPECT_EQ(octantOf({0, 0, 0}), 7);
    EXPECT_EQ(octantOf({-1, 0, 0}), 6);
    EXPECT_EQ(octantOf({0, -1, 0}), 5);
    EXPECT_EQ(octantOf({0, 0, -1}), 3);
    EXPECT_EQ(octantOf({-5, -5, -4}), 0);
    EXPECT_EQ(octantOf({5, -5, -4}), 1);
    EXPECT_EQ(octantOf({-5, 5, -4}), 2);
    EXPECT_EQ(octantOf({-5, -5, 4}), 4);
    EXPECT_EQ(octantOf({5, 5, 4}), 7);
    for (const Voxel outside : {Voxel{-6, 0, 0}, Voxel{6, 0, 0}, Voxel{0, -6, 0}, Voxel{0, 6, 0},
                                Voxel{0, 0, -5}, Voxel{0, 0, 5}})
        EXPECT_EQ(octantOf(outside), -1);
}

/// Tolerance 1e-5 of the descriptor's length: single precision loses most where the diagonal of a
/// decomposition is smallest, and the ridge keeps that above 2^-6 of its row.
TEST_F(Sest, DescriptorsAndDistancesEqualDoublePrecision) {
    test::TestVolume reference = test::texturedFrame({44, 34, 30});
    test::TestVolume target = test::texturedFrame({44, 34, 30}, {2, 1, 0});
    // One inside, one whose patch and whose region reach beyond the border.
    const std::vector<Voxel> landmarks{{20, 16, 15}, {1, 32, 2}};
    const std::vector<float> descriptors = described(reference, landmarks);
    const std::vector<float> found = distances(target, landmarks, descriptors);
    for (std::size_t l = 0; l < landmarks.size(); ++l) {
        const Eigen::VectorXd expected = test::descriptor(reference, landmarks[l]);
        double worst = 0;
        for (Eigen::Index n = 0; n < expected.size(); ++n)
            worst = std::max(
                worst, std::abs(expected(n) -
                                static_cast<double>(
                                    descriptors[l * sest::numbers + static_cast<std::size_t>(n)])));
        EXPECT_LT(worst, 1e-5 * expected.norm());
        int compared = 0;
        for (int c = 0; c < sest::candidates; c += 37) {
            const Voxel o = sest::candidateOffset(c),
                        p{landmarks[l].x + o.x, landmarks[l].y + o.y, landmarks[l].z + o.z};
            const float distance = found[l * sest::candidates + static_cast<std::size_t>(c)];
            if (p.x < 0 || p.y < 0 || p.z < 0 || p.x >= 44 || p.y >= 34 || p.z >= 30) {
                EXPECT_EQ(distance, std::numeric_limits<float>::infinity());
                continue;
            }
            const double truth = (test::descriptor(target, p) - expected).norm();
            EXPECT_NEAR(static_cast<double>(distance), truth, 1e-5 * expected.norm()) << c;
            ++compared;
        }
        EXPECT_GT(compared, 30);
    }
}

TEST_F(Sest, FindsAKnownShiftExactly) {
    const Size3 size{64, 44, 48};
    const Voxel shift{-9, 4, 6};
    test::TestVolume reference = test::texturedFrame(size);
    test::TestVolume target = test::texturedFrame(size, shift);
    // Patches with the voxels that features look at stay inside both frames.
    const std::vector<Voxel> landmarks = test::spreadVoxels(size, 3, {16, 11, 12}, 1);
    const std::vector<float> found = distances(target, landmarks, described(reference, landmarks));
    for (std::size_t l = 0; l < landmarks.size(); ++l)
        EXPECT_EQ(test::nearestCandidate(ofLandmark(found, l)).offset, shift);
}

TEST_F(Sest, NearestIsTheFirstOfEquals) {
    std::vector<float> distances(sest::candidates, 5);
    distances[100] = distances[2000] = 1;
    const test::Match match = test::nearestCandidate(ofLandmark(distances, 0));
    EXPECT_EQ(match.offset, (Voxel{100 % 25 - 12, 100 / 25 - 6, -8}));
    EXPECT_EQ(match.distance, 1);
    // 2762 is the middle of 5525.
    EXPECT_EQ(sest::candidateOffset(2762), (Voxel{0, 0, 0}));
}

/// Gray values without any contrast, and none at all, still have descriptors.
TEST_F(Sest, FlatFramesHaveFiniteDescriptors) {
    for (const double gray : {0.0, 1.0, 30000.0}) {
        test::TestVolume frame({12, 12, 12}, [=](double, double, double) { return gray; });
        for (const float number : described(frame, {{6, 6, 6}}))
            EXPECT_TRUE(std::isfinite(number));
    }
}

TEST_F(Sest, LandmarksOutsideTheFrameAreRefused) {
    test::TestVolume frame({12, 12, 12}, [](double x, double, double) { return x; });
    EXPECT_THROW(described(frame, {{6, 6, 6}, {12, 0, 0}}), ComputeError);
    EXPECT_THROW(described(frame, {{0, -1, 0}}), ComputeError);
}

} // namespace
} // namespace systole
