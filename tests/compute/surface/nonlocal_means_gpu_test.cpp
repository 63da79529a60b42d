// Non-local means on the device: every variant against brute force in double precision and against
// the CPU, in one pass and in many.
#include "compute/core/error.h"
#include "tests/compute/surface/band_lists.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"
#include "tests/support/shapes.h"

namespace systole {
namespace {

using namespace test;

class NonlocalMeansOnDevice : public OnDevice {
protected:
    struct Found {
        Lists lists;
        int passes;
    };
    Found found(const std::vector<float>& values, Size3 extent, const std::vector<int>& offsets,
                const NonlocalMeansParameters& p) {
        DeviceArray<float> phi(*cuda, values);
        DeviceArray<int> band(*cuda, offsets);
        Lists lists(static_cast<int>(offsets.size()), nlm::keptNeighbors(p, offsets.size()));
        DeviceArray<int> element(*cuda, lists.element.size());
        DeviceArray<float> distance(*cuda, lists.distance.size());
        const int passes =
            findNeighborsOnDevice({phi.data(), extent}, {band.data(), offsets.size()}, p,
                                  {element.data(), distance.data(), lists.m}, context());
        lists.element = element.download();
        lists.distance = distance.download();
        return {lists, passes};
    }
    std::vector<int> bandOf(const std::vector<float>& phi, Size3 extent, float delta) {
        const Buffer<int> band = narrowBand({phi.data(), extent}, delta, resources.context());
        return {band.span().begin(), band.span().end()};
    }
    static bool isTiled(const std::string& variant) {
        return nlmSearchFamily.named(variant) >= nlmSearchFamily.named("tile");
    }
    Lists onHost(const std::vector<float>& phi, Size3 extent, const std::vector<int>& band,
                 const NonlocalMeansParameters& p) {
        Lists lists(static_cast<int>(band.size()), nlm::keptNeighbors(p, band.size()));
        findNeighbors({phi.data(), extent}, band, p, lists.view(), resources.context());
        return lists;
    }

    const Size3 size{15, 19, 17};
    const std::vector<float> noisy = sampled(sphere({7, 9.2, 8.1}, 7.6), size, 0.3, 3);
};

TEST_F(NonlocalMeansOnDevice, BandIsThatOfTheCpu) {
    for (const float delta : {0.2f, 1.5f, 40.0f}) {
        DeviceArray<float> phi(*cuda, noisy);
        const Buffer<int> band = narrowBandOnDevice({phi.data(), size}, delta, context());
        std::vector<int> offsets(band.size());
        cuda->download(band.data(), offsets.data(), offsets.size() * sizeof(int),
                       CudaStream::Compute);
        cuda->synchronize(CudaStream::Compute);
        EXPECT_EQ(offsets, bandOf(noisy, size, delta));
    }
}

TEST_F(NonlocalMeansOnDevice, WhatHoldsNoSurfaceIsRefused) {
    DeviceArray<float> far(*cuda, std::vector<float>(size.voxels(), 50));
    EXPECT_THROW(narrowBandOnDevice({far.data(), size}, 3, context()), ComputeError);
    std::vector<float> broken = noisy;
    broken[777] = NAN;
    DeviceArray<float> bad(*cuda, broken);
    EXPECT_THROW(narrowBandOnDevice({bad.data(), size}, 3, context()), ComputeError);
}

TEST_F(NonlocalMeansOnDevice, EveryVariantKeepsTheNeighborsOfBruteForce) {
    const std::vector<int> band = bandOf(noisy, size, 1.6f);
    for (const int radius : {1, 2})
        for (const int window : {0, 3}) {
            NonlocalMeansParameters p;
            p.patchRadius = radius;
            p.window = window;
            const Lists first = found(noisy, size, band, p).lists;
            expectNearest(first, ExactDistance(noisy, size, band, radius), window);
            // The sums are the CPU's, in its order.
            EXPECT_EQ(first, onHost(noisy, size, band, p));
            for (const std::string& variant : nlmSearchFamily.names())
                if (window == 0 || isTiled(variant)) {
                    p.search = variant;
                    for (const char* run : {"first", "second"})
                        EXPECT_EQ(found(noisy, size, band, p).lists, first)
                            << variant << ", radius " << radius << ", window " << window << ", "
                            << run;
                }
        }
}

TEST_F(NonlocalMeansOnDevice, ThreadsOfTheWholeBandTakeNoWindow) {
    NonlocalMeansParameters p;
    p.search = "constant";
    p.window = 2;
    EXPECT_THROW(found(noisy, size, bandOf(noisy, size, 1), p), ComputeError);
}

/// More elements than tests by brute force can take, of all shapes, and without noise: many equal
/// distances.
TEST_F(NonlocalMeansOnDevice, EveryVariantKeepsTheNeighborsOfTheCpu) {
    for (const Shape& shape : shapes())
        for (const double noise : {0.0, 0.4}) {
            const std::vector<float> phi = sampled(shape.drawn, shapeSize, noise);
            const std::vector<int> band = bandOf(phi, shapeSize, 1.5f);
            const Lists expected = onHost(phi, shapeSize, band, {});
            for (const std::string& variant : nlmSearchFamily.names()) {
                NonlocalMeansParameters p;
                p.search = variant;
                EXPECT_EQ(found(phi, shapeSize, band, p).lists, expected)
                    << variant << ", " << shape.name << ", noise " << noise;
            }
        }
}

TEST_F(NonlocalMeansOnDevice, PassesKeepTheSame) {
    const std::vector<float> phi = sampled(shapes()[2].drawn, shapeSize, 0.4);
    const std::vector<int> band = bandOf(phi, shapeSize, 1.0f);
    const Lists expected = onHost(phi, shapeSize, band, {});
    CudaContext::Options options;
    // Lists, volume and what is held of all elements, and then not all patches.
    options.deviceBudget = expected.element.size() * 8 + (std::size_t{7} << 20);
    cuda = std::make_unique<CudaContext>(options);
    for (const std::string& variant : nlmSearchFamily.names()) {
        NonlocalMeansParameters p;
        p.search = variant;
        const Found inPasses = found(phi, shapeSize, band, p);
        EXPECT_GT(inPasses.passes, 3) << variant;
        EXPECT_EQ(inPasses.lists, expected) << variant;
    }
}

TEST_F(NonlocalMeansOnDevice, SmallBandsKeepAllTheirElements) {
    std::vector<float> phi(size.voxels(), 9);
    for (const std::size_t i : {0u, 100u, 1000u, 1001u, 4844u})
        phi[i] = -0.1f * static_cast<float>(i % 7);
    const std::vector<int> band = bandOf(phi, size, 2);
    for (const std::string& variant : nlmSearchFamily.names()) {
        NonlocalMeansParameters p;
        p.search = variant;
        EXPECT_EQ(found(phi, size, band, p).lists, onHost(phi, size, band, p)) << variant;
    }
}

TEST_F(NonlocalMeansOnDevice, DenoisesAsTheCpu) {
    for (const char* preset : {"default", "live"})
        for (const int rounds : {1, 2}) {
            NonlocalMeansParameters p =
                NonlocalMeansParameters::from(ParamSet(nonlocalMeansTable(), preset));
            p.rounds = rounds;
            std::vector<float> expected = sampled(shapes()[0].drawn, shapeSize, 0.4),
                               phi = expected;
            const Vec3 spacing{1, 1.2, 0.9};
            // A change that shows: rounds restore on the host.
            const Redistance halve = [](VolumeView<float> view) {
                for (float& value : view.span())
                    value *= 0.5f;
            };
            const DenoiseReport host = denoiseSurface({expected.data(), shapeSize}, spacing, p,
                                                      resources.context(), halve);
            const DenoiseReport device =
                denoiseSurface({phi.data(), shapeSize}, spacing, p, context(), halve);
            double worst = 0;
            for (std::size_t i = 0; i < phi.size(); ++i)
                worst = std::max(worst, static_cast<double>(std::abs(phi[i] - expected[i])));
            EXPECT_LT(worst, 1e-3) << preset << ", rounds " << rounds;
            EXPECT_NEAR(device.elements, host.elements, rounds == 1 ? 0 : 3);
            EXPECT_NEAR(device.meanDistance, host.meanDistance, 1e-3 * host.meanDistance);
            EXPECT_NEAR(device.largestChange, host.largestChange, 1e-3);
        }
}

} // namespace
} // namespace systole
