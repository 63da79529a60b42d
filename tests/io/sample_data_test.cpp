// Real files: what their headers say, by other tools, is what we say. The folder of samples is
// named by SYSTOLE_DATA_DIR; the demo comes with the program.
#include "tests/io/io_support.h"

#include <cstdlib>

namespace systole::test {
namespace {

class SampleData : public ::testing::Test {
protected:
    void SetUp() override {
        const char* folder = std::getenv("SYSTOLE_DATA_DIR");
        if (!folder || !fs::is_directory(folder))
            GTEST_SKIP() << "SYSTOLE_DATA_DIR names no folder of sample data";
        folder_ = folder;
    }
    /// Opens the files and reads every frame.
    Sequence open(const std::vector<std::string>& names) const {
        std::vector<std::string> paths;
        for (const std::string& name : names)
            paths.push_back((folder_ / name).string());
        const Sequence sequence = openSequence(paths);
        for (int frame = 0; frame < sequence.frames; ++frame)
            readFrame(sequence, frame);
        return sequence;
    }

private:
    fs::path folder_;
};

TEST(Demo, IsMagneticResonanceOf25Frames) {
    const Sequence demo = openSequence({SYSTOLE_ASSETS "/demo_cine_mr.nii.gz"});
    EXPECT_EQ(demo.geometry.size(), (Size3{72, 100, 58}));
    ASSERT_EQ(demo.frames, 25);
    EXPECT_NEAR(demo.timesSeconds.at(24), 24 * 0.035375, 1e-6);
    EXPECT_EQ(demo.modality, "MR");
    EXPECT_EQ(demo.geometry.orientationLetters(), "PIR") << "its third axis runs to the right";
    EXPECT_EQ(readFrame(demo, 24).size(), demo.geometry.voxels());
}

TEST_F(SampleData, GatedTomographyHasIrregularTimes) {
    const Sequence ct = open({"ctcardio/CTCardioCropped.seq.nrrd"});
    EXPECT_EQ(ct.geometry.size(), (Size3{32, 27, 15}));
    ASSERT_EQ(ct.frames, 10);
    EXPECT_NEAR(ct.timesSeconds.at(8), 0.72, 1e-12);
    EXPECT_NEAR(ct.timesSeconds.at(9), 0.80, 1e-12);
    EXPECT_EQ(ct.geometry.orientationLetters(), "RAS");
    EXPECT_LT(length(ct.geometry.origin() - Vec3{28.4969, -0.67673, 1770.29}), 1e-3);
}

TEST_F(SampleData, EchoAsNiftiAndAsRawDicomShareTheirGrid) {
    EXPECT_EQ(open({"itksnap_4d/img4d_11f.nii.gz"}).frames, 11);
    const Sequence nifti = open({"itksnap_4d/ultrasound_img4d.nii.gz"});
    const Sequence raw = open({"itksnap_4d/echo_cartesian_dummy.dcm"});
    EXPECT_FALSE(nifti.timeKnown()) << "its header has no unit of time";
    EXPECT_EQ(raw.geometry.size(), nifti.geometry.size());
    EXPECT_EQ(raw.frames, nifti.frames);
    EXPECT_EQ(raw.modality, "US");
    EXPECT_NEAR(raw.timesSeconds.at(1), 0.003666667, 1e-9);
    // The raw file states in centimeters what the other states in millimeters: kept, but said.
    EXPECT_LT(length(raw.geometry.spacing() - 10 * nifti.geometry.spacing()), 1e-3);
    EXPECT_TRUE(anyNoteHas(raw, "ten times too large"));
}

TEST_F(SampleData, TwoPhasesOfAThoraxAreAList) {
    const Sequence thorax =
        open({"plastimatch_4dct/thorax_T00.mha", "plastimatch_4dct/thorax_T50.mha"});
    EXPECT_EQ(thorax.geometry.size(), (Size3{128, 101, 128}));
    EXPECT_LT(length(thorax.geometry.spacing() - Vec3{3.90624, 3.90624, 2.5}), 1e-9);
    EXPECT_EQ(thorax.frames, 2);
}

TEST_F(SampleData, ShortAxisCineIsScaledAndItsFullFramesSayWhereTheyDisagree) {
    const std::string folder = "acdc_cinemri/patient001/";
    const Sequence cine = open({folder + "patient001_4d.nii.gz"});
    EXPECT_EQ(cine.geometry.size(), (Size3{100, 95, 7}));
    EXPECT_EQ(cine.frames, 30);
    const auto voxels = readFrame(cine, 0);
    EXPECT_NEAR(*std::max_element(voxels.begin(), voxels.end()), 658, 0.1);
    const Sequence full =
        open({folder + "c_patient001_frame01.nii.gz", folder + "c_patient001_frame12.nii.gz"});
    EXPECT_EQ(full.geometry.spacing(), (Vec3{1.5625, 1.5625, 10}));
    EXPECT_TRUE(anyNoteHas(full, "pixdim is used"));
}

} // namespace
} // namespace systole::test
