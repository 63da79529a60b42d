// The cycle closed on a device against the CPU's: where tissue is after a cycle, and what is taken
// off each frame.
#include "compute/cardiac/change_on_device.h"
#include "compute/cardiac/cycle_gap.h"
#include "compute/cardiac/gap_on_device.h"
#include "compute/core/error.h"
#include "compute/core/points.h"
#include "tests/compute/cardiac/heart_on_device.h"
#include "tests/support/device_support.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace systole::cardiac {
namespace {

struct ClosedCase {
    const char* name;
    bool begun; ///< the cycle begins where another motion has led
    int steps;
    double part;
};
std::string nameOf(const ::testing::TestParamInfo<ClosedCase>& info) { return info.param.name; }

class GapOnDevice : public HeartOnDevice, public ::testing::WithParamInterface<ClosedCase> {
protected:
    struct Step {
        std::shared_ptr<const FrameResult> host;
        std::shared_ptr<const VectorField> device;
    };
    Step step(double amount) {
        auto result = std::make_shared<FrameResult>();
        result->field = std::make_shared<VectorField>(toVoxels(motion(amount), resources.pool()));
        return {result, deviceCopy(*result->field, *cuda)};
    }
};

void expectNear(const Displacements& found, const Displacements& expected) {
    ASSERT_EQ(found.size(), expected.size());
    double farthest = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        farthest = std::max(farthest, length(widened(found[i]) - widened(expected[i])));
    EXPECT_LT(farthest, 1e-4) << "mm";
}

TEST_P(GapOnDevice, IsThatOfTheCpuAndIsTakenOffAlike) {
    const auto [name, begins, count, part] = GetParam();
    std::vector<std::shared_ptr<const FrameResult>> here;
    std::vector<std::shared_ptr<const VectorField>> there;
    for (int k = 0; k < count; ++k) {
        const Step one = step(k % 2 ? -0.7 : 1 + 0.1 * k);
        here.push_back(one.host);
        there.push_back(one.device);
    }
    const MillimeterField frame = motion(1.3);
    const Displacements wall = displacementsIn(ventricle->wall, frame),
                        cavity = displacementsIn(ventricle->cavity, frame);
    const CycleGap gap{followed(ventricle->wall, begins ? wall : Displacements{}, here),
                       followed(ventricle->cavity, begins ? cavity : Displacements{}, here)};
    const TissueOnDevice tissue(*ventricle, context());
    const VectorField small(Geometry({4, 4, 4}, {1, 1, 1}), cuda->devicePool(), "small");
    EXPECT_THROW(tissue.motionIn(small, context()), ComputeError);
    const auto field = deviceCopy(toVoxels(frame, resources.pool()), *cuda);
    const TissueMotion moved = tissue.motionIn(*field, context());
    expectNear(tissue.ofWall(moved, context()), wall);
    const TissueMotion still, left = tissue.followed(begins ? moved : still, there, context());
    EXPECT_GT(meanLength(gap.wall), 0.1);
    expectNear(tissue.ofWall(left, context()), gap.wall);

    Displacements closedWall = wall, closedCavity = cavity;
    takeOff(gap.wall, part, closedWall);
    takeOff(gap.cavity, part, closedCavity);
    const VectorField closed = tissue.closed(moved, left, part, context());
    expectNear(tissue.ofWall(tissue.motionIn(closed, context()), context()), closedWall);
    const FrameChange expected = fits->change(closedWall, closedCavity, host),
                      found = FitsOnDevice(*fits, context()).change(closed, context());
    EXPECT_NEAR(found.cavityMilliliters, expected.cavityMilliliters, 2e-3);
}

INSTANTIATE_TEST_SUITE_P(, GapOnDevice,
                         ::testing::Values(ClosedCase{"OneStepFromItsPlace", false, 1, 1},
                                           ClosedCase{"OneStepFromAMotion", true, 1, 0.4},
                                           ClosedCase{"FiveStepsFromItsPlace", false, 5, 0.9},
                                           ClosedCase{"TwoStepsFromAMotion", true, 2, 0}),
                         nameOf);

} // namespace
} // namespace systole::cardiac
