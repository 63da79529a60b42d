// Sources of the laboratory's figures.
#include "app/base/error.h"
#include "app/base/lab_library.h"
#include "io/base/error.h"
#include "tests/support/lab_support.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace systole {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using testing::writeText;

/// Assets and a user's folder of the test's own, with the real catalogue.
class LabLibrary : public ::testing::Test {
protected:
    void SetUp() override {
        fs::create_directories(assets() / "gpu_profiles");
        fs::copy_file(fs::path(SYSTOLE_ASSETS_FOLDER) / "gpu_catalog.json",
                      assets() / "gpu_catalog.json");
        setenv("SYSTOLE_ASSETS", assets().c_str(), 1);
        setenv("XDG_DATA_HOME", (folder_ / "home").c_str(), 1);
    }
    void TearDown() override {
        unsetenv("SYSTOLE_ASSETS");
        unsetenv("XDG_DATA_HOME");
    }
    fs::path assets() const { return folder_.path() / "assets"; }

    static lab::GpuRecord record(const std::string& gpu, bool withPoints = true) {
        lab::GpuRecord record;
        record.machine = test::madeUpMachine();
        record.machine.name = gpu;
        record.when = "2026-11-21";
        record.driver = "1.2";
        record.compiledFor = 90;
        if (withPoints)
            record.points = {test::madeUpPoint("jacobi/direct", 64, 256, 1e-3)};
        return record;
    }
    void ship(const lab::GpuRecord& record, const char* file = "made-up.json") {
        writeText(assets() / "gpu_profiles" / file, lab::toJson(record));
    }
    static CudaDevice device(const std::string& name, int capability) {
        CudaDevice device;
        device.name = name;
        device.computeCapability = capability;
        device.multiprocessors = 77;
        device.memoryBytes = std::size_t{5} << 30;
        return device;
    }

    TemporaryFolder folder_;
};

TEST_F(LabLibrary, ListsRecordsOfBothKindsThenTheCatalogue) {
    ship(record("Shipped"));
    ship(record("A machine alone", false), "machine.json");
    fs::create_directories(userProfileFolder());
    writeText(userProfile("Own card"), lab::toJson(record("Own card")));
    writeText(userProfileFolder() / "spoilt.json", "nonsense");
    std::vector<LabChoice> choices = labChoices();
    if (choices.front().origin == LabOrigin::Device)
        choices.erase(choices.begin());
    EXPECT_EQ(choices[0], (LabChoice{LabOrigin::Recorded, "Shipped",
                                     assets() / "gpu_profiles" / "made-up.json"}));
    EXPECT_EQ(choices[1], (LabChoice{LabOrigin::Recorded, "Own card", userProfile("Own card")}));
    EXPECT_EQ(choices[0].label(), "Shipped (recorded)");
    ASSERT_EQ(choices.size(), 2 + gpuCatalogue().size());
    for (std::size_t i = 2; i < choices.size(); ++i)
        EXPECT_EQ(choices[i].origin, LabOrigin::Catalogue);
}

TEST_F(LabLibrary, WithoutADeviceTheShippedRecordAnswers) {
    if (cudaStatus().usable())
        GTEST_SKIP() << "there is a device";
    EXPECT_THROW(defaultLabChoice(), FileError);
    ship(record("Shipped"));
    const LabChoice choice = defaultLabChoice();
    EXPECT_EQ(choice.name, "Shipped");
    const auto source = openLabSource(choice, nullptr);
    EXPECT_THAT(source->sentence(), HasSubstr("Recorded on Shipped"));
}

TEST_F(LabLibrary, CatalogueNamesGoWithoutTheMakersWords) {
    EXPECT_EQ(catalogueChoice("h200").origin, LabOrigin::Catalogue);
    EXPECT_EQ(catalogueChoice("NVIDIA H200").name, catalogueChoice("h200").name);
    EXPECT_EQ(catalogueChoice("geforce rtx 4090").name, catalogueChoice("RTX 4090").name);
    try {
        catalogueChoice("RTX");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("several catalogue GPUs match 'RTX': GeForce RTX 2070"));
    }
    EXPECT_EQ(catalogueChoice("4090").name, "GeForce RTX 4090");
    for (const char* none : {"", "NVIDIA", "Volta"})
        try {
            catalogueChoice(none);
            FAIL() << none;
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), HasSubstr("P100"));
        }
}

TEST_F(LabLibrary, AGpuByNameIsItsRecordWhereThereIsOne) {
    EXPECT_EQ(gpuChoice("H100").origin, LabOrigin::Catalogue);
    ship(record("NVIDIA H100 80GB HBM3"), "nvidia-h100.json");
    for (const char* name : {"H100", "nvidia h100", "NVIDIA H100 80GB HBM3"}) {
        EXPECT_EQ(gpuChoice(name).origin, LabOrigin::Recorded) << name;
        EXPECT_EQ(gpuChoice(name).name, "NVIDIA H100 80GB HBM3");
    }
    EXPECT_EQ(gpuChoice("H200").origin, LabOrigin::Catalogue);
    EXPECT_EQ(catalogueChoice("H100").origin, LabOrigin::Catalogue);
    EXPECT_THROW(gpuChoice(""), UsageError);
}

TEST_F(LabLibrary, OfShippedRecordsTheH200sComesFirst) {
    ship(record("NVIDIA H100 80GB HBM3"), "nvidia-h100.json");
    ship(record("Another"), "another.json");
    ship(record("NVIDIA H200"), "nvidia-h200.json");
    std::vector<std::string> names;
    for (const fs::path& file : shippedRecords())
        names.push_back(file.filename());
    EXPECT_EQ(names,
              (std::vector<std::string>{"nvidia-h200.json", "another.json", "nvidia-h100.json"}));
    EXPECT_THAT(openLabSource(catalogueChoice("A100"), nullptr)->sentence(),
                HasSubstr("kernels as launched on NVIDIA H200"));
    if (!cudaStatus().usable()) {
        EXPECT_EQ(defaultLabChoice().name, "NVIDIA H200");
    }
}

TEST_F(LabLibrary, CatalogueGpusHaveTheKernelsOfTheRecord) {
    EXPECT_THROW(openLabSource(catalogueChoice("H200"), nullptr), FileError); // nothing recorded
    ship(record("Shipped"));
    const auto source = openLabSource(catalogueChoice("A100"), nullptr);
    EXPECT_THAT(source->machine().name, HasSubstr("A100"));
    std::string why;
    const auto point = source->point(lab::labKernel("jacobi/direct"), 64, 256, 0, why);
    ASSERT_TRUE(point);
    EXPECT_EQ(point->seconds, 0);
}

TEST_F(LabLibrary, AProfileIsARecordOrAMachineAlone) {
    writeText(folder_ / "a.json", lab::toJson(record("With points")));
    writeText(folder_ / "b.json", lab::toJson(record("Alone", false)));
    writeText(folder_ / "c.json", "{}");
    ship(record("Shipped"));
    EXPECT_EQ(recordChoice(folder_ / "a.json").origin, LabOrigin::Recorded);
    const LabChoice alone = recordChoice(folder_ / "b.json");
    EXPECT_EQ(alone.origin, LabOrigin::Catalogue);
    EXPECT_EQ(openLabSource(alone, nullptr)->machine().name, "Alone");
    for (const char* file : {"c.json", "missing.json"})
        try {
            recordChoice(folder_ / file);
            FAIL();
        } catch (const FileError& error) {
            EXPECT_THAT(error.what(), HasSubstr(file));
        }
}

TEST_F(LabLibrary, ADeviceHasItsOwnProfileFirst) {
    const CudaDevice h200 = device("NVIDIA H200", 90);
    // The machine is the catalogue's, with the driver's own figures.
    model::GpuMachine machine = machineFor(h200);
    EXPECT_EQ(machine.name, "NVIDIA H200");
    EXPECT_EQ(machine.multiprocessors, 77);
    EXPECT_EQ(machine.memoryBytes, std::size_t{5} << 30);
    EXPECT_FALSE(machine.measured);
    EXPECT_THAT(machine.sources[""], HasSubstr("catalogue"));
    // Measured on another such card.
    ship(record("NVIDIA H200"));
    machine = machineFor(h200);
    EXPECT_EQ(machine.globalLatency, 600);
    EXPECT_EQ(machine.multiprocessors, 77);
    EXPECT_THAT(machine.sources[""], HasSubstr("another NVIDIA H200"));
    // Measured on this machine.
    fs::create_directories(userProfileFolder());
    lab::GpuRecord own = record("NVIDIA H200", false);
    own.machine.globalLatency = 700;
    writeText(userProfile("NVIDIA H200"), lab::toJson(own));
    EXPECT_EQ(userProfile("NVIDIA H200").filename(), "nvidia-h200.json");
    EXPECT_EQ(machineFor(h200).globalLatency, 700);
    EXPECT_EQ(machineFor(h200).multiprocessors, 100);
}

TEST_F(LabLibrary, VariantsOfACardAreNotTheCard) {
    const auto sourceOf = [&](const char* name, int capability) {
        return machineFor(device(name, capability)).sources[""];
    };
    EXPECT_THAT(sourceOf("NVIDIA H100 80GB HBM3", 90), HasSubstr("the catalogue's H100"));
    EXPECT_THAT(sourceOf("NVIDIA A100-SXM4-80GB", 80), HasSubstr("the catalogue's A100"));
    EXPECT_THAT(sourceOf("NVIDIA GeForce RTX 4070", 89), HasSubstr("the catalogue's "));
    EXPECT_THAT(sourceOf("NVIDIA GeForce RTX 4070 Ti", 89), HasSubstr("figures of the"));
    // Older and newer than all.
    EXPECT_EQ(machineFor(device("NVIDIA Future", 130)).computeCapability, 130);
    EXPECT_THAT(sourceOf("NVIDIA Past", 20), HasSubstr("figures of the"));
}

} // namespace
} // namespace systole
