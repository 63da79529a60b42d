// Files of measurements, and the sources that answer from them.
#include "tests/support/lab_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace systole {
namespace {

using namespace lab;
using test::madeUpLaunch;
using test::madeUpMachine;
using test::madeUpPoint;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

/// jacobi/direct at sides 64 and 128, jacobi/shared at 64 alone.
GpuRecord madeUpRecord() {
    GpuRecord record;
    record.machine = madeUpMachine();
    record.when = "2026-11-21";
    record.driver = "580.1, CUDA 13.0";
    record.compiledFor = 90;
    for (const int side : {64, 128})
        for (const int threads : {128, 256})
            record.points.push_back(
                madeUpPoint("jacobi/direct", side, threads, 1e-9 * side * side * side / 3));
    record.points.back().callSeconds = 0.25;
    record.points.back().deviation = 0;
    record.points.front().launches.push_back(madeUpLaunch("second", 32, 64));
    record.points.push_back(madeUpPoint("jacobi/shared", 64, 128, 1. / 7));
    record.points.back().paddingBytes = 4096;
    record.points.back().deviation = 1e-7;
    return record;
}

void expectEqual(const ProfileSpan& a, const ProfileSpan& b) {
    EXPECT_EQ(a.kernel, b.kernel);
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_EQ(a.grid[axis], b.grid[axis]);
        EXPECT_EQ(a.block[axis], b.block[axis]);
    }
    EXPECT_EQ(a.registers, b.registers);
    EXPECT_EQ(a.sharedBytes, b.sharedBytes);
    EXPECT_EQ(a.localBytes, b.localBytes);
    EXPECT_EQ(a.activeBlocks, b.activeBlocks);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.flops, b.flops);
    for (const CountedCost part : countedCosts)
        EXPECT_EQ(a.cost.*part, b.cost.*part);
    EXPECT_EQ(a.cost.bankConflicts, b.cost.bankConflicts);
}

TEST(GpuRecord, ComesBackFromItsFileToTheLastBit) {
    const GpuRecord record = madeUpRecord();
    const GpuRecord read = parseGpuRecord(toJson(record));
    EXPECT_EQ(read.machine.name, record.machine.name);
    EXPECT_EQ(read.machine.departureDelay, record.machine.departureDelay);
    EXPECT_EQ(read.when, record.when);
    EXPECT_EQ(read.driver, record.driver);
    EXPECT_EQ(read.compiledFor, 90);
    ASSERT_EQ(read.points.size(), record.points.size());
    for (std::size_t i = 0; i < record.points.size(); ++i) {
        const LabPoint &a = read.points[i], &b = record.points[i];
        EXPECT_EQ(a.kernel, b.kernel);
        EXPECT_EQ(a.side, b.side);
        EXPECT_EQ(a.threads, b.threads);
        EXPECT_EQ(a.paddingBytes, b.paddingBytes);
        EXPECT_EQ(a.seconds, b.seconds);
        EXPECT_EQ(a.callSeconds, b.callSeconds);
        EXPECT_EQ(a.deviation, b.deviation);
        EXPECT_EQ(a.uploadBytes, b.uploadBytes);
        EXPECT_EQ(a.downloadBytes, b.downloadBytes);
        ASSERT_EQ(a.launches.size(), b.launches.size());
        for (std::size_t l = 0; l < a.launches.size(); ++l)
            expectEqual(a.launches[l], b.launches[l]);
    }
    EXPECT_EQ(toJson(read), toJson(record));
    EXPECT_THAT(read.sidesOf("jacobi/direct"), ElementsAre(64, 128));
    EXPECT_EQ(read.find("jacobi/shared", 64, 128), nullptr);
    EXPECT_NE(read.find("jacobi/shared", 64, 128, 4096), nullptr);
}

TEST(GpuRecord, AMachineAloneIsARecordToo) {
    GpuRecord record;
    record.machine = madeUpMachine();
    const GpuRecord read = parseGpuRecord(toJson(record));
    EXPECT_TRUE(read.points.empty());
    EXPECT_EQ(read.machine.globalLatency, 600);
}

TEST(GpuRecord, EverythingMeasuredOnOneGpuStaysAMegabyteAndAHalf) {
    GpuRecord record;
    record.machine = madeUpMachine();
    for (int kernel = 0; kernel < 30; ++kernel)
        for (const int side : {64, 96, 128, 160, 200})
            for (const int threads : BlockRange{}.all()) {
                // Costs that differ with the side, times with all their digits.
                LabPoint point = madeUpPoint("some-task/variant-" + std::to_string(kernel), side,
                                             threads, 1. / (3 + kernel + side + threads));
                point.launches[0].cost.integer = 100. / side;
                record.points.push_back(point);
            }
    EXPECT_LT(toJson(record).size(), 1'500'000u);
}

std::string refusal(const std::string& text) {
    try {
        parseGpuRecord(text);
    } catch (const ComputeError& error) {
        return error.what();
    }
    return "taken";
}

TEST(GpuRecord, WhatIsNoneIsRefusedInOneSentence) {
    for (const char* text : {"", "nonsense", "[]", "{}", "null", "17", "{\"format\":7}",
                             "{\"format\":\"systole gpu record\",\"version\":2}"})
        EXPECT_THAT(refusal(text), HasSubstr("not a GPU record: ")) << text;
    EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("not a GPU record"));
    // Valid JSON: whoever copied what is parsed of it would run out of stack.
    const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
    EXPECT_THAT(refusal(R"({"format":)" + deep + "}"), HasSubstr("nested deeper"));
    const Json good = Json::parse(toJson(madeUpRecord()));
    const auto with = [&](const char* pointer, const Json& value) {
        Json changed = good;
        changed[Json::json_pointer(pointer)] = value;
        return refusal(changed.dump());
    };
    EXPECT_THAT(with("/when", 7), HasSubstr("when it was measured"));
    EXPECT_THAT(with("/driver", std::string(1000, 'x')), HasSubstr("at most 100"));
    EXPECT_THAT(with("/when", "today\n"), HasSubstr("when it was measured has control characters"));
    EXPECT_THAT(with("/machine/name", "a\x1b[2J"), HasSubstr("control characters"));
    EXPECT_THAT(with("/costs/0/0", -1), HasSubstr("part of a cost"));
    EXPECT_THAT(with("/costs/0/0", "1"), HasSubstr("part of a cost"));
    EXPECT_THAT(with("/costs/0", Json::array({1, 2})), HasSubstr("a list of 16"));
    EXPECT_THAT(with("/launches/0/1/2", 0), HasSubstr("side of a grid"));
    constexpr int most = std::numeric_limits<int>::max();
    EXPECT_THAT(with("/launches/0/1", Json::array({most, most, most})), HasSubstr("1e+12 blocks"));
    EXPECT_THAT(with("/launches/0/2", Json::array({1024, 2, 1})), HasSubstr("1024 threads"));
    EXPECT_THAT(with("/launches/0/3", 3.5), HasSubstr("whole number"));
    EXPECT_THAT(with("/launches/0/9", 99), HasSubstr("a missing cost"));
    EXPECT_THAT(with("/points/0/side", 0), HasSubstr("side of a group"));
    EXPECT_THAT(with("/points/0/runs", Json::array()), HasSubstr("'runs'"));
    EXPECT_THAT(with("/points/0/runs/0/2", -1), HasSubstr("seconds of a run"));
    EXPECT_THAT(with("/points/0/runs/0/5", Json::array()), HasSubstr("launches of a run"));
    EXPECT_THAT(with("/points/0/runs/0/5/0", 12345), HasSubstr("a missing launch"));
    EXPECT_NE(with("/machine/clockHertz", Json()), "taken");
    Json without = good;
    without.erase("machine");
    EXPECT_THAT(refusal(without.dump()), HasSubstr("'machine'"));
    // Numbers that no number holds.
    std::string huge = good.dump();
    const std::size_t at = huge.find("\"upload\":") + 9;
    huge.insert(at, "1e999,\"x\":");
    EXPECT_THAT(refusal(huge), HasSubstr("not a GPU record"));
}

TEST(GpuRecord, RunsThatNameLongListsAgainAndAgainAreRefused) {
    Json json = Json::parse(toJson(madeUpRecord()));
    Json& runs = json["points"][0]["runs"];
    Json longRun = runs[0];
    longRun[5] = std::vector<int>(10000, 0);
    runs = Json::array();
    for (int i = 0; i < 21; ++i)
        runs.push_back(longRun);
    EXPECT_THAT(refusal(json.dump()), HasSubstr("too many launches"));
}

std::optional<LabPoint> pointOf(LabSource& source, const char* kernel, int side, int threads,
                                int padding, std::string& why) {
    why.clear();
    return source.point(labKernel(kernel), side, threads, padding, why);
}

TEST(RecordedSource, GivesWhatWasRecorded) {
    const auto source = recordedSource(madeUpRecord());
    EXPECT_THAT(source->sentence(),
                AllOf(HasSubstr("Recorded on Made Up 100 on 2026-11-21"), HasSubstr("9.0")));
    std::string why;
    const auto point = pointOf(*source, "jacobi/direct", 128, 256, 0, why);
    ASSERT_TRUE(point);
    EXPECT_EQ(why, "");
    EXPECT_EQ(point->seconds, 1e-9 * 128 * 128 * 128 / 3);
    EXPECT_EQ(point->launches[0].activeBlocks, 3);
    EXPECT_EQ(source->withTransfers(labKernel("jacobi/direct"), 128, 256), 0.25);
    EXPECT_EQ(source->withTransfers(labKernel("jacobi/direct"), 64, 256), 0);
    EXPECT_EQ(source->withTransfers(labKernel("jacobi/direct"), 72, 256), 0);
}

TEST(RecordedSource, BetweenItsSidesGridsAreThoseThatCoverAndNothingIsMeasured) {
    const auto source = recordedSource(madeUpRecord());
    std::string why;
    const auto point = pointOf(*source, "jacobi/direct", 72, 256, 0, why);
    ASSERT_TRUE(point);
    EXPECT_THAT(why, HasSubstr("not measured"));
    EXPECT_EQ(point->side, 72);
    EXPECT_EQ(point->seconds, 0);
    const ProfileSpan expected = madeUpLaunch("jacobi/direct", 72, 256);
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_EQ(point->launches[0].grid[axis], expected.grid[axis]);
    // Sums over voxels go with the cube of the side.
    EXPECT_NEAR(point->launches[0].bytes, expected.bytes, 1e-9 * expected.bytes);
    EXPECT_NEAR(point->launches[0].flops, expected.flops, 1e-9 * expected.flops);
    EXPECT_NEAR(point->uploadBytes, 8. * 72 * 72 * 72, 1e-3);
    // Resources are the nearer side's.
    EXPECT_EQ(point->launches[0].registers, 40);
}

TEST(RecordedSource, GridsThatDontCoverTheVolumeFollowAPowerLaw) {
    GpuRecord record = madeUpRecord();
    // Landmarks in proportion to the square of the side: 256 and 1024 rows of blocks.
    for (LabPoint& point : record.points)
        if (point.threads == 256)
            point.launches[0].grid[1] = point.side * point.side / 16;
    const auto source = recordedSource(record);
    std::string why;
    const auto point = pointOf(*source, "jacobi/direct", 96, 256, 0, why);
    ASSERT_TRUE(point);
    EXPECT_EQ(point->launches[0].grid[1], 576);
}

TEST(RecordedSource, SaysWhatItHasNot) {
    const auto source = recordedSource(madeUpRecord());
    std::string why;
    // A side smaller than all recorded ones.
    EXPECT_FALSE(pointOf(*source, "jacobi/direct", 32, 256, 0, why));
    EXPECT_THAT(why, HasSubstr("recorded sides: 64, 128"));
    EXPECT_FALSE(pointOf(*source, "jacobi/direct", 72, 512, 0, why)); // a block that isn't there
    EXPECT_THAT(why, HasSubstr("recorded sides: 64, 128"));
    // The side is recorded, the block isn't.
    EXPECT_FALSE(pointOf(*source, "jacobi/direct", 64, 512, 0, why));
    EXPECT_THAT(why, HasSubstr("recorded at side 64: 128, 256"));
    EXPECT_FALSE(pointOf(*source, "jacobi/direct", 96, 128, 0, why)); // other launches on each side
    EXPECT_FALSE(pointOf(*source, "warp/direct", 64, 256, 0, why));
}

TEST(RecordedSource, PaddingThatWasNotRecordedIsNotMeasured) {
    const auto source = recordedSource(madeUpRecord());
    std::string why;
    const auto point = pointOf(*source, "jacobi/direct", 128, 256, 30000, why);
    ASSERT_TRUE(point);
    EXPECT_THAT(why, HasSubstr("padding"));
    EXPECT_EQ(point->seconds, 0);
    EXPECT_EQ(point->paddingBytes, 30000);
    EXPECT_EQ(point->launches[0].sharedBytes, 31024);
    EXPECT_EQ(point->launches[0].activeBlocks, 0);
}

TEST(CatalogSource, HasAnotherMachineAndNoMeasurement) {
    model::GpuMachine other = madeUpMachine();
    other.name = "Smaller";
    other.multiprocessors = 10;
    const auto source = catalogSource(other, madeUpRecord());
    EXPECT_THAT(source->sentence(), AllOf(HasSubstr("Measured latencies and bandwidths of Smaller"),
                                          HasSubstr("launched on Made Up 100"),
                                          HasSubstr("all times are predictions")));
    std::string why;
    const auto point = pointOf(*source, "jacobi/direct", 128, 256, 0, why);
    ASSERT_TRUE(point);
    EXPECT_EQ(why, "");
    EXPECT_EQ(point->seconds, 0);
    EXPECT_EQ(point->launches[0].activeBlocks, 0);
    EXPECT_EQ(source->withTransfers(labKernel("jacobi/direct"), 128, 256), 0);
    LabQuestion question;
    question.side = 128;
    question.blockSizes = {256};
    const LabAnswer answer = ask(question, *source);
    EXPECT_EQ(answer.machine.name, "Smaller");
    EXPECT_GT(answer.curves[0].rows[0].predicted[0], 0);
    EXPECT_EQ(answer.curves[0].rows[0].measured, 0);
}

TEST(CatalogSource, SaysWhereAThreadWantsMoreRegistersThanItCanHave) {
    model::GpuMachine fermi = madeUpMachine();
    fermi.name = "Old";
    fermi.computeCapability = 20;
    GpuRecord record = madeUpRecord();
    for (LabPoint& point : record.points)
        point.launches[0].registers = 80;
    const auto source = catalogSource(fermi, record);
    LabQuestion question;
    question.side = 128;
    question.blockSizes = {256};
    const LabAnswer answer = ask(question, *source);
    EXPECT_EQ(answer.curves[0].rows[0].occupancy.activeBlocks, 0);
    EXPECT_EQ(answer.curves[0].rows[0].predicted[0], 0);
    ASSERT_EQ(answer.notes.size(), 2u);
    EXPECT_THAT(answer.notes[0], HasSubstr("more than the 63 registers"));
    EXPECT_THAT(answer.notes[1], HasSubstr("no block fits"));
}

} // namespace
} // namespace systole
