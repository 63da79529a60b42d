// Texts in PNG files, ours and damaged ones.
#include "io/base/png_text.h"
#include "tests/io/io_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <zlib.h>

namespace systole::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string bigEndian(std::size_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
}

std::string chunk(const std::string& type, const std::string& content) {
    const std::string summed = type + content;
    return bigEndian(content.size()) + summed +
           bigEndian(crc32(0, reinterpret_cast<const Bytef*>(summed.data()),
                           static_cast<uInt>(summed.size())));
}

std::string packed(const std::string& text) {
    uLongf size = compressBound(static_cast<uLong>(text.size()));
    std::string bytes(size, '\0');
    compress(reinterpret_cast<Bytef*>(bytes.data()), &size,
             reinterpret_cast<const Bytef*>(text.data()), static_cast<uLong>(text.size()));
    bytes.resize(size);
    return bytes;
}

const std::string signature("\x89PNG\r\n\x1a\n");

std::string png(const std::string& between = {}) {
    return signature + chunk("IHDR", bigEndian(1) + bigEndian(1) + std::string("\10\0\0\0\0", 5)) +
           between + chunk("IDAT", packed(std::string(2, '\0'))) + chunk("IEND", {});
}

class PngTexts : public ::testing::Test {
protected:
    std::vector<PngText> read(const std::string& content) {
        writeBytes(folder_ / "a.png", content);
        return readPngTexts(folder_ / "a.png");
    }
    std::string refusal(const std::string& content) {
        try {
            read(content);
        } catch (const FileError& error) {
            return error.what();
        }
        return {};
    }

    TemporaryFolder folder_;
};

TEST_F(PngTexts, WhatIsWrittenIsRead) {
    const std::vector<PngText> texts{{"Title", "a heart"},
                                     {"Description", "motion 3→4 · 0–2 µm"},
                                     {"empty", ""},
                                     {"lines", "one\ntwo"}};
    const std::string with = withPngTexts(png(), texts);
    EXPECT_EQ(read(with), texts);
    EXPECT_THAT(with, HasSubstr("tEXtTitle"));       // ASCII as the oldest readers know it
    EXPECT_THAT(with, HasSubstr("iTXtDescription")); // all else in UTF-8
    // Everything else of the file stays.
    EXPECT_EQ(withPngTexts(png(), {}), png());
    EXPECT_TRUE(with.ends_with(png().substr(signature.size() + 25)));
}

TEST_F(PngTexts, TextsOfOtherProgramsAreReadInAllTheirKinds) {
    const std::string zeros(2, '\0');
    EXPECT_THAT(read(png(chunk("tEXt", std::string("Author\0M\xfcller", 13)) +
                         chunk("zTXt", "Comment" + zeros + packed("\xb5m")) +
                         chunk("iTXt", "Source" + std::string(1, '\0') + "\1" +
                                           std::string(1, '\0') + "de" + std::string(1, '\0') +
                                           "Quelle" + std::string(1, '\0') + packed("µm")))),
                ElementsAre(PngText{"Author", "Müller"}, PngText{"Comment", "µm"},
                            PngText{"Source", "µm"}));
}

TEST_F(PngTexts, WhatIsNoPngIsRefused) {
    EXPECT_THAT(refusal("P6 1 1 255"), HasSubstr("a.png: this is no PNG file"));
    EXPECT_THAT(refusal(""), HasSubstr("no PNG file"));
    EXPECT_THAT(refusal(signature), HasSubstr("damaged"));
    EXPECT_THAT(refusal(signature + chunk("IEND", {})), HasSubstr("header"));
    EXPECT_THROW(readPngTexts(folder_ / "none.png"), FileError);
    EXPECT_THROW(readPngTexts(folder_.path().string()), FileError);
}

TEST_F(PngTexts, EveryCutAndEveryChangedByteOfATextIsNoticed) {
    const std::string whole = withPngTexts(png(), {{"systole", "{\"format\":1}"}});
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_NE(refusal(whole.substr(0, length)), "") << length;
    const std::size_t first = signature.size() + 25, last = first + 12 + 8 + 12;
    for (std::size_t at = first; at < last; ++at) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0x20);
        std::vector<PngText> texts;
        try {
            texts = read(changed);
        } catch (const FileError& error) {
            EXPECT_THAT(error.what(), HasSubstr("a.png: "));
            continue;
        }
        // Another type of chunk is skipped.
        EXPECT_TRUE(texts.empty()) << at;
    }
}

TEST_F(PngTexts, HostileChunksAreRefusedWithoutTakingMemory) {
    EXPECT_THAT(refusal(signature + png().substr(8, 25) + bigEndian(0xffffffff) + "tEXtTitle"),
                HasSubstr("longer than the file"));
    EXPECT_THAT(refusal(png(chunk("tEXt", "no end"))), HasSubstr("tEXt"));
    EXPECT_THAT(refusal(png(chunk("tEXt", std::string(1, '\0') + "no keyword"))),
                HasSubstr("broken"));
    EXPECT_THAT(refusal(png(chunk("tEXt", std::string(80, 'k') + std::string(1, '\0')))),
                HasSubstr("broken"));
    EXPECT_THAT(refusal(png(chunk("zTXt", "k" + std::string(2, '\0') + "noise"))),
                HasSubstr("zTXt"));
    EXPECT_THAT(refusal(png(chunk("zTXt", "k" + std::string(1, '\0')))), HasSubstr("zTXt"));
    EXPECT_THAT(refusal(png(chunk("iTXt", "k" + std::string(1, '\0')))), HasSubstr("iTXt"));
    EXPECT_THAT(refusal(png(chunk("iTXt", "k" + std::string(3, '\0') + "en"))), HasSubstr("iTXt"));
    // A text that inflates without end, one that is too long, and many that are together.
    const std::string zeros(std::size_t{64} << 20, '\0');
    EXPECT_NE(refusal(png(chunk("zTXt", "k" + std::string(2, '\0') + packed(zeros)))), "");
    EXPECT_THAT(refusal(png(chunk("tEXt", "k" + std::string(1, '\0') + zeros.substr(0, 2 << 20)))),
                HasSubstr("more text"));
    const std::string part = chunk("tEXt", "k" + std::string(1, '\0') + std::string(700000, 'x'));
    EXPECT_THAT(refusal(png(part + part)), HasSubstr("more text"));
}

} // namespace
} // namespace systole::test
