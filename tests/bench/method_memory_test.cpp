// `systole bench method-memory` and the limit of a device's memory, from outside.
#include "compute/cuda/device.h"
#include "compute/motion/methods.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace systole {
namespace {

using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::TemporaryFolder;
using ::testing::HasSubstr;

TEST(MethodMemory, EveryPresetHasItsBytes) {
    const TemporaryFolder folder;
    const Outcome outcome =
        run({"bench", "method-memory", "--sides", "48", "--json", folder / "r.json"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
    const auto sides = nlohmann::json::parse(readText(folder / "r.json"))["method-memory"]["sides"];
    for (const MotionMethod& method : motionMethods())
        for (const std::string& preset : method.parameters->presets()) {
            const auto& bytes = sides["48"][method.name][preset];
            // Memory holds at least both frames and their displacement.
            const double least = 5 * sizeof(float) * 48 * 48 * 48;
            EXPECT_GT(bytes["cpu"].get<double>(), least) << method.name << " " << preset;
            if (cudaIsBuilt) {
                EXPECT_GT(bytes["cuda"].get<double>(), least) << method.name << " " << preset;
            }
            EXPECT_EQ(bytes["held"].is_null(), !cudaStatus().usable());
        }
}

TEST(MethodMemory, ALimitIsANumberOfBytes) {
    const Outcome wrong = run({"motion", "a.mha", "-o", "b", "--device-memory", "8 apples"});
    EXPECT_EQ(wrong.exitCode, 2);
    EXPECT_THAT(wrong.errors, HasSubstr("--device-memory"));
    const Outcome negative = run({"motion", "a.mha", "-o", "b", "--device-memory", "-3"});
    EXPECT_EQ(negative.exitCode, 2);
    EXPECT_THAT(negative.errors, HasSubstr("negative"));
}

} // namespace
} // namespace systole
