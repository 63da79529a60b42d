// The measures of a ventricle from a field on the device against the CPU's.
#include "compute/cardiac/change_on_device.h"
#include "compute/cardiac/measures.h"
#include "compute/core/error.h"
#include "compute/core/points.h"
#include "tests/compute/cardiac/heart_on_device.h"

#include <cmath>

namespace systole::cardiac {
namespace {

class ChangeOnDevice : public HeartOnDevice {
protected:
    VectorField onDevice(double amount) {
        const VectorField voxels = toVoxels(motion(amount), resources.pool());
        VectorField copy(voxels.geometry, cuda->devicePool(), "motion");
        cuda->upload(voxels.components.data(), copy.components.data(),
                     voxels.components.size() * sizeof(float), CudaStream::Compute);
        cuda->synchronize(CudaStream::Compute);
        return copy;
    }
    FrameChanges onHost() {
        FrameChanges changes;
        for (const double amount : {0.0, 0.5, 1.0}) {
            const MillimeterField field = motion(amount);
            changes.push_back(std::make_shared<const FrameChange>(
                fits->change(displacementsIn(ventricle->wall, field),
                             displacementsIn(ventricle->cavity, field), host)));
        }
        return changes;
    }
    FrameChanges onDevice() {
        const FitsOnDevice there(*fits, context());
        FrameChanges changes{std::make_shared<const FrameChange>(there.atRest(context()))};
        for (const double amount : {0.5, 1.0})
            changes.push_back(
                std::make_shared<const FrameChange>(there.change(onDevice(amount), context())));
        return changes;
    }
    /// Measures of the frames from `diastole` on, as if that frame were end diastole.
    Measures measured(FrameChanges changes, const MeasureOptions& options, std::size_t diastole,
                      const ExecContext& ctx) {
        std::ranges::rotate(changes, changes.begin() + static_cast<std::ptrdiff_t>(diastole));
        VentricleMotion motion;
        motion.frame = {0, 1, 2};
        motion.timeSeconds = {0, 0.1, 0.2};
        return VentricleMeter(*fits, options, ctx).measure(motion, changes, ctx);
    }
};

void expectEqual(const FrameMeasures& found, const FrameMeasures& expected) {
    const auto near = [](const Directions& a, const Directions& b) {
        for (int k = 0; k < 3; ++k)
            EXPECT_NEAR(a[k], b[k], 2e-5);
    };
    near(found.strain, expected.strain);
    for (std::size_t s = 0; s < expected.segments.size(); ++s) {
        near(found.segments[s].strain, expected.segments[s].strain);
        EXPECT_NEAR(found.segments[s].rotation, expected.segments[s].rotation, 1e-4);
        EXPECT_NEAR(found.segments[s].jacobian, expected.segments[s].jacobian, 2e-5);
        EXPECT_NEAR(found.segments[s].thickness, expected.segments[s].thickness, 1e-4);
    }
    EXPECT_NEAR(found.rotation.twist, expected.rotation.twist, 1e-4);
    EXPECT_NEAR(found.volume.mean, expected.volume.mean, 2e-5);
    EXPECT_NEAR(found.volume.deviation, expected.volume.deviation, 2e-5);
    EXPECT_NEAR(found.volume.deviationOfLogarithm, expected.volume.deviationOfLogarithm, 2e-5);
    EXPECT_NEAR(found.volume.percentBeyond5, expected.volume.percentBeyond5, 0.05);
    EXPECT_EQ(found.volume.percentFolded, expected.volume.percentFolded);
    EXPECT_NEAR(found.volume.product, expected.volume.product, 2e-5);
    for (std::size_t bin = 0; bin < expected.volume.histogram.size(); ++bin)
        EXPECT_NEAR(found.volume.histogram[bin], expected.volume.histogram[bin], 0.05);
    EXPECT_NEAR(found.cavity.voxels, expected.cavity.voxels, 2e-3);
    EXPECT_NEAR(found.cavity.surface, expected.cavity.surface, 2e-3);
    EXPECT_NEAR(found.cavity.midWall, expected.cavity.midWall, 2e-3);
    EXPECT_NEAR(found.wallMilliliters, expected.wallMilliliters, 2e-3);
}

TEST_F(ChangeOnDevice, MeasuresAreThoseOfTheCpuFromAnyEndDiastole) {
    const FrameChanges here = onHost(), there = onDevice();
    for (const AhaModel model : {AhaModel::Sixteen, AhaModel::Seventeen})
        for (const char* definition : {"midwall", "voxels", "deepstrain"})
            for (const std::size_t diastole : {0u, 2u}) {
                const MeasureOptions options{model, &strainDefinition(definition), 3};
                const Measures expected = measured(here, options, diastole, host),
                               found = measured(there, options, diastole, context());
                for (std::size_t t = 0; t < 3; ++t) {
                    SCOPED_TRACE(::testing::Message() << definition << ' ' << diastole << ' ' << t);
                    expectEqual(found.frames[t], expected.frames[t]);
                }
            }
}

TEST_F(ChangeOnDevice, HasTheSameBitsInEveryRun) {
    const Measures one = measured(onDevice(), {}, 0, context()),
                   other = measured(onDevice(), {}, 0, context());
    for (std::size_t t = 0; t < 3; ++t) {
        for (std::size_t s = 0; s < one.segmentVoxels.size(); ++s) {
            EXPECT_EQ(one.frames[t].segments[s].jacobian, other.frames[t].segments[s].jacobian);
            EXPECT_EQ(one.frames[t].segments[s].rotation, other.frames[t].segments[s].rotation);
        }
        EXPECT_EQ(one.frames[t].volume.deviation, other.frames[t].volume.deviation);
        EXPECT_EQ(one.frames[t].cavity.voxels, other.frames[t].cavity.voxels);
        EXPECT_EQ(one.frames[t].strain.radial, other.frames[t].strain.radial);
    }
}

TEST_F(ChangeOnDevice, RefusesAFieldThatIsntFiniteOrOfAnotherSize) {
    const FitsOnDevice there(*fits, context());
    VectorField field = onDevice(1);
    const std::vector<float> poison(field.components.size(), NAN);
    cuda->upload(poison.data(), field.components.data(), poison.size() * sizeof(float),
                 CudaStream::Compute);
    EXPECT_THROW(there.change(field, context()), ComputeError);
    const VectorField small(Geometry({4, 4, 4}, {1, 1, 1}), cuda->devicePool(), "small");
    EXPECT_THROW(there.change(small, context()), ComputeError);
}

} // namespace
} // namespace systole::cardiac
