// The catalogue of GPUs that we ship, and files that are none.
#include "compute/core/error.h"
#include "compute/model/machine.h"
#include "tests/compute/model/model_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace systole::model {
namespace {

using ::testing::HasSubstr;

std::vector<GpuMachine> catalog() {
    std::ifstream file(SYSTOLE_ASSETS "/gpu_catalog.json");
    std::stringstream text;
    text << file.rdbuf();
    return parseGpuCatalog(text.str());
}

GpuMachine fromCatalog(const std::string& name) {
    for (const GpuMachine& machine : catalog())
        if (machine.name == name)
            return machine;
    ADD_FAILURE() << "no " << name;
    return {};
}

std::string complaint(const std::string& json) {
    try {
        parseGpuMachine(json);
    } catch (const ComputeError& error) {
        return error.what();
    }
    return "";
}

/// A good profile with one piece of its text exchanged.
std::string spoilt(const std::string& piece, const std::string& by) {
    std::string json = toJson(test::roundMachine());
    const auto at = json.find(piece);
    EXPECT_NE(at, std::string::npos) << piece;
    return json.replace(at, piece.size(), by);
}

TEST(GpuCatalog, HoldsTheCardsOfThePapersAndCurrentOnes) {
    std::vector<std::string> names;
    for (const GpuMachine& machine : catalog())
        names.push_back(machine.name);
    for (const char* name :
         {"Tesla C2050", "Tesla K20c", "Quadro M5000", "Tesla P100", "GeForce GTX 480",
          "GeForce GTX 980", "GeForce GTX 1050", "GeForce RTX 2070", "GeForce RTX 3060",
          "GeForce RTX 3080", "GeForce RTX 4070", "GeForce RTX 4090", "GeForce RTX 5090", "A100",
          "L4", "H100", "H200", "B200"})
        EXPECT_EQ(std::ranges::count(names, name), 1) << name;
}

TEST(GpuCatalog, SaysWhereEveryFigureIsFrom) {
    const char* figures[] = {"computeCapability", "multiprocessors",  "clockHertz",
                             "memoryBandwidth",   "memoryBytes",      "l2Bytes",
                             "globalLatency",     "l2Latency",        "l1Latency",
                             "sharedLatency",     "departureDelay",   "latency",
                             "l2Bandwidth",       "uploadPinned",     "downloadPinned",
                             "uploadPageable",    "downloadPageable", "launchOverhead"};
    for (const GpuMachine& machine : catalog()) {
        for (const char* figure : figures) {
            const auto found = machine.sources.find(figure);
            EXPECT_TRUE(found != machine.sources.end() && !found->second.empty())
                << machine.name << " " << figure;
        }
        for (const auto& [figure, source] : machine.sources)
            EXPECT_TRUE(figure.empty() || std::ranges::count(figures, figure) == 1)
                << machine.name << " " << figure;
    }
}

// Lanes of the limits times multiprocessors and clock give the arithmetic peak that the vendor
// states for the card: a check of three figures at once. In 10^12 operations a second.
TEST(GpuCatalog, PeaksAreTheVendorsOwn) {
    const std::pair<const char*, double> stated[] = {{"Tesla P100", 9.3},
                                                     {"GeForce GTX 480", 1.345},
                                                     {"GeForce GTX 980", 4.98},
                                                     {"GeForce RTX 2070", 7.5},
                                                     {"GeForce RTX 3060", 12.7},
                                                     {"GeForce RTX 3080", 29.8},
                                                     {"GeForce RTX 4070", 29},
                                                     {"GeForce RTX 4090", 82.6},
                                                     {"GeForce RTX 5090", 104.8},
                                                     {"A100", 19.5},
                                                     {"L4", 30.3},
                                                     {"H100", 67},
                                                     {"H200", 67}};
    for (const auto& [name, teraflops] : stated) {
        const GpuMachine machine = fromCatalog(name);
        // The paper's clock of the P100 is lower than the data sheet's boost.
        const double clock = std::string_view(name) == "Tesla P100" ? 1303e6 / 1190e6 : 1.0;
        EXPECT_NEAR(machine.peakFlops() * clock / 1e12, teraflops, 0.02 * teraflops) << name;
    }
}

TEST(GpuCatalog, HoldsThePapersTable2) {
    const GpuMachine c2050 = fromCatalog("Tesla C2050");
    EXPECT_EQ(c2050.multiprocessors, 14);
    EXPECT_EQ(c2050.clockHertz, 575e6);
    EXPECT_EQ(c2050.memoryBandwidth, 144e9);
    EXPECT_EQ(c2050.computeCapability, 20); // the table says 5.1
    EXPECT_EQ(fromCatalog("Tesla K20c").clockHertz, 706e6);
    EXPECT_EQ(fromCatalog("Quadro M5000").memoryBandwidth, 211.6e9);
    EXPECT_EQ(fromCatalog("Tesla P100").multiprocessors, 56);
    // N_sp of the table is multiprocessors times lanes, so these agree with it.
    const std::pair<const char*, int> lanes[] = {
        {"Tesla C2050", 448}, {"Tesla K20c", 2496}, {"Quadro M5000", 2048}, {"Tesla P100", 3584}};
    for (const auto& [name, count] : lanes) {
        const GpuMachine machine = fromCatalog(name);
        EXPECT_EQ(machine.multiprocessors * machine.limits().floatLanes, count) << name;
    }
}

TEST(GpuCatalog, CanBePredictedThroughout) {
    KernelWork work;
    work.resources = {128, 32, 4096, 0};
    work.cost.globalLoads = 12;
    work.cost.globalStores = 3;
    work.cost.fusedMultiplyAdd = 40;
    work.cost.divide = 1;
    work.cost.barriers = 1;
    work.blocks = 62500; // 200³ voxels
    work.bytes = 60 * 8e6;
    for (const GpuMachine& machine : catalog()) {
        EXPECT_LT(machine.l1Latency, machine.l2Latency) << machine.name;
        EXPECT_LT(machine.l2Latency, machine.globalLatency) << machine.name;
        for (const PerformanceModel& model : performanceModels()) {
            const double seconds = model.predict(machine, work).seconds;
            EXPECT_GT(seconds, 1e-6) << machine.name << " " << model.id;
            EXPECT_LT(seconds, 1.0) << machine.name << " " << model.id;
        }
    }
}

TEST(GpuMachine, SurvivesItsFile) {
    GpuMachine machine = test::roundMachine();
    machine.measured = true;
    machine.sources[""] = "worked out";
    machine.sources["clockHertz"] = "chosen";
    const GpuMachine read = parseGpuMachine(toJson(machine));
    EXPECT_EQ(toJson(read), toJson(machine));
    EXPECT_EQ(read.clockHertz, machine.clockHertz);
    EXPECT_EQ(read.latency.logarithm, machine.latency.logarithm);
    EXPECT_EQ(read.launchOverhead, machine.launchOverhead);
    EXPECT_EQ(read.sources, machine.sources);
    EXPECT_TRUE(read.measured);
}

TEST(GpuMachine, RefusesInOneSentence) {
    EXPECT_EQ(complaint(toJson(test::roundMachine())), "");
    EXPECT_EQ(complaint("nonsense"), "the text isn't JSON, and so not a GPU's profile");
    EXPECT_EQ(complaint(""), "the text isn't JSON, and so not a GPU's profile");
    EXPECT_EQ(complaint("[]"), "the GPU's profile: it isn't an object");
    EXPECT_EQ(complaint("{}"), "the GPU's profile: name is missing");
    EXPECT_EQ(complaint(spoilt("\"l2Latency\"", "\"l9Latency\"")),
              "the GPU 'round': l2Latency is missing");
    EXPECT_THAT(complaint(spoilt("400.0", "\"400\"")), HasSubstr("isn't a number"));
    EXPECT_THAT(complaint(spoilt("400.0", "-1")),
                HasSubstr("globalLatency is -1, expected 1 to 100000"));
    EXPECT_THAT(complaint(spoilt("400.0", "1e300")), HasSubstr("globalLatency"));
    EXPECT_EQ(complaint(spoilt("400.0", "1e999")),
              "the text isn't JSON, and so not a GPU's profile");
    EXPECT_THAT(complaint(spoilt("400.0", "null")), HasSubstr("isn't a number"));
    EXPECT_THAT(complaint(spoilt("\"multiprocessors\": 10", "\"multiprocessors\": 1.5")),
                HasSubstr("multiprocessors is 1.5, expected a whole number"));
    EXPECT_THAT(complaint(spoilt("\"multiprocessors\": 10", "\"multiprocessors\": 0")),
                HasSubstr("multiprocessors is 0, expected 1 to 10000"));
    EXPECT_THAT(complaint(spoilt("\"computeCapability\": 90", "\"computeCapability\": 13")),
                HasSubstr("computeCapability is 13, expected 20 to 139"));
    EXPECT_THAT(complaint(spoilt("\"computeCapability\": 90", "\"computeCapability\": 999")),
                HasSubstr("computeCapability is 999"));
    EXPECT_THAT(complaint(spoilt("\"measured\": false", "\"measured\": 0")),
                HasSubstr("neither true nor false"));
    EXPECT_THAT(complaint(spoilt("\"add\": 4.0", "\"add\": -4.0")),
                HasSubstr("the latency of 'round': add is -4, expected 0 to 100000"));
    EXPECT_THAT(complaint(spoilt("\"round\"", "\"\"")), HasSubstr("name"));
    EXPECT_THAT(complaint(spoilt("\"round\"", "\"red \\u001b[31m\"")),
                HasSubstr("name has control characters"));
    EXPECT_THAT(complaint(spoilt("\"round\"", "\"" + std::string(100000, 'x') + "\"")),
                HasSubstr("200 characters"));
    EXPECT_THAT(complaint(spoilt("\"sources\": {}", "\"sources\": {\"clockHertz\": 3}")),
                HasSubstr("source of 'clockHertz'"));
    EXPECT_THROW(parseGpuCatalog("{\"gpus\": []}"), ComputeError);
    EXPECT_THROW(parseGpuCatalog("{\"gpus\": [3]}"), ComputeError);
    EXPECT_THROW(parseGpuCatalog("3"), ComputeError);
    const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
    EXPECT_THROW(parseGpuCatalog(R"({"gpus":)" + deep + "}"), ComputeError);
}

TEST(GpuMachine, WritesANameThatIsNoText) {
    GpuMachine machine = test::roundMachine();
    machine.name = "broken \xff";
    EXPECT_NO_THROW(parseGpuMachine(toJson(machine)));
}

} // namespace
} // namespace systole::model
