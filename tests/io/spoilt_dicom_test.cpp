// Folders of slices with one thing wrong: each is refused in one line.
#include "tests/io/dicom_support.h"

#include <functional>

namespace systole::test {
namespace {

struct SpoiltFolder {
    const char* name;
    std::function<void(const TemporaryFolder&)> make;
    const char* blames; ///< a part of the sentence
};

class SpoiltDicom : public ::testing::TestWithParam<SpoiltFolder> {};

std::function<void(const TemporaryFolder&)> changed(std::function<bool(Slice&, int, int)> change) {
    return [=](const TemporaryFolder& folder) { Series().write(folder, change); };
}
/// A sound series one of whose files is then spoilt.
std::function<void(const TemporaryFolder&)> spoilt(std::function<void(const std::string&)> spoil) {
    return [=](const TemporaryFolder& folder) {
        Series().write(folder);
        spoil(folder / Series::nameOf(2, 1));
    };
}
bool isTheOne(int z, int t) { return z == 2 && t == 1; }

std::vector<SpoiltFolder> spoiltFolders() {
    static const std::string one = Series::nameOf(2, 1);
    return {
        {"NothingInTheFolder", [](const TemporaryFolder&) {}, "no DICOM files"},
        {"NoDicomInTheFolder",
         [](const TemporaryFolder& f) { writeBytes(f / "readme.txt", "hello"); }, "no DICOM files"},
        {"AFileThatIsNotDicom", spoilt([](const std::string& path) { writeBytes(path, "junk"); }),
         one.c_str()},
        {"ADanglingLink", spoilt([](const std::string& path) {
             fs::remove(path);
             fs::create_symlink("nowhere", path);
         }),
         one.c_str()},
        {"AFileCutInItsPixels",
         spoilt([](const std::string& path) { fs::resize_file(path, fs::file_size(path) - 5); }),
         one.c_str()},
        {"AFileCutInItsHeader", spoilt([](const std::string& path) { fs::resize_file(path, 500); }),
         one.c_str()},
        {"AFileOfItsPreambleAlone",
         spoilt([](const std::string& path) { fs::resize_file(path, 132); }), one.c_str()},
        {"AnElementLongerThanTheFile", spoilt([](const std::string& path) {
             Bytes data = readBytes(path);
             data.resize(data.size() - 24 - 8);
             append(data, std::string("\xe0\x7f\x08\x00OB\0\0\xf0\xff\xff\xff", 12));
             writeBytes(path, data);
         }),
         one.c_str()},
        {"EndlessNesting", spoilt([](const std::string& path) {
             Bytes data = cut(readBytes(path), 400);
             for (int i = 0; i < 2000; ++i) {
                 append(data, std::string("\x08\x00\x05\x11SQ\0\0\xff\xff\xff\xff", 12));
                 append(data, std::string("\xfe\xff\x00\xe0\xff\xff\xff\xff", 8));
             }
             writeBytes(path, data);
         }),
         one.c_str()},
        {"AMissingImage", changed([](Slice&, int z, int t) { return !isTheOne(z, t); }),
         "unequal numbers of slices"},
        {"AMissingSlice", changed([](Slice&, int z, int) { return z != 2; }), "a slice is missing"},
        {"ASliceOfAnotherSize", changed([](Slice& slice, int z, int t) {
             if (isTheOne(z, t)) {
                 slice.rows = 2;
                 slice.pixels.resize(8);
             }
             return true;
         }),
         "pixels, but"},
        {"ASliceOfAnotherSpacing", changed([](Slice& slice, int z, int t) {
             slice.rowSpacing += isTheOne(z, t) ? 0.5 : 0;
             return true;
         }),
         "pixel spacing"},
        {"ASliceOfAnotherOrientation", changed([](Slice& slice, int z, int t) {
             if (isTheOne(z, t))
                 slice.direction = identity3;
             return true;
         }),
         "another orientation"},
        {"ASliceShiftedInItsPlane", changed([](Slice& slice, int z, int t) {
             if (isTheOne(z, t))
                 slice.position =
                     slice.position +
                     3 * Vec3{slice.direction[0][0], slice.direction[1][0], slice.direction[2][0]};
             return true;
         }),
         "shifted within its plane"},
        {"ASliceWithoutPosition", changed([](Slice& slice, int z, int t) {
             slice.positioned = !isTheOne(z, t);
             return true;
         }),
         "position in space"},
        {"OneSliceOnly", changed([](Slice&, int z, int) { return z == 2; }), "one plane"},
        {"ZeroPixelSpacing", changed([](Slice& slice, int, int) {
             slice.rowSpacing = 0;
             return true;
         }),
         "spacing"},
        {"PixelsPromisedButNotThere", changed([](Slice& slice, int z, int t) {
             if (isTheOne(z, t))
                 slice.rows = slice.columns = 60000;
             return true;
         }),
         one.c_str()},
        {"NothingThatTellsTheOrder", changed([](Slice& slice, int, int) {
             slice.triggerTime.reset();
             slice.texts.clear();
             return true;
         }),
         "order in time"},
    };
}

TEST_P(SpoiltDicom, IsRefusedInOneLine) {
    const TemporaryFolder folder;
    GetParam().make(folder);
    try {
        const Sequence sequence = openSequence({folder.path().string()});
        for (int frame = 0; frame < sequence.frames; ++frame)
            readFrame(sequence, frame);
        FAIL() << "was read without complaint";
    } catch (const FileError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find(folder.path().string()), std::string::npos) << message;
        EXPECT_NE(message.find(GetParam().blames), std::string::npos) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

INSTANTIATE_TEST_SUITE_P(Each, SpoiltDicom, ::testing::ValuesIn(spoiltFolders()),
                         [](const auto& info) { return std::string(info.param.name); });

} // namespace
} // namespace systole::test
