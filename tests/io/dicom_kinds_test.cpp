// Images at one place and time differ in kind, or are copies.
#include "tests/io/dicom_support.h"
#include "tests/io/refusal.h"

namespace systole::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t seriesNumber = 0x00200011, acquisitionNumber = 0x00200012,
                        instanceNumber = 0x00200013, acquisitionTime = 0x00080032;

/// Two images at each place and time, which lie one behind the other in names and numbers.
template <typename Change>
void writePairs(const TemporaryFolder& folder, const Series& series, Change change) {
    for (int z = 0; z < series.slices; ++z)
        for (int t = 0; t < series.phases; ++t)
            for (int kind = 0; kind < 2; ++kind) {
                Slice made = series.slice(z, t);
                for (std::int16_t& pixel : made.pixels)
                    pixel = static_cast<std::int16_t>(pixel + 7000 * kind);
                const int number = 2 * (z * series.phases + t) + kind + 1;
                made.texts[instanceNumber] = std::to_string(number);
                change(made, kind, number);
                writeSlice(folder / ("IM" + std::to_string(100 + number) + ".dcm"), made);
            }
}

std::vector<float> shifted(std::vector<float> voxels, float by) {
    for (float& voxel : voxels)
        voxel += by;
    return voxels;
}

struct TwoKinds {
    const char* name;
    std::function<void(Slice&, int kind, int number)> mark;
    const char* said;
    bool secondIsRead = false;
};

class KindsOfImages : public ::testing::TestWithParam<TwoKinds> {};

std::vector<TwoKinds> twoKinds() {
    const auto types = [](const char* first, const char* second) {
        return [=](Slice& slice, int kind, int) { slice.imageType = kind == 0 ? first : second; };
    };
    const auto text = [](std::uint32_t tag, std::vector<std::string> values) {
        return [=](Slice& slice, int kind, int) {
            slice.texts[tag] = values.at(static_cast<std::size_t>(kind));
        };
    };
    return {
        {"Siemens", types("ORIGINAL\\PRIMARY\\M\\ND", "ORIGINAL\\PRIMARY\\P\\ND"), "'phase'"},
        {"PhaseFirst", types("ORIGINAL\\PRIMARY\\P\\ND", "ORIGINAL\\PRIMARY\\M\\ND"), "'phase'",
         true},
        {"Philips",
         types("ORIGINAL\\PRIMARY\\M_FFE\\M\\FFE", "ORIGINAL\\PRIMARY\\PHASE MAP\\P\\FFE"),
         "'phase'"},
        {"VelocityMap",
         types("ORIGINAL\\PRIMARY\\M_PCA\\M\\PCA", "ORIGINAL\\PRIMARY\\VELOCITY MAP\\P\\PCA"),
         "'phase'"},
        {"RealAndImaginary", types("ORIGINAL\\PRIMARY\\R\\ND", "ORIGINAL\\PRIMARY\\I\\ND"),
         "'imaginary'"},
        {"MagnitudeStatedOnce", types("ORIGINAL\\PRIMARY\\OTHER", "ORIGINAL\\PRIMARY\\P"),
         "'phase'"},
        {"ComplexImageComponent", text(0x00089208, {"MAGNITUDE", "PHASE"}), "'phase'"},
        {"Derived", types("DERIVED\\SECONDARY\\MPR", "ORIGINAL\\PRIMARY\\AXIAL"), "MPR", true},
        {"Normalized", types("ORIGINAL\\PRIMARY\\M\\ND", "ORIGINAL\\PRIMARY\\M\\ND\\NORM"), "NORM"},
        {"EchoNumber", text(0x00180086, {"1", "2"}), "echo number"},
        {"EchoTime", text(0x00180081, {"11.5", "2.3"}), "echo time", true},
        {"AcquisitionNumber", text(acquisitionNumber, {"4", "12"}), "acquisition number"},
        {"RunningAcquisitionNumbers",
         [](Slice& slice, int, int number) {
             slice.texts[acquisitionNumber] = std::to_string(number);
         },
         "acquisition number"},
        {"InversionTime", text(0x00180082, {"300", "100"}), "inversion time", true},
        {"FlipAngle", text(0x00181314, {"5", "30"}), "flip angle"},
    };
}

TEST_P(KindsOfImages, OneIsReadAndTheOtherIsNamed) {
    const TemporaryFolder folder;
    const Series series;
    writePairs(folder, series, GetParam().mark);
    const Sequence sequence = openSequence({folder.path().string()});
    ASSERT_EQ(sequence.frames, 3);
    ASSERT_EQ(sequence.timesSeconds.size(), 3U);
    EXPECT_NEAR(sequence.timesSeconds[1], 0.0415, 1e-9);
    EXPECT_TRUE(sequence.geometry.matches(series.grid, 1e-4));
    const float first = GetParam().secondIsRead ? 7000.F : 0.F, other = 7000.F - first;
    for (int t = 0; t < 3; ++t)
        EXPECT_EQ(readFrame(sequence, t), shifted(series.expectedFrame(t), first));
    EXPECT_TRUE(anyNoteHas(sequence, GetParam().said));

    const std::string file = GetParam().secondIsRead ? "IM101.dcm" : "IM102.dcm";
    const Sequence asked = openSequence({folder / file});
    ASSERT_EQ(asked.frames, 3);
    for (int t = 0; t < 3; ++t)
        EXPECT_EQ(readFrame(asked, t), shifted(series.expectedFrame(t), other));
}

INSTANTIATE_TEST_SUITE_P(Each, KindsOfImages, ::testing::ValuesIn(twoKinds()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(DicomKinds, TheVolumeOfABallIsThatOfTheMagnitude) {
    const TemporaryFolder folder;
    Series series;
    series.grid = Geometry({20, 18, 9}, {2, 2.5, 4}, {0, 0, 0}, identity3);
    series.slices = 9;
    const double radius[] = {15, 11, 13};
    const Vec3 middle = series.grid.indexToPhysical({9.5, 8.5, 4});
    std::vector<double> expected(3);
    for (int z = 0; z < 9; ++z)
        for (int t = 0; t < 3; ++t)
            for (int kind = 0; kind < 2; ++kind) {
                Slice made = series.slice(z, t);
                made.columnSpacing = 2;
                made.rowSpacing = 2.5;
                made.imageType = kind == 0 ? "ORIGINAL\\PRIMARY\\M" : "ORIGINAL\\PRIMARY\\P";
                for (int y = 0; y < 18; ++y)
                    for (int x = 0; x < 20; ++x) {
                        const Vec3 at = series.grid.indexToPhysical({static_cast<double>(x),
                                                                     static_cast<double>(y),
                                                                     static_cast<double>(z)});
                        const bool inside = length(at - middle) < radius[t];
                        if (kind == 0 && inside)
                            expected[static_cast<std::size_t>(t)] += 2 * 2.5 * 4 / 1000;
                        made.pixels[static_cast<std::size_t>(20 * y + x)] =
                            kind == 0 ? (inside ? 180 : 40) : 2048;
                    }
                made.texts[instanceNumber] = std::to_string(6 * z + 2 * t + kind);
                writeSlice(folder / (Series::nameOf(z, t) + (kind == 0 ? "M" : "P")), made);
            }
    const Sequence sequence = openSequence({folder.path().string()});
    ASSERT_EQ(sequence.frames, 3);
    for (int t = 0; t < 3; ++t) {
        const std::vector<float> voxels = readFrame(sequence, t);
        const Vec3 spacing = sequence.geometry.spacing();
        const double milliliters =
            static_cast<double>(std::ranges::count_if(voxels, [](float v) { return v > 110; })) *
            spacing.x * spacing.y * spacing.z / 1000;
        EXPECT_NEAR(milliliters, expected[static_cast<std::size_t>(t)], 1e-9) << t;
    }
}

TEST(DicomKinds, OfGeTheComponentIsInAPrivateElement) {
    const TemporaryFolder folder;
    const Series series;
    for (int z = 0; z < series.slices; ++z)
        for (int kind = 1; kind >= 0; --kind) {
            const std::string path = folder / ("IM" + std::to_string(z) + std::to_string(kind));
            Slice made = series.slice(z, kind == 0 ? 1 : 0);
            made.triggerTime = 0;
            made.texts[0x00430010] = "GEMS_PARM_01";
            writeSlice(path, made);
            gdcm::Reader reader;
            reader.SetFileName(path.c_str());
            ASSERT_TRUE(reader.Read());
            setBinary<std::int16_t>(reader.GetFile().GetDataSet(), 0x0043, 0x102f, gdcm::VR::SS,
                                    {static_cast<std::int16_t>(kind)});
            gdcm::Writer writer;
            writer.SetFile(reader.GetFile());
            writer.SetFileName(path.c_str());
            ASSERT_TRUE(writer.Write());
        }
    const Sequence sequence = openSequence({folder.path().string()});
    ASSERT_EQ(sequence.frames, 1);
    EXPECT_EQ(readFrame(sequence, 0), series.expectedFrame(1));
}

TEST(DicomKinds, MagnitudeAndPhaseAsSeriesOfTheirOwnAreTwoSequences) {
    for (const int phases : {3, 1}) {
        const TemporaryFolder folder;
        Series series;
        series.phases = phases;
        writePairs(folder, series, [](Slice& slice, int kind, int) {
            slice.series = kind == 0 ? "1.2.9" : "1.2.1";
            slice.texts[seriesNumber] = kind == 0 ? "9" : "1";
            slice.imageType = kind == 0 ? "ORIGINAL\\PRIMARY\\M" : "ORIGINAL\\PRIMARY\\P";
        });
        const Sequence sequence = openSequence({folder.path().string()});
        ASSERT_EQ(sequence.frames, phases);
        EXPECT_EQ(readFrame(sequence, 0), series.expectedFrame(0));
        EXPECT_TRUE(anyNoteHas(sequence, "holds 2 series: number '9'"));
        EXPECT_EQ(readFrame(openSequence({folder / "IM102.dcm"}), 0),
                  shifted(series.expectedFrame(0), 7000));
    }
}

TEST(DicomKinds, KernelsOfOneScanAreNotFrames) {
    const TemporaryFolder folder;
    Series series;
    series.phases = 1;
    writePairs(folder, series, [](Slice& slice, int kind, int) {
        slice.triggerTime.reset();
        slice.series = kind == 0 ? "1.2.1" : "1.2.2";
        slice.texts[seriesNumber] = std::to_string(kind + 1);
        slice.texts[0x00181210] = kind == 0 ? "B20f" : "B60f";
    });
    const Sequence sequence = openSequence({folder.path().string()});
    ASSERT_EQ(sequence.frames, 1);
    EXPECT_EQ(readFrame(sequence, 0), series.expectedFrame(0));
    EXPECT_TRUE(anyNoteHas(sequence, "'B60f'"));
}

TEST(DicomKinds, WhatNothingTellsApartIsRefused) {
    const TemporaryFolder folder;
    writePairs(folder, Series(), [](Slice&, int, int) {});
    try {
        openSequence({folder.path().string()});
        FAIL() << "was read without complaint";
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("place and time of"));
        EXPECT_THAT(error.what(), HasSubstr("trigger time"));
        EXPECT_THAT(error.what(), HasSubstr("name the files that belong together"));
    }
}

TEST(DicomKinds, FramesOfSeveralBeatsAreInTheOrderOfTheirAcquisition) {
    const TemporaryFolder folder;
    Series series;
    writePairs(folder, series, [&](Slice& slice, int kind, int) {
        const double phase = *slice.triggerTime;
        slice.texts[acquisitionTime] = numberList({101010 + kind + phase / 1000});
        slice.texts.erase(instanceNumber);
    });
    const Sequence sequence = openSequence({folder.path().string()});
    ASSERT_EQ(sequence.frames, 6);
    EXPECT_EQ(readFrame(sequence, 1), series.expectedFrame(1));
    EXPECT_EQ(readFrame(sequence, 3), shifted(series.expectedFrame(0), 7000));
    EXPECT_NEAR(sequence.timesSeconds.at(4), 1.0415, 1e-3);
}

TEST(DicomKinds, TriggerTimesThatAreAllZeroTellNothing) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int, int) {
        slice.triggerTime = 0;
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    ASSERT_EQ(sequence.frames, 3);
    EXPECT_FALSE(sequence.timeKnown());
    EXPECT_EQ(readFrame(sequence, 2), Series().expectedFrame(2));
    EXPECT_TRUE(anyNoteHas(sequence, "time unknown: the frames are ordered by instance number"));
}

TEST(DicomKinds, ATriggerTimeThatSomeImagesLackIsNamed) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int z, int t) {
        if (z == 1 && t == 2)
            slice.triggerTime.reset();
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    EXPECT_FALSE(sequence.timeKnown());
    EXPECT_EQ(readFrame(sequence, 2), Series().expectedFrame(2));
    EXPECT_TRUE(anyNoteHas(sequence, "1 of 12 images lack the trigger time"));
}

TEST(DicomKinds, AcquisitionNumbersOrderBeforeInstanceNumbers) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int z, int t) {
        slice.triggerTime.reset();
        slice.texts[acquisitionNumber] = std::to_string(t + 1);
        slice.texts[instanceNumber] = std::to_string(100 - 3 * z - t);
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    EXPECT_FALSE(sequence.timeKnown());
    for (int t = 0; t < 3; ++t)
        EXPECT_EQ(readFrame(sequence, t), Series().expectedFrame(t));
}

TEST(DicomKinds, PhasesNamedInSeriesDescriptionsAreInTheirOrder) {
    const TemporaryFolder folder;
    const char* names[] = {"CTA 5%", "CTA  35 %", "CTA 70.5 %"};
    Series().write(folder, [&](Slice& slice, int, int t) {
        slice.triggerTime.reset();
        slice.modality = "CT";
        slice.series = "1.2." + std::to_string(9 - t);
        slice.texts[seriesNumber] = std::to_string(9 - t);
        slice.texts[0x0008103e] = names[t];
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    ASSERT_EQ(sequence.frames, 3);
    for (int t = 0; t < 3; ++t)
        EXPECT_EQ(readFrame(sequence, t), Series().expectedFrame(t));
    EXPECT_FALSE(sequence.timeKnown());
}

// Copies.

TEST(DicomCopies, AFileCopiedBesideItselfIsOneImage) {
    for (const int phases : {3, 1}) {
        const TemporaryFolder folder;
        Series series;
        series.phases = phases;
        series.write(folder);
        for (const std::string& name : filesIn(folder.path()))
            fs::copy_file(folder / name, folder / ("copy of " + name));
        const Sequence sequence = openSequence({folder.path().string()});
        ASSERT_EQ(sequence.frames, phases);
        for (int t = 0; t < phases; ++t)
            EXPECT_EQ(readFrame(sequence, t), series.expectedFrame(t));
        EXPECT_TRUE(anyNoteHas(sequence, std::to_string(4 * phases) + " files are left out"));
    }
}

TEST(DicomCopies, OneCopyInAnotherFolderOrCodingIsOneImage) {
    const TemporaryFolder folder;
    Series().write(folder);
    fs::create_directory(folder / "again");
    fs::copy_file(folder / Series::nameOf(2, 1), folder / "again/copy");
    compressSlice(folder / Series::nameOf(1, 1), folder / "packed.dcm",
                  gdcm::TransferSyntax::RLELossless);
    const Sequence sequence = openSequence({folder.path().string()});
    ASSERT_EQ(sequence.frames, 3);
    EXPECT_EQ(readFrame(sequence, 1), Series().expectedFrame(1));
    EXPECT_TRUE(anyNoteHas(sequence, "2 files are left out as copies"));
}

TEST(DicomCopies, OneUidWithOtherPixelsIsRefused) {
    const TemporaryFolder folder;
    Series().write(folder, [&](Slice& slice, int z, int t) {
        slice.instance = "1.2.5." + std::to_string(10 * z + t + 1);
        return true;
    });
    Slice other = Series().slice(2, 1);
    other.instance = "1.2.5.22";
    other.pixels[3] = 99;
    writeSlice(folder / "edited.dcm", other);
    try {
        openSequence({folder.path().string()});
        FAIL() << "was read without complaint";
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("SOP instance UID"));
        EXPECT_THAT(error.what(), HasSubstr("edited.dcm"));
        EXPECT_THAT(error.what(), HasSubstr(Series::nameOf(2, 1)));
    }
}

TEST(DicomCopies, OneUidForAllImagesIsNoUid) {
    const TemporaryFolder folder;
    Series().write(folder, [](Slice& slice, int, int) {
        slice.instance = "1.2.5.1";
        return true;
    });
    const Sequence sequence = openSequence({folder.path().string()});
    ASSERT_EQ(sequence.frames, 3);
    for (int t = 0; t < 3; ++t)
        EXPECT_EQ(readFrame(sequence, t), Series().expectedFrame(t));
    EXPECT_TRUE(anyNoteHas(sequence, "told apart by place and time"));
}

TEST(DicomCopies, CopiesUnderNewUidsAreOneImage) {
    for (const bool withTimes : {true, false}) {
        const TemporaryFolder folder;
        Series series;
        series.phases = withTimes ? 3 : 1;
        for (const char* copy : {"a", "b"})
            for (int z = 0; z < series.slices; ++z)
                for (int t = 0; t < series.phases; ++t) {
                    Slice made = series.slice(z, t);
                    if (!withTimes)
                        made.triggerTime.reset();
                    writeSlice(folder / (copy + Series::nameOf(z, t)), made);
                }
        const Sequence sequence = openSequence({folder.path().string()});
        ASSERT_EQ(sequence.frames, series.phases);
        for (int t = 0; t < series.phases; ++t)
            EXPECT_EQ(readFrame(sequence, t), series.expectedFrame(t));
        EXPECT_TRUE(anyNoteHas(sequence, "pixels of another"));
    }
}

} // namespace
} // namespace systole::test
