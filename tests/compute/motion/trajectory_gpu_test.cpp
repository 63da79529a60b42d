// Trajectories on the device against those on the CPU.
#include "compute/core/error.h"
#include "compute/motion/trajectory_filter.h"
#include "compute/ops/exponential.h"
#include "compute/ops/weighted_sum.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace systole {
namespace {

class TrajectoryOnDevice : public test::OnDevice {
protected:
    static constexpr Size3 size{61, 53, 47};
    static constexpr int frames = 9;

    std::vector<float> downloaded(const Buffer<float>& from) {
        std::vector<float> values(from.size());
        cuda->download(from.data(), values.data(), values.size() * sizeof(float),
                       CudaStream::Compute);
        cuda->synchronize(CudaStream::Compute);
        return values;
    }
    /// Smooth motion with an abrupt turn at frame 4, and noise.
    FrameResult onHost(int frame) {
        FrameResult result;
        result.fixedFrame = 0;
        result.movingFrame = frame;
        auto moving = std::make_shared<Volume>(grid, resources.pool(), "frame");
        const auto gray = test::noiseVolume(size, 50 + static_cast<std::uint64_t>(frame)).voxels;
        std::copy(gray.begin(), gray.end(), moving->voxels.data());
        result.fixed = result.moving = moving;
        auto field = std::make_shared<VectorField>(grid, resources.pool(), "estimate");
        const double along = frame <= 4 ? 0.8 * frame : 3.2 - 1.5 * (frame - 4);
        for (int axis = 0; axis < 3; ++axis) {
            const auto noise =
                test::noiseVolume(size, static_cast<std::uint64_t>(3 * frame + axis)).voxels;
            std::transform(noise.begin(), noise.end(), field->view().component(axis),
                           [&](float value) { return static_cast<float>(along) + 0.1f * value; });
        }
        result.field = field;
        return result;
    }
    template <typename T>
    std::shared_ptr<T> uploaded(const T& host) {
        auto copy = std::make_shared<T>(host.geometry, cuda->devicePool(), "on the device");
        const auto& from = valuesOf(host);
        auto& to = valuesOf(*copy);
        cuda->upload(from.data(), to.data(), from.size() * sizeof(float), CudaStream::Compute);
        cuda->synchronize(CudaStream::Compute);
        return copy;
    }
    static const Buffer<float>& valuesOf(const Volume& volume) { return volume.voxels; }
    static Buffer<float>& valuesOf(Volume& volume) { return volume.voxels; }
    static const Buffer<float>& valuesOf(const VectorField& field) { return field.components; }
    static Buffer<float>& valuesOf(VectorField& field) { return field.components; }

    FrameResult onDevice(int frame, bool alsoOnHost) {
        FrameResult result = onHost(frame);
        auto there = std::make_shared<DeviceResult>();
        there->fixed = there->moving = uploaded(*result.moving);
        there->field = uploaded(*result.field);
        result.device = std::move(there);
        if (!alsoOnHost)
            result.field.reset();
        return result;
    }
    template <typename Make>
    std::vector<FrameResult> filtered(const Make& make, const ExecContext& ctx) {
        TrajectoryFilter filter(5);
        std::vector<FrameResult> all;
        const auto take = [&](std::vector<FrameResult> results) {
            std::move(results.begin(), results.end(), std::back_inserter(all));
        };
        for (int frame = 1; frame < frames; ++frame)
            take(filter.add(make(frame), frame, ctx));
        take(filter.finish(ctx));
        return all;
    }
    static void expectClose(const std::vector<float>& found, const Buffer<float>& expected,
                            double most) {
        ASSERT_EQ(found.size(), expected.size());
        double largest = 0;
        for (std::size_t i = 0; i < found.size(); ++i)
            largest = std::max(largest, std::abs(static_cast<double>(found[i]) -
                                                 static_cast<double>(expected.data()[i])));
        EXPECT_LT(largest, most);
    }

    const Geometry grid{size, {1.5, 1.5, 2}};
};

TEST_F(TrajectoryOnDevice, AWeightedSumHasTheBitsOfTheCpu) {
    const auto a = test::noiseVolume(size, 1), b = test::noiseVolume(size, 2);
    const std::size_t count = a.voxels.size();
    std::vector<Buffer<float>> there;
    for (const auto* values : {&a.voxels, &b.voxels}) {
        there.push_back(cuda->devicePool().acquire<float>(count, "summand"));
        cuda->upload(values->data(), there.back().data(), count * sizeof(float),
                     CudaStream::Compute);
    }
    Buffer<float> sum = cuda->devicePool().acquire<float>(count, "sum");
    std::vector<float> expected(count);
    const std::vector<Summand> host{{a.voxels, 0.37f}, {b.voxels, -1.9f}};
    weightedSum(host, expected, resources.context());
    const std::vector<Summand> onDevice{{there[0].span(), 0.37f}, {there[1].span(), -1.9f}};
    weightedSumOnDevice(onDevice, sum.span(), context());
    EXPECT_EQ(downloaded(sum), expected);
}

TEST_F(TrajectoryOnDevice, FoldsAreRemovedAsOnTheCpu) {
    for (const float steep : {0.3f, 0.6f, 5.0f}) { // the last one can't be mended, but shortened
        VectorField field(grid, resources.pool(), "noise");
        const auto noise = test::noiseVolume({size.x, size.y, 3 * size.z}, 3).voxels;
        std::transform(noise.begin(), noise.end(), field.components.data(),
                       [&](float value) { return steep * value; });
        const auto there = uploaded(field);
        const bool folds = hasFolds(field.view(), resources.context());
        EXPECT_TRUE(folds);
        EXPECT_EQ(hasFoldsOnDevice(there->view(), context()), folds);
        removeFolds(field.view(), resources.context());
        removeFoldsOnDevice(there->view(), context());
        const auto expected = field.components.span();
        EXPECT_EQ(downloaded(there->components),
                  std::vector<float>(expected.begin(), expected.end()))
            << steep;
        EXPECT_FALSE(hasFoldsOnDevice(there->view(), context()));
    }
}

/// Slopes of 0.9 and −0.9 by turns, whose parabola would fold.
TEST_F(TrajectoryOnDevice, DoNotFoldWhereNoEstimateDoes) {
    const auto make = [&](int frame) {
        FrameResult result = onHost(frame);
        auto field = std::make_shared<VectorField>(grid, resources.pool(), "estimate");
        std::fill_n(field->view().u, 3 * size.voxels(), 0.0f);
        for (std::size_t i = 0; i < size.voxels(); ++i) {
            const auto x = static_cast<float>(i % static_cast<std::size_t>(size.x));
            field->view().u[i] = (frame % 5 < 2 ? 0.9f : -0.9f) * std::clamp(x - 20, 0.0f, 9.0f);
        }
        result.field = field;
        return result;
    };
    const auto makeThere = [&](int frame) {
        FrameResult result = onDevice(frame, false);
        auto there = std::make_shared<DeviceResult>(*result.device);
        there->field = uploaded(*make(frame).field);
        result.device = std::move(there);
        return result;
    };
    const auto expected = filtered(make, resources.context());
    const auto there = filtered(makeThere, context());
    ASSERT_EQ(there.size(), expected.size());
    for (std::size_t n = 0; n < there.size(); ++n) {
        EXPECT_FALSE(hasFolds(expected[n].field->view(), resources.context())) << n;
        EXPECT_FALSE(hasFoldsOnDevice(there[n].device->field->view(), context())) << n;
        expectClose(downloaded(there[n].device->field->components), expected[n].field->components,
                    1e-5);
    }
}

TEST_F(TrajectoryOnDevice, AreThoseOfTheCpuAndStayThere) {
    const auto expected = filtered([&](int frame) { return onHost(frame); }, resources.context());
    const std::size_t before = cuda->transfers().toHostBytes;
    const auto there = filtered([&](int frame) { return onDevice(frame, false); }, context());
    EXPECT_LT(cuda->transfers().toHostBytes - before, size.voxels() * sizeof(float))
        << "no field was brought back";
    ASSERT_EQ(there.size(), expected.size());
    for (std::size_t n = 0; n < there.size(); ++n) {
        EXPECT_EQ(there[n].movingFrame, expected[n].movingFrame);
        EXPECT_EQ(there[n].field, nullptr);
        ASSERT_NE(there[n].device, nullptr);
        expectClose(downloaded(there[n].device->field->components), expected[n].field->components,
                    1e-5);
        expectClose(downloaded(there[n].device->warped->voxels), expected[n].warped->voxels, 1e-3);
    }
}

TEST_F(TrajectoryOnDevice, AFrameThatFellBackToTheHostIsJoinedWithTheOthers) {
    const auto expected = filtered([&](int frame) { return onHost(frame); }, resources.context());
    const auto mixed = filtered(
        [&](int frame) { return frame < 6 ? onDevice(frame, true) : onHost(frame); }, context());
    ASSERT_EQ(mixed.size(), expected.size());
    for (std::size_t n = 0; n < mixed.size(); ++n) {
        ASSERT_NE(mixed[n].field, nullptr);
        const auto values = mixed[n].field->components.span();
        expectClose({values.begin(), values.end()}, expected[n].field->components, 1e-5);
    }
    EXPECT_THROW(filtered([&](int frame) { return onDevice(frame, false); }, resources.context()),
                 ComputeError)
        << "without the device";
}

} // namespace
} // namespace systole
