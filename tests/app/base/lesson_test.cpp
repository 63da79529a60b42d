// The lessons as data, and the sentences that their answers are turned into.
#include "app/base/error.h"
#include "app/base/lab_library.h"
#include "app/base/lesson_headlines.h"
#include "app/base/lessons.h"
#include "app/base/units.h"
#include "bench/benchmark.h"
#include "compute/core/error.h"
#include "tests/support/lab_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

namespace systole {
namespace {

using namespace lab;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// A source whose times follow from the kernel, the threads and the padding.
class TaughtSource : public test::MadeUpSource {
public:
    using Time = std::function<double(const LabPoint&)>;
    explicit TaughtSource(Time time) : time_(std::move(time)) {}

    std::optional<LabPoint> point(const LabKernel& kernel, int side, int threads, int padding,
                                  std::string& why) override {
        auto point = MadeUpSource::point(kernel, side, threads, padding, why);
        point->seconds = time_(*point);
        change(*point);
        return point;
    }
    double withTransfers(const LabKernel& kernel, int side, int) override {
        if (silent)
            return 0;
        return side == 200 && kernel.name() == "trilinear/direct" ? 6e-3 : 2e-3;
    }
    std::function<void(LabPoint&)> change = [](LabPoint&) {};
    bool silent = false; ///< true: calls with their copies have no times

private:
    Time time_;
};

std::vector<Lesson> lessonsOnKernels() {
    std::vector<Lesson> found;
    std::ranges::copy_if(lessons(), std::back_inserter(found),
                         [](const Lesson& each) { return each.experiment.has_value(); });
    return found;
}

std::string said(int number, LabSource& source) {
    const Lesson& chosen = lesson(number);
    return plainSpaces(chosen.headline(ask(kernelExperiment(chosen), source)));
}

/// A lesson of kernels that a record doesn't have is an error that says so.
void expectNotInTheRecord(const Lesson& lesson, LabSource& source) {
    try {
        ask(kernelExperiment(lesson), source);
        FAIL() << lesson.title;
    } catch (const ComputeError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr(kernelExperiment(lesson).kernels.front()),
                                        HasSubstr("isn't in the record")));
    }
}

TEST(Lessons, AreNumberedAndHaveKernelsThatThereAre) {
    ASSERT_GE(lessons().size(), 8u);
    std::set<std::string> files;
    for (std::size_t i = 0; i < lessons().size(); ++i) {
        const Lesson& each = lessons()[i];
        EXPECT_EQ(each.number, static_cast<int>(i) + 1);
        EXPECT_TRUE(files.insert(each.file).second) << each.file;
        EXPECT_EQ(each.question.back(), '?');
        EXPECT_EQ(each.experiment.has_value(), each.headline != nullptr) << each.title;
        if (each.experiment) {
            for (const std::string& kernel : each.experiment->kernels)
                EXPECT_NO_THROW(labKernel(kernel)) << each.title;
        }
        EXPECT_EQ(&lesson(each.number), &each);
    }
    EXPECT_THROW(lesson(0), UsageError);
    EXPECT_THROW(lesson(99), UsageError);
}

TEST(Lessons, HaveAPageWhoseHeadingIsTheirTitle) {
    for (const Lesson& each : lessons()) {
        std::ifstream page(lessonPath(each));
        std::string heading;
        std::getline(page, heading);
        EXPECT_EQ(heading, "# " + each.title) << each.file;
    }
}

/// Kernels whose work depends on their data declare none, and no model predicts them.
bool declaresCost(const GpuRecord& record, const std::string& kernel) {
    for (const LabPoint& point : record.points)
        if (point.kernel == kernel)
            return std::ranges::all_of(
                point.launches, [](const ProfileSpan& launch) { return launch.cost.declared(); });
    return false;
}

TEST(Lessons, AreAnsweredByTheRecordThatComesWithTheProgram) {
    const std::vector<std::filesystem::path> records = shippedRecords();
    ASSERT_FALSE(records.empty()) << "systole lab --record assets/gpu_profiles/nvidia-h200.json";
    for (const std::filesystem::path& file : records) {
        EXPECT_LT(std::filesystem::file_size(file), 1'500'000u) << file;
        const GpuRecord record = readGpuRecord(file);
        EXPECT_TRUE(record.machine.measured);
        EXPECT_FALSE(record.when.empty());
        const auto source = recordedSource(record);
        for (const Lesson& each : lessonsOnKernels()) {
            const LabAnswer answer = ask(kernelExperiment(each), *source);
            EXPECT_EQ(answer.curves.size(), kernelExperiment(each).kernels.size()) << each.title;
            for (const LabCurve& curve : answer.curves) {
                EXPECT_GE(curve.bestMeasured, 0) << each.title << ", " << curve.kernel;
                if (declaresCost(record, curve.kernel)) {
                    EXPECT_GE(curve.bestPredicted[0], 0) << each.title << ", " << curve.kernel;
                }
            }
            EXPECT_THAT(each.headline(answer),
                        AllOf(Not(HasSubstr("nothing was measured")), Not(HasSubstr("no figures"))))
                << file << ", " << each.title;
        }
        // The runtime's own answer to how many blocks fit, for every launch that was recorded.
        for (const LabPoint& point : record.points)
            for (const ProfileSpan& launch : point.launches) {
                if (launch.registers == 0)
                    continue; // a library's, of unknown shape
                const model::KernelResources resources{
                    launch.block[0] * launch.block[1] * launch.block[2], launch.registers,
                    launch.sharedBytes, launch.localBytes};
                const int fit = model::occupancy(record.machine.limits(), resources).activeBlocks;
                // These ask for a part of L1 alone as shared memory.
                if (std::set<std::string>{"nlm/global", "nlm/texture", "nlm/constant"}.contains(
                        point.kernel)) {
                    EXPECT_LE(launch.activeBlocks, fit)
                        << point.kernel << " in blocks of " << point.threads;
                } else {
                    EXPECT_EQ(launch.activeBlocks, fit)
                        << point.kernel << " in blocks of " << point.threads;
                }
            }
    }
}

TEST(Lessons, OneWithoutKernelsSaysWhereItRuns) {
    try {
        kernelExperiment(lesson(14));
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(),
                    AllOf(HasSubstr("lesson 14"), HasSubstr("systole view --lesson 14")));
    }
}

/// One of a command names it in its error and on its page, and the program has such a benchmark.
TEST(Lessons, OfACommandNameIt) {
    int commands = 0;
    for (const Lesson& each : lessons()) {
        if (each.command.empty())
            continue;
        ++commands;
        try {
            kernelExperiment(each);
            FAIL() << each.title;
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), HasSubstr("'" + each.command + "'"));
        }
        std::ifstream file(lessonPath(each));
        const std::string page{std::istreambuf_iterator<char>(file), {}};
        EXPECT_THAT(page, HasSubstr("\n    " + each.command + "\n"));
        EXPECT_TRUE(std::ranges::any_of(benchmarks(), [&](const Benchmark& benchmark) {
            return each.command == std::string("systole bench ") + benchmark.name;
        })) << each.command;
    }
    EXPECT_GE(commands, 2);
}

TEST(Lessons, TheFirstRanksTheVariantsByTheirBestTime) {
    TaughtSource source([](const LabPoint& p) {
        const double base = p.kernel == "jacobi/shared"     ? 2e-3
                            : p.kernel == "jacobi/register" ? 3e-3
                                                            : 5e-3;
        return base * (p.threads == 128 ? 1 : 1.5);
    });
    EXPECT_THAT(said(1, source),
                AllOf(HasSubstr("jacobi at 200³ voxels: shared is the fastest with 2 ms at 128 "
                                "threads per block"),
                      HasSubstr("register takes 1.50 times as long (3 ms at 128)"),
                      HasSubstr("direct takes 2.50 times as long"), Not(HasSubstr("prediction"))));
}

TEST(Lessons, WhatIsPredictedIsSaidToBe) {
    TaughtSource source([](const LabPoint&) { return 0; });
    source.silent = true;
    for (const Lesson& each : lessonsOnKernels())
        EXPECT_THAT(each.headline(ask(kernelExperiment(each), source)),
                    AllOf(HasSubstr("nothing was measured on Made Up 100"),
                          Not(HasSubstr("is the fastest"))))
            << each.title;
    // Answers follow the order of the question, whatever is predicted.
    EXPECT_THAT(said(1, source),
                AllOf(ContainsRegex("predicted at .*direct .*shared .*register .*l2-only"),
                      HasSubstr("No model can tell which memory variant is faster")));
    EXPECT_THAT(said(8, source), Not(HasSubstr("as long")));
    EXPECT_THAT(said(7, source), AllOf(HasSubstr("kernel only "), HasSubstr("as long")));
}

TEST(Lessons, AVariantThatWasNotMeasuredIsNotRanked) {
    TaughtSource source([](const LabPoint& p) { return p.kernel == "tps/shared" ? 0 : 2e-3; });
    EXPECT_THAT(said(3, source), AllOf(HasSubstr("is the fastest"),
                                       HasSubstr("constant takes 1.00"), Not(HasSubstr("shared"))));
}

TEST(Lessons, WithoutTimeOrPredictionNothingIsClaimed) {
    TaughtSource source([](const LabPoint&) { return 0; });
    source.silent = true;
    source.change = [](LabPoint& p) { p.launches[0].cost = {}; };
    for (const Lesson& each : lessonsOnKernels())
        EXPECT_THAT(each.headline(ask(kernelExperiment(each), source)),
                    HasSubstr("Nothing was measured"))
            << each.title;
}

TEST(Lessons, TexturesSayHowFarTheirResultsAreOff) {
    TaughtSource source([](const LabPoint&) { return 1e-3; });
    source.change = [](LabPoint& p) {
        p.deviation = p.threads != 256 ? -1 : p.kernel == "trilinear/texture-filter" ? 0.0021 : 0;
    };
    EXPECT_THAT(said(2, source), AllOf(HasSubstr("texture-filter by up to 0.21 %"),
                                       HasSubstr("from those of direct")));
}

TEST(Lessons, EightBitWeightsStandApartFromRounding) {
    TaughtSource source([](const LabPoint&) { return 1e-3; });
    source.change = [](LabPoint& p) {
        p.deviation = p.kernel == "bspline/texture-filter" ? 0.0089
                      : p.kernel == "bspline/global"       ? 0
                                                           : 2e-7;
    };
    EXPECT_THAT(said(11, source), AllOf(HasSubstr("texture-filter by up to 0.89 %"),
                                        HasSubstr("thread-per-tile-lerp by rounding alone")));
}

TEST(Lessons, LinearTexturesAreHeldAgainstPlainLoadsTaskByTask) {
    TaughtSource source([](const LabPoint& p) {
        return p.kernel == "trilinear/texture-1d"          ? 3e-3
               : p.kernel == "spatial-gradient/texture-1d" ? 1e-3
                                                           : 2e-3;
    });
    EXPECT_THAT(said(12, source),
                AllOf(HasSubstr("At 200³ voxels, at the best block: trilinear: direct 2 ms, "
                                "texture-1d 3 ms (1.50 times as long); spatial-gradient: global "
                                "2 ms, texture-1d 1 ms (0.50 times as long); similarity-gradient"),
                      Not(HasSubstr("no figures"))));
}

/// A source that lacks some kernels, as a record that is older than they are.
class OlderSource : public TaughtSource {
public:
    using TaughtSource::TaughtSource;
    std::optional<LabPoint> point(const LabKernel& kernel, int side, int threads, int padding,
                                  std::string& why) override {
        if (kernel.variant != newer && kernel.task != newer)
            return TaughtSource::point(kernel, side, threads, padding, why);
        why = "this kernel isn't in the record";
        return std::nullopt;
    }
    std::string newer;
};

TEST(Lessons, NameTheKernelsThatARecordDoesNotHave) {
    OlderSource source([](const LabPoint&) { return 1e-3; });
    source.newer = "texture-1d";
    EXPECT_THAT(said(12, source),
                HasSubstr("There are no figures of trilinear/texture-1d, "
                          "spatial-gradient/texture-1d, similarity-gradient/texture-1d here."));
    EXPECT_THAT(said(10, source), AllOf(HasSubstr("is the fastest"),
                                        HasSubstr("no figures of bspline/texture-1d here")));
    source.newer = "bspline";
    expectNotInTheRecord(lesson(10), source);
}

TEST(Lessons, RegistersAndSpillsAreThoseOfOneBlockSize) {
    TaughtSource source([](const LabPoint& p) { return p.kernel == "sest/shared" ? 4e-3 : 8e-3; });
    source.change = [](LabPoint& p) {
        p.launches[0].registers = p.kernel == "sest/shared" ? 96 : 32;
        p.launches[0].localBytes = p.kernel == "sest/shared" ? 0 : 128;
    };
    // 256 threads: 96 registers leave room for 5 warps of 12288/3072 … two blocks, 16 of 64 warps.
    EXPECT_THAT(said(4, source),
                AllOf(HasSubstr("with 256 threads per block"),
                      HasSubstr("shared: 96 registers and 0 bytes spilled per thread, 25 % "
                                "occupancy, 4 ms"),
                      HasSubstr("shared-cap32: 32 registers and 128 bytes spilled per thread")));
}

TEST(Lessons, OccupancyComparesTheFirstWithTheLeast) {
    TaughtSource source([](const LabPoint& p) {
        return 1e-3 * (p.kernel == "tps/global" && p.paddingBytes > 100000 ? 3 : 1);
    });
    EXPECT_THAT(said(5, source),
                AllOf(HasSubstr("global: 1 ms at 75 % occupancy, 3 ms (3.00 times) "
                                "at 12 %"),
                      HasSubstr("global-x2: 1 ms at 75 % occupancy, 1 ms (1.00 "
                                "times)")));
}

TEST(Lessons, TheLastWaveIsFoundWhereANearlyEmptyOneBegins) {
    // Grids of 2 × side/8 × side blocks over 600 slots: 576 are 0.96 waves at side 48, 728 are 1.21
    // at side 52. Were all waves as long as a full one a voxel's time would rise by
    // (2 / 1.213) / (1 / 0.96) − 1 = 58 %.
    const auto rising = [](int from, double part) {
        return [=](const LabPoint& p) {
            return 1e-9 * std::pow(p.side, 3) * (p.side >= from ? 1 + part : 1);
        };
    };
    TaughtSource source(rising(52, 0.5));
    EXPECT_THAT(said(6, source),
                HasSubstr("tps/global: from side 48 to 52 the time per voxel rises by 50 %, where "
                          "the grid grows from 0.96 to 1.21 waves and the last of 2 is 21 % "
                          "filled"));
    const char* none = "tps/global: no rise of more than 2 % is explained";
    TaughtSource even(rising(52, 0));
    EXPECT_THAT(said(6, even), HasSubstr(none));
    // More than waves can explain.
    TaughtSource larger(rising(52, 0.7));
    EXPECT_THAT(said(6, larger), HasSubstr(none));
    // No wave begins: 400 blocks at side 40, 528 at 44.
    TaughtSource elsewhere(rising(44, 0.5));
    EXPECT_THAT(said(6, elsewhere), HasSubstr(none));
    // 2280 blocks are 3.8 waves at side 76, 2400 at side 80 fill the fourth.
    TaughtSource full(rising(80, 0.1));
    EXPECT_THAT(said(6, full), HasSubstr(none));
}

TEST(Lessons, TransfersStandBesideTheKernelAlone) {
    TaughtSource source([](const LabPoint&) { return 1e-3; });
    EXPECT_THAT(said(7, source),
                AllOf(HasSubstr("trilinear/direct at 200³ voxels: kernel only 1 ms, with copies to "
                                "and from the host 6 ms: 6.00 times as long"),
                      HasSubstr("tps/global at 200³ voxels: kernel only 1 ms, with copies to and "
                                "from the host 2 ms")));
}

TEST(Lessons, FusedSweepsAreHeldAgainstTheFirst) {
    TaughtSource source(
        [](const LabPoint& p) { return p.kernel == "jacobi/fused" ? 1.5e-3 : 3e-3; });
    EXPECT_THAT(said(8, source), AllOf(HasSubstr("jacobi at 256³ voxels: direct 3 ms (1.25 "
                                                 "FLOP per byte"),
                                       HasSubstr("fused 1.5 ms"), HasSubstr("0.50 times as long")));
}

TEST(Lessons, ModelsAreHeldAgainstMeasurement) {
    // The times are Wu's own predictions but for one that is far better at 64 threads.
    TaughtSource source([](const LabPoint& p) {
        LabQuestion question;
        question.kernels = {p.kernel};
        question.side = p.side;
        question.blockSizes = {p.threads};
        test::MadeUpSource plain;
        const double wu = ask(question, plain).curves[0].rows[0].predicted[0];
        return p.threads == 64 ? wu / 1000 : wu;
    });
    const std::string text = said(9, source);
    EXPECT_THAT(text, AllOf(HasSubstr("tps/global: Wu et al. choose "),
                            HasSubstr(" slower than 64, the fastest measured"),
                            HasSubstr("Mean relative errors")));
}

TEST(Units, HaveThreeDigitsAndANoBreakSpace) {
    EXPECT_EQ(secondsText(0), "–");
    EXPECT_EQ(secondsText(4.12345e-4), "412\u00a0µs");
    EXPECT_EQ(secondsText(1.0345e-3), "1.03\u00a0ms");
    EXPECT_EQ(secondsText(0.9999e-3), "1\u00a0ms");
    EXPECT_EQ(secondsText(7e-9), "7\u00a0ns");
    EXPECT_EQ(secondsText(12.34), "12.3\u00a0s");
    EXPECT_EQ(percentText(0.0421), "4.2\u00a0%");
    EXPECT_EQ(percentText(0.421), "42\u00a0%");
    EXPECT_EQ(timesText(1.349), "1.35 times");
}

} // namespace
} // namespace systole
