// Sound files of every format, damaged at random but the same way in each run: whatever comes out,
// it is either a sequence or a FileError.
#include "tests/io/dicom_support.h"
#include "tests/io/library_leaks.h"

#include <functional>
#include <random>

namespace systole::test {
namespace {

constexpr int mutations = 400;

struct SoundFile {
    const char* name;
    std::function<Bytes(const std::string& path)> make;
};

Bytes written(const std::string& path) { return readBytes(path); }

std::vector<SoundFile> soundFiles() {
    const auto nifti = [](int version, bool bigEndian) {
        NiftiBytes header(version, bigEndian);
        header.dim({4, 4, 4, 4, 3, 1, 1, 1}).type(4, 16).units(2 | 8).qform({0, 0, 0.5}, {1, 2, 3});
        return header.with(counting<std::int16_t>(192));
    };
    const auto byItk = [](const std::string& path, bool plainText) {
        const auto image = makeItkImage<itk::Image<short, 3>>(Geometry({4, 4, 4}, {1, 2, 3}));
        image->FillBuffer(7);
        writeWithItk(*image, path, false, plainText);
        return written(path);
    };
    return {
        {"nifti1.nii", [=](const std::string&) { return nifti(1, false); }},
        {"nifti2.nii", [=](const std::string&) { return nifti(2, true); }},
        {"compressed.nii.gz", [=](const std::string&) { return gzipped(nifti(1, false)); }},
        {"sequence.seq.nrrd",
         [](const std::string& path) {
             writeBytes(
                 path, std::string(
                           "NRRD0005\ntype: short\ndimension: 4\nspace: right-anterior-superior\n"
                           "sizes: 3 4 4 4\nspace directions: none (1,0,0) (0,1,0) (0,0,2)\n"
                           "kinds: list domain domain domain\nunits: \"s\" \"\" \"\" \"\"\nendian: "
                           "little\nencoding: raw\nspace origin: (1,2,3)\naxis 0 index values:=0 1 "
                           "3\n\n") +
                           std::string(384, 'v'));
             return written(path);
         }},
        {"volume.mha",
         [](const std::string& path) {
             const auto image = makeItkImage<itk::Image<short, 3>>(Geometry({4, 4, 4}, {1, 2, 3}));
             image->FillBuffer(7);
             writeWithItk(*image, path, true);
             return written(path);
         }},
        {"volume.vtk", [=](const std::string& path) { return byItk(path, false); }},
        {"text.vtk", [=](const std::string& path) { return byItk(path, true); }},
        {"volume.gipl", [=](const std::string& path) { return byItk(path, false); }},
        {"volume.gipl.gz", [=](const std::string& path) { return byItk(path, false); }},
        {"slices.dcm",
         [](const std::string& path) {
             const Series series;
             Slice slice = series.slice(0, 0);
             slice.cycle = 800;
             writeSlice(path, slice);
             return written(path);
         }},
    };
}

class MutatedFile : public ::testing::TestWithParam<SoundFile> {};

Bytes mutated(const Bytes& sound, std::mt19937& random) {
    Bytes bytes = sound;
    const auto below = [&](std::size_t limit) { return random() % limit; };
    // Headers matter most, so most of the damage is at the beginning.
    const std::size_t reach =
        below(4) == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 600);
    for (std::size_t i = 0, count = 1 + below(4); i < count; ++i) {
        constexpr std::array<unsigned, 6> favorites{0x00, 0xff, 0x7f, 0x80, 0x20, 0x39};
        const unsigned value =
            below(2) == 0 ? favorites[below(favorites.size())] : static_cast<unsigned>(random());
        bytes[below(reach)] = static_cast<std::byte>(value);
    }
    if (below(5) == 0)
        bytes.resize(below(bytes.size()));
    return bytes;
}

TEST_P(MutatedFile, IsReadOrRefused) {
    const TemporaryFolder folder;
    const std::string path = folder / GetParam().name;
    const Bytes sound = GetParam().make(path);
    std::mt19937 random(12345);
    OpenOptions options;
    options.maximumFrameBytes = std::size_t{1} << 20;
    options.maximumFileBytes = std::size_t{8} << 20;
    for (int i = 0; i < mutations; ++i) {
        writeBytes(path, mutated(sound, random));
        try {
            const Sequence sequence = openSequence({path}, options);
            ASSERT_LE(sequence.geometry.voxels() * sizeof(float), options.maximumFrameBytes);
            for (int frame = 0; frame < std::min(sequence.frames, 4); ++frame)
                readFrame(sequence, frame);
        } catch (const FileError& error) {
            ASSERT_NE(std::string(error.what()).find(folder.path().string()), std::string::npos)
                << error.what();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Each, MutatedFile, ::testing::ValuesIn(soundFiles()),
                         [](const auto& info) {
                             std::string name = info.param.name;
                             std::replace(name.begin(), name.end(), '.', '_');
                             return name;
                         });

/// A folder with one damaged file among sound ones, plain and compressed in every way that scanners
/// use.
class MutatedSeries : public ::testing::TestWithParam<gdcm::TransferSyntax::TSType> {};

TEST_P(MutatedSeries, IsReadOrRefused) {
    const TemporaryFolder plain, folder;
    Series series;
    // The wavelets of JPEG 2000 need more than a handful of pixels.
    series.grid = Geometry({40, 36, 4}, {1.25, 1.5, 8}, {}, series.grid.direction());
    series.write(plain);
    for (const auto& entry : fs::directory_iterator(plain.path())) {
        const std::string name = entry.path().filename().string();
        if (GetParam() == gdcm::TransferSyntax::ExplicitVRLittleEndian)
            fs::copy(entry.path(), folder / name);
        else
            compressSlice(entry.path().string(), folder / name, GetParam());
    }
    const std::string victim = folder / Series::nameOf(1, 1);
    const Bytes sound = readBytes(victim);
    std::mt19937 random(54321);
    for (int i = 0; i < mutations; ++i) {
        writeBytes(victim, mutated(sound, random));
        try {
            const Sequence sequence = openSequence({folder.path().string()});
            for (int frame = 0; frame < std::min(sequence.frames, 4); ++frame)
                readFrame(sequence, frame);
        } catch (const FileError& error) {
            ASSERT_NE(std::string(error.what()).find(folder.path().string()), std::string::npos)
                << error.what();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Each, MutatedSeries,
                         ::testing::Values(gdcm::TransferSyntax::ExplicitVRLittleEndian,
                                           gdcm::TransferSyntax::RLELossless,
                                           gdcm::TransferSyntax::JPEGLosslessProcess14_1,
                                           gdcm::TransferSyntax::JPEGLSLossless,
                                           gdcm::TransferSyntax::JPEG2000Lossless));

} // namespace
} // namespace systole::test
