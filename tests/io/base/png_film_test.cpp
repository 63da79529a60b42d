// Films as animated PNG, taken apart again by the specification.
#include "io/base/png_film.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>
#include <zlib.h>

namespace systole::test {
namespace {

struct Chunk {
    std::string type, content;
    bool sound = false; ///< its check sum is right
};

std::uint32_t numberAt(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k)
        value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
    return value;
}

std::string bytesOf(std::uint32_t value) {
    return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
            static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::uint32_t sumOf(const std::string& text) {
    return static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

std::vector<Chunk> chunksOf(const std::string& png) {
    std::vector<Chunk> chunks;
    for (std::size_t at = 8; at + 12 <= png.size();) {
        const std::size_t length = numberAt(png, at);
        const std::string type = png.substr(at + 4, 4), content = png.substr(at + 8, length);
        chunks.push_back({type, content, numberAt(png, at + 8 + length) == sumOf(type + content)});
        at += 12 + length;
    }
    return chunks;
}

std::string chunk(const std::string& type, const std::string& content) {
    return bytesOf(static_cast<std::uint32_t>(content.size())) + type + content +
           bytesOf(sumOf(type + content));
}

/// Not a picture, but chunks as one has; its data are in two of them.
std::string picture(const std::string& data, const std::string& text) {
    return "\x89PNG\r\n\x1a\n" +
           chunk("IHDR", bytesOf(3) + bytesOf(2) + std::string("\10\6\0\0\0", 5)) +
           chunk("tEXt", text) + chunk("IDAT", data.substr(0, 2)) + chunk("IDAT", data.substr(2)) +
           chunk("IEND", {});
}

TEST(AnimatedPng, HasThePicturesInTheirOrderAndOneCountOverAll) {
    const std::vector<std::string> data{"first", "second", "third"};
    const double seconds[] = {0.04, 0.1234, 1000};
    std::vector<FilmPicture> pictures;
    for (std::size_t k = 0; k < 3; ++k)
        pictures.push_back({picture(data[k], "text " + data[k]), seconds[k]});
    const std::vector<Chunk> chunks = chunksOf(animatedPng(pictures));

    std::vector<std::string> types, found;
    std::vector<std::uint32_t> delays;
    std::uint32_t count = 0;
    for (const Chunk& each : chunks) {
        EXPECT_TRUE(each.sound) << each.type;
        types.push_back(each.type);
        if (each.type == "fcTL") {
            ASSERT_EQ(each.content.size(), 26U);
            EXPECT_EQ(numberAt(each.content, 0), count++);
            EXPECT_EQ(numberAt(each.content, 4), 3U); // width, height, no offset
            EXPECT_EQ(numberAt(each.content, 8), 2U);
            EXPECT_EQ(each.content.substr(12, 8), std::string(8, '\0'));
            delays.push_back(numberAt(each.content, 20) >> 16);
            EXPECT_EQ(numberAt(each.content, 20) & 0xffff, 1000U); // denominator: milliseconds
            found.emplace_back();
        }
        if (each.type == "IDAT")
            found.back() += each.content;
        if (each.type == "fdAT") {
            EXPECT_EQ(numberAt(each.content, 0), count++);
            found.back() += each.content.substr(4);
        }
    }
    EXPECT_EQ(types,
              (std::vector<std::string>{"IHDR", "tEXt", "acTL", "fcTL", "IDAT", "IDAT", "fcTL",
                                        "fdAT", "fdAT", "fcTL", "fdAT", "fdAT", "IEND"}));
    EXPECT_EQ(found, data);
    EXPECT_EQ(delays, (std::vector<std::uint32_t>{40, 123, 65535}));
    EXPECT_EQ(numberAt(chunks[2].content, 0), 3U);
    EXPECT_EQ(numberAt(chunks[2].content, 4), 0U); // 0 plays: endless
    EXPECT_EQ(chunks[1].content, "text first");
}

} // namespace
} // namespace systole::test
