// Masks on the device: the CPU's motion, and a plan that is replayed while masks come and go.
#include "compute/motion/methods.h"
#include "tests/compute/motion/masked_pair.h"
#include "tests/support/gpu_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace systole {
namespace {

using test::MaskedPair;
using test::TestField;

std::vector<const MotionMethod*> onTheDevice() {
    std::vector<const MotionMethod*> all;
    for (const MotionMethod& method : motionMethods())
        if (std::find(method.backends.begin(), method.backends.end(), Backend::Cuda) !=
            method.backends.end())
            all.push_back(&method);
    return all;
}

/// ffd and unbiased compute with the same operations everywhere, and landmarks' preset ffd starts
/// from the CPU's motion. Listed here so that nothing of the product decides how strictly it is
/// tested.
bool hasTheBitsOfTheCpu(const std::string& method, const std::string& preset) {
    return method == "ffd" || method == "unbiased" || (method == "landmarks" && preset == "ffd");
}

class MasksOnDevice : public test::OnDevice,
                      public testing::WithParamInterface<const MotionMethod*> {
protected:
    std::unique_ptr<MotionEstimator> make(Backend backend, const std::string& preset = "default") {
        return GetParam()->make(ParamSet(*GetParam()->parameters, preset), backend);
    }
    std::vector<float> estimate(MotionEstimator& estimator, const MotionInput& input,
                                Backend backend) {
        TestField field(input.fixed.size);
        ExecContext ctx = context();
        ctx.backend = backend;
        estimator.estimate(input, field.view(), ctx);
        return field.values;
    }

    MaskedPair pair;
};

TEST_P(MasksOnDevice, GiveTheMotionOfTheCpu) {
    for (const std::string& preset : GetParam()->parameters->presets())
        for (const bool both : {true, false}) {
            MotionInput input = pair.maskedInput();
            if (!both)
                input.fixedMask = {};
            SCOPED_TRACE(preset + (both ? ", both masks" : ", the moving mask"));
            const std::vector<float> cpu =
                estimate(*make(Backend::Cpu, preset), input, Backend::Cpu);
            std::vector<float> cuda = estimate(*make(Backend::Cuda, preset), input, Backend::Cuda);
            if (hasTheBitsOfTheCpu(GetParam()->name, preset)) {
                EXPECT_EQ(cpu, cuda); // bits are the same, as they are without masks
                continue;
            }
            double sum = 0;
            for (std::size_t i = 0; i < cpu.size(); ++i)
                sum += std::abs(static_cast<double>(cpu[i] - cuda[i]));
            const double mean = sum / static_cast<double>(cpu.size());
            EXPECT_LT(mean, 2e-3) << preset << both;
            const double error = MaskedPair::error({cuda.data(), MaskedPair::size}),
                         ofCpu = MaskedPair::error({cpu.data(), MaskedPair::size});
            EXPECT_NEAR(error, ofCpu, 0.05) << preset << both;
        }
}

TEST_P(MasksOnDevice, ComeAndGoBetweenPairs) {
    const auto estimator = make(Backend::Cuda);
    const auto run = [&](const MotionInput& input) {
        return estimate(*estimator, input, Backend::Cuda);
    };
    const std::vector<float> free = run(pair.input());
    EXPECT_EQ(run(pair.input()), free);
    EXPECT_EQ(run(pair.input()), free);
    const std::vector<float> hidden = run(pair.maskedInput());
    EXPECT_NE(hidden, free);
    EXPECT_EQ(run(pair.maskedInput()), hidden);
    // Other contents of the same masks.
    MotionInput swapped = pair.maskedInput();
    std::swap(swapped.fixedMask, swapped.movingMask);
    EXPECT_NE(run(swapped), hidden);
    EXPECT_EQ(run(pair.maskedInput()), hidden);
    MotionInput fixedOnly = pair.maskedInput();
    fixedOnly.movingMask = {};
    EXPECT_NE(run(fixedOnly), hidden);
    EXPECT_EQ(run(pair.input()), free);
}

INSTANTIATE_TEST_SUITE_P(All, MasksOnDevice, testing::ValuesIn(onTheDevice()),
                         [](const auto& tested) { return tested.param->name; });

} // namespace
} // namespace systole
