// SEST on the device: places at and beyond the border, and what the caps on registers cost. Inside,
// LabTaskGpuTest and LabKernelGpuTest hold all variants and block sizes against the CPU.
#include "compute/core/block_sizes.h"
#include "compute/lab/kernels/sest.h"
#include "tests/compute/landmarks/sest_support.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"

#include <cmath>

namespace systole::lab {
namespace {

class SestOnDevice : public test::OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped())
            return;
        // A shift with noise, so that the nearest candidate isn't far ahead of the next.
        const test::TestVolume noise = test::noiseVolume(size, 11);
        for (std::size_t i = 0; i < noise.voxels.size(); ++i)
            target.voxels[i] += 25 * noise.voxels[i];
    }

    std::vector<float> featuresOnHost(test::TestVolume& frame) {
        std::vector<float> planes(sest::features * size.voxels());
        sest::findFeatures(frame.view(), planes.data(), workers.context());
        return planes;
    }
    std::vector<float> onHost(const std::vector<Voxel>& landmarks) {
        const std::vector<float> from = featuresOnHost(reference), to = featuresOnHost(target);
        std::vector<float> distances(sest::candidates * landmarks.size());
        descriptors.resize(sest::numbers * landmarks.size());
        sest::describe({from.data(), size}, landmarks, descriptors.data(), workers.context());
        sest::findDistances({to.data(), size}, landmarks, descriptors.data(), distances.data(),
                            workers.context());
        return distances;
    }
    /// Features, descriptors and distances, all of them on the device.
    std::vector<float> onDevice(int variant, int threads, const std::vector<Voxel>& landmarks) {
        const std::size_t count = landmarks.size(), planes = sest::features * size.voxels();
        test::DeviceArray<float> from(*cuda, reference.voxels), to(*cuda, target.voxels);
        test::DeviceArray<float> fromPlanes(*cuda, planes), toPlanes(*cuda, planes);
        test::DeviceArray<float> numbers(*cuda, sest::numbers * count),
            distances(*cuda, sest::candidates * count);
        test::DeviceArray<Voxel> at(*cuda, landmarks);
        ExecContext ctx = context();
        const BlockSizes blocks({{lab::sestFamily.kernel(variant), threads}});
        ctx.blockSizes = &blocks;
        const int n = static_cast<int>(count);
        sest::findFeaturesOnDevice({from.data(), size}, fromPlanes.data(), ctx);
        sest::findFeaturesOnDevice({to.data(), size}, toPlanes.data(), ctx);
        lab::describeOnDevice({fromPlanes.data(), size}, at.data(), n, numbers.data(), ctx);
        lab::findDistancesOnDevice(variant, {toPlanes.data(), size}, at.data(), n, numbers.data(),
                                   distances.data(), ctx);
        return distances.download();
    }
    static std::span<const float, sest::candidates> ofLandmark(const std::vector<float>& all,
                                                               std::size_t landmark) {
        return std::span<const float, sest::candidates>(all.data() + landmark * sest::candidates,
                                                        sest::candidates);
    }
    double lengthOf(std::size_t landmark) const {
        double squared = 0;
        for (std::size_t n = 0; n < sest::numbers; ++n) {
            const auto number = static_cast<double>(descriptors[landmark * sest::numbers + n]);
            squared += number * number;
        }
        return std::sqrt(squared);
    }

    const Size3 size{64, 44, 40};
    const Voxel shift{3, -2, 1};
    test::TestVolume reference = test::texturedFrame(size);
    test::TestVolume target = test::texturedFrame(size, shift);
    ExecResources workers{0};
    std::vector<float> descriptors;
};

/// Tolerance 1e-5 of the descriptor's length, as for the CPU implementation against double
/// precision.
TEST_F(SestOnDevice, DistancesOfEveryVariantEqualTheProcessors) {
    // One inside, one at a border, and one most of whose candidates are outside.
    const std::vector<Voxel> landmarks{{30, 20, 20}, {2, 41, 37}, {63, 0, 0}};
    const std::vector<float> expected = onHost(landmarks);
    for (int variant = 0; variant < lab::sestFamily.count(); ++variant)
        for (const int threads : {96, lab::sestFamily.at(variant).blocks.last}) {
            SCOPED_TRACE(lab::sestFamily.kernel(variant) + " " + std::to_string(threads));
            const std::vector<float> found = onDevice(variant, threads, landmarks);
            for (std::size_t l = 0; l < landmarks.size(); ++l) {
                int outside = 0;
                double worst = 0;
                for (std::size_t c = 0; c < sest::candidates; ++c) {
                    const float a = found[l * sest::candidates + c],
                                b = expected[l * sest::candidates + c];
                    if (std::isinf(a) || std::isinf(b))
                        outside += a != b;
                    else // not a number must show: it is larger than nothing
                        worst = std::isnan(a)
                                    ? INFINITY
                                    : std::max(worst, static_cast<double>(std::abs(a - b)));
                }
                EXPECT_EQ(outside, 0);
                EXPECT_LT(worst, 1e-5 * lengthOf(l));
            }
        }
}

TEST_F(SestOnDevice, PicksTheSameCandidates) {
    const std::vector<Voxel> landmarks = test::spreadVoxels(size, 300, {2, 2, 2}, 4);
    const std::vector<float> expected = onHost(landmarks);
    const std::vector<float> found = onDevice(0, 128, landmarks);
    int same = 0;
    for (std::size_t l = 0; l < landmarks.size(); ++l)
        same += test::nearestCandidate(ofLandmark(found, l)).offset ==
                test::nearestCandidate(ofLandmark(expected, l)).offset;
    EXPECT_GE(same, 299); // 99.5 %
}

TEST_F(SestOnDevice, FindsAKnownShiftExactly) {
    target = test::texturedFrame(size, shift);
    const std::vector<Voxel> landmarks = test::spreadVoxels(size, 40, {10, 9, 7}, 5);
    const std::vector<float> found = onDevice(0, 128, landmarks);
    for (std::size_t l = 0; l < landmarks.size(); ++l)
        EXPECT_EQ(test::nearestCandidate(ofLandmark(found, l)).offset, shift) << l;
}

/// The registers that a variant was held to and the local memory that took the rest show
/// in the profile, and so does the cost.
TEST_F(SestOnDevice, CapsShowInTheProfile) {
    KernelProfile profile;
    const std::vector<float> planes(sest::features * size.voxels(), 1);
    test::DeviceArray<float> features(*cuda, planes),
        numbers(*cuda, std::vector<float>(sest::numbers, 1.0f)),
        distances(*cuda, std::size_t{sest::candidates});
    test::DeviceArray<Voxel> at(*cuda, std::vector<Voxel>{{20, 20, 20}});
    ExecContext ctx = context();
    ctx.profile = &profile;
    const auto spanOf = [&](const char* variant) {
        profile.beginFrame(0);
        lab::findDistancesOnDevice(lab::sestFamily.named(variant), {features.data(), size},
                                   at.data(), 1, numbers.data(), distances.data(), ctx);
        const FrameProfile frame = profile.endFrame();
        EXPECT_EQ(frame.spans.size(), 2u);
        return frame.spans.back();
    };
    const ProfileSpan free = spanOf("shared");
    EXPECT_EQ(free.kernel, "sest/shared");
    EXPECT_EQ(free.localBytes, 0);
    EXPECT_GT(free.cost.fusedMultiplyAdd, 28 * 1089);
    if (cuda->device().computeCapability < 80)
        return; // no room for two blocks of so many threads: no cap
    const ProfileSpan capped = spanOf("shared-cap32");
    EXPECT_LE(capped.registers, 32);
    EXPECT_GT(capped.localBytes, 0);
    EXPECT_GT(capped.cost.localAccesses, 0);
}

} // namespace
} // namespace systole::lab
