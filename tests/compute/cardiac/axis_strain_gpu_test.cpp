// Strain along axes on the device against the CPU's, by every variant.
#include "tests/compute/cardiac/axis_strain_support.h"
#include "tests/support/device_array.h"
#include "tests/support/gpu_support.h"

namespace systole::cardiac {
namespace {

using test::DeviceArray;

class AxisStrainOnDevice : public test::OnDevice, public ::testing::WithParamInterface<Tensor> {};

INSTANTIATE_TEST_SUITE_P(Tensors, AxisStrainOnDevice,
                         ::testing::Values(Tensor::Engineering, Tensor::GreenLagrange));

TEST_P(AxisStrainOnDevice, EqualsTheCpuOnGridsOfEverySize) {
    for (const Size3 size : testing::strainSizes)
        for (int variant = 0; variant < axisStrainFamily.count(); ++variant) {
            const testing::StrainCase c(size);
            std::vector<float> expected(c.outputs());
            axisStrain(c.work(GetParam(), c.in.data(), expected.data()), resources.context());
            DeviceArray<float> in(*cuda, c.in), out(*cuda, c.outputs());
            axisStrainOnDevice(c.work(GetParam(), in.data(), out.data()), context(), variant);
            const std::vector<float> found = out.download();
            for (std::size_t i = 0; i < found.size(); ++i)
                ASSERT_NEAR(found[i], expected[i], 2e-5)
                    << axisStrainFamily.at(variant).name << ' ' << size.x << ' ' << i;
        }
}

} // namespace
} // namespace systole::cardiac
