// Files of which the header alone is read: damage inside is no matter of it, a missing end is.
#include "tests/io/hostile_support.h"

namespace systole::test {
namespace {

TEST(HostileFiles, TheHeaderAloneIsReadOfAFileThatIsDamagedInsideAndNotOfOneThatIsCutOff) {
    const TemporaryFolder folder;
    const Bytes whole =
        gzipped(NiftiBytes().dim({4, 16, 16, 16, 3, 1, 1, 1}).type(4, 16).with(noise(24576)));
    const auto open = [&](const Bytes& data, bool headerAlone) {
        writeBytes(folder / "a.nii.gz", data);
        return openSequence({folder / "a.nii.gz"}, {.headerAlone = headerAlone});
    };
    for (const std::size_t at : {whole.size() / 2, whole.size() - 6}) { // voxels, checksum
        EXPECT_THROW(open(flipped(whole, at), false), FileError);
        const Sequence damaged = open(flipped(whole, at), true);
        EXPECT_EQ(damaged.frames, 3);
        EXPECT_THROW(readFrame(damaged, 2), FileError);
    }
    for (const std::size_t lost : {std::size_t{1}, std::size_t{4}, whole.size() / 2})
        EXPECT_THROW(open(cut(whole, whole.size() - lost), true), FileError);
}

/// A compressed MetaImage of 16³ numbers, whose header states so many compressed bytes; "0": none.
Bytes compressedMeta(const Bytes& voxels, const std::string& stated) {
    std::string lines = "CompressedData = True\n";
    if (stated != "0")
        lines += "CompressedDataSize = " + stated + "\n";
    std::string text = meta("CompressedData = False\n", lines);
    text.replace(text.find("4 4 4"), 5, "16 16 16");
    Bytes whole;
    append(whole, std::string_view(text).substr(0, text.size() - 128)); // the voxels of meta()
    whole.insert(whole.end(), voxels.begin(), voxels.end());
    return whole;
}

TEST(HostileFiles, TheHeaderAloneIsReadOfACompressedMetaImageThatHasTheBytesItStates) {
    const TemporaryFolder folder;
    const Bytes voxels = deflated(noise(8192));
    const auto open = [&](const Bytes& data, bool headerAlone) {
        writeBytes(folder / "a.mha", data);
        return openSequence({folder / "a.mha"}, {.headerAlone = headerAlone});
    };
    const Bytes spoilt = flipped(voxels, voxels.size() / 2);
    const Bytes stating = compressedMeta(spoilt, std::to_string(spoilt.size()));
    EXPECT_THROW(open(stating, false), FileError);
    EXPECT_THROW(readFrame(open(stating, true), 0), FileError);
    EXPECT_EQ(open(stating, true).geometry.size().z, 16);
    EXPECT_THROW(open(cut(stating, stating.size() - 1), true), FileError);
    EXPECT_THROW(open(compressedMeta(spoilt, "0"), true),
                 FileError); // inflated, since none states it
    for (const std::string& stated :
         {std::string("0"), std::to_string(voxels.size()), std::to_string(voxels.size() + 5),
          std::string("-5"), std::string("8.2e+03"), std::string("?"), std::string(30, '9')})
        EXPECT_EQ(readFrame(open(compressedMeta(voxels, stated), true), 0),
                  readFrame(open(compressedMeta(voxels, stated), false), 0));
}

} // namespace
} // namespace systole::test
