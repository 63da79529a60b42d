// Every method's CUDA implementation against its CPU one: presets and variations, from the host and
// from the device; the same bits run after run.
#include "compute/motion/methods.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

struct Run {
    const MotionMethod* method;
    MethodVariation variation;
};

std::vector<Run> allRuns() {
    std::vector<Run> runs;
    for (const MotionMethod& method : motionMethods()) {
        if (std::find(method.backends.begin(), method.backends.end(), Backend::Cuda) ==
            method.backends.end())
            continue;
        for (const std::string& preset : method.parameters->presets())
            runs.push_back({&method, {preset, {}}});
        for (const MethodVariation& variation : method.variations)
            runs.push_back({&method, variation});
    }
    return runs;
}

std::string textOf(const Run& run) {
    std::string text = run.method->name + "_" + run.variation.preset;
    for (const auto* changes : {&run.variation.parameters, &run.variation.storage})
        for (const auto& [id, value] : *changes)
            text += "_" + id + "_" + value;
    for (char& c : text)
        if (!std::isalnum(static_cast<unsigned char>(c)))
            c = '_';
    return text;
}

class MethodOnDevice : public test::OnDevice, public testing::WithParamInterface<Run> {
protected:
    std::vector<float> estimate(Backend backend, Size3 size) {
        const auto [method, variation] = GetParam();
        ParamSet values(*method->parameters, variation.preset);
        for (const auto& [id, value] : variation.parameters)
            values.setText(id, value);
        if (backend == Backend::Cuda)
            for (const auto& [id, value] : variation.storage)
                values.setText(id, value);
        TestVolume fixed(size, test::waves);
        TestVolume moving(size, [](double x, double y, double z) {
            return test::waves(x - 1.1 + 0.4 * std::sin(0.2 * y), y + 0.6, z - 0.3);
        });
        MotionInput input;
        input.fixed = fixed.view();
        input.moving = moving.view();
        TestField field(size);
        ExecContext ctx = context();
        ctx.backend = backend;
        method->make(values, backend)->estimate(input, field.view(), ctx);
        return field.values;
    }
};

TEST_P(MethodOnDevice, GivesTheFieldOfTheCpu) {
    for (const Size3 size : {Size3{34, 29, 27}, Size3{31, 29, 27}, Size3{40, 17, 9}}) {
        const std::vector<float> cpu = estimate(Backend::Cpu, size),
                                 cuda = estimate(Backend::Cuda, size);
        double sum = 0, largest = 0;
        for (std::size_t i = 0; i < cpu.size(); ++i) {
            const double difference = std::abs(static_cast<double>(cpu[i] - cuda[i]));
            sum += difference;
            largest = std::max(largest, difference);
        }
        const double mean = sum / static_cast<double>(cpu.size());
        if (GetParam().variation.exact) {
            EXPECT_LT(mean, 1e-4);
            EXPECT_LT(largest, 5e-3);
        } else {
            EXPECT_LT(mean, 2e-2);
        }
    }
}

TEST_P(MethodOnDevice, GivesTheSameBitsAgain) {
    const Size3 size{34, 29, 27};
    EXPECT_EQ(estimate(Backend::Cuda, size), estimate(Backend::Cuda, size));
}

INSTANTIATE_TEST_SUITE_P(Methods, MethodOnDevice, testing::ValuesIn(allRuns()),
                         [](const auto& info) { return textOf(info.param); });

} // namespace
} // namespace systole
