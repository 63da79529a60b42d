// Questions to the laboratory, asked of made-up sources whose answers are known.
#include "tests/support/lab_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <sstream>

namespace systole {
namespace {

using namespace lab;
using test::madeUpLaunch;
using test::madeUpMachine;
using test::MadeUpSource;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t wu = 0;

LabQuestion overBlocks(std::vector<int> sizes) {
    LabQuestion question;
    question.kernels = {"jacobi/direct"};
    question.side = 64;
    question.blockSizes = std::move(sizes);
    return question;
}

model::KernelWork workOf(const ProfileSpan& launch) {
    model::KernelWork work;
    work.resources = {launch.block[0] * launch.block[1] * launch.block[2], launch.registers,
                      launch.sharedBytes, launch.localBytes};
    work.cost = launch.cost;
    work.blocks = static_cast<long>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    work.bytes = launch.bytes;
    return work;
}

std::vector<double> axisOf(const LabCurve& curve) {
    std::vector<double> x;
    for (const LabRow& row : curve.rows)
        x.push_back(row.x);
    return x;
}

TEST(Laboratory, ARowHasWhatItsLaunchSays) {
    MadeUpSource source;
    source.seconds = {{256, 1e-4}};
    const LabAnswer answer = ask(overBlocks({256}), source);
    ASSERT_EQ(answer.curves.size(), 1u);
    EXPECT_EQ(answer.source, "Made up.");
    EXPECT_TRUE(answer.notes.empty());
    const LabRow& row = answer.curves[0].rows.at(0);
    // 64³ voxels, 16 bytes and 20 operations each, in 0.1 ms.
    EXPECT_DOUBLE_EQ(row.bytesPerSecond, 64. * 64 * 64 * 16 / 1e-4);
    EXPECT_DOUBLE_EQ(row.flopsPerSecond, 64. * 64 * 64 * 20 / 1e-4);
    EXPECT_DOUBLE_EQ(row.intensity, 1.25);
    // Capability 9.0: 64 warps, 8 of them a block; 40 registers × 32 lanes = 1280 a warp, 51 warps
    // from 65536 registers, in four files of 16384: 12 each, 48 in all, 6 blocks.
    EXPECT_EQ(row.occupancy.activeBlocks, 6);
    EXPECT_EQ(row.occupancy.limit, model::LimitingResource::Registers);
    // 2 × 8 × 64 blocks over 100 × 6 slots.
    EXPECT_DOUBLE_EQ(row.waves.count, 1024. / 600);
    EXPECT_EQ(row.waves.whole, 2);
}

TEST(Laboratory, PredictionsAreTheModelsOfItsLaunchesAddedUp) {
    class TwoLaunches : public MadeUpSource {
        std::optional<LabPoint> point(const LabKernel& kernel, int side, int threads, int padding,
                                      std::string& why) override {
            auto point = MadeUpSource::point(kernel, side, threads, padding, why);
            point->launches.push_back(madeUpLaunch("second", side / 2, threads));
            return point;
        }
    } source;
    LabQuestion question = overBlocks({128});
    const LabRow row = ask(question, source).curves.at(0).rows.at(0);
    const model::KernelWork first = workOf(madeUpLaunch("first", 64, 128)),
                            second = workOf(madeUpLaunch("second", 32, 128));
    const model::GpuMachine machine = madeUpMachine();
    EXPECT_DOUBLE_EQ(row.predicted[0], model::wuModel(machine, first).seconds +
                                           model::wuModel(machine, second).seconds);
    EXPECT_DOUBLE_EQ(row.predicted[1], model::hongKimModel(machine, first).seconds +
                                           model::hongKimModel(machine, second).seconds);
    EXPECT_DOUBLE_EQ(row.predicted[2], model::latencyThroughputModel(machine, first).seconds +
                                           model::latencyThroughputModel(machine, second).seconds);

    // The copies come once: 12 bytes of each of 64³ voxels at 20 GB/s.
    question.withTransfers = true;
    const LabRow call = ask(question, source).curves.at(0).rows.at(0);
    EXPECT_NEAR(call.predicted[wu] - row.predicted[wu], 12. * 64 * 64 * 64 / 2e10, 1e-12);
    EXPECT_EQ(call.predictedAlone, row.predicted);
}

TEST(Laboratory, ACallWithTransfersIsMeasuredAsSuch) {
    MadeUpSource source;
    source.seconds = {{128, 1e-4}};
    LabQuestion question = overBlocks({128});
    question.withTransfers = true;
    const LabRow row = ask(question, source).curves.at(0).rows.at(0);
    EXPECT_DOUBLE_EQ(row.measured, 5e-4);
    EXPECT_DOUBLE_EQ(row.point.seconds, 1e-4);
    EXPECT_DOUBLE_EQ(row.point.callSeconds, 5e-4);
}

TEST(Laboratory, AModelWithoutATermForCopiesSaysNothingOfACallWithThem) {
    MadeUpSource source;
    source.seconds = {{128, 1e-4}};
    LabQuestion question = overBlocks({128});
    question.withTransfers = true;
    const LabAnswer answer = ask(question, source);
    const LabCurve& curve = answer.curves.at(0);
    constexpr std::size_t hongKim = 1;
    EXPECT_GT(curve.meanError[wu], 0);
    EXPECT_LT(curve.meanError[hongKim], 0);
    EXPECT_EQ(curve.bestPredicted[hongKim], -1);
    EXPECT_EQ(curve.rows[0].predicted[hongKim], 0);
    EXPECT_GT(curve.rows[0].predictedAlone[hongKim], 0);
    EXPECT_THAT(answer.notes, ElementsAre(HasSubstr("no term for copies")));
}

TEST(Laboratory, ErrorsAndChoicesAreThoseOfTheCurve) {
    MadeUpSource source;
    source.seconds = {{64, 3e-4}, {128, 1e-4}, {256, 2e-4}};
    const LabCurve curve = ask(overBlocks({64, 128, 256, 512}), source).curves.at(0);
    ASSERT_THAT(axisOf(curve), ElementsAre(64, 128, 256, 512));
    EXPECT_EQ(curve.bestMeasured, 1);
    for (std::size_t m = 0; m < 3; ++m) {
        double sum = 0, least = curve.rows[0].predicted[m];
        for (const LabRow& row : curve.rows) {
            least = std::min(least, row.predicted[m]);
            if (row.measured > 0)
                sum += std::abs(row.predicted[m] - row.measured) / row.measured;
        }
        // 256 is the kernel's own block, 512 the farthest from it.
        int chosen = -1;
        for (const int row : {2, 1, 0, 3})
            if (chosen < 0 &&
                curve.rows[static_cast<std::size_t>(row)].predicted[m] <= 1.01 * least)
                chosen = row;
        EXPECT_DOUBLE_EQ(curve.meanError[m], sum / 3);
        EXPECT_EQ(curve.bestPredicted[m], chosen);
        // 512 wasn't measured.
        EXPECT_DOUBLE_EQ(curve.chosenOverBest[m],
                         (std::array{3., 1., 2., 0.})[static_cast<std::size_t>(chosen)]);
    }
}

TEST(Laboratory, OfEqualPredictionsTheBlockNearestToTheKernelsOwnIsChosen) {
    /// Launches that differ in nothing but what the row is called.
    class Alike : public MadeUpSource {
        std::optional<LabPoint> point(const LabKernel& kernel, int side, int threads, int padding,
                                      std::string& why) override {
            auto point = MadeUpSource::point(kernel, side, 256, padding, why);
            point->threads = threads;
            return point;
        }
    } source;
    const LabCurve curve = ask(overBlocks({64, 192, 512}), source).curves.at(0);
    EXPECT_EQ(curve.rows[0].predicted, curve.rows[2].predicted);
    // The standard block is 256.
    for (const int chosen : curve.bestPredicted)
        EXPECT_EQ(chosen, 1);
}

TEST(Laboratory, WhatIsLeftOutIsSaidOnceForEachReason) {
    MadeUpSource source;
    source.refused = 96;
    LabQuestion question = overBlocks({64, 96, 100, 128, 1025});
    const LabAnswer answer = ask(question, source);
    EXPECT_THAT(axisOf(answer.curves.at(0)), ElementsAre(64, 128));
    EXPECT_THAT(
        answer.notes,
        ElementsAre("jacobi/direct, block size 100: blocks of 100 threads aren't supported",
                    "jacobi/direct, block size 1025: blocks of 1025 threads aren't supported",
                    "jacobi/direct, block size 96: this block is refused"));
    // A sweep without a measurement has no best and no error.
    EXPECT_EQ(answer.curves[0].bestMeasured, -1);
    EXPECT_LT(answer.curves[0].meanError[wu], 0);
    EXPECT_EQ(answer.curves[0].chosenOverBest[wu], 0);
}

TEST(Laboratory, SidesComeFromQuestionSourceOrCustom) {
    MadeUpSource source;
    LabQuestion question;
    question.axis = LabAxis::Side;
    question.threads = 64;
    question.sides = {48, 40, 48};
    EXPECT_THAT(axisOf(ask(question, source).curves.at(0)), ElementsAre(40, 48));
    question.sides.clear();
    source.sides = {100, 120};
    EXPECT_THAT(axisOf(ask(question, source).curves.at(0)), ElementsAre(100, 120));
    source.sides.clear();
    const LabCurve custom = ask(question, source).curves.at(0);
    EXPECT_EQ(custom.rows.front().x, 32);
    EXPECT_EQ(custom.rows.back().x, 256);
    EXPECT_EQ(custom.rows.front().point.threads, 64);
}

TEST(Laboratory, PaddingLowersTheBlocksOneByOne) {
    MadeUpSource source;
    LabQuestion question;
    question.axis = LabAxis::Padding;
    question.threads = 256;
    const LabCurve curve = ask(question, source).curves.at(0);
    ASSERT_EQ(curve.rows.size(), 6u);
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(curve.rows[static_cast<std::size_t>(i)].occupancy.activeBlocks, 6 - i);
    // Five blocks share 228 KB: 46694 bytes each, 46592 in units of 128; 1 KB is the system's
    // and 1 KB the kernel's own.
    EXPECT_EQ(curve.rows[1].point.paddingBytes, 46592 - 1024 - 1024);
    // One more byte and there would be room for four only.
    model::KernelResources heavier{256, 40, 1024 + curve.rows[1].point.paddingBytes + 1, 0};
    EXPECT_EQ(model::occupancy(source.machine().limits(), heavier).activeBlocks, 4);
}

TEST(Laboratory, QuestionsWithoutAnswerAreRefused) {
    MadeUpSource source;
    const auto message = [&](const LabQuestion& question) -> std::string {
        try {
            ask(question, source);
        } catch (const ComputeError& error) {
            return error.what();
        }
        return "";
    };
    LabQuestion question;
    question.kernels = {};
    EXPECT_THAT(message(question), HasSubstr("at least one kernel"));
    question.kernels = {"jacobi/direkt"};
    EXPECT_THAT(message(question), HasSubstr("jacobi/direct"));
    question.kernels = {"jacobi/direct"};
    question.side = 7;
    EXPECT_THAT(message(question), HasSubstr("not 7"));
    question = {};
    question.axis = LabAxis::Side;
    question.sides = {64, 5000};
    EXPECT_THAT(message(question), HasSubstr("5000"));
    question = {};
    question.axis = LabAxis::Side;
    question.threads = 1000;
    EXPECT_THAT(message(question), HasSubstr("blocks of 1000"));
    question = {};
    question.axis = LabAxis::Padding;
    question.padding = {-1};
    EXPECT_THAT(message(question), HasSubstr("not -1"));
    question.padding = {std::numeric_limits<int>::max()};
    EXPECT_THAT(message(question), HasSubstr("not 2147483647"));
}

TEST(Laboratory, ProgressRisesToOneAndMayCancel) {
    MadeUpSource source;
    std::vector<double> parts;
    LabQuestion question = overBlocks({64, 128});
    question.kernels = {"jacobi/direct", "jacobi/l2-only"};
    ask(question, source, [&](double part) { parts.push_back(part); });
    EXPECT_THAT(parts, ElementsAre(0, 0.25, 0.5, 0.75, 1));
    source.asked = 0;
    EXPECT_THROW(ask(question, source, [](double) { throw Cancelled(); }), Cancelled);
    EXPECT_EQ(source.asked, 0);
}

std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> all;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');)
        all.push_back(cell);
    return all;
}

TEST(Laboratory, CsvCanBeReadBackToTheLastBit) {
    MadeUpSource source;
    source.seconds = {{64, 1. / 3e4}};
    const LabAnswer answer = ask(overBlocks({64, 128}), source);
    std::istringstream csv(toCsv(answer));
    std::string heading, first, second, rest;
    std::getline(csv, heading);
    std::getline(csv, first);
    std::getline(csv, second);
    EXPECT_FALSE(std::getline(csv, rest));
    const std::vector<std::string> names = cells(heading);
    std::vector<std::string> values = cells(first);
    ASSERT_EQ(names.size(), values.size());
    const auto value = [&](const char* name) {
        const auto at = std::find(names.begin(), names.end(), name) - names.begin();
        return values.at(static_cast<std::size_t>(at));
    };
    const LabRow& row = answer.curves[0].rows[0];
    EXPECT_EQ(value("gpu"), "\"Made Up 100\"");
    EXPECT_EQ(value("kernel"), "\"jacobi/direct\"");
    EXPECT_EQ(value("threads"), "64");
    EXPECT_EQ(value("grid"), "2x32x64");
    EXPECT_EQ(value("limit"), "registers");
    EXPECT_EQ(value("time_origin"), "\"measured now on Made Up 100\"");
    EXPECT_THAT(second, HasSubstr("none: predicted only"));
    EXPECT_EQ(std::stod(value("measured_seconds")), 1. / 3e4);
    EXPECT_EQ(std::stod(value("wu_seconds")), row.predicted[0]);
    EXPECT_EQ(std::stod(value("hong_kim_seconds")), row.predicted[1]);
    EXPECT_EQ(std::stod(value("systole_seconds")), row.predicted[2]);
    // Unknown values are empty: this row wasn't measured.
    EXPECT_EQ(second.substr(second.size() - 4), ",,,,");
}

TEST(Laboratory, JsonHasTheWholeAnswer) {
    MadeUpSource source;
    source.seconds = {{64, 2e-4}, {128, 1e-4}};
    source.refused = 96;
    const LabAnswer answer = ask(overBlocks({64, 96, 128}), source);
    const auto json = nlohmann::json::parse(toJson(answer));
    EXPECT_EQ(json["source"], "Made up.");
    EXPECT_EQ(json["axis"], "block size");
    EXPECT_EQ(json["machine"]["name"], "Made Up 100");
    EXPECT_EQ(json["notes"].size(), 1u);
    const auto& curve = json["curves"][0];
    EXPECT_EQ(curve["kernel"], "jacobi/direct");
    EXPECT_EQ(curve["best_measured"], 128);
    EXPECT_EQ(curve["models"]["wu"]["mean_error"].get<double>(), answer.curves[0].meanError[wu]);
    EXPECT_EQ(curve["rows"][1]["measured_seconds"], 1e-4);
    EXPECT_EQ(curve["rows"][1]["time_origin"], "measured now on Made Up 100");
    EXPECT_TRUE(curve["models"].contains("hong_kim"));
    EXPECT_EQ(curve["rows"][1]["predicted_seconds"]["systole"].get<double>(),
              answer.curves[0].rows[1].predicted[2]);
}

} // namespace
} // namespace systole
