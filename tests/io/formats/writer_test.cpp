// Written files are read back by ITK; bytes that other programs depend on are compared directly.
#include "io/formats/writer.h"
#include "tests/io/io_support.h"

#include <itkVector.h>

#include <cmath>
#include <csignal>
#include <limits>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace systole::test {
namespace {

using FieldImage = itk::Image<itk::Vector<float, 3>, 3>;

const Geometry obliqueGrid({5, 6, 7}, {0.9, 1.4, 2.1}, {-31, 17, 205}, obliquePermutedDirection());

/// Vectors that differ in every component of every voxel.
MillimeterField someField(const Geometry& grid, BufferPool& pool) {
    MillimeterField field{grid, pool.acquire<float>(3 * grid.voxels(), "test field")};
    for (std::size_t i = 0; i < field.vectors.size(); ++i)
        field.vectors.data()[i] = 0.25F * static_cast<float>(i) - 30;
    return field;
}

class FieldFormats : public ::testing::TestWithParam<FieldFormat> {};

TEST_P(FieldFormats, ItkReadsPlacesAndMillimeterVectorsOfAnObliqueGrid) {
    const TemporaryFolder folder;
    BufferPool pool;
    const MillimeterField field = someField(obliqueGrid, pool);
    const std::string path = folder / (std::string("field") + extensionOf(GetParam()));
    writeField(path, field, GetParam());
    EXPECT_EQ(filesIn(folder.path()).size(), 1U);

    const auto image = readWithItk<FieldImage>(path);
    expectSamePlaces(obliqueGrid, *image, 2e-4);
    const float* vectors = image->GetBufferPointer()->GetDataPointer();
    EXPECT_TRUE(std::equal(vectors, vectors + field.vectors.size(), field.vectors.data()));

    const MillimeterField again = readField(path, pool);
    EXPECT_TRUE(again.geometry.matches(obliqueGrid, 1e-4));
    EXPECT_TRUE(std::equal(again.vectors.data(), again.vectors.data() + again.vectors.size(),
                           field.vectors.data()));
}

TEST_P(FieldFormats, WhatItkWritesIsReadBack) {
    const TemporaryFolder folder;
    BufferPool pool;
    const MillimeterField field = someField(obliqueGrid, pool);
    const auto image = makeItkImage<FieldImage>(obliqueGrid);
    std::copy_n(field.vectors.data(), field.vectors.size(),
                image->GetBufferPointer()->GetDataPointer());
    const std::string path = folder / (std::string("itk") + extensionOf(GetParam()));
    writeWithItk(*image, path);
    const MillimeterField ours = readField(path, pool);
    EXPECT_TRUE(ours.geometry.matches(obliqueGrid, 1e-4));
    EXPECT_TRUE(std::equal(ours.vectors.data(), ours.vectors.data() + ours.vectors.size(),
                           field.vectors.data()));
}

INSTANTIATE_TEST_SUITE_P(Each, FieldFormats,
                         ::testing::Values(FieldFormat::MetaImage, FieldFormat::Nifti),
                         [](const auto& info) {
                             return info.param == FieldFormat::Nifti ? "Nifti" : "MetaImage";
                         });

TEST(Fields, FromVoxelsToMillimetersOnDiskAgreesWithItk) {
    // A displacement of one voxel along an index axis must be the vector between the places that
    // ITK gives to the two voxels.
    const TemporaryFolder folder;
    BufferPool pool;
    for (int axis = 0; axis < 3; ++axis) {
        VectorField voxels(obliqueGrid, pool, "test field");
        const std::size_t count = obliqueGrid.voxels();
        for (int component = 0; component < 3; ++component)
            std::fill_n(voxels.view().component(component), count, component == axis ? 1.0F : 0.0F);
        const std::string path = folder / "field.mha";
        writeField(path, toMillimeters(voxels, pool), FieldFormat::MetaImage);
        const auto image = readWithItk<FieldImage>(path);
        FieldImage::IndexType here{{1, 2, 3}}, there = here;
        ++there[static_cast<unsigned>(axis)];
        FieldImage::PointType from, to;
        image->TransformIndexToPhysicalPoint(here, from);
        image->TransformIndexToPhysicalPoint(there, to);
        for (unsigned c = 0; c < 3; ++c)
            EXPECT_NEAR(image->GetPixel(here)[c], to[c] - from[c], 1e-5);
    }
}

TEST(Fields, NiftiHasIntent1007AndComponentsInLps) {
    const TemporaryFolder folder;
    BufferPool pool;
    const Geometry grid({2, 3, 4}, {1, 2, 3}, {10, 20, 30});
    MillimeterField field{grid, pool.acquire<float>(72, "test field")};
    for (std::size_t i = 0; i < 24; ++i) {
        field.vectors.data()[3 * i] = 1;
        field.vectors.data()[3 * i + 1] = 2;
        field.vectors.data()[3 * i + 2] = 3;
    }
    const std::string path = folder / "field.nii.gz";
    writeField(path, field, FieldFormat::Nifti);

    Bytes file(352 + 72 * 4);
    const gzFile stream = gzopen(path.c_str(), "rb");
    ASSERT_EQ(gzread(stream, file.data(), static_cast<unsigned>(file.size())),
              static_cast<int>(file.size()));
    EXPECT_EQ(gzgetc(stream), -1) << "nothing follows the voxels";
    gzclose(stream);
    const auto at = [&]<typename T>(std::size_t offset, T value) {
        std::memcpy(&value, file.data() + offset, sizeof(T));
        return value;
    };
    const std::array<std::int16_t, 8> dim{5, 2, 3, 4, 1, 3, 1, 1};
    for (std::size_t i = 0; i < 8; ++i)
        EXPECT_EQ(at(40 + 2 * i, std::int16_t{}), dim[i]) << "dim[" << i << "]";
    EXPECT_EQ(at(68, std::int16_t{}), 1007);
    EXPECT_EQ(at(70, std::int16_t{}), 16) << "float32";
    EXPECT_EQ(at(280, float{}), -1) << "the grid is RAS";
    EXPECT_EQ(at(292, float{}), -10);
    EXPECT_EQ(at(352, float{}), 1) << "components stay LPS";
    EXPECT_EQ(at(352 + 24 * 4, float{}), 2);
    EXPECT_EQ(at(352 + 48 * 4, float{}), 3);
}

TEST(Fields, Intent1006HoldsRasComponents) {
    const TemporaryFolder folder;
    BufferPool pool;
    NiftiBytes header;
    header.dim({5, 2, 2, 2, 1, 3, 1, 1}).type(16, 32).intent(1006);
    writeBytes(folder / "field.nii", header.with(std::vector<float>(24, 1)));
    const MillimeterField field = readField(folder / "field.nii", pool);
    EXPECT_EQ(field.vectors.data()[0], -1);
    EXPECT_EQ(field.vectors.data()[1], -1);
    EXPECT_EQ(field.vectors.data()[2], 1);
}

TEST(Fields, VoxelsWithoutADisplacementAreCounted) {
    const TemporaryFolder folder;
    BufferPool pool;
    NiftiBytes header;
    header.dim({5, 2, 2, 2, 1, 3, 1, 1}).type(16, 32).intent(1007);
    std::vector<float> values(24, 1);
    values[3] = std::numeric_limits<float>::quiet_NaN(); // x of a voxel, and its y
    values[8 + 3] = std::numeric_limits<float>::infinity();
    values[16 + 6] = std::numeric_limits<float>::quiet_NaN(); // z of another one
    writeBytes(folder / "field.nii", header.with(values));
    try {
        readField(folder / "field.nii", pool);
        FAIL() << "it was read";
    } catch (const FileError& error) {
        EXPECT_EQ(error.what(), folder / "field.nii" +
                                    ": holds no displacement (NaN or infinite) in 2 of 8 voxels, "
                                    "the first at (1, 1, 0)");
    }
}

TEST(Fields, AnImageIsNoField) {
    const TemporaryFolder folder;
    BufferPool pool;
    NiftiBytes header;
    header.dim({4, 2, 2, 2, 3, 1, 1, 1}).type(2, 8);
    writeBytes(folder / "sequence.nii", header.with(counting<std::uint8_t>(24)));
    EXPECT_THROW(readField(folder / "sequence.nii", pool), FileError);
}

TEST(Volumes, ItkReadsThemInEveryFormat) {
    const TemporaryFolder folder;
    const auto voxels = counting<float>(210, -77);
    std::vector<std::uint8_t> labels(210);
    for (std::size_t i = 0; i < labels.size(); ++i)
        labels[i] = static_cast<std::uint8_t>(i % 3);
    for (const char* extension : {".nii", ".nii.gz", ".mha", ".nrrd"}) {
        SCOPED_TRACE(extension);
        // Names of their own: ITK takes volume.nii for volume.nii.gz when both are there.
        std::string stem = extension;
        std::replace(stem.begin(), stem.end(), '.', '_');
        const std::string path = folder / (stem + extension);
        writeVolume(path, obliqueGrid, {voxels.data(), obliqueGrid.size()});
        const auto image = readWithItk<itk::Image<float, 3>>(path);
        expectSamePlaces(obliqueGrid, *image, 2e-4);
        EXPECT_TRUE(std::equal(voxels.begin(), voxels.end(), image->GetBufferPointer()));

        writeLabels(path, obliqueGrid, labels);
        const auto labelImage = readWithItk<itk::Image<unsigned char, 3>>(path);
        EXPECT_TRUE(std::equal(labels.begin(), labels.end(), labelImage->GetBufferPointer()));
        EXPECT_EQ(openSequence({path}).voxelType, "uint8");
    }
    EXPECT_THROW(
        writeVolume(folder / "volume.png", obliqueGrid, {voxels.data(), obliqueGrid.size()}),
        FileError);
}

TEST(Sequences, AreReadBackWithTheirTimes) {
    const TemporaryFolder folder;
    const std::string path = folder / "sequence.nii.gz";
    writeSequence(path, obliqueGrid, 3, 0.04, [](int frame, VolumeView<float> voxels) {
        const auto values = counting<float>(voxels.voxels(), 1000 * frame);
        std::copy(values.begin(), values.end(), voxels.data);
    });
    const auto image = readWithItk<itk::Image<float, 4>>(path);
    EXPECT_NEAR(image->GetSpacing()[3], 0.04, 1e-6);
    const Sequence sequence = openSequence({path});
    EXPECT_TRUE(sequence.geometry.matches(obliqueGrid, 1e-4));
    EXPECT_EQ(sequence.voxelType, "float32");
    EXPECT_NEAR(sequence.timesSeconds.at(2), 0.08, 1e-6);
    for (int frame = 0; frame < 3; ++frame)
        EXPECT_EQ(readFrame(sequence, frame), counting<float>(210, 1000 * frame));
    const float* all = image->GetBufferPointer();
    EXPECT_EQ(all[210 * 2 + 5], 2005);
}

TEST(Writing, FailsWithTheNameOfTheFileAndLeavesNothing) {
    const TemporaryFolder folder;
    BufferPool pool;
    const MillimeterField field = someField(obliqueGrid, pool);
    const std::string path = folder / "no/such/folder/field.mha";
    try {
        writeField(path, field, FieldFormat::MetaImage);
        FAIL() << "was written";
    } catch (const FileError& error) {
        EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
    EXPECT_THROW(writeSequence(folder / "a.nii", obliqueGrid, 2, 0.04,
                               [](int frame, VolumeView<float>) {
                                   if (frame == 1)
                                       throw FileError("the second frame cannot be made");
                               }),
                 FileError);
    EXPECT_TRUE(filesIn(folder.path()).empty());
}

TEST(Writing, AFullDiskIsNoticed) {
    // Files of this process may not grow beyond the limit, as on a disk that is full.
    const TemporaryFolder folder;
    const std::string path = folder / "sequence.nii";
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit most{100'000, 100'000};
        ::setrlimit(RLIMIT_FSIZE, &most);
        ::signal(SIGXFSZ, SIG_IGN);
        int code = 1;
        try {
            writeSequence(path, obliqueGrid, 500, 0.04, [](int frame, VolumeView<float> voxels) {
                std::fill_n(voxels.data, voxels.voxels(), static_cast<float>(frame));
            });
        } catch (const FileError&) {
            code = 0;
        }
        ::_exit(code);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_TRUE(filesIn(folder.path()).empty());
}

TEST(Writing, ReplacesAWholeFileByAWholeFile) {
    const TemporaryFolder folder;
    const std::string path = folder / "run.json";
    writeTextAtomically(path, "first");
    EXPECT_THROW(writeAtomically(path,
                                 [](const std::string& temporary) {
                                     writeBytes(temporary, "half of the sec");
                                     throw FileError("interrupted");
                                 }),
                 FileError);
    EXPECT_EQ(readBytes(path).size(), 5U);
    writeTextAtomically(path, "second one");
    EXPECT_EQ(readBytes(path).size(), 10U);
    EXPECT_EQ(filesIn(folder.path()).size(), 1U);
}

TEST(Writing, FollowsLinksAndLeavesWhatIsNoFileAlone) {
    const TemporaryFolder folder;
    const std::string target = folder / "target.json", link = folder / "link.json";
    std::filesystem::create_symlink(target, link);
    writeTextAtomically(link, "text");
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(readBytes(target).size(), 4U);
    const std::string pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THROW(writeTextAtomically(pipe, "text"), FileError);
    EXPECT_TRUE(std::filesystem::is_fifo(pipe));
    EXPECT_EQ(filesIn(folder.path()).size(), 3U);
}

TEST(Writing, AKilledWriterLeavesNothingUnderAFinalName) {
    const TemporaryFolder folder;
    const std::string path = folder / "sequence.nii.gz";
    const pid_t child = ::fork();
    if (child == 0) {
        writeSequence(path, obliqueGrid, 100, 0.04, [](int frame, VolumeView<float> voxels) {
            std::fill_n(voxels.data, voxels.voxels(), static_cast<float>(frame));
            if (frame == 50)
                ::raise(SIGKILL);
        });
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_FALSE(fs::exists(path));
    for (const std::string& name : filesIn(folder.path()))
        EXPECT_EQ(name.front(), '.') << name;
}

TEST(Folders, AreMadeOrRefused) {
    const TemporaryFolder folder;
    EXPECT_NO_THROW(ensureFolder(folder / "a/b/c"));
    EXPECT_TRUE(fs::is_directory(folder / "a/b/c"));
    EXPECT_TRUE(fs::is_empty(folder / "a/b/c"));
    writeBytes(folder / "file", "text");
    const auto refusal = [](const std::string& path) -> std::string {
        try {
            ensureFolder(path);
        } catch (const FileError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_EQ(refusal(folder / "file"), folder / "file: cannot be made a folder: it is a file");
    EXPECT_EQ(refusal(folder / "file/below/deep"),
              folder / "file/below/deep: cannot be made a folder: " + (folder / "file is a file"));
    EXPECT_EQ(refusal("/proc/systole/deep"),
              "/proc/systole/deep: cannot be made a folder: /proc takes no new folder");
}

} // namespace
} // namespace systole::test
