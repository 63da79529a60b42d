// systole landmarks tre on folders as DIR-Lab's archives unpack: every case found, lungs found,
// registered and measured by one command, and what is missing said.
#include "compute/core/points.h"
#include "compute/core/volume.h"
#include "io/dirlab/image.h"
#include "io/formats/writer.h"
#include "io/landmarks/landmark_file.h"
#include "io/phantom/lungs.h"
#include "tests/support/program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <memory>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::Outcome;
using systole::testing::readText;
using systole::testing::run;
using systole::testing::TemporaryFolder;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class DirLabFolder : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        LungOptions options;
        // Slices run to the feet, as DIR-Lab's do.
        options.grid = Geometry({64, 64, 40}, {4, 4, 6}, {}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}});
        options.frames = 2;
        options.breathMillimeters = 15;
        options.noiseHounsfield = 5;
        phantom_ = std::make_unique<LungPhantom>(options);
        resources_ = std::make_unique<ExecResources>(2);
    }
    static void TearDownTestSuite() {
        phantom_.reset();
        resources_.reset();
    }
    static const Geometry& grid() { return phantom_->geometry(); }

    /// Air is 0, as in DIR-Lab's files; 0 breathed in, 1 breathed out.
    static Volume phase(int frame) {
        Volume image(grid(), resources_->pool(), "image");
        phantom_->image(frame, image.view(), resources_->context());
        for (float& value : image.view().span())
            value += 1024;
        return image;
    }
    std::string data() const { return folder_ / "DIR-Lab"; }
    std::string inFolder(const std::string& name) {
        const fs::path path = fs::path(data()) / name;
        fs::create_directories(path.parent_path());
        return path.string();
    }
    /// Raw voxels with a header, as the grid isn't the published one.
    void writePhase(const std::string& base, int frame) {
        writeDirLabImage(inFolder(base + ".img"), phase(frame).view());
        writeRawHeader(inFolder(base + ".mhd"), grid(),
                       fs::path(base + ".img").filename().string());
    }
    /// The phantom's landmarks in voxels from 1 on.
    void writePoints(const std::string& name, int frame, const Geometry& voxels) {
        LandmarkSet set{frame, {}};
        for (const Vec3 p : phantom_->landmarks(300, resources_->context()))
            set.points.push_back({"", phantom_->forward(p, frame)});
        writeLandmarks(inFolder(name), set, {LandmarkFormat::DirLab, voxels});
    }
    /// Archives of case 2 and of COPD 3 unpacked side by side.
    void writeTwoCases() {
        writePhase("4DCT/Case2Pack/Images/case2_T00-ssm", 0); // not a phase
        writePhase("4DCT/Case2Pack/Images/case2_T00_s", 0);
        writePhase("4DCT/Case2Pack/Images/case2_T50_s", 1);
        writePoints("4DCT/Case2Pack/ExtremePhases/Case2_300_T00_xyz.txt", 0, grid());
        writePoints("4DCT/Case2Pack/ExtremePhases/Case2_300_T50_xyz.txt", 1, grid());
        writePhase("COPD/copd3/copd3/copd3_iBHCT", 0);
        writePhase("COPD/copd3/copd3/copd3_eBHCT", 1);
        writePoints("COPD/copd3/copd3/copd3_300_iBH_xyz_r1.txt", 0, grid());
        writePoints("COPD/copd3/copd3/copd3_300_eBH_xyz_r1.txt", 1, grid());
    }
    Json tre(std::vector<std::string> more = {}) {
        if (more.empty() || more.front().starts_with("-"))
            more.insert(more.begin(), data());
        more.insert(more.begin(), {"landmarks", "tre"});
        more.insert(more.end(), {"-o", folder_ / "tre.json", "--overwrite"});
        outcome_ = run(more);
        EXPECT_EQ(outcome_.exitCode, 0) << outcome_.errors;
        return outcome_.exitCode == 0 ? Json::parse(readText(folder_ / "tre.json")) : Json();
    }

    static std::unique_ptr<LungPhantom> phantom_;
    static std::unique_ptr<ExecResources> resources_;
    TemporaryFolder folder_;
    Outcome outcome_;
};
std::unique_ptr<LungPhantom> DirLabFolder::phantom_;
std::unique_ptr<ExecResources> DirLabFolder::resources_;

TEST_F(DirLabFolder, OneCommandFindsMasksRegistersAndMeasuresEveryCase) {
    writeTwoCases();
    writePoints("4DCT/Case7Pack/ExtremePhases/case7_dirLab300_T00_xyz.txt", 0, grid());
    writePoints("4DCT/Case7Pack/ExtremePhases/case7_dirLab300_T50_xyz.txt", 1, grid());
    const Json record = tre({"--method", "clg"});
    ASSERT_EQ(record["cases"].size(), 2u);
    for (const Json& each : record["cases"]) {
        const double before = each["before"]["mean_mm"];
        EXPECT_GT(before, 4) << each["name"];
        EXPECT_LT(each["after_snapped"]["mean_mm"].get<double>(), 0.3 * before) << each["name"];
        EXPECT_EQ(each["notes"].size(), 2u);
        EXPECT_THAT(each["notes"], Each(HasSubstr("lungs of")));
    }
    EXPECT_EQ(record["cases"][0]["name"], "case2");
    EXPECT_EQ(record["cases"][1]["name"], "copd3");
    EXPECT_THAT(record["skipped"], ElementsAre("case7 lacks case7_T00.img, case7_T50.img"));
    EXPECT_THAT(outcome_.output, HasSubstr("skipped: case7 lacks"));

    const Json everywhere = tre({"--method", "clg", "--case", "case2", "--everywhere"});
    EXPECT_TRUE(everywhere["cases"][0]["notes"].empty());
    EXPECT_NE(everywhere["cases"][0]["after"]["mean_mm"], record["cases"][0]["after"]["mean_mm"]);
}

TEST_F(DirLabFolder, AMaskThatLiesThereIsTaken) {
    writeTwoCases();
    const std::vector<std::uint8_t> lungs = phantom_->lungs(0, resources_->context());
    const std::vector<float> mask(lungs.begin(), lungs.end());
    writeVolume(inFolder("4DCT/Case2Pack/case2_T00_mask.nrrd"), grid(),
                {mask.data(), grid().size()});
    const Json record = tre({"--method", "affine", "--case", "case2"});
    ASSERT_EQ(record["cases"].size(), 1u);
    EXPECT_THAT(record["cases"][0]["notes"], ElementsAre(HasSubstr("case2_T50_s.mhd: lungs of")));
}

TEST_F(DirLabFolder, TheMeansOfTheTwoSetsAreApart) {
    writePoints("case1_300_T00_xyz.txt", 0, grid());
    writePoints("case1_300_T50_xyz.txt", 1, grid());
    writePoints("case2_300_T00_xyz.txt", 0, grid());
    writePoints("case2_300_T50_xyz.txt", 1, grid());
    tre();
    EXPECT_THAT(outcome_.output, HasSubstr("\nmean  "));
    for (const char* name : {"copd1", "copd2"}) {
        writePoints(std::string(name) + "_300_iBH_xyz_r1.txt", 0, grid());
        writePoints(std::string(name) + "_300_eBH_xyz_r1.txt", 1, grid());
    }
    tre();
    EXPECT_THAT(outcome_.output, HasSubstr("\nmean case"));
    EXPECT_THAT(outcome_.output, HasSubstr("\nmean copd"));
}

TEST_F(DirLabFolder, RawImagesOfThePublishedSizeNeedNoHeader) {
    const DirLabCase published = dirLabCase(DirLabSet::FourDCt, 1);
    const Geometry full = published.geometry();
    // The phantom stretched to the case's voxels; its points follow.
    const auto stretched = [&](Vec3 index) {
        Vec3 p;
        for (int axis = 0; axis < 3; ++axis)
            p[axis] = (index[axis] + 0.5) * grid().size()[axis] / full.size()[axis] - 0.5;
        return p;
    };
    for (const int frame : {0, 1}) {
        const Volume small = phase(frame);
        Volume large(full, resources_->pool(), "image");
        for (int z = 0; z < full.size().z; ++z)
            for (int y = 0; y < full.size().y; ++y)
                for (int x = 0; x < full.size().x; ++x) {
                    const Vec3 p = stretched(voxelPoint(x, y, z));
                    large.view()(x, y, z) = small.view()(static_cast<int>(std::lround(p.x)),
                                                         static_cast<int>(std::lround(p.y)),
                                                         static_cast<int>(std::lround(p.z)));
                }
        const std::string name = frame == 0 ? "T00" : "T50";
        writeDirLabImage(inFolder("Case1Pack/Images/case1_" + name + "_s.img"), large.view());
        LandmarkSet set{frame, {}};
        for (const Vec3 p : phantom_->landmarks(300, resources_->context())) {
            const Vec3 index = grid().physicalToIndex(phantom_->forward(p, frame));
            Vec3 there;
            for (int axis = 0; axis < 3; ++axis)
                there[axis] = (index[axis] + 0.5) * full.size()[axis] / grid().size()[axis] - 0.5;
            set.points.push_back({"", full.indexToPhysical(there)});
        }
        writeLandmarks(inFolder("Case1Pack/ExtremePhases/Case1_300_" + name + "_xyz.txt"), set,
                       {LandmarkFormat::DirLab, full});
    }
    const Json record = tre({"--method", "affine"});
    ASSERT_EQ(record["cases"].size(), 1u);
    const Json& only = record["cases"][0];
    EXPECT_EQ(only["after"]["points"], only["pairs"]);
    EXPECT_LT(only["after_snapped"]["mean_mm"].get<double>(),
              0.7 * only["before"]["mean_mm"].get<double>());
    EXPECT_THAT(only["notes"], Each(HasSubstr("lungs of")));
}

TEST_F(DirLabFolder, RegisterFindsTheLungsAndWhatSlidesAlongThem) {
    writeTwoCases();
    const std::string images = "4DCT/Case2Pack/Images/case2_";
    const std::string in = inFolder(images + "T00_s.mhd"), out = inFolder(images + "T50_s.mhd");
    const auto error = [&](const std::string& name, std::vector<std::string> more) {
        more.insert(more.begin(), {"register", in, out, "-o", folder_ / name, "--method", "clg"});
        const Outcome made = run(more);
        EXPECT_EQ(made.exitCode, 0) << made.errors;
        const std::string points = "4DCT/Case2Pack/ExtremePhases/Case2_300_";
        return tre({folder_ / (name + "/displacement.mha"), "--fixed",
                    inFolder(points + "T00_xyz.txt"), "--moving", inFolder(points + "T50_xyz.txt"),
                    "--grid", out})["cases"][0]["after_snapped"]["mean_mm"]
            .get<double>();
    };
    const double joined = error("joined", {});
    EXPECT_LT(error("lungs", {"--lungs"}), joined);
    EXPECT_EQ(error("lungs", {"--lungs", "--overwrite"}),
              error("both", {"--lungs", "--sliding"})); // errors in the lungs
    EXPECT_NE(readText(folder_ / "lungs/displacement.mha"),
              readText(folder_ / "both/displacement.mha"));
    const Json record = Json::parse(readText(folder_ / "both/registration.json"));
    EXPECT_TRUE(record["sliding"].get<bool>());
    EXPECT_GT(record["fixed"]["mask_liters"], record["moving"]["mask_liters"]); // breathed in
    const std::string note = record["notes"].back();
    EXPECT_THAT(note, HasSubstr(fmt::format("lungs of {:.2f} liters found in ",
                                            record["fixed"]["mask_liters"].get<double>())));
    EXPECT_THAT(note, HasSubstr("the lungs slide along the border of their mask"));
    EXPECT_EQ(run({"register", in, out, "-o", folder_ / "no", "--sliding"}).exitCode, 2);
}

TEST_F(DirLabFolder, SaysWhatIsMissing) {
    writePoints("copd3_300_iBH_xyz_r1.txt", 0, grid());
    const Outcome none = run({"landmarks", "tre", data(), "--method", "clg"});
    EXPECT_EQ(none.exitCode, 1);
    EXPECT_THAT(none.errors, HasSubstr("copd3 lacks copd3_iBHCT.img, copd3_300_eBH_xyz_r1.txt, "
                                       "copd3_eBHCT.img"));
    const Outcome other = run({"landmarks", "tre", data(), "--case", "copd4"});
    EXPECT_EQ(other.exitCode, 1);
    EXPECT_THAT(other.errors, HasSubstr("holds no file of 'copd4'"));
    EXPECT_THAT(other.errors, Not(HasSubstr("copd3 lacks")));
}

} // namespace
} // namespace systole
