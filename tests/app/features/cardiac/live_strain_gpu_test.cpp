// The panel's task on fields of a device against the same on the host.
#include "app/features/cardiac/live_strain.h"
#include "compute/surface/segment.h"
#include "io/phantom/phantom.h"
#include "tests/support/gpu_support.h"

#include <cmath>

namespace systole {
namespace {

class LiveStrainOnDevice : public test::OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped())
            return;
        PhantomOptions options;
        options.size = {44, 44, 44};
        const Phantom phantom(options);
        task_.grid = phantom.geometry();
        LabelMap labels = phantom.labels(0, resources.context());
        for (std::uint8_t& label : labels)
            label = label == static_cast<std::uint8_t>(PhantomTissue::Blood)  ? chamberLabel
                    : label == static_cast<std::uint8_t>(PhantomTissue::Wall) ? wallLabel
                                                                              : 0;
        task_.labels = std::make_shared<const LabelMap>(std::move(labels));
        const HeartShape& heart = options.heart;
        const HeartPose pose(heart);
        task_.points = {pose.fromOwn({0, 0, -heart.endocardialHalfLength}),
                        pose.fromOwn({0, 0, heart.baseHeight}),
                        pose.fromOwn({heart.endocardialRadius, 0, 0})};
        task_.seconds = {0, 0.1, 0.2};
        task_.ventricle = task_.motion = 1;
    }
    std::shared_ptr<const FrameResult> fieldTo(int frame) {
        auto host = std::make_shared<VectorField>(task_.grid, resources.pool(), "motion");
        const FieldView<float> field = host->view();
        const auto amount = static_cast<float>(frame);
        for (int z = 0; z < field.size.z; ++z)
            for (int y = 0; y < field.size.y; ++y)
                for (int x = 0; x < field.size.x; ++x) {
                    const std::size_t i = field.componentView(0).offset(x, y, z);
                    field.u[i] = -0.04f * amount * static_cast<float>(x);
                    field.v[i] = amount * std::sin(0.1f * static_cast<float>(x));
                    field.w[i] =
                        amount * (0.02f * static_cast<float>(y) - 0.03f * static_cast<float>(z));
                }
        auto there = std::make_shared<VectorField>(task_.grid, cuda->devicePool(), "motion");
        cuda->upload(host->components.data(), there->components.data(),
                     host->components.size() * sizeof(float), CudaStream::Compute);
        cuda->synchronize(CudaStream::Compute);
        auto device = std::make_shared<DeviceResult>();
        device->field = there;
        auto result = std::make_shared<FrameResult>();
        result->fixedFrame = 0;
        result->movingFrame = frame;
        result->field = host;
        result->device = device;
        return result;
    }
    StrainOutcome outcome(LiveStrainWork& work, bool onDevice) {
        task_.onDevice = onDevice;
        StrainOutcome made;
        ExecContext ctx = resources.context();
        work.run(task_, made, ctx);
        return made;
    }
    static void expectEqual(const StrainOutcome& found, const StrainOutcome& expected) {
        ASSERT_EQ(found.motion.frame, expected.motion.frame);
        for (std::size_t t = 0; t < expected.measures.frames.size(); ++t)
            for (std::size_t s = 0; s < 16; ++s)
                for (int k = 0; k < 3; ++k)
                    EXPECT_NEAR(found.measures.frames[t].segments[s].strain[k],
                                expected.measures.frames[t].segments[s].strain[k], 2e-5)
                        << t << ' ' << s;
        EXPECT_NEAR(found.summary.ejectionPercent.midWall, expected.summary.ejectionPercent.midWall,
                    0.01);
    }
    LiveStrainTask task_;
};

TEST_F(LiveStrainOnDevice, MeasuresLikeTheHostWhateverChangesMeanwhile) {
    LiveStrainWork there, here;
    task_.fresh = {fieldTo(1)};
    expectEqual(outcome(there, true), outcome(here, false));
    task_.fresh = {fieldTo(2)};
    task_.steps = {fieldTo(1), fieldTo(1), fieldTo(1)};
    const StrainOutcome device = outcome(there, true), host = outcome(here, false);
    expectEqual(device, host);
    EXPECT_GT(host.residual.measured, 0.1);
    EXPECT_NEAR(device.residual.measured, host.residual.measured, 1e-4);
    EXPECT_NEAR(device.residual.steps, host.residual.steps, 1e-4);
    task_.steps.clear();
    task_.fresh.clear();
    for (const bool closes : {true, false}) {
        task_.closeCycle = closes;
        const StrainOutcome closed = outcome(there, true);
        EXPECT_EQ(closed.residual.closed, closes);
        expectEqual(closed, outcome(here, false));
        const double changed =
            closed.summary.ejectionPercent.midWall - device.summary.ejectionPercent.midWall;
        EXPECT_EQ(changed != 0, closes);
    }
    task_.endDiastole = 1;
    task_.options.definition = &cardiac::strainDefinition("voxels");
    task_.options.model = cardiac::AhaModel::Sixteen;
    expectEqual(outcome(there, true), outcome(here, false));
    // Fits of another order, and the other place: all fields are passed once more.
    task_.options.order = 2;
    ++task_.motion;
    task_.fresh = {fieldTo(1), fieldTo(2)};
    expectEqual(outcome(there, true), outcome(here, false));
    ++task_.motion;
    expectEqual(outcome(there, false), outcome(here, false));
}

} // namespace
} // namespace systole
