// Damaged and hostile files: each is refused in one line that names it, without a crash, a hang or
// a large allocation.
#include "tests/io/hostile_support.h"

#include <cmath>
#include <limits>
#include <sys/stat.h>

namespace systole::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A sound header of 4 × 4 × 4 voxels of int16, three frames: every case spoils one thing of it.
NiftiBytes sound(int version = 1) {
    NiftiBytes header(version);
    header.dim({4, 4, 4, 4, 3, 1, 1, 1}).type(4, 16);
    return header;
}
Bytes soundFile() { return sound().with(counting<std::int16_t>(192)); }
Make nifti(const NiftiBytes& header) {
    return bytes("image.nii", header.with(counting<std::int16_t>(192)));
}

std::string nrrd(const std::string& replaced = "", const std::string& by = "") {
    std::string text = "NRRD0004\ntype: short\ndimension: 4\nspace: left-posterior-superior\n"
                       "sizes: 3 4 4 4\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\n"
                       "kinds: list domain domain domain\nendian: little\nencoding: raw\n"
                       "space origin: (0,0,0)\n\n" +
                       std::string(384, 'v');
    if (!replaced.empty())
        text.replace(text.find(replaced), replaced.size(), by);
    return text;
}
NiftiBytes with(const std::function<void(NiftiBytes&)>& spoil, int version = 1) {
    NiftiBytes header = sound(version);
    spoil(header);
    return header;
}

std::vector<Hostile> hostileFiles() {
    using N = NiftiBytes&;
    constexpr std::int64_t huge = std::int64_t{1} << 62;
    return {
        // Not images
        {"Missing", [](const TemporaryFolder& f) { return std::vector{f / "none.nii"}; },
         "there is no such file or folder"},
        {"PointerOfGitLfs",
         content("p.nii.gz", "version https://git-lfs.github.com/spec/v1\nsize 9\n"),
         "is a pointer of Git LFS to content that isn't here; 'git lfs pull' fetches it"},
        {"PointerOfGitAnnex", content("p.mha", "/annex/objects/MD5E-s9--0.mha\n"),
         "is a pointer of git-annex to content that isn't here"},
        {"LinkThatLeadsNowhere",
         [](const TemporaryFolder& f) {
             fs::create_symlink("nowhere", f / "link.nii");
             return std::vector{f / "link.nii"};
         },
         "is a link to content that isn't here (nowhere)"},
        {"Empty", content("empty.nii", ""), "empty"},
        {"EmptyGzip", bytes("empty.nii.gz", gzipped({})), "empty"},
        {"TextNamedNifti", content("notes.nii", "these are not voxels"), "NIfTI"},
        {"TextNamedNrrd", content("notes.nrrd", "these are not voxels"), "NRRD000"},
        {"TextNamedMeta", content("notes.mha", "these are not voxels"), "Key = Value"},
        {"Noise", bytes("noise.dat", noise(5000)), "not an image"},
        {"NoiseNamedNifti", bytes("noise.nii", noise(5000)), "NIfTI"},
        {"NoiseNamedMeta", bytes("noise.mha", noise(5000)), "Key = Value"},
        {"FolderNamedLikeAFile",
         [](const TemporaryFolder& f) {
             fs::create_directory(f / "folder.nii");
             return std::vector{f / "folder.nii"};
         },
         "folder"},
        {"DanglingLink",
         [](const TemporaryFolder& f) {
             fs::create_symlink("nowhere", f / "link.nii.gz");
             return std::vector{f / "link.nii.gz"};
         },
         "is a link to content that isn't here"},
        {"Pipe",
         [](const TemporaryFolder& f) {
             ::mkfifo((f / "pipe.nii").c_str(), 0600);
             return std::vector{f / "pipe.nii"};
         },
         "not a regular file"},
        {"EndlessDevice",
         [](const TemporaryFolder& f) {
             fs::create_symlink("/dev/zero", f / "zero.nii");
             return std::vector{f / "zero.nii"};
         },
         "not a regular file"},
        {"PathOfTwoLines", content("two\nlines.nii", "no voxels"), "NIfTI"},

        // Compressed data
        {"TruncatedGzip", bytes("cut.nii.gz", cut(gzipped(sound().with(noise(384))), 300)),
         "cut off"},
        {"GzipWithoutItsEnd",
         [](const TemporaryFolder& f) {
             const Bytes whole = gzipped(soundFile());
             writeBytes(f / "cut.nii.gz", cut(whole, whole.size() - 4));
             return std::vector{f / "cut.nii.gz"};
         },
         "cut off"},
        {"DamagedGzip", bytes("bad.nii.gz", flipped(gzipped(sound().with(noise(384))), 200)),
         "damaged"},
        {"GzipWithWrongChecksum",
         [](const TemporaryFolder& f) {
             const Bytes whole = gzipped(soundFile());
             writeBytes(f / "bad.nii.gz", flipped(whole, whole.size() - 6));
             return std::vector{f / "bad.nii.gz"};
         },
         "damaged"},
        {"GzipThatIsTooShort", bytes("short.nii.gz", gzipped(cut(soundFile(), 500))), "promises"},
        {"Bomb", bytes("bomb.nii.gz", bomb(soundFile())), "trap"},
        {"PromiseThatNoGzipOfThisSizeKeeps",
         bytes("lie.nii.gz", gzipped(with([](N h) {
                                         h.dim({4, 500, 500, 500, 200, 1, 1, 1});
                                     }).with(counting<std::int16_t>(192)))),
         "cannot hold"},

        // NIfTI headers
        {"HeaderAlone", bytes("short.nii", cut(soundFile(), 200)), "NIfTI"},
        {"FileShorterThanPromised", bytes("short.nii", cut(soundFile(), 700)), "promises"},
        {"NoMagic", nifti(with([](N h) { h.put<std::int32_t>(344, 0); })), "NIfTI"},
        {"HugeDimensions", nifti(with([](N h) {
             h.dim({4, 32767, 32767, 32767, 32767, 1, 1, 1});
         })),
         "32767"},
        {"OverflowingDimensions",
         nifti(with(
             [=](N h) {
                 h.dim({4, huge, huge, huge, huge, 1, 1, 1});
             },
             2)),
         "voxels"},
        {"OverflowingProduct",
         nifti(with(
             [](N h) {
                 h.dim({4, 65536, 65536, 65536, 65536, 1, 1, 1});
             },
             2)),
         "65536"},
        {"OverflowingFrames",
         nifti(with(
             [=](N h) {
                 h.dim({4, 4, 4, 4, huge, 1, 1, 1});
             },
             2)),
         "frames"},
        {"ZeroSize", nifti(with([](N h) {
             h.dim({4, 4, 0, 4, 3, 1, 1, 1});
         })),
         "at least 1"},
        {"NegativeSize", nifti(with([](N h) {
             h.dim({4, 4, -4, 4, 3, 1, 1, 1});
         })),
         "at least 1"},
        {"NoFrames", nifti(with([](N h) {
             h.dim({4, 4, 4, 4, 0, 1, 1, 1});
         })),
         "0 frames"},
        {"TwoDimensions", nifti(with([](N h) {
             h.dim({2, 4, 4, 1, 1, 1, 1, 1});
         })),
         "2 dimensions"},
        {"OneSlice", nifti(with([](N h) {
             h.dim({4, 4, 4, 1, 3, 1, 1, 1});
         })),
         "two-dimensional"},
        {"DimensionCountOutOfRange", nifti(with([](N h) {
             h.dim({99, 4, 4, 4, 3, 1, 1, 1});
         })),
         "99 dimensions"},
        {"FiveDimensions", nifti(with([](N h) {
             h.dim({5, 4, 4, 4, 3, 2, 1, 1});
         })),
         "dimensions"},
        {"Vectors", nifti(with([](N h) {
             h.dim({5, 4, 4, 4, 1, 3, 1, 1}).intent(1007);
         })),
         "3 numbers per voxel"},
        {"UnknownType", nifti(with([](N h) { h.type(77, 16); })), "data type 77"},
        {"ColorType", nifti(with([](N h) { h.type(128, 24); })), "data type 128"},
        {"BitsThatContradictTheType", nifti(with([](N h) { h.type(4, 8); })), "8 bits"},
        {"SpacingNotANumber", nifti(with([](N h) {
             h.pixdim({1, 1, nan, 1, 1, 0, 0, 0}).sform({}, 0);
         })),
         "spacing"},
        {"SpacingInfinite", nifti(with([](N h) {
             h.pixdim({1, 1, infinity, 1, 1, 0, 0, 0}).sform({}, 0);
         })),
         "spacing"},
        {"SpacingZero", nifti(with([](N h) {
             h.pixdim({1, 1, 0, 1, 1, 0, 0, 0}).sform({}, 0);
         })),
         "spacing"},
        {"VoxelsBehindTheEnd", nifti(with([](N h) { h.voxelOffset(1e6); })), "promises"},
        {"VoxelsInTheHeader", nifti(with([](N h) { h.voxelOffset(100); })), "begin at byte"},
        {"VoxelsNowhere", nifti(with([](N h) { h.voxelOffset(nan); })), "begin at byte"},
        {"PlaceNotANumber", nifti(with([](N h) {
             h.sform({{{1, 0, 0, nan}, {0, 1, 0, 0}, {0, 0, 1, 0}}});
         })),
         "the offset of row 1 is nan"},
        {"DirectionNotANumber", nifti(with([](N h) {
             h.sform({{{1, 0, nan, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}});
         })),
         "axis 3 is (nan, 0, 1)"},
        {"DirectionSingular", nifti(with([](N h) {
             h.sform({{{1, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 1, 0}}});
         })),
         "singular"},
        {"QuaternionNotANumber", nifti(with([](N h) {
             h.sform({}, 0).qform({nan, 0, 0}, {0, 0, 0});
         })),
         "quaternion"},
        {"VoxelNotANumber", bytes("nan.nii", sound().type(16, 32).with([] {
             auto voxels = counting<float>(192);
             voxels[100] = std::numeric_limits<float>::quiet_NaN();
             return voxels;
         }())),
         "not finite"},
        {"PairWithoutItsVoxels",
         bytes("alone.hdr", with([](N h) { h.magic("ni1").voxelOffset(0); }).header()), ".img"},

        // NRRD
        {"NrrdWithoutSizes", content("a.nrrd", nrrd("sizes: 3 4 4 4\n")), "0 sizes"},
        {"NrrdWithTooFewSizes", content("a.nrrd", nrrd("3 4 4 4", "3 4 4")), "3 sizes"},
        {"NrrdWithASizeOfZero", content("a.nrrd", nrrd("3 4 4 4", "3 4 0 4")), "at least 1"},
        {"NrrdWithHugeSizes", content("a.nrrd", nrrd("3 4 4 4", "3 4000000000 4000000000 4")),
         "4000000000"},
        {"NrrdWithOverflowingSize",
         content("a.nrrd", nrrd("3 4 4 4", "3 99999999999999999999 4 4")), "as a size"},
        {"NrrdWithTooFewKinds", content("a.nrrd", nrrd("list domain domain domain", "list domain")),
         "2 kinds"},
        {"NrrdWithTwoLists",
         content("a.nrrd", nrrd("none (1,0,0) (0,1,0) (0,0,1)", "none none (0,1,0) (0,0,1)")),
         "more than one axis"},
        {"NrrdWithUnknownEncoding", content("a.nrrd", nrrd("raw", "rot13")), "rot13"},
        {"NrrdWithUnknownType", content("a.nrrd", nrrd("short", "block")), "block"},
        {"NrrdWithoutByteOrder", content("a.nrrd", nrrd("endian: little\n")), "byte order"},
        {"NrrdWithBrokenVector", content("a.nrrd", nrrd("(0,1,0)", "(0,1,0")), "vector"},
        {"NrrdWithDirectionNotANumber", content("a.nrrd", nrrd("(0,1,0)", "(0,nan,0)")), "spacing"},
        {"NrrdWithAFarOrigin",
         content("a.nrrd", nrrd("space origin: (0,0,0)", "space origin: (0,1e308,0)")),
         "a coordinate of the first voxel is 1e+308"},
        {"NrrdWithTinySpacing", content("a.nrrd", nrrd("(0,1,0)", "(0,1e-5,0)")), "spacing"},
        {"NrrdWithHugeSpacing", content("a.nrrd", nrrd("(0,1,0)", "(0,1001,0)")),
         "from 0.0001 to 1000"},
        {"NrrdWithZeroDirection", content("a.nrrd", nrrd("(0,1,0)", "(0,0,0)")), "spacing"},
        {"NrrdWithSingularDirections", content("a.nrrd", nrrd("(0,1,0)", "(1,0,0)")), "singular"},
        {"NrrdWithoutEndOfHeader", content("a.nrrd", nrrd().substr(0, 150)), "empty line"},
        {"NrrdTooShort", content("a.nrrd", nrrd().substr(0, nrrd().size() - 50)), "promises"},
        {"NrrdThatLeavesItsFolder",
         content("a.nhdr", nrrd("encoding: raw", "encoding: raw\ndata file: ../../etc/passwd")),
         "in the folder of the header"},
        {"NrrdThatNamesASystemFile",
         content("a.nhdr", nrrd("encoding: raw", "encoding: raw\ndata file: /etc/passwd")),
         "in the folder of the header"},
        {"NrrdWhoseDataAreMissing",
         content("a.nhdr", nrrd("encoding: raw", "encoding: raw\ndata file: gone.raw")),
         "not there"},
        {"NrrdWithTooFewNumbers", content("a.nrrd", nrrd("raw", "ascii").substr(0, 280) + "1 2 3"),
         "numbers"},
        {"NrrdWithWordsForNumbers", content("a.nrrd", nrrd("raw", "ascii")), "number"},
        {"NrrdOfColors",
         content("a.nrrd", nrrd("list domain domain domain", "RGB-color domain domain domain")),
         "3 numbers per voxel"},

        // MetaImage
        {"MetaOfTwoDimensions", content("a.mha", meta("NDims = 3", "NDims = 2")), "NDims"},
        {"MetaOfManyDimensions", content("a.mha", meta("NDims = 3", "NDims = 1000000")), "NDims"},
        {"MetaWithoutDataFile", content("a.mha", meta("ElementDataFile = LOCAL\n").substr(0, 180)),
         "ElementDataFile"},
        {"MetaWithoutSize", content("a.mha", meta("DimSize = 4 4 4\n")), "DimSize"},
        {"MetaWithWordsForSizes", content("a.mha", meta("DimSize = 4 4 4", "DimSize = 4 four 4")),
         "four"},
        {"MetaWithFractionalSize", content("a.mha", meta("DimSize = 4 4 4", "DimSize = 4 4.5 4")),
         "4.5"},
        {"MetaWithHugeSize", content("a.mha", meta("DimSize = 4 4 4", "DimSize = 1e9 1e9 1e9")),
         "1000000000"},
        {"MetaWithZeroSpacing", content("a.mha", meta("Spacing = 1 1 1", "Spacing = 1 0 1")),
         "spacing"},
        {"MetaWithUnknownType", content("a.mha", meta("MET_SHORT", "MET_STRING")), "MET_STRING"},
        {"MetaWithSingularMatrix",
         content("a.mha", meta("Matrix = 1 0 0 0 1 0", "Matrix = 1 0 0 1 0 0")), "singular"},
        {"MetaWithBrokenCompression",
         content("a.mha", meta("CompressedData = False", "CompressedData = True")), "damaged"},
        {"MetaTooShort", content("a.mha", meta().substr(0, meta().size() - 1)), "promises"},
        {"MetaThatLeavesItsFolder", content("a.mhd", meta("LOCAL", "../secret.raw")),
         "in the folder of the header"},
        {"MetaWithTooShortAList", content("a.mhd", meta("LOCAL", "LIST")), "data files"},

        // Lists of files
        {"FramesOfUnequalSize",
         [](const TemporaryFolder& f) {
             NiftiBytes header;
             header.type(4, 16).dim({3, 4, 4, 4, 1, 1, 1, 1});
             writeBytes(f / "frame0.nii", header.with(counting<std::int16_t>(64)));
             header.dim({3, 4, 4, 5, 1, 1, 1, 1});
             writeBytes(f / "frame1.nii", header.with(counting<std::int16_t>(80)));
             return std::vector{f / "frame0.nii", f / "frame1.nii"};
         },
         "frame1.nii: its voxels"},
        {"FramesAtUnequalPlaces",
         [](const TemporaryFolder& f) {
             NiftiBytes header;
             header.type(4, 16).dim({3, 4, 4, 4, 1, 1, 1, 1});
             writeBytes(f / "frame0.nii", header.with(counting<std::int16_t>(64)));
             header.sform({{{1, 0, 0, 3}, {0, 1, 0, 0}, {0, 0, 1, 0}}});
             writeBytes(f / "frame1.nii", header.with(counting<std::int16_t>(64)));
             return std::vector{f / "frame0.nii", f / "frame1.nii"};
         },
         "frame1.nii: its voxels"},
        {"SequenceAmongFrames",
         [](const TemporaryFolder& f) {
             writeBytes(f / "a.nii", soundFile());
             return std::vector{f / "a.nii", f / "a.nii"};
         },
         "must be one volume"},
    };
}

class HostileFile : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileFile, IsRefusedInOneLineThatNamesIt) { expectRefusal(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Each, HostileFile, ::testing::ValuesIn(hostileFiles()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(HostileFiles, CapsAreTheCallers) {
    const TemporaryFolder folder;
    writeBytes(folder / "a.nii", soundFile());
    OpenOptions options;
    options.maximumFrameBytes = 4 * 4 * 4 * sizeof(float);
    EXPECT_NO_THROW(openSequence({folder / "a.nii"}, options));
    options.maximumFrameBytes -= 1;
    EXPECT_THROW(openSequence({folder / "a.nii"}, options), FileError);
    options = {};
    options.maximumFileBytes = 383;
    EXPECT_THROW(openSequence({folder / "a.nii"}, options), FileError);
}

TEST(HostileFiles, TheSoundOnesThatTheyWereMadeFromAreRead) {
    const TemporaryFolder folder;
    writeBytes(folder / "a.nii", soundFile());
    writeBytes(folder / "a.nii.gz", gzipped(soundFile()));
    writeBytes(folder / "a.nrrd", nrrd());
    writeBytes(folder / "a.mha", meta());
    for (const char* name : {"a.nii", "a.nii.gz", "a.nrrd", "a.mha"})
        EXPECT_EQ(refusalOf({folder / name}), "") << name;
}

TEST(HostileFiles, AUselessFrameTimeIsRefused) {
    const TemporaryFolder folder;
    writeBytes(folder / "a.nii", soundFile());
    OpenOptions options;
    for (const double given : {-1.0, nan, infinity}) {
        options.frameTimeMilliseconds = given;
        EXPECT_THROW(openSequence({folder / "a.nii"}, options), FileError);
    }
}

} // namespace
} // namespace systole::test
