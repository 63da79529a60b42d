#include "tests/io/io_support.h"

#include <cmath>
#include <limits>

namespace systole::test {
namespace {

TEST(Nifti, ReadsBothVersionsInBothByteOrders) {
    const TemporaryFolder folder;
    for (const int version : {1, 2}) {
        for (const bool bigEndian : {false, true}) {
            SCOPED_TRACE("version " + std::to_string(version) + (bigEndian ? " big" : " little"));
            NiftiBytes header(version, bigEndian);
            header.dim({4, 3, 4, 5, 2, 1, 1, 1})
                .type(4, 16)
                .pixdim({1, 1.5, 2, 2.5, 40, 0, 0, 0})
                .units(2 | 16)
                .sform({{{1.5, 0, 0, 10}, {0, 0, -2.5, 20}, {0, 2, 0, -30}}});
            const std::string path = folder / "sequence.nii";
            writeBytes(path, header.with(counting<std::int16_t>(120, -50)));

            const Sequence sequence = openSequence({path});
            EXPECT_EQ(sequence.format, "NIfTI-" + std::to_string(version));
            EXPECT_EQ(sequence.voxelType, "int16");
            EXPECT_EQ(sequence.geometry.size(), (Size3{3, 4, 5}));
            ASSERT_EQ(sequence.frames, 2);
            EXPECT_EQ(sequence.timesSeconds, (std::vector<double>{0, 0.04}));
            // RAS (10, 20, -30) is LPS (-10, -20, -30); one step along k is -2.5 mm of anterior.
            EXPECT_LT(length(sequence.geometry.indexToPhysical({0, 0, 0}) - Vec3{-10, -20, -30}),
                      1e-5);
            EXPECT_LT(length(sequence.geometry.voxelVectorToPhysical({0, 0, 1}) - Vec3{0, 2.5, 0}),
                      1e-5);
            EXPECT_LT(length(sequence.geometry.voxelVectorToPhysical({0, 1, 0}) - Vec3{0, 0, 2}),
                      1e-5);
            EXPECT_EQ(readFrame(sequence, 1), counting<float>(60, 10));
            EXPECT_EQ(readFrame(sequence, 0), counting<float>(60, -50));
        }
    }
}

TEST(Nifti, ReadsEveryNumberType) {
    const TemporaryFolder folder;
    const std::string path = folder / "types.nii";
    const auto expectRead = [&]<typename T>(int code, const char* name) {
        NiftiBytes header;
        header.dim({3, 2, 3, 4, 1, 1, 1, 1}).type(code, 8 * sizeof(T));
        writeBytes(path, header.with(counting<T>(24, 3)));
        const Sequence sequence = openSequence({path});
        EXPECT_EQ(sequence.voxelType, name);
        EXPECT_EQ(readFrame(sequence, 0), counting<float>(24, 3)) << name;
    };
    expectRead.operator()<std::uint8_t>(2, "uint8");
    expectRead.operator()<std::int16_t>(4, "int16");
    expectRead.operator()<std::int32_t>(8, "int32");
    expectRead.operator()<float>(16, "float32");
    expectRead.operator()<double>(64, "float64");
    expectRead.operator()<std::int8_t>(256, "int8");
    expectRead.operator()<std::uint16_t>(512, "uint16");
    expectRead.operator()<std::uint32_t>(768, "uint32");
    expectRead.operator()<std::int64_t>(1024, "int64");
    expectRead.operator()<std::uint64_t>(1280, "uint64");
}

TEST(Nifti, QformAgreesWithItk) {
    const TemporaryFolder folder;
    const std::string path = folder / "qform.nii";
    for (const double handedness : {1.0, -1.0}) {
        NiftiBytes header;
        header.dim({3, 4, 5, 6, 1, 1, 1, 1})
            .type(4, 16)
            .pixdim({handedness, 1.1, 1.7, 2.3, 0, 0, 0, 0})
            .sform({}, 0)
            .qform({0.3, -0.2, 0.5}, {12, -7, 33});
        writeBytes(path, header.with(counting<std::int16_t>(120)));
        const auto reference = readWithItk<itk::Image<short, 3>>(path);
        expectSamePlaces(openSequence({path}).geometry, *reference, 1e-4);
    }
}

TEST(Nifti, SformGoesBeforeQformAndPixdimBeforeTheLengthOfItsColumns) {
    const TemporaryFolder folder;
    const std::string path = folder / "acdc.nii";
    NiftiBytes header;
    header.dim({3, 3, 3, 3, 1, 1, 1, 1})
        .type(2, 8)
        .pixdim({1, 1.5, 1.5, 10, 0, 0, 0, 0})
        .sform({{{-1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, 1, 0}}}, 2)
        .qform({0, 0, 0}, {5, 5, 5});
    writeBytes(path, header.with(counting<std::uint8_t>(27)));
    const Sequence sequence = openSequence({path});
    EXPECT_EQ(sequence.geometry.spacing(), (Vec3{1.5, 1.5, 10}));
    EXPECT_EQ(sequence.geometry.orientationLetters(), "LPS");
    EXPECT_EQ(sequence.geometry.origin(), (Vec3{0, 0, 0}));
    EXPECT_EQ(std::count_if(sequence.notes.begin(), sequence.notes.end(),
                            [](const std::string& note) {
                                return note.find("pixdim is used") != std::string::npos &&
                                       note.find("the sform is used") != std::string::npos;
                            }),
              1);
}

TEST(Nifti, KeepsShearWithANote) {
    const TemporaryFolder folder;
    const std::string path = folder / "sheared.nii";
    NiftiBytes header;
    header.dim({3, 3, 3, 3, 1, 1, 1, 1}).type(2, 8).pixdim({1, 1, std::sqrt(1.01), 1, 0, 0, 0, 0});
    header.sform({{{1, 0.1, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}});
    writeBytes(path, header.with(counting<std::uint8_t>(27)));
    const Sequence sequence = openSequence({path});
    EXPECT_LT(length(sequence.geometry.voxelVectorToPhysical({0, 1, 0}) - Vec3{-0.1, -1, 0}), 1e-5);
    EXPECT_TRUE(anyNoteHas(sequence, "not perpendicular"));
}

TEST(Nifti, TimeIsWhatTheFileSaysOrUnknown) {
    const TemporaryFolder folder;
    const std::string path = folder / "time.nii";
    const auto open = [&](int units, double step, double given = 0) {
        NiftiBytes header;
        header.dim({4, 2, 2, 2, 3, 1, 1, 1})
            .type(2, 8)
            .units(units)
            .pixdim({1, 1, 1, 1, step, 0, 0, 0});
        writeBytes(path, header.with(counting<std::uint8_t>(24)));
        OpenOptions options;
        options.frameTimeMilliseconds = given;
        return openSequence({path}, options);
    };
    EXPECT_NEAR(open(2 | 8, 0.035).timesSeconds.at(2), 0.070, 1e-7);
    EXPECT_NEAR(open(2 | 16, 35).timesSeconds.at(2), 0.070, 1e-7);
    EXPECT_NEAR(open(2 | 24, 35000).timesSeconds.at(2), 0.070, 1e-7);
    for (const Sequence& unknown : {open(2, 0.035), open(2 | 8, 0), open(2 | 32, 5)}) {
        EXPECT_FALSE(unknown.timeKnown());
        EXPECT_TRUE(anyNoteHas(unknown, "time unknown"));
    }
    const Sequence given = open(2, 0.035, 20);
    EXPECT_EQ(given.timesSeconds, (std::vector<double>{0, 0.02, 0.04}));
    EXPECT_FALSE(anyNoteHas(given, "time unknown"));
    EXPECT_EQ(open(2 | 8, 0.035).closingSeconds, 0) << "the file says nothing of the next cycle";
}

TEST(Nifti, UnitsOfLengthAreTurnedIntoMillimeters) {
    const TemporaryFolder folder;
    const std::string path = folder / "meters.nii";
    NiftiBytes header;
    header.dim({3, 2, 2, 2, 1, 1, 1, 1})
        .type(2, 8)
        .units(1)
        .pixdim({1, 0.002, 0.002, 0.003, 0, 0, 0, 0});
    header.sform({{{0.002, 0, 0, 0.01}, {0, 0.002, 0, 0}, {0, 0, 0.003, 0}}});
    writeBytes(path, header.with(counting<std::uint8_t>(8)));
    const Geometry geometry = openSequence({path}).geometry;
    EXPECT_NEAR(geometry.spacing().z, 3, 1e-6);
    EXPECT_NEAR(geometry.origin().x, -10, 1e-6);
    // Numbers too large for mm are accepted in micrometers.
    header.units(3).pixdim({1, 2000, 2000, 3000, 0, 0, 0, 0});
    header.sform({{{2000, 0, 0, 2e6}, {0, 2000, 0, 0}, {0, 0, 3000, 0}}});
    writeBytes(path, header.with(counting<std::uint8_t>(8)));
    EXPECT_NEAR(openSequence({path}).geometry.spacing().z, 3, 1e-6);
    EXPECT_NEAR(openSequence({path}).geometry.origin().x, -2000, 1e-3);
}

TEST(Nifti, AppliesTheScalingUnlessItsSlopeIsZero) {
    const TemporaryFolder folder;
    const std::string path = folder / "scaled.nii";
    NiftiBytes header;
    header.dim({3, 2, 2, 2, 1, 1, 1, 1}).type(4, 16);
    header.rescale(0.5, -10);
    writeBytes(path, header.with(counting<std::int16_t>(8)));
    EXPECT_EQ(readFrame(openSequence({path}), 0).at(7), -6.5F);
    header.rescale(0, -10);
    writeBytes(path, header.with(counting<std::int16_t>(8)));
    EXPECT_EQ(readFrame(openSequence({path}), 0).at(7), 7.0F);
}

TEST(Nifti, FramesOfACompressedFileComeInAnyOrder) {
    const TemporaryFolder folder;
    const std::string path = folder / "sequence.nii.gz";
    NiftiBytes header;
    header.dim({4, 20, 20, 20, 6, 1, 1, 1}).type(4, 16);
    const Bytes whole = header.with(counting<std::int16_t>(48000, -20000));
    writeBytes(path, gzipped(whole));
    for (const bool headerAlone : {false, true}) {
        const Sequence sequence = openSequence({path}, {.headerAlone = headerAlone});
        for (const int frame : {5, 0, 3, 2, 5})
            EXPECT_EQ(readFrame(sequence, frame), counting<float>(8000, -20000 + 8000 * frame));
    }

    // The file in two gzip members, as parallel compressors write it.
    const auto half = whole.begin() + static_cast<std::ptrdiff_t>(whole.size() / 2);
    Bytes members = gzipped(Bytes(whole.begin(), half));
    const Bytes second = gzipped(Bytes(half, whole.end()));
    members.insert(members.end(), second.begin(), second.end());
    writeBytes(path, members);
    for (const bool headerAlone : {false, true})
        EXPECT_EQ(readFrame(openSequence({path}, {.headerAlone = headerAlone}), 5),
                  counting<float>(8000, 20000));
}

TEST(Nifti, ReadsAHeaderWithItsVoxelsInAnotherFile) {
    const TemporaryFolder folder;
    NiftiBytes header;
    header.dim({3, 2, 3, 4, 1, 1, 1, 1}).type(2, 8).voxelOffset(0).magic("ni1");
    Bytes bare = header.header();
    bare.resize(348);
    writeBytes(folder / "pair.hdr", bare);
    Bytes voxels;
    append(voxels, counting<std::uint8_t>(24));
    writeBytes(folder / "pair.img", voxels);
    EXPECT_EQ(readFrame(openSequence({folder / "pair.hdr"}), 0), counting<float>(24));
    EXPECT_EQ(readFrame(openSequence({folder / "pair.img"}), 0), counting<float>(24));
    // Both compressed, as FSL writes pairs.
    writeBytes(folder / "packed.hdr.gz", gzipped(bare));
    writeBytes(folder / "packed.img.gz", gzipped(voxels));
    for (const char* name : {"packed.hdr.gz", "packed.img.gz"})
        EXPECT_EQ(readFrame(openSequence({folder / name}), 0), counting<float>(24)) << name;
}

TEST(Nifti, TrailingDimensionsOfOneAreNoDimensions) {
    const TemporaryFolder folder;
    const std::string path = folder / "five.nii";
    NiftiBytes header;
    header.dim({5, 2, 2, 2, 3, 1, 1, 1}).type(2, 8);
    writeBytes(path, header.with(counting<std::uint8_t>(24)));
    EXPECT_EQ(openSequence({path}).frames, 3);
}

TEST(Nifti, ModalityIsWhatTheDescriptionNames) {
    const TemporaryFolder folder;
    const std::string path = folder / "described.nii";
    NiftiBytes header;
    header.dim({3, 2, 2, 2, 1, 1, 1, 1}).type(2, 8);
    writeBytes(path, header.with(counting<std::uint8_t>(8)));
    EXPECT_EQ(openSequence({path}).modality, "");
    header.description("3D cine MR of a heart");
    writeBytes(path, header.with(counting<std::uint8_t>(8)));
    EXPECT_EQ(openSequence({path}).modality, "MR");
}

TEST(Nifti, VoxelsThatAreNotNumbersAreNamedWithTheirFrame) {
    const TemporaryFolder folder;
    const std::string path = folder / "nan.nii";
    NiftiBytes header;
    header.dim({4, 2, 2, 2, 2, 1, 1, 1}).type(16, 32);
    auto voxels = counting<float>(16);
    voxels[9] = std::numeric_limits<float>::quiet_NaN();
    voxels[12] = std::numeric_limits<float>::infinity();
    writeBytes(path, header.with(voxels));
    const Sequence sequence = openSequence({path});
    EXPECT_NO_THROW(readFrame(sequence, 0));
    try {
        readFrame(sequence, 1);
        FAIL() << "a frame with NaN was read";
    } catch (const FileError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("frame 1 holds 2 voxels"), std::string::npos) << message;
        EXPECT_NE(message.find("(1, 0, 0)"), std::string::npos) << message;
    }
}

} // namespace
} // namespace systole::test
